/** Compares a value with a JSON Schema of the document, with the library Ajv. */
import { RE2JS } from "@bufbuild/re2";
import type { ErrorObject, Format, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { kebabCase } from "../../base/case.ts";
import { textFormats } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { unescapeSegment } from "../../base/json-pointer.ts";
import { getOrMake } from "../../base/once.ts";
import { onceForModel, perModel } from "../../language/analysis/per-model.ts";
import type { Model } from "../../language/model.ts";
import { lookup } from "../../language/resources/fields.ts";
import { schemaAddress, schemaName } from "../../language/resources/schema.ts";
import type { Direction, Problem } from "./problem.ts";

/** The code of a problem that is none: Ajv cannot compare this value with this schema. */
export const undecided = "undecided";

/** Returns what is wrong with a value. In `output`, members with `writeOnly` may be missing. */
export function schemaProblems(model: Model, schema: Json, value: Json, direction: Direction): readonly Problem[] {
  const compiler = compilersOf(model)[direction];
  try {
    const validate = getOrMake(compiler.validators, schema, () =>
      compiler.ajv.compile(rewritten(schema, direction) as JsonObject),
    );
    const problems = validate(value) ? [] : relevant(validate.errors ?? []).map(problemFor);
    return direction === "input" ? problems : [...problems, ...writeOnlyMembers(model, schema, value, [])];
  } catch (thrown) {
    // Ajv calls a member `valueOf` of a value, and has a mistake in some schemas with `unevaluatedProperties`.
    if (!(thrown instanceof Error)) throw thrown;
    return direction === "output"
      ? []
      : [{ path: [], code: undecided, message: `cannot be compared: ${thrown.message}`, stated: false }];
  }
}

/** Returns the schema that refers to a named one, the same object each time, so that it is compiled once. */
export const namedSchema: (model: Model, name: string) => Json = perModel((_, name: string) => ({
  $ref: `#/schemas/${name}`,
}));

interface Compiler {
  readonly ajv: Ajv2020;
  readonly validators: Map<Json, ValidateFunction>;
}

const compilersOf = onceForModel(
  (model): Readonly<Record<Direction, Compiler>> => ({
    input: compilerOf(model, "input"),
    output: compilerOf(model, "output"),
  }),
);

function compilerOf({ resources: { schemas = {} } }: Model, direction: Direction): Compiler {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // Every object inherits members such as `toString`, which no client has sent.
    ownProperties: true,
    formats: formats[direction],
    code: { regExp: Object.assign(matcherOf, { code: "" }) },
  });
  for (const [name, schema] of Object.entries(schemas)) {
    ajv.addSchema(rewritten(schema, direction) as JsonObject, schemaAddress(name));
  }
  return { ajv, validators: new Map() };
}

function matcherOf(pattern: string): { test: (text: string) => boolean } & RegExp {
  return RE2JS.compile(pattern) as unknown as RegExp;
}

/** In a response a format of JSON Schema may be used as Ajv knows it: `uri` of any scheme. */
const formats: Readonly<Record<Direction, Readonly<Record<string, Format>>>> = {
  input: { ...textFormats, decimal: { type: "number", validate: isDecimal } },
  output: {
    ...Object.fromEntries(
      Object.entries(textFormats).map(([name, holds]) => [
        name,
        (text: string) => holds(text) || isStandard(name, text),
      ]),
    ),
    decimal: { type: "number", validate: () => true },
  },
};

/** Whether a number has at most 15 significant digits. */
export function isDecimal(value: number): boolean {
  return Number(value.toPrecision(15)) === value;
}

function isStandard(name: string, text: string): boolean {
  const format: unknown = (fullFormats as Readonly<Record<string, unknown>>)[name];
  if (format instanceof RegExp) return format.test(text);
  const validate = typeof format === "function" ? format : (format as { validate?: unknown } | undefined)?.validate;
  return typeof validate === "function" && (validate as (text: string) => boolean)(text);
}

/** Keywords whose values are JSON values and not schemas. */
const literals: ReadonlySet<string> = new Set(["const", "enum", "examples", "default"]);

/** Returns the schema with references to named schemas by their addresses. */
function rewritten(schema: Json, direction: Direction): Json {
  if (Array.isArray(schema)) return schema.map((one: Json) => rewritten(one, direction));
  if (!isObject(schema)) return schema === true || schema === false ? schema : {};
  const entries = Object.entries(schema)
    // An address would change what the references in the schema mean.
    .filter(([keyword, value]) => (keyword !== "$id" && keyword !== "$schema") || typeof value !== "string")
    .map(([keyword, value]): [string, Json] => {
      const name = keyword === "$ref" && typeof value === "string" ? schemaName(value) : undefined;
      if (name !== undefined) return [keyword, schemaAddress(name)];
      if (keyword === "required" && direction === "output") return [keyword, withoutWriteOnly(schema, value)];
      const isSchema = !literals.has(keyword) && typeof value === "object" && value !== null;
      return [keyword, isSchema ? rewrittenInside(keyword, value, direction) : value];
    });
  return Object.fromEntries(entries);
}

