/**
 * Describes the types of the document in HTTP messages, as JSON Schema 2020-12.
 *
 * Every text, list and map has a finite maximum even if the document declares none (R2.7). Objects are closed (R2.3). Some
 * formats are Nonet's own, for conditions that a pattern cannot express: `decimal` of a number (at most 15 significant
 * digits), `country` (ISO 3166-1), `currency` (ISO 4217), `language` (BCP 47) and `timezone` (a name in the IANA database), and
 * `unix-time` and `unix-time-ms` of an integer, which only describe it; the rest are JSON Schema's (date, date-time, duration,
 * email, uri, uuid). Some keywords are Nonet's own too, for bounds on the value that a text represents: `x-minimum` and
 * `x-maximum` of an amount, `x-min-bytes` and `x-max-bytes` of base 64.
 */
import { base64Pattern, fileKeyword } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { timeOfDayPattern } from "../../base/clock.ts";
import { type UnixUnit, unixFormats, unixRange } from "../../base/unix-time.ts";
import type { Model } from "../model.ts";
import { onceForModel } from "../analysis/per-model.ts";
import { defaultValue } from "./default-value.ts";
import { lookup } from "./fields.ts";
import { idForm } from "./id-form.ts";
import type { Field, FieldType, Fields } from "./model.ts";
import { withDeprecation } from "../versioning/deprecated.ts";
import { schemaAddress, withoutReferences } from "./schema.ts";

/** Whether the value is sent by a caller (members with a default are optional) or returned in a response. */
export type Direction = "input" | "output";

/** The largest sizes without declared bounds (R2.7), in code points, items and members. */
export const maxima = { string: 10_000, list: 1000, map: 50 } as const;

/** Returns the schema of a value of the type; for a nullable type it also allows null. */
export function jsonSchemaOf(model: Model, type: FieldType, direction: Direction = "output"): JsonObject {
  return schemaOf({ model, direction, around: [] }, type);
}

/** Returns the schemas below `schemas:`, by the URI with which references name them. */
export const namedSchemas: (model: Model) => Readonly<Record<string, JsonObject>> = onceForModel(
  ({ resources: { schemas = {} } }) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [schemaAddress(name), verbatim(schema)])),
);

/** Returns the schema of a field's value, with the field's note and example. */
export function fieldSchema(model: Model, field: Field, direction: Direction = "output"): JsonObject {
  return described(jsonSchemaOf(model, field.type, direction), field);
}

/** Returns a schema that also allows null. */
export function orNull(schema: JsonObject): JsonObject {
  const type = schema["type"];
  if (typeof type !== "string" && !Array.isArray(type)) {
    return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: "null" }] };
  }
  const types = typeof type === "string" ? [type] : (type as readonly Json[]);
  if (types.includes("null")) return schema;
  const values = schema["enum"];
  return {
    ...schema,
    type: [...types, "null"],
    ...(Array.isArray(values) ? { enum: [...(values as readonly Json[]), null] } : {}),
  };
}

interface Walk {
  readonly model: Model;
  readonly direction: Direction;
  /** The embedded types that contain the value, outermost first. */
  readonly around: readonly string[];
}

function schemaOf(walk: Walk, type: FieldType): JsonObject {
  switch (type.kind) {
    case "scalar":
      return scalarSchema(type);
    case "id":
      return idSchema(walk, type);
    case "one-of":
      if (!type.open) return { type: "string", enum: type.values };
      return { type: "string", minLength: 1, maxLength: maxima.string, examples: type.values };
    case "list":
      return {
        type: "array",
        items: schemaOf(walk, type.of),
        ...(type.min === undefined || type.min === 0 ? {} : { minItems: type.min }),
        maxItems: type.max ?? maxima.list,
      };
    case "map":
      return {
        type: "object",
        propertyNames: { minLength: 1, maxLength: 255 },
        additionalProperties: schemaOf(walk, type.of),
        maxProperties: maxima.map,
      };
    case "nullable":
      return orNull(schemaOf(walk, type.of));
    case "named":
      return namedSchema(walk, type.name);
    case "file":
      // The input is the file's bytes, which JSON cannot contain: see `isFile`.
      return walk.direction === "input"
        ? { [fileKeyword]: { maxBytes: type.max, media: type.media } }
        : fileSchema(type);
    case "schema":
      return walk.direction === "input"
        ? verbatim(type.schema)
        : (withoutRequired(verbatim(type.schema)) as JsonObject);
  }
}

