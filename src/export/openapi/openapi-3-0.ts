/**
 * Converts a description to OpenAPI 3.0.3, for tools that do not read 3.1. The conversion keeps what 3.0 can express; the rest,
 * such as webhooks and schemas that depend on the position in a list, is in the losses.
 */
import { isObject, type Json, type JsonObject, mapMembers, omit } from "../../base/json.ts";

export interface Downgraded {
  readonly document: JsonObject;
  /** What the document lost, such as `webhooks`, each once, in order of appearance. */
  readonly losses: readonly string[];
}

export function openapi30(description: JsonObject): Downgraded {
  const losses = new Set<string>();
  const { webhooks, info, ...rest } = description as Readonly<Record<string, JsonObject>>;
  if (webhooks !== undefined) losses.add(`webhooks (${Object.keys(webhooks).length} events)`);
  const { summary, ...others } = info as JsonObject;
  const texts = [summary, others["description"]].filter((text) => typeof text === "string");
  const described = { ...others, ...(texts.length === 0 ? {} : { description: texts.join("\n\n") }) };
  const document = converted({ ...rest, info: described }, losses) as JsonObject;
  const all = document["components"] as JsonObject;
  const components = webhooks === undefined ? all : withoutUnused(document, all);
  return { document: { ...document, openapi: "3.0.3", components }, losses: [...losses] };
}

/** Leaves out the schemas to which only webhooks referred. */
function withoutUnused(document: JsonObject, components: JsonObject): JsonObject {
  const schemas = components["schemas"] as JsonObject;
  const { schemas: _, ...others } = components;
  const used = new Set<string>();
  const visit = (value: Json): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      if (schemas[name] !== undefined) visit(schemas[name]);
    }
  };
  visit({ ...omit(document, ["components"]), others });
  // `Problem` describes the errors outside operations, to which no operation refers.
  const isListed = (name: string): boolean => used.has(name) || /Problem$|^Fault$/.test(name);
  return { ...others, schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => isListed(name))) };
}

/** Members with values of the author, which are no part of the description. */
const values: ReadonlySet<string> = new Set(["example", "examples", "mapping"]);
/** Members that are maps of named parts. A name is no keyword. */
const maps: ReadonlySet<string> = new Set([
  "paths",
  "parameters",
  "headers",
  "responses",
  "requestBodies",
  "securitySchemes",
]);

/** Converts every schema of a part of the description. */
function converted(value: Json, losses: Set<string>): Json {
  if (Array.isArray(value)) return value.map((one: Json) => converted(one, losses));
  if (!isObject(value)) return value;
  return mapMembers(value, (member, key) => {
    if (key === "schema") return schemaOf(member, losses);
    if (maps.has(key) && isObject(member)) return mapMembers(member, (one) => converted(one, losses));
    if (key === "schemas" && isObject(member)) return mapMembers(member, (one) => schemaOf(one, losses));
    if (key === "content" && isObject(member)) return mapMembers(member, (media) => mediaOf(media, losses));
    return values.has(key) ? member : converted(member, losses);
  });
}

/** Returns a media type: without a schema, its content is bytes, which 3.0 describes as a binary text. */
function mediaOf(media: Json, losses: Set<string>): Json {
  if (!isObject(media) || Object.keys(media).length > 0) return converted(media, losses);
  return { schema: { type: "string", format: "binary" } };
}

/** Keywords of JSON Schema 2020-12 that 3.0 does not have. */
const unknown: ReadonlySet<string> = new Set([
  "$schema", "$id", "$anchor", "$defs", "$comment", "definitions", "if", "then", "else", "contains", "minContains", "maxContains",
  "propertyNames", "patternProperties", "dependentSchemas", "dependentRequired", "unevaluatedItems", "unevaluatedProperties",
  "contentEncoding", "contentMediaType", "contentSchema", "prefixItems",
]); // biome-ignore format: a list

/** Unknown keywords without which a schema says the same to most readers. */
const harmless: ReadonlySet<string> = new Set(["$schema", "$id", "$anchor", "$defs", "$comment", "definitions", "contentEncoding", "contentMediaType"]); // biome-ignore format: a list

