/**
 * Validates the value of `schema:` (JSON Schema 2020-12), and expands its references.
 *
 * The rules are those of the meta-schema, written here as code because compiling the meta-schema would take longer than
 * checking a whole document. They are stricter if a schema would enforce less than its author thinks: the standard ignores
 * unknown keywords and formats.
 */
import { RE2JS } from "@bufbuild/re2";
import { unescapeSegment } from "../../base/json-pointer.ts";
import { textFormats } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { lookup } from "./fields.ts";

export interface SchemaError {
  /** The keys from the root of the schema to the error. */
  readonly at: readonly string[];
  /** The message, to be printed after the name of the keyword: "has to be a whole number". */
  readonly message: string;
  readonly help?: string;
  /** An unknown name, and the known names. */
  readonly unknown?: { readonly name: string; readonly known: readonly string[] };
}

/** The largest schema after its references are expanded: number of keywords, and nesting depth. */
const most = { keywords: 10_000, depth: 64 } as const;

/** Returns the errors of a schema. `named` has the schemas below `schemas:`, by name. */
export function schemaErrors(schema: Json, named: Readonly<Record<string, Json>> = {}): readonly SchemaError[] {
  const walk: Walk = { root: schema, schemas: new Map(), anchors: new Set(), references: [], errors: [] };
  checkSchema(walk, schema, []);
  for (const { at, text } of walk.references) {
    const name = schemaName(text);
    if (name !== undefined) {
      if (lookup(named, name) !== undefined) continue;
      walk.errors.push({
        at,
        message: `refers to \`${name}\`, which is not below \`schemas:\``,
        unknown: { name, known: Object.keys(named) },
      });
      continue;
    }
    const target = targetOf(walk.root, text);
    if (typeof target === "boolean" || (target !== undefined && walk.schemas.has(target))) continue;
    reject(
      walk,
      at,
      `refers to \`${text}\`, where there is no schema`,
      "refer to a part of this schema: `#/$defs/name`",
    );
  }
  if (walk.errors.length === 0) growthErrors(walk);
  return walk.errors;
}

/** Returns the name in a reference to `schemas:`. It is unambiguous, as JSON Schema has no keyword `schemas`. */
export function schemaName(reference: string): string | undefined {
  return /^#\/schemas\/([A-Za-z0-9]+)$/.exec(reference)?.[1];
}

/** Returns the URI with which references name a schema of `schemas:`. */
export function schemaAddress(name: string): string {
  return `nonet:schemas/${name}`;
}

export function schemaNameAt(address: string): string {
  return address.slice(schemaAddress("").length);
}

/**
 * Expands the references of a schema and removes keywords that only references need, so that it can be part of another schema.
 * References to `schemas:` become their `schemaAddress`, since such schemas may be recursive. Invalid parts of a schema stay
 * unchanged.
 */
export function withoutReferences(schema: Json): Json {
  return expanded({ root: schema, budget: { left: most.keywords }, around: [] }, schema);
}

// ── What is wrong ──────────────────────────────────────────────────────────────────────────────────────────────────

interface Walk {
  readonly root: Json;
  /** The values in the position of a schema, each with its path. */
  readonly schemas: Map<Json, readonly string[]>;
  readonly anchors: Set<string>;
  readonly references: { readonly at: readonly string[]; readonly text: string }[];
  readonly errors: SchemaError[];
}

type KeywordCheck = (walk: Walk, value: Json, at: readonly string[]) => void;

function checkSchema(walk: Walk, schema: Json, at: readonly string[]): void {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) return reject(walk, at, "has to be a schema: a map of keywords, `true` or `false`");
  walk.schemas.set(schema, at);
  for (const [keyword, value] of Object.entries(schema)) {
    const path = [...at, keyword];
    const rule = lookup(keywords, keyword);
    if (rule !== undefined) rule(walk, value, path);
    else if (!keyword.startsWith("x-") || reserved.includes(keyword)) unknownKeyword(walk, keyword, path);
  }
}

