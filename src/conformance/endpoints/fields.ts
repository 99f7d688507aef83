/** Some members of records (`fields`): a response has the members that the request names, and unknown ones are rejected. */
import { styleOf } from "../../language/endpoints/resolve.ts";
import { responseShape } from "../../language/endpoints/shape.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import type { Contract, Operation } from "../contract.ts";
import { expectError, expectSuccess, neededSuccess } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { pageIn, recordIn } from "../response.ts";
import type { Trial } from "../trial/trial.ts";
import { listed } from "./lists/listed.ts";
import { operationCase, pathOf, plainOperations, validOptions, type ValidOptions, withStyle } from "./subjects.ts";

export function fieldsCases(contract: Contract): readonly Case[] {
  return plainOperations(contract).flatMap((called): readonly Case[] => {
    const parameter = styleOf(contract.model.endpoints, called.endpoint, "fields") ?? "none";
    const isReading = called.kind === "resource" && (called.action === "read" || called.action === "list");
    if (parameter === "none" || !isReading || called.file !== undefined) return [];
    const cases = [hasNamed(contract, called, parameter), rejectsUnknown(contract, called, parameter)];
    return withStyle(contract, called, "fields", cases);
  });
}

type Options = Omit<ValidOptions, "body">;

/** Uses `send`, not `call`: `call` would report the changed shape as a deviation. */
async function select(trial: Trial, called: Operation, options: Options, parameter: string, name: string) {
  const query = { ...options.query, [parameter]: name };
  const { request, caller } = await trial.build(called.operation, { ...options, query });
  return trial.send(request, caller, called.operation);
}

function hasNamed(contract: Contract, called: Operation, parameter: string): Case {
  const expects = `${called.operation} answers with the members that \`${parameter}\` names`;
  return operationCase(called, "some members", [{ path: pathOf(called, "fields"), expects }], async (trial) => {
    if (called.action === "list") await listed(trial, called, 1);
    const { body: _, ...options } = await validOptions(trial, called);
    const full = selectableIn(trial, called, await trial.call(called.operation, options));
    const [name] = Object.keys(full ?? {});
    if (name === undefined) throw new NotTried("no response shows a member");
    const interaction = await select(trial, called, options, parameter, name);
    expectSuccess(trial, interaction);
    const names = Object.keys(selectableIn(trial, called, interaction) ?? {});
    if (names.join() !== name) throw new Broken(`only the member \`${name}\``, names.join(), interaction);
  });
}

/** Returns the members that a request may name: of the record in a response, or of the object around it; of a list of the first one. */
function selectableIn(trial: Trial, called: Operation, interaction: Interaction): JsonObject | undefined {
  const { contract } = trial;
  const { json } = neededSuccess(trial, interaction);
  const item = called.action === "list" ? pageIn(contract, called, json)?.items[0] : json;
  const isAround = responseShape(contract.model, called).item?.kind === "object";
  return isAround && isObject(item) ? item : recordIn(contract, called, item)?.record;
}

function rejectsUnknown(contract: Contract, called: Operation, parameter: string): Case {
  const expects = `${called.operation} rejects an unknown name in \`${parameter}\``;
  return operationCase(called, "an unknown member", [{ path: pathOf(called, "fields"), expects }], async (trial) => {
    const { body: _, ...options } = await validOptions(trial, called);
    neededSuccess(trial, await trial.call(called.operation, options));
    const interaction = await select(trial, called, options, parameter, "unknownMember");
    const entries = [{ place: parameter, codes: ["unknown-field"] }];
    expectError(trial, interaction, { code: "invalid-request", status: 400, entries });
  });
}
