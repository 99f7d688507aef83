/** Whether a value that comes back is the value that was sent: as it was, or as the language writes it. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { unixTimeOf } from "../../base/unix-time.ts";
import { readDuration } from "../../expression/instant.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { lookup } from "../../language/resources/fields.ts";
import type { Fields, FieldType, ScalarName } from "../../language/resources/model.ts";
import type { Model } from "../../language/model.ts";
import { isFileValue } from "../files.ts";

/** An absent value and null are the same. `sent`: as JSON, or a moment as expressions have it. */
export function isSame(model: Model, type: FieldType, sent: Json | undefined, got: Json | undefined): boolean {
  const one = sent ?? null;
  const other = got ?? null;
  if (one === null || other === null) return one === other;
  switch (type.kind) {
    case "nullable":
      return isSame(model, type.of, one, other);
    case "id":
      return type.of === undefined ? one === other : isSame(model, type.of, one, other);
    case "scalar":
      if (type.unix !== undefined) return (typeof one === "string" ? unixTimeOf(one, type.unix) : one) === other;
      return isSameScalar(type.name, one, other);
    case "list":
      return isSameList(one, other, (item, found) => isSame(model, type.of, item, found));
    case "map":
      return isSameObject(one, other, (_, item, found) => isSame(model, type.of, item, found));
    case "named": {
      const fields = lookup(model.resources.types, type.name);
      return fields === undefined ? isSameJson(one, other) : isSameEmbedded(model, fields, one, other);
    }
    case "schema":
      // A member for writing alone never comes back.
      return JSON.stringify(type.schema).includes('"writeOnly"') || isSameJson(one, other);
    case "file":
      return isSameFile(one, other);
    case "one-of":
      return isSameJson(one, other);
  }
}

function isSameScalar(name: ScalarName, one: Json, other: Json): boolean {
  if (name === "money") return isSameMoney(one, other);
  if (typeof one !== "string" || typeof other !== "string") return isSameJson(one, other);
  switch (name) {
    case "datetime":
      // The fraction of a millisecond may be dropped or rounded.
      return Math.abs(Date.parse(one) - Date.parse(other)) <= 1;
    case "time":
      return withSeconds(one) === withSeconds(other);
    case "duration":
      return one === other || readDuration(one) === readDuration(other);
    case "timezone":
    case "language":
    case "uuid":
    case "email":
      return one.toLowerCase() === other.toLowerCase();
    case "url":
      return one === other || URL.parse(one)?.href === URL.parse(other)?.href;
    default:
      return one === other;
  }
}

function withSeconds(time: string): string {
  return (time.length === 5 ? `${time}:00` : time).replace(/\.0*$/, "");
}

function isSameMoney(one: Json, other: Json): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  return Number(one["amount"]) === Number(other["amount"]) && one["currency"] === other["currency"];
}

/** A response describes the file that was sent. */
function isSameFile(one: Json, other: Json): boolean {
  if (!isObject(one) || !isObject(other) || !(isFileValue(one) || isFileValue(other))) return isSameJson(one, other);
  return ["type", "bytes"].every((name) => {
    const [first, second] = [lookup(one, name), lookup(other, name)];
    return first === undefined || second === undefined || first === second;
  });
}

function isSameEmbedded(model: Model, fields: Fields, one: Json, other: Json): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  return Object.entries(fields).every(([name, field]) => {
    if (field.marks.includes("write-only") || field.marks.includes("secret") || field.computed !== undefined)
      return true;
    const sent = lookup(one, name) ?? defaultValue(model, field);
    // The value of another default is not known.
    if (sent === undefined && field.default !== undefined) return true;
    return isSame(model, field.type, sent, lookup(other, name));
  });
}

type Compare = (one: Json, other: Json) => boolean;

function isSameList(one: Json, other: Json, compare: Compare): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((item: Json, index) => compare(item, other[index] as Json));
}

function isSameObject(
  one: Json,
  other: Json,
  compare: (name: string, one: Json | undefined, other: Json | undefined) => boolean,
): boolean {
  if (!isObject(one) || !isObject(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => compare(name, lookup(one, name), lookup(other, name)));
}

/** Whether two JSON values are equal; the order of members does not matter. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (Array.isArray(one) || Array.isArray(other)) return isSameList(one, other, isSameJson);
  if (isObject(one) || isObject(other)) return isSameObject(one, other, (_, item, found) => isSameJson(item, found));
  return one === other;
}

/** Returns the value after a merge patch (RFC 7396). */
export function mergePatch(value: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: Record<string, Json> = isObject(value) ? { ...value } : {};
  for (const [name, inner] of Object.entries(patch)) {
    if (inner === null) delete merged[name];
    else merged[name] = mergePatch(lookup(merged as JsonObject, name), inner);
  }
  return merged;
}

/** How far two instants may differ that are computed from two clocks, in milliseconds. */
const clockDifference = 30_000;

/** Whether two values of expressions are the same, or instants that two clocks may show for one. */
export function isAbout(expected: unknown, got: unknown): boolean {
  if (typeof expected === "string" && typeof got === "string" && /^\d{4}-\d\d-\d\dT/.test(expected))
    return Math.abs(Date.parse(expected) - Date.parse(got)) <= clockDifference;
  return JSON.stringify(expected) === JSON.stringify(got);
}
