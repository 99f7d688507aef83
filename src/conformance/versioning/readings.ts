/** How callers of two versions read the same record. */
import { withArticle } from "../../base/case.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { fieldsOf, innermost, lookup } from "../../language/resources/fields.ts";
import { NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { mayRun } from "../permissions.ts";
import type { Contract, Operation } from "../contract.ts";
import { statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { itemShape, pageIn, recordIn } from "../response.ts";
import { sendAfterLimits } from "../trial/used-up.ts";
import type { KnownRecord } from "../trial/known.ts";
import { readersOf } from "../trial/looking.ts";
import type { Trial } from "../trial/trial.ts";
import { newerField, olderField, olderName, renamedValues, type Step, trialAt } from "./steps.ts";

/** One test as a client of two consecutive versions. */
export interface Pair {
  readonly newer: Trial;
  readonly older: Trial;
  readonly step: Step;
}

export function pairOf(trial: Trial, step: Step): Pair {
  return { newer: trialAt(trial, step.newer), older: trialAt(trial, step.older), step };
}

/** Where responses contain what a change is about: a record, a view of it, or a value inside it. */
export interface Spot {
  /** The names of the newer version. */
  readonly resource: string;
  /** The fields that lead from the record to the value, each with the resource or type that declares it. */
  readonly path: readonly { readonly of: string; readonly field: string }[];
  readonly view?: string;
}

/** Returns the spots of a resource, a type or a view. */
export function spotsOf(contract: Contract, of: string): readonly Spot[] {
  const { resources, types, views = {} } = contract.model.resources;
  if (lookup(resources, of) !== undefined) return [{ resource: of, path: [] }];
  const view = lookup(views, of);
  if (view !== undefined) return [{ resource: view.of, path: [], view: of }];
  if (lookup(types, of) === undefined) return [];
  const inside = (name: string, around: readonly string[]): readonly Spot[] =>
    [...Object.entries(resources).map(([owner, { fields }]) => [owner, fields] as const), ...Object.entries(types)]
      .filter(([owner]) => !around.includes(owner))
      .flatMap(([owner, fields]) =>
        Object.entries(fields)
          .filter(([, { type }]) => isOfType(type, name))
          .flatMap(([field]): readonly Spot[] => {
            const step = { of: owner, field };
            if (lookup(resources, owner) !== undefined) return [{ resource: owner, path: [step] }];
            return inside(owner, [...around, owner]).map((spot) => ({ ...spot, path: [...spot.path, step] }));
          }),
      );
  return inside(of, [of]);
}

function isOfType(type: Parameters<typeof innermost>[0], name: string): boolean {
  const { of } = innermost(type);
  return of.kind === "named" && of.name === name;
}

/** A record, or a value inside it, as callers of both versions read it. */
export interface Reading {
  readonly caller: Caller;
  readonly newer: JsonObject;
  readonly older: JsonObject;
  /** The request of the older version, which was sent last. */
  readonly interaction: Interaction;
}

/** How many operations the test reads a record by. */
const mostReaders = 3;

/** Reads a record by the operations of both versions. `record`: as the newer version has it. */
export async function readings(pair: Pair, record: KnownRecord, spot: Spot): Promise<readonly Reading[]> {
  const { newer, older, step } = pair;
  const found: Reading[] = [];
  let problem = new NotTried(`no operation of both versions shows ${withArticle(record.resource)}`);
  for (const reader of readersOf(newer, record.resource).slice(0, mostReaders)) {
    const olderReader = older.contract.operations.get(olderName(step, reader.operation));
    const callers = [record.creator, ...(await newer.callers())];
    const caller = callers.find((one) => mayRun(newer.contract, reader.operation, one, newer.around(record)) !== false);
    if (olderReader === undefined || caller === undefined) continue;
    const now = await read(newer, reader, caller, record);
    if (spot.view !== now.view) continue;
    const then = await read(older, olderReader, caller, olderRecord(pair, record));
    const inNewer = valueAt(
      now.value,
      spot.path.map(({ field }) => field),
    );
    const inOlder = valueAt(
      then.value,
      spot.path.map((one) => olderField(step, one) ?? one.field),
    );
    if (inNewer !== undefined && inOlder !== undefined)
      found.push({ caller, newer: inNewer, older: inOlder, interaction: then.interaction });
    else problem = now.problem ?? then.problem ?? problem;
  }
  if (found.length === 0) throw problem;
  return found;
}

interface Read {
  readonly value?: JsonObject | undefined;
  /** The view that the operation shows; absent: the record. */
  readonly view?: string | undefined;
  readonly problem?: NotTried;
  readonly interaction: Interaction;
}

/** Reads one record. Other cases compare the response with the document. */
export async function read(trial: Trial, reader: Operation, caller: Caller, record: KnownRecord): Promise<Read> {
  const { request } = await trial.build(reader.operation, { caller, record });
  const interaction = await sendAfterLimits(trial, request, caller, { operation: reader.operation });
  const response = trial.responseOf(interaction);
  if (response.status !== 200) {
    const got = statusText(trial.contract, response);
    return {
      problem: new NotTried(`${reader.operation} answered ${got} in version ${trial.contract.version}`),
      interaction,
    };
  }
  if (reader.action !== "list") {
    const observed = recordIn(trial.contract, reader, response.json);
    return { value: observed?.record, view: observed?.view, interaction };
  }
  const items = pageIn(trial.contract, reader, response.json)?.items.filter(isObject) ?? [];
  const shape = itemShape(trial.contract, reader);
  const view = shape?.kind === "view" ? shape.view : undefined;
  return { value: items.find((one) => lookup(one, "id") === record.values.get("id")), view, interaction };
}

/** Returns the object at a path; the first one of a list. */
function valueAt(value: Json | undefined, path: readonly string[]): JsonObject | undefined {
  const at = Array.isArray(value) ? (value[0] as Json | undefined) : value;
  if (!isObject(at)) return undefined;
  const [first, ...rest] = path;
  return first === undefined ? at : valueAt(lookup(at, first), rest);
}

// ── The same record in the other version ───────────────────────────────────────────────────────────────────────────

/** Returns a record of the newer version as the older one has it, as far as names are all that differs. */
export function olderRecord({ step }: Pair, record: KnownRecord): KnownRecord {
  const { resource, values } = record;
  const renamed = renamedValues(values, (field) => olderField(step, { of: resource, field }));
  return { ...record, resource: olderName(step, resource), values: renamed };
}

/** Returns a record of the older version as the newer one has it, and leaves it to the test to delete it. */
export function newerRecord({ newer, step }: Pair, record: KnownRecord, resource: string): KnownRecord {
  const fields = fieldsOf(newer.contract.model, resource);
  // What may be otherwise in the newer version has to be read.
  const isSameThere = (name: string): boolean => {
    const field = lookup(fields, name);
    return name === "id" || field?.type.kind === "named" || field?.default?.kind === "caller";
  };
  const values = renamedValues(record.values, (field) => {
    const name = newerField(step, resource, field);
    return name !== undefined && isSameThere(name) ? name : undefined;
  });
  const found: KnownRecord = { ...record, resource, values, history: [...record.history] };
  newer.world.records.push(found);
  record.isDeleted = true;
  return found;
}
