/**
 * Values of one type as values of another, where nothing is lost: what comes out says all that went in. Whatever a
 * document's author would have to decide (rounding, splitting, what `yes` means) is not done here; `taken as` says it.
 */
import { canonicalInstant, isDate } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Column } from "../../plan/resources/types.ts";

type Kind = Pick<Column, "type" | "schema" | "marks">;

/** Undefined where the value has no equal in the other type. */
export function converted(value: Value, from: Kind, to: Kind): Value | undefined {
  // Of a secret there is only a hash, which is the value of nothing; and what is no secret was never hashed.
  if (isSecret(from) || isSecret(to)) return isSecret(from) && isSecret(to) ? value : undefined;
  if (from.type === "json") return fromJson(value, to);
  if (to.type === "json") return toJson(value, from, to.schema);
  return scalar(value, to);
}

export function isSecret({ marks }: Pick<Column, "marks">): boolean {
  return marks.includes("secret");
}

function scalar(value: Value, { type, schema }: Kind): Value | undefined {
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
      return typeof value === "string" ? instant(value) : undefined;
    case "json":
      return undefined;
  }
}

/** A moment is a date where it is a midnight in UTC. */
function textOf(value: Value, schema: JsonObject): string | undefined {
  if (typeof value === "object") return undefined;
  const text = String(value);
  const midnight = schema["format"] === "date" ? /^(.{10})T00:00:00\.000Z$/.exec(text)?.[1] : undefined;
  return midnight ?? text;
}

/** Of a text only what the number would be written as: `007` is none, because its noughts would be lost. */
function integerOf(value: Value): number | undefined {
  const found = typeof value === "string" && /^(?:0|-?[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value;
  return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined;
}

function number(value: Value): number | undefined {
  if (typeof value === "number") return value;
  const isPlain = typeof value === "string" && /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(value);
  // More digits than a double holds would be lost.
  return isPlain && value.replace(/[-.]/g, "").replace(/^0+/, "").length <= 15 ? Number(value) : undefined;
}

/** A date is its midnight in UTC. */
function instant(text: string): string | undefined {
  return canonicalInstant(isDate(text) ? `${text}T00:00:00Z` : text);
}

function toJson(value: Value, from: Kind, schema: JsonObject): Value | undefined {
  const item = itemOf(schema);
  if (item !== undefined) {
    const one = converted(value, from, item);
    return one === undefined ? undefined : [one];
  }
  // `json` takes anything.
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

/** What the items of a list are kept as, were they columns; undefined where it is no list. */
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