/** Keywords whose values are maps of names to schemas: a name there is no keyword. */
const maps: ReadonlySet<string> = new Set([
  "properties", "patternProperties", "dependentSchemas", "$defs", "definitions",
]); // biome-ignore format: a table

/** Keywords whose values are schemas or lists of them. */
const nested: ReadonlySet<string> = new Set([
  "allOf", "anyOf", "oneOf", "prefixItems", "not", "if", "then", "else", "items", "contains", "additionalProperties",
  "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema",
]); // biome-ignore format: a table

function rewrittenInside(keyword: string, value: Json, direction: Direction): Json {
  if (maps.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, rewritten(schema, direction)]));
  }
  return nested.has(keyword) ? rewritten(value, direction) : value;
}

function withoutWriteOnly({ properties }: JsonObject, required: Json): Json {
  if (!Array.isArray(required)) return required;
  const isWriteOnly = (name: Json): boolean => {
    const member = isObject(properties) && typeof name === "string" ? properties[name] : undefined;
    return isObject(member) && member["writeOnly"] === true;
  };
  return (required as readonly Json[]).filter((name) => !isWriteOnly(name));
}

/**
 * Finds members with `writeOnly`, which no response contains. Only schemas that hold in any case are followed: in a branch the keyword
 * may be about another value.
 */
function* writeOnlyMembers(model: Model, schema: Json, value: Json, path: readonly string[]): Iterable<Problem> {
  if (!isObject(schema) || typeof value !== "object" || value === null) return;
  const { $ref: reference, properties, items, prefixItems, allOf } = schema;
  const name = typeof reference === "string" ? schemaName(reference) : undefined;
  const named = name === undefined ? undefined : lookup(model.resources.schemas ?? {}, name);
  for (const part of [named, ...(Array.isArray(allOf) ? (allOf as readonly Json[]) : [])])
    if (part !== undefined) yield* writeOnlyMembers(model, part, value, path);
  if (Array.isArray(value)) {
    const first = Array.isArray(prefixItems) ? prefixItems.length : 0;
    for (const [index, item] of (value as readonly Json[]).entries())
      if (items !== undefined && index >= first) yield* writeOnlyMembers(model, items, item, [...path, String(index)]);
    return;
  }
  if (!isObject(properties)) return;
  for (const [member, inner] of Object.entries(value as JsonObject)) {
    const its = lookup(properties, member);
    const at = [...path, member];
    if (isObject(its) && its["writeOnly"] === true)
      yield { path: at, code: "unknown-field", message: "is never returned, since it is `writeOnly`", stated: true };
    else if (its !== undefined) yield* writeOnlyMembers(model, its, inner, at);
  }
}

// ── Problems ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The code of an entry of `errors` by keyword; of another keyword it is the keyword itself in kebab case. */
const codes: Readonly<Record<string, string>> = {
  required: "required", additionalProperties: "unknown-field", unevaluatedProperties: "unknown-field",
  propertyNames: "unknown-field", type: "wrong-type", enum: "not-one-of", const: "not-one-of", minLength: "too-short",
  maxLength: "too-long", minimum: "too-small", exclusiveMinimum: "too-small", maximum: "too-large",
  exclusiveMaximum: "too-large", minItems: "too-few", maxItems: "too-many", minProperties: "too-few",
  maxProperties: "too-many", uniqueItems: "repeated", pattern: "wrong-pattern", format: "wrong-format",
}; // biome-ignore format: a table

export function codeOf(keyword: string): string {
  return codes[keyword] ?? kebabCase(keyword);
}

/** Returns the errors without those that only sum up others. */
function relevant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const others = errors.filter(({ keyword }) => keyword !== "propertyNames");
  return others.length === 0 ? errors : others;
}

function problemFor({ keyword, instancePath, params, propertyName, message = "is not valid" }: ErrorObject): Problem {
  const member: unknown =
    propertyName ?? params["missingProperty"] ?? params["additionalProperty"] ?? params["unevaluatedProperty"];
  const path = instancePath.split("/").slice(1).map(unescapeSegment);
  return {
    path: typeof member === "string" ? [...path, member] : path,
    code: codeOf(keyword),
    message,
    stated: true,
  };
}