function schemaOf(schema: Json, losses: Set<string>): Json {
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  if (!isObject(schema)) return schema;
  const { $ref: reference, ...siblings } = schema;
  // 3.0 ignores members beside a reference.
  if (typeof reference === "string" && Object.keys(siblings).length === 0) return schema;
  if (typeof reference === "string")
    return { allOf: [{ $ref: reference }], ...(schemaOf(siblings, losses) as JsonObject) };
  const { rest, nullable } = withoutNull(schema);
  const result: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(rest)) {
    if (unknown.has(keyword)) {
      if (!harmless.has(keyword)) losses.add(`the keyword \`${keyword}\` of schemas`);
    } else if (!isOwn(keyword)) result[keyword] = partOf(keyword, value, losses);
  }
  return {
    ...typeOf(rest, losses),
    ...result,
    ...rangeOf(schema),
    ...valuesOf(schema, losses),
    ...bytesOf(schema),
    ...itemsOf(schema),
    ...(nullable ? { nullable } : {}),
  };
}

/** Takes null out of the alternatives: in 3.0 it is no type. */
function withoutNull(schema: JsonObject): { readonly rest: JsonObject; readonly nullable: boolean } {
  const keyword = ["anyOf", "oneOf"].find((one) => Array.isArray(schema[one]));
  if (keyword === undefined) return { rest: schema, nullable: false };
  const alternatives = schema[keyword] as readonly Json[];
  const others = alternatives.filter((one) => !isObject(one) || one["type"] !== "null");
  const nullable = others.length > 0 && others.length < alternatives.length;
  return { rest: nullable ? { ...schema, [keyword]: others } : schema, nullable };
}

/** Keywords that the functions below convert. */
function isOwn(keyword: string): boolean {
  return ["type", "const", "enum", "examples", "exclusiveMinimum", "exclusiveMaximum", "minimum", "maximum"].includes(
    keyword,
  );
}

function partOf(keyword: string, value: Json, losses: Set<string>): Json {
  const inside = (one: Json): Json => schemaOf(one, losses);
  if (keyword === "properties") return mapMembers(value as JsonObject, inside);
  if (["allOf", "anyOf", "oneOf"].includes(keyword)) return (value as readonly Json[]).map(inside);
  if (["items", "not"].includes(keyword)) return inside(value);
  if (keyword === "additionalProperties" && typeof value !== "boolean") return inside(value);
  return value;
}

/** Returns one type: `null` among several becomes `nullable`, and further types become alternatives. */
function typeOf({ type, anyOf }: JsonObject, losses: Set<string>): JsonObject {
  if (type === "null") return { type: "string", nullable: true, enum: [null] };
  if (!Array.isArray(type)) return type === undefined ? {} : { type };
  const others = type.filter((one: Json) => one !== "null");
  const nullable = others.length < type.length ? { nullable: true } : {};
  const [only] = others;
  if (others.length === 1 && only !== undefined) return { type: only, ...nullable };
  if (anyOf === undefined)
    return {
      anyOf: others.map((one: Json) => (one === "array" ? { type: one, items: {} } : { type: one })),
      ...nullable,
    };
  losses.add("several types next to `anyOf`");
  return nullable;
}

/** Returns the bounds: an exclusive one is a boolean next to the bound. */
function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): JsonObject {
  const isLow = typeof exclusiveMinimum === "number" && !(typeof minimum === "number" && minimum > exclusiveMinimum);
  const isHigh = typeof exclusiveMaximum === "number" && !(typeof maximum === "number" && maximum < exclusiveMaximum);
  return {
    ...(isLow ? { minimum: exclusiveMinimum, exclusiveMinimum: true } : minimum === undefined ? {} : { minimum }),
    ...(isHigh ? { maximum: exclusiveMaximum, exclusiveMaximum: true } : maximum === undefined ? {} : { maximum }),
  };
}

/** Returns the possible values and the example. */
function valuesOf({ const: only, enum: several, examples, type }: JsonObject, losses: Set<string>): JsonObject {
  const [example, ...more] = Array.isArray(examples) ? (examples as readonly Json[]) : [];
  if (more.length > 0) losses.add("examples of schemas after the first one");
  const all = only === undefined ? several : [only];
  // Without `nullable`, null among the values is no value.
  const isNullable = Array.isArray(all) && all.includes(null) && type === undefined;
  return {
    ...(all === undefined ? {} : { enum: all }),
    ...(isNullable ? { nullable: true } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

/** Returns the format of a text with bytes. */
function bytesOf({ contentEncoding, contentMediaType, format }: JsonObject): JsonObject {
  if (format !== undefined) return {};
  if (contentEncoding === "base64") return { format: "byte" };
  return contentMediaType === undefined ? {} : { format: "binary" };
}

/** Returns the items that 3.0 requires of every list. */
function itemsOf({ type, items }: JsonObject): JsonObject {
  const isList = type === "array" || (Array.isArray(type) && type.includes("array"));
  return isList && items === undefined ? { items: {} } : {};
}
