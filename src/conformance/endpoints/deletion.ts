/** Deletions: afterwards nothing finds the record any more, and the deletion of many deletes exactly those that it selects. */
import { creates } from "../../language/endpoints/input.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayRun } from "../permissions.ts";
import { type Contract, type Operation, needsRecord } from "../contract.ts";
import { expectSuccess } from "../expect.ts";
import { truth } from "../expressions.ts";
import { solve } from "../solve.ts";
import { subjectFor } from "../trial/calls.ts";
import { expressionInput, queryFor } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readersOf } from "../trial/looking.ts";
import { itemOf, pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";
import { aspectsOf, callersOf, expectMissing, ifPossible, pathOf, plainOperations } from "./subjects.ts";

export function deletionCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    if (called.kind !== "resource") return [];
    if (called.action === "clear") return [clears(contract, called)];
    return called.action === "delete" && called.endpoint.the === undefined ? [deletes(contract, called)] : [];
  });
}

/** After a deletion, every operation on the record gets the response for a missing record, and no list has it. */
function deletes(contract: Contract, called: ResourceEndpoint): Case {
  const { operation, resource } = called;
  return {
    id: `endpoints/${operation}: gone`,
    aspects: aspectsOf(contract, called, ["does"], `a deleted ${resource} is gone: no operation finds it`),
    operation,
    run: async (trial) => {
      const { record, caller } = await subjectFor(trial, called);
      await trial.look(record);
      expectSuccess(trial, await trial.call(operation, { caller, record }), pathOf(called));
      let count = 0;
      for (const other of othersOf(contract, called)) {
        const [by] = await callersOf(trial, other, record);
        if (by === undefined) continue;
        const isTried = await ifPossible(async () => {
          if (other.action === "list") return isNotListed(trial, { called, list: other, caller: by, record });
          expectMissing(trial, await trial.call(other.operation, { caller: by, record }), pathOf(called));
          return true;
        });
        if (isTried === true) count += 1;
      }
      if (count === 0) throw new NotTried(`no operation shows whether a ${resource} is there`);
    },
  };
}

/** Returns the operations that find records of the resource: those that read first, the deletion itself last. */
function othersOf(contract: Contract, { resource, operation }: Operation): readonly Operation[] {
  const others = plainOperations(contract).filter((one) => {
    if (one.resource !== resource || one.operation === operation || one.endpoint.the !== undefined) return false;
    if (one.action === "list") return true;
    return needsRecord(one) && !(one.kind === "resource" && creates(contract.model, one));
  });
  const reading = others.filter(({ endpoint }) => endpoint.method === "GET");
  const itself = contract.operations.get(operation);
  return [...reading, ...others.filter((one) => !reading.includes(one)), ...(itself === undefined ? [] : [itself])];
}

/** How many pages the test reads. */
const mostPages = 10;

interface Search {
  readonly called: Operation;
  readonly list: Operation;
  readonly caller: Caller;
  readonly record: KnownRecord;
}

/** Expects that a list does not have the record; returns whether the list identifies its records. */
async function isNotListed(trial: Trial, { called, list, caller, record }: Search): Promise<boolean> {
  for await (const page of pagesOf(trial, list, { caller, record }, mostPages)) {
    const found = itemOf(trial.contract, list, page, record);
    if (found === "unknown") return false;
    if (found === undefined) continue;
    throw new Broken(
      `no deleted ${record.resource} in ${list.operation}`,
      "it is there",
      page.interaction,
      pathOf(called),
    );
  }
  return true;
}

// ── Deletions of many ──────────────────────────────────────────────────────────────────────────────────────────────

function clears(contract: Contract, called: ResourceEndpoint): Case {
  const { operation, resource } = called;
  const expects = `${operation} deletes the ${resource} records that it selects, and no others`;
  return {
    id: `endpoints/${operation}: selected`,
    aspects: aspectsOf(contract, called, ["where", "does"], expects),
    operation,
    exclusive: true,
    run: async (trial) => {
      const caller = await trial.callerFor(operation);
      const selected = await recordWhere(trial, called, caller, true);
      const other = await ifPossible(() => recordWhere(trial, called, caller, false));
      if (selected === undefined) throw new NotTried(`the test cannot make a ${resource} that ${operation} selects`);
      expectSuccess(trial, await trial.call(operation, { caller, record: null }), pathOf(called));
      const path = called.endpoint.where === undefined ? pathOf(called) : pathOf(called, "where");
      const [isThere, isOtherThere] = [
        await find(trial, selected),
        other === undefined ? true : await find(trial, other),
      ];
      const last = trial.interactions.at(-1);
      if (isThere === true) throw new Broken(`no ${resource} that ${operation} selects`, "one is there", last, path);
      if (isOtherThere === false)
        throw new Broken(`the ${resource} that ${operation} does not select`, "it is gone", last, path);
      if (isThere === undefined) throw new NotTried(`no operation shows whether a ${resource} is there`);
    },
  };
}

/** Makes a record that the deletion selects, or one that it does not. */
async function recordWhere(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  wanted: boolean,
): Promise<KnownRecord | undefined> {
  const { contract } = trial;
  const where = contract.typed.get(pathOf(called, "where"));
  const sent = expressionInput(trial, called, { query: queryFor(trial, called) });
  const solution =
    where === undefined || !wanted
      ? []
      : solve(where, { ...trial.scope(caller, undefined, sent), resource: called.resource }).fields;
  const { state, ...values } = Object.fromEntries(solution) as Record<string, never>;
  const states = typeof state === "string" ? [state] : [undefined, ...statesOf(contract, called.resource)];
  for (const one of states) {
    const record = await ifPossible(() =>
      trial.make(called.resource, { creator: caller, values, ...(one === undefined ? {} : { state: one }) }),
    );
    if (record === undefined) continue;
    await trial.look(record);
    const may = mayRun(contract, called.operation, caller, trial.around(record));
    const isSelected = where === undefined ? true : truth(where, trial.scope(caller, record, sent));
    const found =
      may === false || isSelected === false ? false : may === true && isSelected === true ? true : undefined;
    if (found === wanted) return record;
  }
  return undefined;
}

function statesOf({ model }: Contract, resource: string): readonly string[] {
  const lifecycle = lookup(model.states, resource);
  return lifecycle === undefined || lifecycle === "none" ? [] : Object.keys(lifecycle.states);
}

/** Returns whether somebody finds the record; undefined if no operation of the document shows that. */
async function find(trial: Trial, record: KnownRecord): Promise<boolean | undefined> {
  let result: boolean | undefined;
  for (const reader of readersOf(trial, record.resource)) {
    for (const caller of await callersOf(trial, reader, record)) {
      const found = await ifPossible(() => findBy(trial, reader, caller, record));
      if (found === true) return true;
      result ??= found;
    }
  }
  return result;
}

async function findBy(
  trial: Trial,
  reader: Operation,
  caller: Caller,
  record: KnownRecord,
): Promise<boolean | undefined> {
  if (reader.action === "read") {
    if (reader.endpoint.the !== undefined) return undefined;
    return trial.responseOf(await trial.call(reader.operation, { caller, record })).status < 300;
  }
  for await (const page of pagesOf(trial, reader, { caller, record }, mostPages)) {
    const found = itemOf(trial.contract, reader, page, record);
    if (found === "unknown") return undefined;
    if (found !== undefined) return true;
  }
  return false;
}