/** Returns the schema of the description of a file in a record. */
export function fileSchema({ max, media }: Omit<FieldType & { kind: "file" }, "kind">): JsonObject {
  const [only, ...more] = media;
  const fixed = only !== undefined && more.length === 0 && !only.endsWith("*");
  const properties = {
    id: { type: "string", maxLength: 64 },
    type: {
      type: "string",
      maxLength: 255,
      ...(fixed ? { enum: [only] } : { examples: [only?.replace("*", "png") ?? "image/png"] }),
    },
    bytes: { type: "integer", minimum: 0, maximum: max },
    sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
    name: { type: "string", maxLength: 255 },
  };
  return closedObject(properties, ["id", "type", "bytes", "sha256"]);
}

/**
 * Returns a schema from the document; `true` and `false` are schemas too. A nested schema cannot refer to its own parts by
 * path, so references are expanded.
 */
function verbatim(written: Json): JsonObject {
  const schema = withoutReferences(written);
  if (schema === false) return { not: {} };
  return typeof schema === "object" && schema !== null && !Array.isArray(schema) ? (schema as JsonObject) : {};
}

/** Returns the schema without required write-only members, since responses never contain them. */
function withoutRequired(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (!isObject(schema)) return schema;
  const { properties, required } = schema as Readonly<Record<string, Json>>;
  const isPresent = (name: Json): boolean => {
    const member = isObject(properties) && typeof name === "string" ? properties[name] : undefined;
    return !isObject(member) || member["writeOnly"] !== true;
  };
  const inside = Object.entries(schema).map(([key, value]): [string, Json] => {
    if (key === "required" && Array.isArray(required)) return [key, required.filter(isPresent)];
    return [key, literals.has(key) ? (value as Json) : withoutRequired(value as Json)];
  });
  return Object.fromEntries(inside);
}

/** Keywords whose values are JSON values and not schemas. */
const literals = new Set(["const", "enum", "examples", "default"]);

function idSchema(walk: Walk, type: FieldType & { kind: "id" }): JsonObject {
  if (type.made === "counter") return { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
  if (type.of !== undefined) return schemaOf(walk, type.of);
  if (type.made === "client") return { type: "string", pattern: "^[A-Za-z0-9_.~-]{1,64}$" };
  const { alphabet, length } = idForm(type);
  return { type: "string", pattern: `^${type.prefix === undefined ? "" : `${type.prefix}_`}[${alphabet}]{${length}}$` };
}

function namedSchema(walk: Walk, name: string): JsonObject {
  const id = lookup(walk.model.resources.resources, name)?.fields["id"];
  if (id !== undefined) return schemaOf(walk, id.type);
  if (lookup(walk.model.resources.schemas ?? {}, name) !== undefined) return { $ref: schemaAddress(name) };
  const fields = lookup(walk.model.resources.types, name);
  // A recursive type has no finite schema; a check reports it.
  if (fields === undefined || walk.around.includes(name)) return {};
  return objectSchema({ ...walk, around: [...walk.around, name] }, fields);
}

function objectSchema(walk: Walk, fields: Fields): JsonObject {
  const properties = Object.entries(fields).map(([name, field]) => {
    const schema = described(schemaOf(walk, field.type), field);
    const value = walk.direction === "input" ? defaultValue(walk.model, field) : undefined;
    return [name, value === undefined ? schema : { ...schema, default: value }] as const;
  });
  const required = Object.entries(fields).filter(
    ([, field]) => !field.optional && (walk.direction === "output" || defaultValue(walk.model, field) === undefined),
  );
  return closedObject(
    Object.fromEntries(properties),
    required.map(([name]) => name),
  );
}

/** Returns the schema of an object with these members and no others. */
export function closedObject(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
): JsonObject {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }), additionalProperties: false };
}

