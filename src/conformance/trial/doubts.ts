/** Why a valid request may be denied nevertheless: a permission depends on another record, or on what the test does not know. */
import type { Json, JsonObject } from "../../base/json.ts";
import { revealingOperations } from "../../language/authentication/visible.ts";
import { boundFields, creates } from "../../language/endpoints/input.ts";
import { partsOf } from "../../language/endpoints/model.ts";
import { NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import type { Operation } from "../contract.ts";
import { isError } from "../errors/expected.ts";
import { type Interaction, isResponse } from "../interaction.ts";
import { mayRun, maySet, recordVisibility } from "../permissions.ts";
import { recordAfter } from "./inputs.ts";
import { type KnownRecord, textOf } from "./known.ts";
import { membersOf } from "./learning.ts";
import type { Trial } from "./trial.ts";

/** By the code of an error that a request may get, the reason. */
export type Doubts = ReadonlyMap<string, string>;

interface Sent {
  readonly called: Operation;
  readonly caller: Caller;
  readonly record: KnownRecord | undefined;
  readonly body: JsonObject | undefined;
  readonly path: Readonly<Record<string, Json>> | undefined;
  /** The record directly above a new one. */
  readonly parent: KnownRecord | undefined;
}

export function doubtsOf(trial: Trial, { called, caller, record, body = {}, path = {}, parent }: Sent): Doubts {
  const { contract, world } = trial;
  const { operation, resource } = called;
  const doubts = new Map<string, string>();
  const ids = new Set(textsIn([body, path]).filter((text) => text !== ""));
  const hidden = world.records.find(
    (one) =>
      ids.has(textOf(one.values.get("id"))) &&
      revealingOperations(contract.model, one.resource).length > 0 &&
      recordVisibility(contract, one.resource, caller, trial.around(one)) !== true,
  );
  if (hidden !== undefined)
    for (const code of ["invalid-request", "not-found"])
      doubts.set(code, `${caller.name} may not see the ${hidden.resource} to which ${operation} refers`);
  if (called.kind !== "resource" || resource === undefined) return doubts;
  const isNew = called.action === "create" || creates(contract.model, called);
  const values = new Map(recordAfter(trial, called, { caller, record }, body));
  const [above, field] = [parent?.values.get("id"), called.parents.at(-1)?.field];
  if (above !== undefined && field !== undefined && boundFields(contract.model, called).includes(field))
    values.set(field, above);
  // The path of a PUT names the record that it creates.
  for (const { column, parameter } of record === undefined && isNew && called.key ? partsOf(called.key) : []) {
    const named = path[parameter];
    if (named !== undefined) values.set(column, named);
  }
  const after = { ...trial.around(), resource, record: values };
  if (isNew && mayRun(contract, operation, caller, after) !== true)
    doubts.set("forbidden", `whether ${caller.name} may run ${operation} depends on another record`);
  for (const { name } of membersOf(contract, called)) {
    const scopes = [trial.around(record), after];
    if (!Object.hasOwn(body, name) || scopes.every((one) => maySet(contract, resource, name, caller, one) === true))
      continue;
    for (const code of ["invalid-request", "forbidden"])
      doubts.set(code, `whether ${caller.name} may set \`${name}\` depends on the record`);
  }
  return doubts;
}

/** Returns all texts in a value. */
function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? Object.values(value).flatMap((inner: Json) => textsIn(inner))
    : [];
}

/** Returns why an error shows no mistake, if the request could be denied. */
export function deniedBy(trial: Trial, interaction: Interaction | undefined): NotTried | undefined {
  const { response, operation } = interaction ?? {};
  if (interaction === undefined || response === undefined || !isResponse(response) || response.status < 400)
    return undefined;
  const found = [...(trial.doubts.get(interaction) ?? [])].find(([code]) =>
    isError(trial.contract, response, code, operation),
  );
  return found && new NotTried(found[1]);
}
