/** What the test knows of a record: the values that responses showed, and the requests that made the record. */
import { readDuration, readTimestamp } from "../../expression/instant.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Json } from "../../base/json.ts";
import { instantOfUnixTime } from "../../base/unix-time.ts";
import type { Model } from "../../language/model.ts";
import { fieldsOf, lookup, unixUnitOf } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { recordMembers } from "../../language/resources/value-type.ts";
import type { Caller } from "../caller.ts";
import type { Interaction } from "../interaction.ts";

export interface KnownRecord {
  /** Whether its state is only assumed: no response shows that a timer has fired. */
  isStateAssumed?: true;
  readonly resource: string;
  /** The values as JSON, by field, with `id` and `state`; a field without an entry is unknown, an absent one is null. */
  readonly values: Map<string, Json>;
  /** The values that responses have shown, as opposed to those that follow from what was sent. */
  readonly observed: Map<string, Json>;
  /** Who created the record. */
  readonly creator: Caller;
  /** The record of the path below which it was created. */
  readonly parent?: KnownRecord | undefined;
  /** The state in which the creation left the record; null if the test cannot compute it, absent if no operation created the record. */
  readonly firstState?: string | null;
  /** The requests without which the record would not be as it is, in their order. */
  readonly history: Interaction[];
  /** Whether the record was there before the test. */
  readonly isFound?: true;
  /** Whether the record was deleted. */
  isDeleted: boolean;
}

/** Returns a record of which nothing but these values is known. */
export function newRecord(
  resource: string,
  creator: Caller,
  history: readonly Interaction[],
  values: Readonly<Record<string, Json>> = {},
): KnownRecord {
  const known = new Map(Object.entries(values));
  return { resource, creator, history: [...history], values: known, observed: new Map(), isDeleted: false };
}

/** Returns a value as expressions see it: a duration as milliseconds, an instant as its text in UTC. */
export function expressionValue(model: Model, resource: string, name: string, value: Json): Value {
  const type = lookup(recordMembers(model, resource), name)?.type;
  const field = lookup(fieldsOf(model, resource), name);
  const unit = field && unixUnitOf(field.type);
  if (unit !== undefined) return instantOfUnixTime(value, unit) ?? value;
  if (typeof value === "string" && type?.kind === "timestamp") return readTimestamp(value) ?? value;
  if (typeof value === "string" && type?.kind === "duration") return readDuration(value) ?? value;
  return value;
}

/** Returns the moment of a value in milliseconds since 1970, and `NaN` for any value that is no moment. */
export function millisecondsOf(type: FieldType | undefined, value: Json | undefined): number {
  const unit = type && unixUnitOf(type);
  const text = unit === undefined ? value : instantOfUnixTime(value, unit);
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}

export function textOf(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
