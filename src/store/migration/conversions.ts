/**
 * Converts values to another type if nothing is lost. Conversions that need a decision of the document's author (rounding,
 * splitting, the meaning of `yes`) are not done here; the author declares them with `taken as`.
 */
import { canonicalInstant, isDate } from "../../base/clock.ts";
import { instantOfUnixTime, unixTimeOf, truncatedInstant } from "../../base/unix-time.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Column } from "../../plan/resources/types.ts";

type Kind = Pick<Column, "type" | "schema" | "marks" | "unix">;

/** Converts a value; undefined if the other type has no equal value. */
export function converted(value: Value, from: Kind, to: Kind): Value | undefined {
  // The store has only the hash of a secret, which cannot be converted to another value.
  if (isSecret(from) || isSecret(to)) return isSecret(from) && isSecret(to) ? value : undefined;
  if (from.type === "json") return fromJson(value, to);
  if (to.type === "json") return toJson(value, from, to.schema);
  if (from.unix !== undefined && to.type === "integer") return unixTimeOf(value as string, from.unix);
  return scalar(value, to);
}

export function isSecret({ marks }: Pick<Column, "marks">): boolean {
  return marks.includes("secret");
}

function scalar(value: Value, { type, schema, unix }: Kind): Value | undefined {
  switch (type) {
    case "text":
      return textOf(value, schema);
    case "integer":
      return integerOf(value);
    case "number":
      return number(value);
    case "boolean":
      return typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : undefined;
    case "timestamp":
      if (unix !== undefined && typeof value === "number") return instantOfUnixTime(value, unix);
      return typeof value === "string" ? instant(value, unix) : undefined;
    case "json":
      return undefined;
  }
}

/** Converts a value to text. A timestamp becomes a date only at midnight UTC. */
function textOf(value: Value, schema: JsonObject): string | undefined {
  if (typeof value === "object") return undefined;
  const text = String(value);
  const midnight = schema["format"] === "date" ? /^(.{10})T00:00:00\.000Z$/.exec(text)?.[1] : undefined;
  return midnight ?? text;
}

/**
 * Converts a value to an integer. A text is converted only if the number prints as the same text: not `007`, which would lose
 * its zeros.
 */
function integerOf(value: Value): number | undefined {
  const found = typeof value === "string" && /^(?:0|-?[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value;
  return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined;
}

function number(value: Value): number | undefined {
  if (typeof value === "number") return value;
  const isPlain = typeof value === "string" && /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(value);
  // A double represents 15 decimal digits exactly.
  return isPlain && value.replace(/[-.]/g, "").replace(/^0+/, "").length <= 15 ? Number(value) : undefined;
}

/** Converts a text to an instant, as exact as its unit of Unix time; a date becomes its midnight in UTC. */
function instant(text: string, unix: Column["unix"]): string | undefined {
  const found = canonicalInstant(isDate(text) ? `${text}T00:00:00Z` : text);
  return found === undefined || unix === undefined ? found : truncatedInstant(found, unix);
}

function toJson(value: Value, from: Kind, schema: JsonObject): Value | undefined {
  const item = itemOf(schema);
  if (item !== undefined) {
    const one = converted(value, from, item);
    return one === undefined ? undefined : [one];
  }
  // A schema without a type accepts any value.
  return schema["type"] === undefined ? value : undefined;
}

function fromJson(value: Value, to: Kind): Value | undefined {
  const item = to.type === "json" ? itemOf(to.schema) : undefined;
  if (item !== undefined) return Array.isArray(value) ? value : [value];
  if (to.type === "json" && (to.schema["type"] === undefined || !Array.isArray(value))) return value;
  const [only, ...more] = Array.isArray(value) ? (value as readonly Value[]) : [];
  if (only === undefined || more.length > 0) return undefined;
  return to.type === "json" ? only : scalar(only, to);
}

/** Returns the items of a list as if each were a column; undefined if the schema is not a list. */
function itemOf(schema: JsonObject): Kind | undefined {
  if (schema["type"] !== "array") return undefined;
  const items = (schema["items"] ?? {}) as JsonObject;
  const { type } = items;
  return { type: (typeof type === "string" ? columnTypes[type] : undefined) ?? "json", schema: items, marks: [] };
}

const columnTypes: Readonly<Record<string, Column["type"]>> = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "boolean",
};
