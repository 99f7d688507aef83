/** Lists that show all records of a resource: what the test needs to know of records that it has not made itself. */
import { isObject, type Json } from "../../base/json.ts";
import { lookup } from "../../language/resources/fields.ts";
import { ifPossible } from "../attempts.ts";
import type { Contract, Operation } from "../contract.ts";
import { plainOperations } from "../endpoints/subjects.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun, mayRun } from "../permissions.ts";
import { recordIn } from "../response.ts";
import { type KnownRecord, newRecord } from "../trial/known.ts";
import { learnCallers, learnRepresentation } from "../trial/learning.ts";
import { identifier, pagesOf } from "../trial/pages.ts";
import type { Trial } from "../trial/trial.ts";

/** Returns a list in which each of its callers sees all records of a resource; for a reader, one of all that the reader may see. */
function listOf(contract: Contract, resource: string, reader?: Caller): Operation | undefined {
  const { allow } = contract.model.authentication;
  return plainOperations(contract).find(
    ({ action, endpoint, operation, parents, resource: of }) =>
      action === "list" &&
      of === resource &&
      parents.length === 0 &&
      endpoint.where === undefined &&
      (reader === undefined
        ? (lookup(allow, operation) ?? []).every((grant) => grant.if === undefined)
        : mayEverRun(contract, operation, reader)),
  );
}

/** Whether a reader finds a new record in the list; undefined if the test does not know. */
export function isListedFor(
  trial: Trial,
  resource: string,
  reader: Caller,
  known: ReadonlyMap<string, Json>,
): boolean | undefined {
  const { contract } = trial;
  const list = listOf(contract, resource, reader);
  const record = newRecord(resource, reader, [], Object.fromEntries(known));
  learnCallers(trial, record, reader);
  return list && mayRun(contract, list.operation, reader, trial.around(record));
}

/** How many pages the test reads. */
const mostPages = 20;

/** A record in a list: with the values that the list shows. */
export interface Listed {
  readonly record: KnownRecord;
  readonly values: ReadonlyMap<string, Json>;
}

/** Returns all records of a resource, or those that a reader may see, as a list shows them, by their ids; undefined if none does. */
export async function allListed(
  trial: Trial,
  resource: string,
  reader?: Caller,
): Promise<ReadonlyMap<Json, Listed> | undefined> {
  const { contract, world } = trial;
  const list = listOf(contract, resource, reader);
  const caller =
    reader ?? (await trial.callers()).find((one) => list !== undefined && mayEverRun(contract, list.operation, one));
  if (list === undefined || caller === undefined) return undefined;
  const known = new Map(
    world.records.flatMap((one) => {
      const id = one.resource === resource ? one.values.get("id") : undefined;
      return id === undefined ? [] : [[id, one] as const];
    }),
  );
  return ifPossible(async () => {
    const found = new Map<Json, Listed>();
    for await (const page of pagesOf(trial, list, { caller, record: null }, mostPages)) {
      for (const item of page.items.filter(isObject)) {
        const observed = recordIn(contract, list, item);
        const named = identifier(contract, resource, observed);
        const id = named?.field === "id" ? lookup(observed?.record ?? {}, named.member) : undefined;
        if (observed === undefined || id === undefined) return undefined;
        const record = known.get(id) ?? newRecord(resource, caller, [], { id });
        const anew: KnownRecord = { ...record, values: new Map(), observed: new Map() };
        for (const one of [record, anew]) learnRepresentation(trial, one, caller, observed.record, observed.view);
        found.set(id, { record, values: anew.values });
      }
      if (page.following === undefined) return found;
    }
    return undefined;
  });
}