function described(schema: JsonObject, { note, example, deprecated }: Field): JsonObject {
  const written = {
    ...schema,
    ...(note === undefined ? {} : { description: note }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
  return withDeprecation(written, deprecated);
}

function scalarSchema(type: FieldType & { kind: "scalar" }): JsonObject {
  const { min, max, pattern } = type;
  switch (type.name) {
    case "string":
    case "text":
      return text(type, maxima.string);
    case "email":
      return { ...text(type, 254), format: "email" };
    case "url":
      return { ...text(type, 2048), format: "uri" };
    case "phone":
      // The format of E.164.
      return { ...text(type, 16), pattern: pattern ?? "^\\+[1-9][0-9]{1,14}$" };
    case "user":
      return { type: "string", minLength: 1, maxLength: 255 };
    case "integer":
      return {
        type: "integer",
        minimum: Math.max(min ?? Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
        maximum: Math.min(max ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
      };
    case "number":
      return { type: "number", ...range(min, max) };
    case "decimal":
      return { type: "number", format: "decimal", ...range(min, max) };
    case "boolean":
      return { type: "boolean" };
    case "json":
      return {};
    case "money":
      return money(min, max);
    case "bytes":
      return bytes(min, max);
    case "datetime":
      return type.unix === undefined ? plain.datetime : unixTime(type.unix);
    default:
      return plain[type.name];
  }
}

function text({ min, max, pattern }: FieldType & { kind: "scalar" }, most: number): JsonObject {
  return {
    type: "string",
    ...(min === undefined || min === 0 ? {} : { minLength: min }),
    maxLength: max ?? most,
    ...(pattern === undefined ? {} : { pattern }),
  };
}

function range(min: number | undefined, max: number | undefined): JsonObject {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}

/**
 * Returns the schema of base 64 text (RFC 4648 section 4). The document's bounds count bytes, and four characters encode three
 * bytes, so the bounds in characters are approximate, for validators that know only those.
 */
function bytes(min = 0, max: number = maxima.string): JsonObject {
  return {
    type: "string",
    contentEncoding: "base64",
    pattern: base64Pattern,
    ...(min === 0 ? {} : { minLength: 4 * Math.ceil(min / 3), "x-min-bytes": min }),
    maxLength: 4 * Math.ceil(max / 3),
    ...(max % 3 === 0 ? {} : { "x-max-bytes": max }),
  };
}

const currency: JsonObject = { type: "string", pattern: "^[A-Z]{3}$", format: "currency" };

function money(min: number | undefined, max: number | undefined): JsonObject {
  const amount = {
    type: "string",
    pattern: "^-?(?:0|[1-9][0-9]{0,14})(?:\\.[0-9]{1,4})?$",
    ...(min === undefined ? {} : { "x-minimum": min }),
    ...(max === undefined ? {} : { "x-maximum": max }),
  };
  return closedObject({ amount, currency }, ["amount", "currency"]);
}

/** Returns the schema of a Unix time. JSON Schema has no format for it; `unix-time` is the one in descriptions of APIs. */
function unixTime(unit: UnixUnit): JsonObject {
  const [minimum, maximum] = unixRange[unit];
  return { type: "integer", format: unixFormats[unit], minimum, maximum };
}

const plain = {
  date: { type: "string", format: "date" },
  time: { type: "string", pattern: timeOfDayPattern },
  datetime: { type: "string", format: "date-time", maxLength: 64 },
  duration: { type: "string", format: "duration", maxLength: 64 },
  uuid: { type: "string", format: "uuid" },
  country: { type: "string", pattern: "^[A-Z]{2}$", format: "country" },
  currency,
  // The syntax of BCP 47.
  language: { type: "string", format: "language", pattern: "^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$", maxLength: 64 },
  timezone: { type: "string", format: "timezone", maxLength: 64 },
} as const satisfies Record<string, JsonObject>;
