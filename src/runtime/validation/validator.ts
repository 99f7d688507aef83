/** Validates values by JSON Schemas, and reports all violations with messages (R7.2). */
import { RE2JS } from "@bufbuild/re2";
import type { ErrorObject, KeywordErrorDefinition, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import { getOrMake } from "../../base/once.ts";
import { kebabCase } from "../../base/case.ts";
import { base64Pattern, bytesInBase64, fileKeyword, minorDigits, textFormats } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { escapeSegment, fragmentSegment, unescapeSegment } from "../../base/json-pointer.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import { isUnknown, violationMessage } from "./messages.ts";
import { canonicalText } from "../../http/json.ts";
import { patternProperties } from "./pattern-properties.ts";
import { library } from "./schema-library.ts";
import type { Violation } from "../errors/api-error.ts";
import { Uploaded } from "./upload.ts";

/** The most violations that are reported (R7.2). */
const mostViolations = 100;

/** The most errors that are examined: a body may cause hundreds of thousands. */
const mostErrors = 5_000;

/** Returns the violations of a value, at most 100; empty for a valid value. */
export type Validator = (value: Json) => readonly Violation[];

/**
 * Creates validators for schemas, which may refer to `schemas` by their URI. There is no coercion, removal or default (R2.3);
 * patterns run in linear time (R2.8). Each schema compiles at its first use: compiling all schemas of a document would delay
 * the start.
 */
export function createValidators(
  ids: ReadonlyMap<string, string> = new Map(),
  schemas: Readonly<Record<string, JsonObject>> = {},
): (schema: JsonObject) => Validator {
  let compiler: Ajv2020 | undefined;
  return (schema) => {
    let validate: ValidateFunction | undefined;
    return (value) => {
      compiler ??= createCompiler(schemas);
      validate ??= compiler.compile(tagMoney(schema) as JsonObject);
      const violations = validate(value)
        ? []
        : relevantErrors(validate.errors?.slice(0, mostErrors) ?? [])
            .slice(0, mostViolations)
            .map((error) => violationOf(error, ids));
      if (!holdsUnkeepable(value)) return violations;
      const unkeepable = unstorableViolations(value, "#");
      // The schema's own violations of a number that cannot be stored exactly are dropped.
      const pointers = new Set(unkeepable.map(({ pointer }) => pointer));
      return [...violations.filter(({ pointer }) => !pointers.has(pointer)), ...unkeepable];
    };
  };
}

/** The validators of an operation's input. */
export interface OperationValidators {
  /** Validates the body; undefined if the operation has none. */
  readonly validate: Validator | undefined;
  /** The validators of filter values, by name of the filter. */
  readonly filters: ReadonlyMap<string, Validator>;
  /** The validators of query parameters, by name of the parameter. */
  readonly queries: ReadonlyMap<string, Validator>;
}

export function operationValidators(
  { body, list, query }: Pick<Operation, "body" | "list" | "query">,
  validatorOf: (schema: JsonObject) => Validator,
): OperationValidators {
  const filters = list?.filters.map(({ field, schema }) => [field, validatorOf(schema)] as const) ?? [];
  const conditions = list?.conditions.map(({ name, schema }) => [name, validatorOf(schema)] as const) ?? [];
  return {
    validate: body && validatorOf(body.schema),
    filters: new Map([...filters, ...conditions]),
    queries: new Map(query.map(({ name, schema }) => [name, validatorOf(schema)])),
  };
}

function createCompiler(schemas: Readonly<Record<string, JsonObject>>): Ajv2020 {
  const { Ajv2020, _ } = library();
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    // Validating schemas by the metaschema would delay the start; invalid ones throw when they compile.
    meta: false,
    validateSchema: false,
    // A field may be called `constructor`: a member that a body inherits is not one that it has.
    ownProperties: true,
    formats,
    code: { regExp: Object.assign(matcherOf, { code: "" }) },
  });
  ajv.addKeyword({ keyword: minorUnits, type: "object", validate: fitsMinorUnits });
  for (const [keyword, holds] of Object.entries(textBounds)) {
    ajv.addKeyword({
      keyword,
      type: "string",
      schemaType: "number",
      validate: (limit: number, text: string) => holds(text, limit),
      error: { message: "is out of bounds", params: ({ schemaCode }) => _`{ limit: ${schemaCode} }` },
    });
  }
  ajv.addKeyword({ keyword: fileKeyword, validate: isFile, error: { message: "is a file, sent as a part of a form" } });
  for (const comparison of comparisons) ajv.removeKeyword(comparison.keyword).addKeyword(comparison);
  ajv.removeKeyword("patternProperties").addKeyword(patternProperties());
  // A named schema compiles together with a schema that refers to it.
  for (const [address, schema] of Object.entries(schemas)) ajv.addSchema(tagMoney(schema) as JsonObject, address);
  return ajv;
}

