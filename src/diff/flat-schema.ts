/**
 * Flattens a JSON Schema for the comparison: merges the parts of `allOf` where that is exact, and separates null from the other
 * values, so that each spelling of one schema has one form.
 */
import { isObject, isWrittenAlike, type Json, type JsonObject } from "../base/json.ts";
import { schemaAddress, schemaName, schemaNameAt } from "../language/resources/schema.ts";

export interface FlatSchema {
  /** The keywords besides `$ref` and `allOf`, without null in `type`, `enum`, `anyOf` and `oneOf`; `const` is in `enum`. */
  readonly keywords: JsonObject;
  /** The named schemas that a value must match too. */
  readonly names: readonly string[];
  /** The parts of `allOf` that cannot be merged exactly. */
  readonly parts: readonly Json[];
  /** Whether null is a value; undefined if the schema does not decide it. */
  readonly nullable: boolean | undefined;
  /** Set if null is an alternative to the rest of the schema, and so to the named schemas. */
  readonly orNull?: true;
}

const known = new WeakMap<JsonObject, FlatSchema>();

/** Returns the flat form; the same object for the same schema. */
export function flatSchema(schema: JsonObject): FlatSchema {
  const found = known.get(schema) ?? flattened(schema);
  known.set(schema, found);
  return found;
}

function flattened({ $ref: reference, allOf, ...own }: JsonObject): FlatSchema {
  const name = typeof reference === "string" ? referredName(reference) : undefined;
  const flat = withNames(withoutNull(own), name === undefined ? [] : [name]);
  return listOf(allOf).reduce<FlatSchema>(
    (sum, part) => (isObject(part) ? mergedSchemas(sum, flatSchema(part)) : { ...sum, parts: [...sum.parts, part] }),
    flat,
  );
}

/** Returns the name in a reference to `schemas:`, as documents write it or as an address. */
export function referredName(reference: string): string | undefined {
  return schemaName(reference) ?? (reference.startsWith(schemaAddress("")) ? schemaNameAt(reference) : undefined);
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function mapOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function withNames(flat: FlatSchema, names: readonly string[]): FlatSchema {
  return { ...flat, names: [...new Set([...flat.names, ...names])] };
}

function withoutNull({ type, enum: values, const: only, ...rest }: JsonObject): FlatSchema {
  const types = type === undefined ? undefined : Array.isArray(type) ? listOf(type) : [type];
  const all = values === undefined ? (only === undefined ? undefined : [only]) : listOf(values);
  const inType = types?.includes("null");
  const inValues = all?.includes(null);
  const nullable = inType === false ? false : (inValues ?? inType);
  const keywords = {
    ...rest,
    ...(types === undefined ? {} : { type: types.filter((one) => one !== "null") }),
    ...(all === undefined ? {} : { enum: all.filter((one) => one !== null) }),
  };
  const flat = { keywords, names: [], parts: [], nullable };
  return withoutNullIn("oneOf", withoutNullIn("anyOf", flat));
}

/** Removes the alternative null; a single other alternative is merged. */
function withoutNullIn(keyword: "anyOf" | "oneOf", flat: FlatSchema): FlatSchema {
  const { [keyword]: alternatives, ...rest } = flat.keywords;
  const others = listOf(alternatives).filter((one) => !isNull(one));
  const hasNull = others.length < listOf(alternatives).length;
  const [only] = others;
  if (others.length === 1 && isObject(only)) {
    const merged = mergedSchemas({ ...flat, keywords: rest }, flatSchema(only));
    return hasNull && flat.nullable !== false ? { ...merged, nullable: true, orNull: true } : merged;
  }
  if (!hasNull) return flat;
  return { ...flat, keywords: { ...rest, [keyword]: others }, nullable: flat.nullable !== false };
}

function isNull(schema: Json): boolean {
  if (!isObject(schema)) return false;
  const { type, enum: values, const: only } = schema;
  return isWrittenAlike(listOf(type), ["null"]) || type === "null" || only === null || isWrittenAlike(values, [null]);
}

/** Returns a schema of the values that match both. */
export function mergedSchemas(one: FlatSchema, other: FlatSchema): FlatSchema {
  const keywords = mergedKeywords(one.keywords, other.keywords);
  const orNull = one.orNull === true || other.orNull === true;
  const isNever = one.nullable === false || other.nullable === false;
  const nullable = orNull ? true : isNever ? false : (one.nullable ?? other.nullable);
  const names = [...new Set([...one.names, ...other.names])];
  const parts = [...one.parts, ...other.parts];
  const rest = { names, nullable, ...(orNull ? { orNull } : {}) };
  if (keywords !== undefined) return { keywords, parts, ...rest };
  return { keywords: one.keywords, parts: [...parts, other.keywords], ...rest };
}

/** Returns the merged keywords; undefined if no keywords express both. */
function mergedKeywords(one: JsonObject, other: JsonObject): JsonObject | undefined {
  if (closes(one, other) || closes(other, one)) return undefined;
  const result: Record<string, Json> = { ...one };
  for (const [keyword, value] of Object.entries(other)) {
    const before = result[keyword];
    const merged = before === undefined || isWrittenAlike(before, value) ? value : merge(keyword, before, value);
    if (merged === undefined) return undefined;
    result[keyword] = merged;
  }
  return result;
}

/** Whether the first schema restricts members that only the second one has. */
function closes(one: JsonObject, other: JsonObject): boolean {
  const isOpen = [one["additionalProperties"] ?? true, one["unevaluatedProperties"] ?? true].every(
    (rest) => rest === true,
  );
  const members = mapOf(one["properties"]);
  return !isOpen && Object.keys(mapOf(other["properties"])).some((name) => !Object.hasOwn(members, name));
}

const annotations = new Set(["title", "description", "default", "examples", "deprecated", "contentSchema"]);
const either = new Set(["uniqueItems", "readOnly", "writeOnly"]);

function merge(keyword: string, one: Json, other: Json): Json | undefined {
  if (annotations.has(keyword) || keyword.startsWith("x-")) return one;
  if (either.has(keyword)) return one === true || other === true;
  if (typeof one === "number" && typeof other === "number" && keyword !== "multipleOf")
    return /^(?:min|exclusiveMin)/.test(keyword) ? Math.max(one, other) : Math.min(one, other);
  switch (keyword) {
    case "required":
      return [...new Set([...listOf(one), ...listOf(other)])];
    case "enum":
      return listOf(one).filter((value) => listOf(other).some((each) => isWrittenAlike(each, value)));
    case "type":
      return commonTypes(listOf(one), listOf(other));
    case "items":
      return { allOf: [one, other] };
    case "properties":
    case "patternProperties":
    case "dependentSchemas":
      return mergedMembers(mapOf(one), mapOf(other));
    default:
      return undefined;
  }
}

function commonTypes(one: readonly Json[], other: readonly Json[]): Json {
  const has = (types: readonly Json[], type: Json): boolean =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  return [...new Set([...one.filter((type) => has(other, type)), ...other.filter((type) => has(one, type))])];
}

function mergedMembers(one: JsonObject, other: JsonObject): JsonObject {
  const both = Object.entries(other).map(([name, schema]): [string, Json] => {
    const before = Object.hasOwn(one, name) ? one[name] : undefined;
    return [name, before === undefined || isWrittenAlike(before, schema) ? schema : { allOf: [before, schema] }];
  });
  return { ...one, ...Object.fromEntries(both) };
}

/** Returns the alternatives of a schema. */
export function alternativesOf({ anyOf, oneOf }: JsonObject): readonly Json[] {
  return [...listOf(anyOf), ...listOf(oneOf)];
}
