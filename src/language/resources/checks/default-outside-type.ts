/** Reports a default that is no value of its field's type. */
import { RE2JS } from "@bufbuild/re2";
import { isObject, isWrittenAlike, type Json, type JsonObject } from "../../../base/json.ts";
import { bytesInBase64, textFormats } from "../../../base/formats.ts";
import { parseExpression } from "../../../expression/parse.ts";
import type { Model } from "../../model.ts";
import { bareType, fieldSites, lookup } from "../fields.ts";
import type { Check } from "../../analysis/finding.ts";
import { literalValue } from "../default-value.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import { schemaName } from "../schema.ts";
import type { Default, FieldType, ScalarName } from "../model.ts";

export const check: Check = {
  code: "resources/default-outside-type",
  severity: "error",
  why: "The service would store a value that the document itself rejects.",
  *run({ model }) {
    const scope: Scope = { model, matches: createMatcher() };
    for (const { at, name, field } of fieldSites(model)) {
      if (field.default === undefined) continue;
      const problem = problemOf(scope, field.type, field.default);
      if (problem === undefined) continue;
      const words = wordsOf(field.default);
      if (field.default.kind === "literal" && isComputation(words)) {
        yield {
          at: `${at}/default`,
          message: `The default of \`${name}\` is an expression, but a default is a fixed value`,
          help: `write \`:= ${words}\` for a value that the service computes from the record, or \`set\` it in a transition`,
        };
        continue;
      }
      yield {
        at: `${at}/default`,
        message: `The default of \`${name}\`, \`${words}\`, ${problem}`,
        help: "write a default that is a valid value of the field",
      };
    }
  },
};

const otherType = "does not have its type";
const outsideRange = "is outside its range";

interface Scope {
  readonly model: Model;
  /** Whether a text matches a pattern. */
  readonly matches: (text: string, pattern: string) => boolean;
}

/** Whether the text is an expression that computes something, rather than a value: a word, a number, or a list of them. */
function isComputation(text: string): boolean {
  const kind = parseExpression(text).expression?.kind;
  return kind === "call" || kind === "member" || kind === "binary" || kind === "conditional" || kind === "not";
}

function wordsOf(defaultValue: Default): string {
  if (defaultValue.kind === "literal") return defaultValue.text;
  return defaultValue.kind === "digits" || defaultValue.kind === "token"
    ? `${defaultValue.kind}(${defaultValue.length})`
    : defaultValue.kind;
}

/**
 * Returns what is wrong with the default; undefined if it has the type of its field. Of generated defaults only the length and the
 * characters are known.
 */
