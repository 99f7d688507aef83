/**
 * Decides the value of a personal field after erasure: no value if several records may lack it, else a neutral value of its
 * type. A type without a meaningless value (a closed list, a pattern, a reference) has no such value.
 */
import type { Json } from "../../base/json.ts";
import type { Model } from "../model.ts";
import { isAbsentEqual, isDistinguishing, isNullable, lookup } from "./fields.ts";
import type { Field, FieldType } from "./model.ts";

export type Erased =
  | { readonly kind: "value"; readonly value: Json }
  /** For a unique field: a text with the record's number between `before` and `after`, padded to the length `pad`. */
  | { readonly kind: "numbered"; readonly before: string; readonly after: string; readonly pad: number };

export function erasedValue(model: Model, resource: string, name: string, field: Field): Erased | undefined {
  if (isNullable(field) && !isAbsentEqual(model, resource, name)) return { kind: "value", value: null };
  if (isDistinguishing(model, resource, name)) return numbered(field.type);
  // Only hashes of secrets are stored, and no secret has the hash `erased`.
  const value = field.marks.includes("secret") ? "erased" : neutral(model, field.type, []);
  return value === undefined ? undefined : { kind: "value", value };
}

/** The most digits (base 36) of a record's number: enough for 36 to this power records. */
const digits = 8;

function numbered(type: FieldType): Erased | undefined {
  if (type.kind === "one-of" && type.open) return { kind: "numbered", before: "erased-", after: "", pad: 0 };
  if (type.kind !== "scalar" || type.pattern !== undefined) return undefined;
  const { name, min = 0, max = Number.POSITIVE_INFINITY } = type;
  const fitting = (before: string, after: string, pad: number): Erased | undefined => {
    const length = before.length + after.length;
    return length + Math.max(pad, digits) <= max && length + Math.max(pad, 1) >= min
      ? { kind: "numbered", before, after, pad }
      : undefined;
  };
  switch (name) {
    case "string":
    case "text":
    case "user":
      return fitting("erased-", "", Math.max(0, min - 7)) ?? fitting("", "", min);
    case "email":
      return fitting("erased-", "@example.invalid", 0);
    case "url":
      return fitting("https://example.invalid/", "", 0);
    default:
      return undefined;
  }
}

function neutral(model: Model, type: FieldType, around: readonly string[]): Json | undefined {
  switch (type.kind) {
    case "scalar":
      return neutralScalar(type);
    case "one-of":
      return type.open ? "erased" : undefined;
    case "list":
      return (type.min ?? 0) === 0 ? [] : undefined;
    case "map":
      return {};
    case "nullable":
      return null;
    case "named":
      return around.includes(type.name) ? undefined : neutralObject(model, type.name, around);
    case "id":
    case "file":
    case "schema":
      return undefined;
  }
}

function neutralObject(model: Model, name: string, around: readonly string[]): Json | undefined {
  const fields = lookup(model.resources.types, name);
  if (fields === undefined) return undefined;
  const needed = Object.entries(fields).filter(([, { optional }]) => !optional);
  const members = needed.map(([member, { type }]) => [member, neutral(model, type, [...around, name])] as const);
  if (members.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(members as readonly (readonly [string, Json])[]);
}

function neutralScalar(type: FieldType & { kind: "scalar" }): Json | undefined {
  const { name, min = 0, max = Number.POSITIVE_INFINITY, pattern } = type;
  if (pattern !== undefined) return undefined;
  const fitting = (text: string): string | undefined => {
    return text.length >= min && text.length <= max ? text : undefined;
  };
  switch (name) {
    case "string":
    case "text":
    case "user":
      return "erased".slice(0, max).padEnd(min, ".");
    case "email":
      return fitting("erased@example.invalid");
    case "url":
      return fitting("https://example.invalid/");
    case "phone":
      return fitting("+10000000");
    case "integer":
      return nearestToZero(Math.ceil(type.min ?? -1), Math.floor(type.max ?? 1));
    case "number":
    case "decimal":
      return nearestToZero(type.min ?? -1, type.max ?? 1);
    case "money": {
      const amount = nearestToZero(type.min ?? -1, type.max ?? 1);
      return Number.isInteger(amount) ? { amount: String(amount), currency: "EUR" } : undefined;
    }
    case "boolean":
      return false;
    case "bytes": {
      const groups = Math.ceil(min / 3);
      return 3 * groups <= max ? "AAAA".repeat(groups) : undefined;
    }
    case "country":
      // Every country, currency or language code means a real one, so none is neutral.
      return undefined;
    default:
      return plain[name];
  }
}

function nearestToZero(min: number, max: number): number {
  return Math.min(Math.max(0, min), max);
}

const plain: Readonly<Record<string, Json>> = {
  date: "1970-01-01", time: "00:00", datetime: "1970-01-01T00:00:00.000Z", duration: "PT0S",
  uuid: "00000000-0000-0000-0000-000000000000", currency: "EUR", language: "und", timezone: "UTC", json: {},
}; // biome-ignore format: a table
