/**
 * Records that no operation creates: handlers return some, and others are a catalogue that the implementation brings along. The test
 * refers to those of a catalogue and reads them, and never changes or deletes them.
 */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { lookup, nestedView } from "../../language/resources/fields.ts";
import { ifPossible } from "../attempts.ts";
import type { Caller } from "../caller.ts";
import { mayEverRun, mayRun } from "../permissions.ts";
import { type Operation, needsRecord } from "../contract.ts";
import { pageIn, recordIn } from "../response.ts";
import { type KnownRecord, newRecord } from "./known.ts";
import { learnRepresentation } from "./learning.ts";
import type { Trial } from "./trial.ts";
import { findRecord, recordsOf } from "./world.ts";

/** Returns a record that some operation shows to the caller. */
export async function existing(trial: Trial, resource: string, caller: Caller): Promise<KnownRecord | undefined> {
  const found = (): KnownRecord | undefined => recordsOf(trial.world, resource).find(({ isFound }) => isFound === true);
  const known = found();
  if (known !== undefined) return known;
  for (const called of trial.contract.operations.values()) {
    if (called.endpoint.method !== "GET" || called.resource === undefined || called.action === "summary") continue;
    if (called.endpoint.wire !== undefined || needsRecord(called) || called.parents.length > 0) continue;
    if (mayRun(trial.contract, called.operation, caller, trial.around()) !== true) continue;
    await readAll(trial, called, called.resource, caller);
    const read = found();
    if (read !== undefined) return read;
  }
  return undefined;
}

/** Returns the handlers that make a record and return it, as their status 201 says. */
export function handlersOf({ contract }: Trial, resource: string): readonly Operation[] {
  return [...contract.operations.values()].filter(
    (one) =>
      one.action === "handler" &&
      one.resource === resource &&
      one.endpoint.status === 201 &&
      one.endpoint.wire === undefined &&
      one.endpoint.gives === undefined &&
      !needsRecord(one),
  );
}

/** Returns a record that a handler makes, if possible for the caller; undefined if none does. */
export async function madeByHandler(
  trial: Trial,
  resource: string,
  creator: Caller | undefined,
): Promise<KnownRecord | undefined> {
  const { contract, used, world } = trial;
  for (const called of handlersOf(trial, resource)) {
    const isPossible = creator !== undefined && mayEverRun(contract, called.operation, creator);
    const caller = isPossible ? creator : await trial.callerFor(called.operation);
    const interaction = await trial.call(called.operation, { caller });
    const { json, status } = trial.responseOf(interaction);
    const observed = status < 300 ? recordIn(contract, called, json) : undefined;
    const id = observed === undefined ? undefined : lookup(observed.record, "id");
    if (observed === undefined || id === undefined || findRecord(world, resource, id) !== undefined) continue;
    const record = newRecord(resource, caller, [interaction]);
    learnRepresentation(trial, record, caller, observed.record, observed.view);
    world.records.push(record);
    used.add(record);
    return record;
  }
  return undefined;
}

async function readAll(trial: Trial, called: Operation, resource: string, caller: Caller): Promise<void> {
  const { contract } = trial;
  const response = await ifPossible(async () => trial.responseOf(await trial.call(called.operation, { caller })));
  if (response?.status !== 200) return;
  const { json } = response;
  for (const item of called.action === "list" ? (pageIn(contract, called, json)?.items ?? []) : [json]) {
    const observed = recordIn(contract, called, item);
    if (observed !== undefined) learnNested(trial, resource, caller, observed.record, observed.view);
  }
}

/** Learns a record with the records that its view contains. */
function learnNested(
  trial: Trial,
  resource: string,
  caller: Caller,
  observed: JsonObject,
  view?: string,
  around: Readonly<Record<string, Json>> = {},
): void {
  const { contract, world } = trial;
  const { model } = contract;
  const record: KnownRecord = { ...newRecord(resource, caller, [], around), isFound: true };
  learnRepresentation(trial, record, caller, observed, view);
  const id = record.values.get("id");
  if (id === undefined) return;
  if (findRecord(world, resource, id) === undefined) world.records.push(record);
  const { members = {} } = view === undefined ? {} : (lookup(model.resources.views ?? {}, view) ?? {});
  for (const [name, { type, computed = "" }] of Object.entries(members)) {
    const nested = nestedView(model, type);
    const inner = nested === undefined ? undefined : lookup(model.resources.views ?? {}, nested.view);
    const value = lookup(observed, name);
    if (nested === undefined || inner === undefined || !nested.list || !Array.isArray(value)) continue;
    // `Plan.filter(p, p.service == id)`: the field refers to the record around.
    const field = /^\w+\.filter\((\w+), \1\.(\w+) == id\)$/.exec(computed)?.[2];
    for (const one of value.filter(isObject))
      learnNested(trial, inner.of, caller, one, nested.view, field === undefined ? {} : { [field]: id });
  }
}