function problemOf(scope: Scope, type: FieldType, defaultValue: Default): string | undefined {
  if (defaultValue.kind === "literal") {
    const value = literalValue(scope.model, type, defaultValue.text);
    return value === undefined ? otherType : rangeBroken(scope, type, value);
  }
  if (!isMadeFor(scope.model, type, defaultValue.kind)) return otherType;
  if (defaultValue.kind === "token") return rangeBroken(scope, withoutPattern(type), "t".repeat(defaultValue.length));
  if (defaultValue.kind !== "digits") return undefined;
  // The samples represent all numbers: if none of them matches the pattern, hardly any number does.
  const samples = ["0", "1", "5", "9", "1234567890", "9876543210"].map((digits) => {
    return digits.repeat(Math.ceil(defaultValue.length / digits.length)).slice(0, defaultValue.length);
  });
  const problems = samples.map((sample) => rangeBroken(scope, type, sample));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** The types for which each generated default can be used. */
const madeFor: Readonly<Record<Exclude<Default["kind"], "literal">, readonly ScalarName[]>> = {
  now: ["datetime"],
  "now-on-change": ["datetime"],
  caller: ["user", "string", "text"],
  digits: ["string", "text"],
  token: ["string", "text"],
  counter: ["integer", "number", "decimal"],
  "counter-per": ["integer"],
  uuid: ["uuid", "string", "text"],
};

function isMadeFor(model: Model, type: FieldType, made: keyof typeof madeFor): boolean {
  const bare = bareType(type);
  if (bare.kind === "id") return bare.of === undefined || isMadeFor(model, bare.of, made);
  if (bare.kind === "scalar") return madeFor[made].includes(bare.name);
  // The caller's id may be the id of a record; another check reports an unknown type.
  return bare.kind === "named" && made === "caller" && !Object.hasOwn(model.resources.types, bare.name);
}

function withoutPattern(type: FieldType): FieldType {
  const bare = bareType(type);
  if (bare.kind !== "scalar") return bare;
  const { pattern: _pattern, ...rest } = bare;
  return rest;
}

/** Returns what is wrong with a value of the right type; undefined if its range, values and pattern allow it. */
function rangeBroken(scope: Scope, type: FieldType, value: unknown): string | undefined {
  const bare = bareType(type);
  if (bare.kind === "schema") return isOfSchema(scope.model, bare.schema, value as Json) ? undefined : otherType;
  if (value === null) return undefined;
  if (bare.kind === "list" && Array.isArray(value)) {
    const broken = value.map((item) => rangeBroken(scope, bare.of, item)).find((problem) => problem !== undefined);
    return broken ?? (isInRange(bare, value.length) ? undefined : outsideRange);
  }
  if (bare.kind === "one-of") {
    return bare.open || bare.values.some((one) => one === value)
      ? undefined
      : `is not one of its values (${bare.values.join(", ")})`;
  }
  if (bare.kind !== "scalar") return undefined;
  if (bare.name === "money") return isInRange(bare, Number((value as JsonObject)["amount"])) ? undefined : outsideRange;
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  if (typeof value === "string" && bare.pattern !== undefined && !scope.matches(value, bare.pattern))
    return "does not match its pattern";
  if (typeof value === "string" && !isOfType(scope, jsonSchemaOf(scope.model, bare, "input"), value))
    return `${otherType} (${bare.name})`;
  const length = (text: string) => (bare.name === "bytes" ? bytesInBase64(text) : [...text].length);
  return isInRange(bare, typeof value === "number" ? value : length(value)) ? undefined : outsideRange;
}

/** Whether a schema allows a value, as far as its types, its values and its references say. */
function isOfSchema(model: Model, schema: Json, value: Json, hops = 0): boolean {
  if (!isObject(schema) || hops > 20) return schema !== false;
  const { $ref: reference, const: only, enum: values, type } = schema;
  const name = typeof reference === "string" ? schemaName(reference) : undefined;
  const named = name === undefined ? undefined : lookup(model.resources.schemas ?? {}, name);
  if (named !== undefined && !isOfSchema(model, named, value, hops + 1)) return false;
  if (only !== undefined && !isWrittenAlike(only, value)) return false;
  if (Array.isArray(values) && !values.some((one: Json) => isWrittenAlike(one, value))) return false;
  const types = type === undefined ? undefined : [type].flat();
  return types === undefined || types.some((one) => isOfJsonType(value, one));
}

function isOfJsonType(value: Json, type: Json): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** Whether the size is within the type's bounds. */
function isInRange({ min, max }: { readonly min?: number; readonly max?: number }, size: number): boolean {
  return !(min !== undefined && size < min) && !(max !== undefined && size > max);
}

/** Whether the text has the format and pattern that the type's schema requires. */
function isOfType({ matches }: Scope, { format, pattern }: JsonObject, text: string): boolean {
  if (typeof format === "string" && textFormats[format]?.(text) === false) return false;
  return typeof pattern !== "string" || matches(text, pattern);
}

/** Makes a function that compiles each pattern once. Another check reports invalid patterns. */
function createMatcher(): Scope["matches"] {
  const compiled = new Map<string, RE2JS | undefined>();
  return (text, pattern) => {
    if (!compiled.has(pattern)) compiled.set(pattern, compile(pattern));
    return compiled.get(pattern)?.test(text) ?? true;
  };
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
