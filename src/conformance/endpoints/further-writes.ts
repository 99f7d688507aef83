/** Further writes: a list shows the records that an operation creates besides its own, by their reference to it. */
import { isObject } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { FurtherWrite } from "../../language/states/model.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import type { Interaction } from "../interaction.ts";
import { recordIn } from "../response.ts";
import { readId } from "../trial/looking.ts";
import { pagesOf } from "../trial/pages.ts";
import { callersOf, operationCase, pathOf, plainOperations } from "./subjects.ts";

export function furtherWriteCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    if (called.action !== "create" || called.resource === undefined) return [];
    return (called.endpoint.also ?? []).flatMap((write, index) => {
      const field = referring(write);
      const list = field === undefined ? undefined : listOf(contract, write.resource);
      if (field === undefined || list === undefined) return [];
      return [creates(called, list, write, field, pathOf(called, `also/${index}`))];
    });
  });
}

/** Returns the field in which a write that always creates one record refers to the record of the operation. */
function referring({ each, if: condition, kind, with: values = {} }: FurtherWrite): string | undefined {
  if (kind !== "create" || each !== undefined || condition !== undefined) return undefined;
  return Object.entries(values).find(([, text]) => text === "id" || text === "this.id")?.[0];
}

/** Returns a list that shows all records of a resource to whoever may run it. */
function listOf(contract: Contract, resource: string): Operation | undefined {
  const { allow } = contract.model.authentication;
  return plainOperations(contract).find(
    ({ action, endpoint, operation, parents, resource: of }) =>
      action === "list" &&
      of === resource &&
      parents.length === 0 &&
      endpoint.where === undefined &&
      (lookup(allow, operation) ?? []).every((grant) => grant.if === undefined),
  );
}

/** How many pages the test reads. */
const mostPages = 10;

function creates(called: Operation, list: Operation, write: FurtherWrite, field: string, path: string): Case {
  const { operation, resource = "" } = called;
  const expects = `${operation} also creates a ${write.resource} whose \`${field}\` is the new ${resource}`;
  return operationCase(
    called,
    `also creates ${write.resource} by ${path.split("/").at(-1)}`,
    [{ path, expects }],
    async (trial) => {
      const record = await trial.make(resource, { by: operation });
      const id = await readId(trial, record);
      const [caller] = await callersOf(trial, list);
      if (id === undefined || caller === undefined) throw new NotTried(`no caller of the test lists ${write.resource}`);
      let last: Interaction | undefined;
      let isComplete = false;
      for await (const page of pagesOf(trial, list, { caller, record: null }, mostPages)) {
        last = page.interaction;
        isComplete = page.following === undefined;
        const observed = page.items
          .filter(isObject)
          .map((item) => recordIn(trial.contract, list, item)?.record ?? item);
        if (observed.some((one) => lookup(one, field) === undefined))
          throw new NotTried(`${list.operation} does not show \`${field}\``);
        if (observed.some((one) => lookup(one, field) === id)) return;
      }
      if (!isComplete) throw new NotTried(`${list.operation} has more pages than the test reads`);
      throw new Broken(`a ${write.resource} with \`${field}\` ${JSON.stringify(id)}`, "none", last, path);
    },
  );
}