/**
 * A regular expression for patterns without alternatives or variable repetition, such as those of ids: for them the built-in
 * engine is linear too, and ten times faster.
 */
const choiceless = /^\^(?:[\w-]|\[[\w-]+\](?:\{[0-9]+\})?)*\$$/;

/** RE2 would block the service for seconds with a text of some megabytes. */
const base64 = { test: textFormats["byte"] } as unknown as RegExp;

function matcherOf(pattern: string): RegExp {
  if (pattern === base64Pattern) return base64;
  return choiceless.test(pattern) ? new RegExp(pattern, "u") : (new RE2JS(pattern) as unknown as RegExp);
}

const codes: Readonly<Record<string, string>> = {
  required: "required",
  additionalProperties: "unknown-field",
  unevaluatedProperties: "unknown-field",
  propertyNames: "unknown-field",
  type: "wrong-type",
  enum: "not-one-of",
  const: "not-one-of",
  minLength: "too-short",
  maxLength: "too-long",
  minimum: "too-small",
  exclusiveMinimum: "too-small",
  maximum: "too-large",
  exclusiveMaximum: "too-large",
  minItems: "too-few",
  maxItems: "too-many",
  maxProperties: "too-many",
  minProperties: "too-few",
  uniqueItems: "repeated",
  pattern: "wrong-pattern",
  format: "wrong-format",
  "x-minor-units": "wrong-format",
  [fileKeyword]: "wrong-type",
  "x-minimum": "too-small",
  "x-maximum": "too-large",
  "x-min-bytes": "too-short",
  "x-max-bytes": "too-long",
};

/**
 * Whether a violation is redundant: it is about a value with the wrong type, or about the pattern of a value with the wrong
 * format (R7.2: each violation once). `others`: all keywords that the value violates.
 */
function isRedundant(others: ReadonlySet<string>, { keyword }: ErrorObject): boolean {
  const has = (...keywords: readonly string[]): boolean => keywords.some((one) => one !== keyword && others.has(one));
  if (has("type")) return keyword === "enum" || keyword === "const";
  if (Object.hasOwn(textBounds, keyword)) return has("pattern", "minLength", "maxLength");
  return has("format") && (keyword === "pattern" || keyword === minorUnits);
}

/** Bounds of amounts and base64 texts; the pattern of the schema reports texts of another form. */
const textBounds: Readonly<Record<string, (text: string, limit: number) => boolean>> = {
  "x-minimum": (amount, limit) => Number(amount) >= limit,
  "x-maximum": (amount, limit) => Number(amount) <= limit,
  "x-min-bytes": (text, limit) => bytesInBase64(text) >= limit,
  "x-max-bytes": (text, limit) => bytesInBase64(text) <= limit,
};

const allowed: KeywordErrorDefinition = {
  message: "is another value",
  params: ({ schemaCode }) => library()._`{ allowed: ${schemaCode} }`,
};

/**
 * Keywords that compare values, replaced by Nonet's own: Ajv's call `valueOf` members, which a client may have sent, and
 * compare all pairs of list items.
 */
const comparisons = [
  { keyword: "enum", compile: oneOf, error: allowed },
  { keyword: "const", compile: (value: Json) => oneOf([value]), error: allowed },
  {
    keyword: "uniqueItems",
    type: "array" as const,
    compile: (isRequested: boolean) => (items: readonly Json[]) =>
      !isRequested || new Set(items.map(canonicalText)).size === items.length,
    error: { message: "has the same item twice" },
  },
];

function oneOf(values: readonly Json[]): (value: Json) => boolean {
  const texts = new Set(values.map(canonicalText));
  return (value) => texts.has(canonicalText(value));
}

const minorUnits = "x-minor-units";

function isFile(_: unknown, value: unknown): boolean {
  return value instanceof Uploaded;
}

/** Marks money objects (an amount as text, and a currency); skips literal values in schemas. */
function tagMoney(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(tagMoney);
  if (!isObject(schema)) return schema;
  const tagged = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, literals.has(name) ? member : tagMoney(member as Json)]),
  );
  const { amount, currency } = (schema["properties"] ?? {}) as Readonly<Record<string, JsonObject>>;
  const isMoney = amount?.["type"] === "string" && currency?.["format"] === "currency";
  return isMoney ? { ...tagged, [minorUnits]: true } : tagged;
}

const literals = new Set(["const", "enum", "examples", "default"]);

/** Whether the amount has at most the currency's decimal digits; other checks find other violations. */
function fitsMinorUnits(_: unknown, { amount, currency }: Readonly<Record<string, unknown>>): boolean {
  if (typeof amount !== "string" || typeof currency !== "string") return true;
  const [, fraction = ""] = amount.split(".");
  return !/^[0-9]+$/.test(fraction) || fraction.length > 4 || fraction.length <= minorDigits(currency);
}

/**
 * Returns the errors to report: prefers the violations of branches to "no branch matches", and drops "must be null" if there
 * are others.
 */
