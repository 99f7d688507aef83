/** Compares the payload of an event with what the document says of it, and with what the test knows of its record. */
import { shortText } from "../case.ts";
import { isObject, type Json } from "../../base/json.ts";
import { mentions } from "../../expression/typed.ts";
import { bareType, fieldsOf, lookup } from "../../language/resources/fields.ts";
import { type Caller, isUnknownId } from "../caller.ts";
import type { Contract } from "../contract.ts";
import { type Deviation, recordDeviations, viewDeviations } from "../deviations.ts";
import type { KnownRecord } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { type ArrivedEvent, outPath } from "./event.ts";

export interface Expectation {
  /** The resource that the event is about. */
  readonly resource: string;
  /** The record, if the test knows which one it is. */
  readonly record?: KnownRecord;
  readonly receiver: Caller;
  /** Whether the record has not changed since the event. */
  readonly isCurrent: boolean;
}

/** Returns what is wrong with the payload of an event. */
export function payloadDeviations(
  trial: Trial,
  { data, type }: ArrivedEvent,
  { resource, record, receiver, isCurrent }: Expectation,
): readonly Deviation[] {
  const { contract } = trial;
  const { carries, view } = lookup(contract.model.events.out ?? {}, type) ?? {};
  const out = outPath(contract, type);
  const path = carries === undefined && view === undefined ? out : `${out}/carries`;
  const viewing = { contract, caller: receiver, around: trial.around(record), isPart: true };
  // Other cases are about the members of the view, and members from other records may have changed since.
  if (view !== undefined) return viewDeviations(viewing, view, data, path);
  const shape =
    carries === undefined
      ? recordDeviations(viewing, resource, data, path).map((one) =>
          // Other cases are about the fields themselves.
          one.path.startsWith("authentication/") ? one : { ...one, path },
        )
      : carriedDeviations(contract, resource, carries, data, path);
  if (shape.length > 0 || record === undefined || !isCurrent) return shape;
  return Object.entries(data).flatMap(([name, got]): readonly Deviation[] => {
    const known = record.values.get(name);
    if (known === undefined || isUnknownId(known) || isVolatile(contract, resource, name)) return [];
    if (isSame(contract, resource, name, known, got)) return [];
    const expected = `\`${name}\` with ${shortText(known)}, as the record has it`;
    return [{ path, expected, got: shortText(got) }];
  });
}

/** Every receiver gets all fields that the event carries, and no others. */
function carriedDeviations(
  { model }: Contract,
  resource: string,
  carries: readonly string[],
  data: Readonly<Record<string, Json>>,
  path: string,
): readonly Deviation[] {
  const fields = fieldsOf(model, resource);
  const others = Object.keys(data).filter((name) => !carries.includes(name));
  const absent = carries.filter((name) => {
    const field = lookup(fields, name);
    const mayBeAbsent = field !== undefined && (field.optional || field.computed !== undefined);
    return lookup(data, name) === undefined && !mayBeAbsent;
  });
  const expected = `the members ${carries.join(", ")}`;
  return [
    ...absent.map((name) => ({ path, expected, got: `no \`${name}\`` })),
    ...others.map((name) => ({ path, expected, got: `also \`${name}\`` })),
  ];
}

/** Whether the value of a computed field may differ between two readings, or between two callers. */
function isVolatile({ typed }: Contract, resource: string, name: string): boolean {
  const computed = typed.get(`resources/${resource}/${name}/computed`);
  return computed !== undefined && mentions(computed, "variable", "walk", "records", "macro");
}

/** How far two texts of one instant may differ: a database may have fewer digits than the service. */
const precisionMilliseconds = 1000;

function isSame({ model }: Contract, resource: string, name: string, known: Json, got: Json): boolean {
  const field = lookup(fieldsOf(model, resource), name);
  const type = field === undefined ? undefined : bareType(field.type);
  const isInstant = type?.kind === "scalar" && type.name === "datetime";
  if (isInstant && typeof known === "string" && typeof got === "string")
    return Math.abs(Date.parse(known) - Date.parse(got)) <= precisionMilliseconds;
  if (isInstant && typeof known === "number" && typeof got === "number")
    return Math.abs(known - got) <= (type.unix === "seconds" ? 1 : precisionMilliseconds);
  return isEqual(known, got);
}

function isEqual(one: Json, other: Json): boolean {
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item: Json, index) => isEqual(item, other[index] as Json));
  }
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isEqual(one[name] ?? null, other[name] ?? null));
}