function unknownKeyword(walk: Walk, keyword: string, at: readonly string[]): void {
  const help = lookup(elsewhere, keyword);
  const known = Object.keys(keywords);
  walk.errors.push({
    at,
    message: "is not a keyword of JSON Schema 2020-12 that the service enforces",
    ...(help === undefined ? { unknown: { name: keyword, known } } : { help }),
  });
}

/** Nonet's own keywords for bounds. Documents may not use them, since they are valid only for Nonet's types. */
const reserved: readonly string[] = ["x-minimum", "x-maximum", "x-min-bytes", "x-max-bytes", "x-minor-units"];

/** Keywords of other dialects, and keywords that refer outside the schema, each with what to write instead. */
const elsewhere: Readonly<Record<string, string>> = {
  nullable: 'write `type: [string, "null"]`',
  example: "write `examples: [...]`",
  additionalItems: "write `items` beside `prefixItems`",
  dependencies: "write `dependentRequired` or `dependentSchemas`",
  id: "a schema here needs no address: leave it out",
  $dynamicRef: "write `$ref`",
  $dynamicAnchor: "write `$anchor`",
  $recursiveRef: "write `$ref`",
  $recursiveAnchor: "write `$anchor`",
  discriminator: "write `oneOf`, each with a `const` of its own",
};

const typeNames = ["array", "boolean", "integer", "null", "number", "object", "string"];
const dialect = "https://json-schema.org/draft/2020-12/schema";

const schemas: KeywordCheck = (walk, value, at) => {
  if (!Array.isArray(value) || value.length === 0) return reject(walk, at, "has to be a list of schemas, not empty");
  for (const [index, item] of (value as readonly Json[]).entries()) checkSchema(walk, item, [...at, String(index)]);
};

const named: KeywordCheck = (walk, value, at) => {
  if (!isObject(value)) return reject(walk, at, "has to be a map of names and schemas");
  for (const [name, schema] of Object.entries(value)) checkSchema(walk, schema, [...at, name]);
};

const patterns: KeywordCheck = (walk, value, at) => {
  named(walk, value, at);
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) checkPattern(walk, name, [...at, name]);
};

const checkPattern: KeywordCheck = (walk, value, at) => {
  if (typeof value !== "string") return reject(walk, at, "has to be a regular expression, as text");
  try {
    RE2JS.compile(value);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.replace(/^error parsing regexp: /, "") : String(thrown);
    reject(
      walk,
      at,
      `is not a regular expression that runs in linear time: ${why}`,
      "look-around and back-references are not supported (RE2)",
    );
  }
};

const names: KeywordCheck = (walk, value, at) => {
  const isSet =
    Array.isArray(value) && value.every((one) => typeof one === "string") && new Set(value).size === value.length;
  if (!isSet) reject(walk, at, "has to be a list of names, each once");
};

const lists: KeywordCheck = (walk, value, at) => {
  if (!isObject(value)) return reject(walk, at, "has to be a map of names and lists of names");
  for (const [name, list] of Object.entries(value)) names(walk, list, [...at, name]);
};

const types: KeywordCheck = (walk, value, at) => {
  const list: readonly Json[] = Array.isArray(value) ? (value as readonly Json[]) : [value as Json];
  const isSet = list.length > 0 && new Set(list).size === list.length;
  if (isSet && list.every((one) => typeof one === "string" && typeNames.includes(one))) return;
  reject(walk, at, "has to be a type of JSON, or a list of them", `these are: ${typeNames.join(", ")}`);
};

const format: KeywordCheck = (walk, value, at) => {
  if (typeof value !== "string") return reject(walk, at, "has to be the name of a format");
  if (lookup(textFormats, value) !== undefined || value === "decimal") return;
  const known = [...Object.keys(textFormats), "decimal"];
  walk.errors.push({
    at,
    message: `is not a format that the service enforces: \`${value}\``,
    unknown: { name: value, known },
  });
};

