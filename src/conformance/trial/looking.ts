/** Reads records: by the operation that reads one, or in a list. */
import { partsOf } from "../../language/endpoints/model.ts";
import type { Json } from "../../base/json.ts";
import { fieldsOf, isNeverReturned, lookup, referenceOf } from "../../language/resources/fields.ts";
import { ifPossible } from "../attempts.ts";
import type { Caller } from "../caller.ts";
import { mayRun, recordVisibility } from "../permissions.ts";
import type { Operation } from "../contract.ts";
import { observableFields, recordIn, type ObservedRecord } from "../response.ts";
import type { KnownRecord } from "./known.ts";
import { isThis, learnRepresentation } from "./learning.ts";
import { itemOf, pagesOf } from "./pages.ts";
import type { Trial } from "./trial.ts";
import { findRecord } from "./world.ts";

export async function look(trial: Trial, record: KnownRecord): Promise<boolean> {
  const { contract } = trial;
  const names = returnedFields(trial, record.resource);
  let isRead = false;
  for (const caller of new Set([record.creator, ...(await trial.callers())])) {
    if (recordVisibility(contract, record.resource, caller, trial.around(record)) === false) continue;
    isRead = (await trial.readAs(record, caller)) || isRead;
    if (isRead && names.every((name) => record.values.has(name))) break;
  }
  return isRead;
}

/** Returns the id of a record; reads the record if necessary. Returns undefined if no response shows the id. */
export async function readId(trial: Trial, record: KnownRecord): Promise<Json | undefined> {
  if (!record.values.has("id")) await trial.look(record);
  return record.values.get("id");
}

/** Reads the record, and the records to which it refers. */
export async function lookAround(trial: Trial, record: KnownRecord): Promise<void> {
  await trial.look(record);
  const { model } = trial.contract;
  for (const [name, { type }] of Object.entries(fieldsOf(model, record.resource))) {
    const resource = referenceOf(model, type);
    const id = record.values.get(name);
    const referred = resource === undefined || id === undefined ? undefined : findRecord(trial.world, resource, id);
    if (referred !== undefined) await trial.look(referred);
  }
}

/** Returns the fields that responses may show. */
function returnedFields({ contract }: Trial, resource: string): readonly string[] {
  const fields = fieldsOf(contract.model, resource);
  return observableFields(contract, resource).filter((name) => !isNeverReturned(lookup(fields, name) ?? { marks: [] }));
}

export async function readAs(trial: Trial, record: KnownRecord, caller: Caller): Promise<boolean> {
  for (const reader of readersOf(trial, record.resource)) {
    const observed = await observedBy(trial, reader, record, caller);
    if (observed === undefined) continue;
    learnRepresentation(trial, record, caller, observed.record, observed.view);
    return true;
  }
  return false;
}

/** Reads the record as one caller after the other until each field is known. Returns the values; empty if no caller can read it. */
export async function observedValues(trial: Trial, record: KnownRecord): Promise<ReadonlyMap<string, Json>> {
  const anew: KnownRecord = { ...record, values: new Map<string, Json>() };
  const names = returnedFields(trial, record.resource);
  for (const caller of new Set([record.creator, ...(await trial.callers())])) {
    for (const reader of readersOf(trial, record.resource)) {
      if (names.every((name) => anew.values.has(name))) break;
      const observed = await observedBy(trial, reader, record, caller);
      if (observed !== undefined) learnRepresentation(trial, anew, caller, observed.record, observed.view);
    }
  }
  return anew.values;
}

/** Returns the record as an operation shows it to a caller; undefined if it does not. */
async function observedBy(
  trial: Trial,
  reader: Operation,
  record: KnownRecord,
  caller: Caller,
): Promise<ObservedRecord | undefined> {
  const { contract } = trial;
  const { action, endpoint, key, operation } = reader;
  if (mayRun(contract, operation, caller, trial.around(record)) === false) return undefined;
  if (action === "list") return inList(trial, reader, record, caller);
  if (endpoint.the === undefined && key !== undefined && !partsOf(key).every(({ column }) => record.values.has(column)))
    return undefined;
  // If the operation is known to fail, another one may be tried.
  const response = await ifPossible(async () => trial.responseOf(await trial.call(operation, { caller, record })));
  const observed = response?.status === 200 ? recordIn(contract, reader, response.json) : undefined;
  return observed === undefined || !isThis(trial, reader, { caller, record, observed }) ? undefined : observed;
}

/** Returns the operations that show records of a resource: first those that read one record. */
export function readersOf({ contract }: Trial, resource: string): readonly Operation[] {
  const readers = [...contract.operations.values()].filter(
    (one) =>
      one.kind === "resource" &&
      one.resource === resource &&
      (one.action === "read" || one.action === "list") &&
      one.file === undefined,
  );
  return readers.toSorted((one, other) => Number(other.action === "read") - Number(one.action === "read"));
}

/** How many pages the test reads to find one record. */
const mostPages = 10;

async function inList(
  trial: Trial,
  reader: Operation,
  record: KnownRecord,
  caller: Caller,
): Promise<ObservedRecord | undefined> {
  return ifPossible(async () => {
    for await (const page of pagesOf(trial, reader, { caller, record }, mostPages)) {
      const found = itemOf(trial.contract, reader, page, record);
      if (found !== undefined) return found === "unknown" ? undefined : found;
    }
    return undefined;
  });
}