function relevantErrors(all: readonly ErrorObject[]): readonly ErrorObject[] {
  if (all.length === 1) return all;
  const keywordsByPath = new Map<string, Set<string>>();
  for (const { instancePath, keyword } of all) {
    getOrMake(keywordsByPath, instancePath, () => new Set()).add(keyword);
  }
  const named = new Set(
    all.flatMap(({ instancePath, propertyName }) => (propertyName === undefined ? [] : [instancePath])),
  );
  const errors = all.filter((error) => {
    // Only the invalid name itself is reported.
    if (error.keyword === "propertyNames" && named.has(error.instancePath)) return false;
    return error.propertyName !== undefined || !isRedundant(keywordsByPath.get(error.instancePath) ?? new Set(), error);
  });
  const isNull = ({ keyword, params }: ErrorObject) => keyword === "type" && params["type"] === "null";
  const isChoice = ({ keyword }: ErrorObject) => keyword === "anyOf" || keyword === "oneOf";
  if (!errors.some(isChoice)) return errors;
  // The pointers of values with more specific violations, of the values or inside them.
  const explained = new Set<string>();
  for (const error of errors) {
    if (isNull(error) || isChoice(error)) continue;
    let path = error.instancePath;
    for (; !explained.has(path) && path !== ""; path = path.slice(0, path.lastIndexOf("/"))) explained.add(path);
    explained.add(path);
  }
  return errors.filter((error) => !(isNull(error) || isChoice(error)) || !explained.has(error.instancePath));
}

/**
 * Converts an error of Ajv to a violation. For a missing or unknown member the pointer names the member, not its parent as in
 * Ajv (R7.2).
 */
function violationOf(error: ErrorObject, ids: ReadonlyMap<string, string>): Violation {
  const { keyword, instancePath, params, message = "is not valid" } = error;
  const extra: unknown =
    keyword === minorUnits
      ? "amount"
      : (error.propertyName ??
        params["missingProperty"] ??
        params["additionalProperty"] ??
        params["unevaluatedProperty"]);
  const path = typeof extra === "string" ? `${instancePath}/${escapeSegment(extra)}` : instancePath;
  const pointer = `#${path.split("/").map(encodeURIComponent).join("/")}`;
  const subject = path === "" ? "The body" : path.slice(1).split("/").map(unescapeSegment).join(".");
  const name = error.propertyName === undefined ? subject : `The name of ${subject}`;
  return { pointer, code: codes[keyword] ?? kebabCase(keyword), detail: detailOf(keyword, name, message, params, ids) };
}

function detailOf(
  keyword: string,
  name: string,
  message: string,
  params: Record<string, unknown>,
  ids: ReadonlyMap<string, string>,
): string {
  if (keyword === minorUnits) return `${name} has more digits after the point than its currency`;
  switch (codes[keyword]) {
    case "required":
      return `${name} is required`;
    case "unknown-field":
      return isUnknown(name);
    case "not-one-of":
      return `${name} must be one of ${[params["allowed"]].flat().map(printed).join(", ")}`;
    default:
      return `${name} ${violationMessage(keyword, params, ids) ?? message}`;
  }
}

function printed(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether the value contains U+0000 (R2.7) or a number that cannot be stored exactly (R2.6). */
function holdsUnkeepable(value: Json): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value === "number") return !Number.isFinite(value);
  if (value === null || typeof value !== "object") return false;
  for (const [name, member] of Object.entries(value))
    if (name.includes("\0") || holdsUnkeepable(member as Json)) return true;
  return false;
}

function unstorableViolations(value: Json, pointer: string): Violation[] {
  if (value !== null && typeof value === "object") {
    return Object.entries(value).flatMap(([name, member]) => {
      const at = `${pointer}/${fragmentSegment(name)}`;
      if (!name.includes("\0")) return unstorableViolations(member as Json, at);
      return [{ pointer: at, code: "wrong-pattern", detail: "A name may not contain U+0000" }];
    });
  }
  if (!holdsUnkeepable(value)) return [];
  return typeof value === "string"
    ? [{ pointer, code: "wrong-pattern", detail: "A text may not contain U+0000" }]
    : [{ pointer, code: "too-large", detail: "The number is too large to be stored exactly" }];
}

type Format = ((text: string) => boolean) | { readonly type: "number"; readonly validate: (value: number) => boolean };

/** All formats in the JSON Schemas of a plan: text formats, and those of numbers. */
export const formats: Readonly<Record<string, Format>> = {
  ...textFormats,
  // Their bounds are in the schema.
  "unix-time": { type: "number", validate: () => true },
  "unix-time-ms": { type: "number", validate: () => true },
  /** A format for numbers with at most 15 significant digits, so that they are stored exactly. */
  decimal: { type: "number", validate: (value: number) => Number(value.toPrecision(15)) === value },
};