const reference: KeywordCheck = (walk, value, at) => {
  if (typeof value !== "string") reject(walk, at, "has to be a reference, as text");
  else walk.references.push({ at, text: value });
};

const anchor: KeywordCheck = (walk, value, at) => {
  if (typeof value !== "string" || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(value))
    return reject(walk, at, "has to be a name");
  if (walk.anchors.has(value))
    return reject(walk, at, `is already the name of another part of the schema: \`${value}\``);
  walk.anchors.add(value);
};

const foreign: KeywordCheck = (walk, value, at) => {
  if (typeof value === "string" && value.replace(/#$/, "") === dialect) return;
  reject(walk, at, "is not JSON Schema 2020-12", "leave it out");
};

const address: KeywordCheck = (walk, value, at) => {
  if (typeof value !== "string") return reject(walk, at, "has to be an address, as text");
  if (at.length > 1) reject(walk, at, "is inside the schema, whose parts have no address", "write `$anchor`");
};

const count = holds((value) => Number.isInteger(value) && Number(value) >= 0, "has to be a whole number, 0 or more");
const number = holds((value) => typeof value === "number", "has to be a number");
const positive = holds((value) => typeof value === "number" && value > 0, "has to be a number greater than 0");
const yesOrNo = holds((value) => typeof value === "boolean", "has to be `true` or `false`");
const text = holds((value) => typeof value === "string", "has to be text");
const values = holds((value) => Array.isArray(value), "has to be a list of values");
const choice = holds((value) => Array.isArray(value) && value.length > 0, "has to be a list of values, not empty");
const anything = (): void => {};

function holds(is: (value: Json) => boolean, message: string): KeywordCheck {
  return (walk, value, at) => {
    if (!is(value)) reject(walk, at, message);
  };
}

/** The checks of all keywords, in the order of the standard's vocabularies. */
const keywords: Readonly<Record<string, KeywordCheck>> = {
  $schema: foreign,
  $id: address,
  $ref: reference,
  $anchor: anchor,
  $defs: named,
  definitions: named,
  $comment: text,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  prefixItems: schemas,
  not: checkSchema,
  if: checkSchema,
  then: checkSchema,
  else: checkSchema,
  items: checkSchema,
  contains: checkSchema,
  additionalProperties: checkSchema,
  propertyNames: checkSchema,
  unevaluatedItems: checkSchema,
  unevaluatedProperties: checkSchema,
  contentSchema: checkSchema,
  properties: named,
  dependentSchemas: named,
  patternProperties: patterns,
  type: types,
  enum: choice,
  const: anything,
  multipleOf: positive,
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: checkPattern,
  maxItems: count,
  minItems: count,
  uniqueItems: yesOrNo,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: names,
  dependentRequired: lists,
  format,
  contentEncoding: text,
  contentMediaType: text,
  title: text,
  description: text,
  default: anything,
  deprecated: yesOrNo,
  readOnly: yesOrNo,
  writeOnly: yesOrNo,
  examples: values,
};

/** Every valid keyword, besides those that begin with `x-`. */
export const schemaKeywords: ReadonlySet<string> = new Set(Object.keys(keywords));

function reject(walk: Walk, at: readonly string[], message: string, help?: string): void {
  walk.errors.push({ at, message, ...(help === undefined ? {} : { help }) });
}

/** Reports a valid schema that is infinite, or too large to validate with, after its references are expanded. */
function growthErrors(walk: Walk): void {
  const sizes = new Map<Json, Size | "open">();
  const sizeOf = (schema: Json): Size => {
    if (!isObject(schema)) return none;
    const known = sizes.get(schema);
    if (known !== undefined) return known === "open" ? none : known;
    sizes.set(schema, "open");
    const target = typeof schema["$ref"] === "string" ? targetOf(walk.root, schema["$ref"]) : undefined;
    if (target !== undefined && sizes.get(target) === "open") {
      const message = "refers to a schema that contains it, so values could be nested without end";
      reject(walk, [...(walk.schemas.get(schema) ?? []), "$ref"], message, "write `true` to allow any value");
    }
    const inside = [...partsOf(schema), ...(target === undefined ? [] : [target])].map(sizeOf);
    const size = {
      keywords: inside.reduce((sum, { keywords: inner }) => sum + inner, Object.keys(schema).length),
      depth: 1 + inside.reduce((most, { depth }) => Math.max(most, depth), 0),
    };
    sizes.set(schema, size);
    return size;
  };
  const { keywords: all, depth } = sizeOf(walk.root);
  if (all <= most.keywords && depth <= most.depth) return;
  reject(walk, [], "is too large when every reference is expanded", "use fewer references");
}

interface Size {
  readonly keywords: number;
  readonly depth: number;
}

const none: Size = { keywords: 0, depth: 0 };

// ── References ─────────────────────────────────────────────────────────────────────────────────────────────────────

interface Expansion {
  readonly root: Json;
  /** How many more keywords the expansion may write. */
  readonly budget: { left: number };
  /** The enclosing schemas, to detect a schema that contains itself. */
  readonly around: readonly Json[];
}

/** Keywords about the schema's text, and keywords that only references need. */
const dropped: readonly string[] = ["$schema", "$id", "$ref", "$anchor", "$defs", "definitions", "$comment"];

function expanded(expansion: Expansion, schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { around, budget, root } = expansion;
  budget.left -= Object.keys(schema).length;
  if (budget.left < 0 || around.includes(schema)) return true;
  const inside: Expansion = { ...expansion, around: [...around, schema] };
  const retained = Object.entries(schema).filter(([keyword]) => !dropped.includes(keyword));
  const rest: JsonObject = Object.fromEntries(
    retained.map(([keyword, value]) => [keyword, mapParts(keyword, value, (part) => expanded(inside, part))]),
  );
  const reference = schema["$ref"];
  if (typeof reference !== "string") return rest;
  const name = schemaName(reference);
  if (name !== undefined) return { ...rest, $ref: schemaAddress(name) };
  const target = expanded(inside, targetOf(root, reference) ?? true);
  if (retained.length === 0) return target;
  const { allOf } = rest;
  return { ...rest, allOf: [...(Array.isArray(allOf) ? (allOf as readonly Json[]) : []), target] };
}

/** Returns the value that `#/$defs/name` (RFC 6901) or `#anchor` refers to. */
function targetOf(root: Json, text: string): Json | undefined {
  const fragment = decoded(text);
  if (fragment === undefined) return undefined;
  if (fragment !== "" && !fragment.startsWith("/")) return anchored(root, fragment);
  return fragment
    .split("/")
    .slice(1)
    .map(unescapeSegment)
    .reduce((found: Json | undefined, step) => memberOf(found, step), root);
}

function decoded(text: string): string | undefined {
  if (!text.startsWith("#")) return undefined;
  try {
    return decodeURIComponent(text.slice(1));
  } catch {
    return undefined;
  }
}

function memberOf(value: Json | undefined, step: string): Json | undefined {
  return typeof value === "object" && value !== null ? lookup(value as JsonObject, step) : undefined;
}

function anchored(schema: Json, name: string): Json | undefined {
  if (!isObject(schema)) return undefined;
  if (schema["$anchor"] === name) return schema;
  for (const part of partsOf(schema)) {
    const found = anchored(part, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the schemas directly inside a schema. */
function partsOf(schema: JsonObject): readonly Json[] {
  const parts: Json[] = [];
  for (const [keyword, value] of Object.entries(schema)) mapParts(keyword, value, (part) => (parts.push(part), part));
  return parts;
}

/** Returns the value of a keyword with each schema in it replaced. */
function mapParts(keyword: string, value: Json, change: (schema: Json) => Json): Json {
  const rule = lookup(keywords, keyword);
  if (rule === checkSchema) return change(value);
  if (rule === schemas) return Array.isArray(value) ? (value as readonly Json[]).map(change) : value;
  if ((rule !== named && rule !== patterns) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, change(schema)]));
}
