/**
 * Generates an example value for a JSON Schema, always the same one. If a pattern is too complex to match, there is no example
 * rather than an invalid one.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { componentOf, type Described } from "./described.ts";

/** Generates an example without optional members; undefined if none can be generated. */
export function exampleOf(schemas: Described["schemas"], schema: Json, depth = 0): Json | undefined {
  if (depth > 12 || typeof schema !== "object" || schema === null) return undefined;
  const { $ref: reference, const: only, enum: values, examples, anyOf, oneOf, allOf, type } = schema as JsonObject;
  const further = (one: Json): Json | undefined => exampleOf(schemas, one, depth + 1);
  if (typeof reference === "string") return further(schemas[componentOf(reference) ?? ""] ?? {});
  if (only !== undefined) return only;
  for (const list of [values, examples]) if (Array.isArray(list)) return list[0] as Json;
  if (Array.isArray(allOf)) return undefined;
  const alternatives = oneOf ?? anyOf;
  if (Array.isArray(alternatives))
    return alternatives.reduce<Json | undefined>((found, one: Json) => found ?? further(one), undefined);
  switch (Array.isArray(type) ? type[0] : type) {
    case "object":
      return objectExample(schema as JsonObject, further);
    case "array":
      return arrayExample(schema as JsonObject, further);
    case "integer":
    case "number":
      return numberExample(schema as JsonObject);
    case "boolean":
      return true;
    case "null":
      return null;
    case "string":
      return textExample(schema as JsonObject);
    default:
      return Object.keys(schema).every((keyword) => keyword === "description") ? "anything" : undefined;
  }
}

function objectExample(schema: JsonObject, further: (schema: Json) => Json | undefined): Json | undefined {
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = new Set((schema["required"] ?? []) as readonly string[]);
  if (typeof schema["minProperties"] === "number" && schema["minProperties"] > required.size) return undefined;
  const members: [string, Json][] = [];
  for (const [name, member] of Object.entries(properties)) {
    if (!required.has(name)) continue;
    const value = further(member as Json);
    if (value === undefined) return undefined;
    members.push([name, value]);
  }
  return members.length < required.size ? undefined : Object.fromEntries(members);
}

function arrayExample(schema: JsonObject, further: (schema: Json) => Json | undefined): Json | undefined {
  const least = Number(schema["minItems"] ?? 0);
  if (schema["prefixItems"] !== undefined || (least > 1 && schema["uniqueItems"] === true)) return undefined;
  const count = Math.max(least, schema["maxItems"] === 0 ? 0 : 1);
  const item = count === 0 ? undefined : further((schema["items"] ?? {}) as Json);
  if (count > 0 && item === undefined) return least === 0 ? [] : undefined;
  return Array.from({ length: count }, () => item as Json);
}

const moments: Readonly<Record<string, number>> = { "unix-time": 1_767_323_045, "unix-time-ms": 1_767_323_045_000 };

function numberExample({
  format,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: JsonObject): Json | undefined {
  if (typeof format === "string" && moments[format] !== undefined) return moments[format];
  if (exclusiveMinimum !== undefined || exclusiveMaximum !== undefined || multipleOf !== undefined) return undefined;
  const [least, most] = [Number(minimum ?? 1), Number(maximum ?? Number.MAX_SAFE_INTEGER)];
  return least <= 1 && most >= 1 ? 1 : Math.abs(least) < Number.MAX_SAFE_INTEGER ? least : most;
}

const formatted: Readonly<Record<string, string>> = {
  email: "eva@example.com",
  uri: "https://example.com/",
  uuid: "018f3f4e-0000-7000-8000-000000000000",
  "date-time": "2026-01-02T03:04:05.000Z",
  date: "2026-01-02",
  duration: "PT1H",
  country: "NO",
  currency: "NOK",
  language: "nb",
  timezone: "Europe/Oslo",
};

function textExample(schema: JsonObject): string | undefined {
  const { format, pattern, minLength = 0, maxLength = 10_000 } = schema;
  const fits = (text: string): boolean => text.length >= Number(minLength) && text.length <= Number(maxLength);
  const known = typeof format === "string" ? formatted[format] : undefined;
  if (known !== undefined) return fits(known) && (pattern === undefined || matches(pattern, known)) ? known : undefined;
  if (schema["contentEncoding"] !== undefined)
    return Number(minLength) <= 4 && Number(maxLength) >= 4 ? "AAAA" : undefined;
  if (typeof pattern === "string") {
    const made = textFor(pattern, Number(minLength));
    return made !== undefined && fits(made) ? made : undefined;
  }
  return "example".padEnd(Number(minLength), "-").slice(0, Number(maxLength));
}

/**
 * Whether a text matches a pattern. Tests only patterns that `textFor` can parse, so that no pattern of a document backtracks
 * endlessly.
 */
function matches(pattern: Json, text: string): boolean {
  return typeof pattern === "string" && textFor(pattern, 0) !== undefined && new RegExp(pattern, "u").test(text);
}

/**
 * Generates a text of at least `least` characters for a simple pattern: letters, classes and groups of alternatives, each with
 * a quantifier.
 */
function textFor(pattern: string, least: number): string | undefined {
  const body = pattern.replace(/^\^/, "").replace(/\$$/, "");
  let rest = body;
  let text = "";
  while (rest !== "") {
    const [piece, group, set, escaped, plain, least_, many] =
      /^(?:\((?:\?:)?([^()[\]]*)\)|\[([^\]\\^]+)\]|\\([.$^*+?()[\]{}|/\\d-])|([^\\^$.*+?()[\]{}|]))(?:\{([0-9]+)(?:,[0-9]*)?\}|([*+?]))?/u.exec(
        rest,
      ) ?? [];
    if (piece === undefined) return undefined;
    const unit =
      group === undefined
        ? set === undefined
          ? escaped === "d"
            ? "0"
            : (escaped ?? plain ?? "")
          : firstOf(set)
        : textFor(group.split("|")[0] ?? "", 0);
    if (unit === undefined) return undefined;
    const times = least_ === undefined ? (many === "*" || many === "?" ? 0 : 1) : Number(least_);
    rest = rest.slice(piece.length);
    // If the last piece of the pattern may be repeated, it fills the text up to the minimum length.
    const missing = rest === "" && (many === "*" || many === "+") ? least - text.length : 0;
    text += unit.repeat(Math.min(Math.max(times, missing), 1000));
  }
  return text;
}

function firstOf(set: string): string {
  return set.replace(/^-/, "").slice(0, 1) || "-";
}
