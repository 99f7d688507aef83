/**
 * What is wrong with a JSON Schema that a document holds (2020-12), found without compiling it: whatever passes compiles
 * when the service starts, and no keyword is written that nothing would hold callers to.
 */
import { RE2JS } from "@bufbuild/re2";
import { textFormats } from "../../base/formats.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { didYouMean } from "../../base/suggest.ts";

export interface SchemaFault {
  /** One sentence. */
  readonly message: string;
  readonly help?: string;
}

/** Stops at the first fault of each keyword; a schema is read to its bottom. */
export function schemaFaults(schema: Json): readonly SchemaFault[] {
  return [...faultsIn({ root: schema }, schema)];
}

interface Walk {
  readonly root: Json;
}

function* faultsIn(walk: Walk, schema: Json): Generator<SchemaFault> {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) {
    yield { message: "A schema is a map, `true` or `false`", help: "write `{ type: string }`" };
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const form = Object.hasOwn(forms, keyword) ? forms[keyword] : undefined;
    if (form === undefined) {
      if (!keyword.startsWith("x-")) yield unknownKeyword(keyword);
    } else yield* form(walk, value, keyword);
  }
}

function unknownKeyword(keyword: string): SchemaFault {
  const near = didYouMean(keyword, Object.keys(forms));
  return {
    message: `\`${keyword}\` is no keyword of JSON Schema that is held to here`,
    help: near === undefined ? "remove it, or begin its name with `x-`" : `did you mean \`${near}\`?`,
  };
}

type Form = (walk: Walk, value: Json, keyword: string) => Iterable<SchemaFault>;

const typeNames = ["array", "boolean", "integer", "null", "number", "object", "string"];
const formatNames = [...Object.keys(textFormats), "decimal"];

const anything: Form = () => [];
const count: Form = (_, value, keyword) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? [] : [wrong(keyword, "a whole number from 0 up")];
const number: Form = (_, value, keyword) => (typeof value === "number" ? [] : [wrong(keyword, "a number")]);
const truth: Form = (_, value, keyword) => (typeof value === "boolean" ? [] : [wrong(keyword, "true or false")]);
const text: Form = (_, value, keyword) => (typeof value === "string" ? [] : [wrong(keyword, "text")]);
const names: Form = (_, value, keyword) => (isNames(value) ? [] : [wrong(keyword, "a list of names, each once")]);
const one: Form = (walk, value) => faultsIn(walk, value);
const several: Form = (walk, value, keyword) =>
  Array.isArray(value) && value.length > 0
    ? (value as readonly Json[]).flatMap((schema) => [...faultsIn(walk, schema)])
    : [wrong(keyword, "a list of schemas")];
const named: Form = (walk, value, keyword) =>
  isObject(value)
    ? Object.values(value).flatMap((schema) => [...faultsIn(walk, schema)])
    : [wrong(keyword, "a map of schemas")];

const forms: Readonly<Record<string, Form>> = {
  type: (_, value) => {
    const types = Array.isArray(value) ? (value as readonly Json[]) : [value];
    const unknown = types.find((type) => typeof type !== "string" || !typeNames.includes(type));
    if (types.length === 0 || !areDistinct(types)) return [wrong("type", "one of the types, or a list of them")];
    if (unknown === undefined) return [];
    const near = typeof unknown === "string" ? didYouMean(unknown, typeNames) : undefined;
    return [
      {
        message: `\`${JSON.stringify(unknown).replaceAll('"', "")}\` is no type of JSON Schema`,
        help: near === undefined ? `it has ${typeNames.join(", ")}` : `did you mean \`${near}\`?`,
      },
    ];
  },
  enum: (_, value) =>
    Array.isArray(value) && value.length > 0 && areDistinct(value as readonly Json[])
      ? []
      : [wrong("enum", "a list of values, each once")],
  const: anything,
  format: (_, value) => {
    if (typeof value !== "string") return [wrong("format", "the name of a format")];
    if (formatNames.includes(value)) return [];
    const near = didYouMean(value, formatNames);
    return [
      {
        message: `There is no format \`${value}\``,
        help: near === undefined ? `there are ${formatNames.join(", ")}` : `did you mean \`${near}\`?`,
      },
    ];
  },
  pattern: (_, value) => {
    if (typeof value !== "string") return [wrong("pattern", "a regular expression")];
    return patternFaults(value);
  },
  patternProperties: (walk, value) =>
    isObject(value)
      ? Object.entries(value).flatMap(([pattern, schema]) => [...patternFaults(pattern), ...faultsIn(walk, schema)])
      : [wrong("patternProperties", "a map of schemas")],
  $ref: (walk, value) => {
    if (typeof value === "string" && refersWithin(walk.root, value)) return [];
    return [
      {
        message: "`$ref` leads to nothing in this schema",
        help: "write `#`, or the place of a schema below `$defs`, as in `#/$defs/line`",
      },
    ];
  },
  dependentRequired: (walk, value, keyword) =>
    isObject(value)
      ? Object.values(value).flatMap((list) => [...names(walk, list, keyword)])
      : [wrong(keyword, "a map of lists of names")],
  multipleOf: (_, value) =>
    typeof value === "number" && value > 0 ? [] : [wrong("multipleOf", "a number greater than 0")],
  ...each(["maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"], number),
  ...each(["maxLength", "minLength", "maxItems", "minItems", "maxContains", "minContains"], count),
  ...each(["maxProperties", "minProperties"], count),
  ...each(["uniqueItems", "deprecated", "readOnly", "writeOnly"], truth),
  ...each(["items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else"], one),
  ...each(["unevaluatedItems", "unevaluatedProperties"], one),
  ...each(["allOf", "anyOf", "oneOf", "prefixItems"], several),
  ...each(["properties", "$defs", "dependentSchemas"], named),
  ...each(["title", "description", "$comment"], text),
  ...each(["default", "examples"], anything),
  required: names,
};

function each(keywords: readonly string[], form: Form): Readonly<Record<string, Form>> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, form]));
}

function wrong(keyword: string, what: string): SchemaFault {
  return { message: `\`${keyword}\` is ${what}` };
}

function patternFaults(pattern: string): readonly SchemaFault[] {
  try {
    RE2JS.compile(pattern);
    return [];
  } catch {
    return [
      {
        message: `\`${pattern}\` is no regular expression of RE2`,
        help: "it is matched in linear time, so that it has no look-around and no back-references",
      },
    ];
  }
}

/** `#`, or a JSON Pointer as a fragment to a schema. */
function refersWithin(root: Json, reference: string): boolean {
  if (reference === "#") return true;
  if (!/^#\/(?:\$defs|properties)\//.test(reference)) return false;
  let at: Json | undefined = root;
  for (const segment of reference.slice(2).split("/")) {
    const name = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    at = at !== undefined && isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at !== undefined && (isObject(at) || typeof at === "boolean");
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string") && areDistinct(value);
}

function areDistinct(values: readonly Json[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size === values.length;
}
