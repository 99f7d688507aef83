/**
 * The pieces of the JSON Schema (2020-12) of a document, for editors. A document may contain a scalar without quotes (`nonet:
 * 1`), and `not shown` wherever the language allows it.
 */
import type { Json, JsonObject } from "../../base/json.ts";

const open = "not shown";

/** A JSON Schema for any one-line form: a scalar that is not null. */
export const present: JsonObject = { type: ["string", "number", "boolean"] };

/** A regular expression for names that need not be identifiers. */
export const plainName = "^[A-Za-z][A-Za-z0-9_-]*$";

export const typeName = "^[A-Z][A-Za-z0-9]*$";
/** The names of members of views, which clients see. */
export const memberName = '^[^\\s/#"?{}]+\\??$';
export const fieldName = "^_?[A-Za-z][A-Za-z0-9_]*\\??$";

/** Definitions that several parts share. */
export const sharedSchemas: Readonly<Record<string, JsonObject>> = {
  /** A text as YAML or JSON may write it: also a number or a boolean. A key without a value is an empty text. */
  text: { type: ["string", "number", "boolean", "null"] },
  number: {
    anyOf: [
      { type: "integer", minimum: 1 },
      { type: "string", pattern: `^([0-9]+|${open})$` },
    ],
  },
  /** An editor reads the expression `null` as null, not as a text. */
  expression: {
    type: ["string", "number", "boolean", "null"],
    minLength: 1,
    description: "An expression in the syntax of CEL.",
  },
  names: { anyOf: [present, { type: "array", items: { $ref: "#/$defs/text" } }] },
  duration: lineSchema("([0-9]+(y|mo|w|d|h|m|s|ms))+", "A duration: `15s`, `72h`, `90d`."),
};

export function shared(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

/** Returns the schema of a line that matches a pattern. */
export function lineSchema(pattern: string, description: string): JsonObject {
  return { type: ["string", "number"], pattern: `^(${pattern}|${open})$`, description };
}

export function oneOf(...words: readonly Json[]): JsonObject {
  return { enum: [...words, open] };
}

/** Returns the schema of a map with these keys and no others. */
export function closed(properties: Readonly<Record<string, JsonObject>>, ...required: readonly string[]): JsonObject {
  return {
    type: "object",
    properties,
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Returns the schema of a map with the author's own names as keys. */
export function mapOf(values: JsonObject, pattern?: string): JsonObject {
  return {
    type: "object",
    additionalProperties: values,
    ...(pattern === undefined ? {} : { propertyNames: { pattern } }),
  };
}

export function either(...schemas: readonly JsonObject[]): JsonObject {
  return { anyOf: schemas };
}

export function orOpen(...schemas: readonly JsonObject[]): JsonObject {
  return either({ const: open }, ...schemas);
}

/** Adds `not shown` to the schema of a map; the schemas of lines already allow it. */
export function orOpenMap(schema: JsonObject): JsonObject {
  return schema["type"] === "object" ? orOpen(schema) : schema;
}

export function orNone(...schemas: readonly JsonObject[]): JsonObject {
  return either({ enum: ["none", open] }, ...schemas);
}

export function oneOrMore(item: JsonObject): JsonObject {
  return either(item, { type: "array", items: item });
}
