/** Reads JSON Schemas of a description as objects with members, and compares schemas. */
import { isObject, isWrittenAlike, type Json, type JsonObject } from "../../base/json.ts";

/** The named schemas of the document, to which schemas refer as `#/schemas/Name`. */
export type NamedSchemas = Readonly<Record<string, Json>>;

export interface Member {
  readonly schema: Json;
  readonly required: boolean;
}

/** An object whose members are known. */
export interface Shape {
  readonly members: ReadonlyMap<string, Member>;
  /** The name of its schema. */
  readonly name?: string;
  /** Whether other members are valid too. */
  readonly open: boolean;
}

/** Keywords that only describe a value. */
const annotations: ReadonlySet<string> = new Set([
  "description", "title", "example", "examples", "default", "readOnly", "writeOnly", "deprecated", "$comment",
]); // biome-ignore format: a table

/** Keywords by which the members of an object depend on something else. */
const conditions: ReadonlySet<string> = new Set([
  "not", "if", "then", "else", "patternProperties", "dependentSchemas", "dependentRequired", "propertyNames", "minProperties",
  "maxProperties", "enum", "const",
]); // biome-ignore format: a table

/** Returns the members of an object; undefined for any other value, and if its members are not the same in every request. */
export function shapeOf(schema: Json, named: NamedSchemas, around: readonly string[] = []): Shape | undefined {
  if (!isObject(schema) || Object.keys(schema).some((key) => conditions.has(key))) return undefined;
  const { type, properties, required, additionalProperties } = schema;
  if (type !== undefined && !typesOf(type).includes("object")) return undefined;
  if (isObject(additionalProperties) && Object.keys(additionalProperties).length > 0) return undefined;
  const name = referenceIn(schema);
  if (name !== undefined && (around.includes(name) || !Object.hasOwn(named, name))) return undefined;
  const bases = [...(name === undefined ? [] : [named[name] as Json]), ...alternativesIn(schema)];
  const own: Shape = {
    members: new Map(
      Object.entries(isObject(properties) ? properties : {}).map(([key, one]) => [
        key,
        { schema: one, required: false },
      ]),
    ),
    open: additionalProperties !== false && schema["unevaluatedProperties"] !== false,
  };
  const path = name === undefined ? around : [...around, name];
  const shapes = bases.map((base) => shapeOf(base, named, path));
  if (shapes.includes(undefined)) return undefined;
  const all = [...(shapes as readonly Shape[]), own];
  if (bases.length === 0 && own.members.size === 0 && type === undefined) return undefined;
  const members = new Map<string, Member>();
  for (const one of all)
    for (const [key, member] of one.members) {
      const known = members.get(key);
      members.set(key, known === undefined ? member : merged(known, member, named));
    }
  for (const key of Array.isArray(required) ? required : []) {
    if (typeof key !== "string") continue;
    members.set(key, { schema: members.get(key)?.schema ?? {}, required: true });
  }
  return {
    members,
    open: all.every(({ open }) => open),
    ...(name !== undefined && bases.length === 1 ? { name } : {}),
  };
}

/** Returns a member that several schemas declare: the narrower schema, or both. */
function merged(one: Member, other: Member, named: NamedSchemas): Member {
  const required = one.required || other.required;
  if (fits(other.schema, one.schema, named)) return { schema: other.schema, required };
  if (fits(one.schema, other.schema, named)) return { schema: one.schema, required };
  return { schema: { allOf: [one.schema, other.schema] }, required };
}

/** Returns the schemas that a value has to fit too: of `allOf`, and the only one of `anyOf` or `oneOf` that is not null. */
function alternativesIn(schema: JsonObject): readonly Json[] {
  return ["allOf", "anyOf", "oneOf"].flatMap((keyword): readonly Json[] => {
    const list = schema[keyword];
    if (!Array.isArray(list)) return [];
    // A part of a schema that only describes the value limits nothing.
    if (keyword === "allOf") return (list as readonly Json[]).filter((one) => !isObject(one) || !limitsNothing(one));
    const others = (list as readonly Json[]).filter((one) => !isNull(one));
    // A schema that is no object: the value has no known members.
    return others.length === 1 ? others : [false];
  });
}

function limitsNothing(schema: JsonObject): boolean {
  return Object.keys(bare(schema)).length === 0;
}

function isNull(schema: Json): boolean {
  return isObject(schema) && schema["type"] === "null";
}

export function typesOf(type: Json | undefined): readonly Json[] {
  return type === undefined ? [] : Array.isArray(type) ? (type as readonly Json[]) : [type];
}

/** Returns the name of the named schema that a schema refers to. */
export function referenceIn(schema: Json): string | undefined {
  const reference = isObject(schema) ? schema["$ref"] : undefined;
  return typeof reference === "string" ? /^#\/schemas\/([A-Za-z0-9]+)$/.exec(reference)?.[1] : undefined;
}

/**
 * Returns a schema without its annotations, references and single alternatives; a reference remains if the value is an object.
 * Annotations of the outer schemas win.
 */
export function plainSchema(schema: Json, named: NamedSchemas): JsonObject {
  let found = isObject(schema) ? schema : {};
  for (let hops = 0; hops < 20; hops++) {
    const name = referenceIn(found);
    const [only, ...more] = name === undefined ? alternativesIn(found) : [named[name] ?? {}];
    if (!isObject(only) || more.length > 0 || (name !== undefined && shapeOf(only, named) !== undefined)) break;
    const { $ref: _, allOf: _all, anyOf, oneOf, ...rest } = found;
    const isNullable = [anyOf, oneOf].some((list) => Array.isArray(list) && list.some(isNull));
    const next = { ...only, ...rest };
    found = isNullable ? { ...next, type: [...new Set([...typesOf(next["type"]), "null"])] } : next;
  }
  return found;
}

/** Returns a schema without what only describes its values, also of extensions. */
export function bare(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !annotations.has(key) && !key.startsWith("x-")));
}

/** Whether every value of the first schema is valid for the second one, as far as this is certain. */
export function fits(one: Json, other: Json, named: NamedSchemas, depth = 0): boolean {
  if (isWrittenAlike(one, other) || other === true) return true;
  if (!isObject(one) || !isObject(other) || depth > 20) return false;
  const name = referenceIn(one);
  if (name !== undefined && name === referenceIn(other)) return true;
  const [narrow, wide] = [one, other].map((schema) => bare(plainSchema(schema, named))) as [JsonObject, JsonObject];
  const target = referenceIn(narrow);
  if (target !== undefined && referenceIn(wide) !== target) return fits(named[target] ?? {}, wide, named, depth + 1);
  const wideTarget = referenceIn(wide);
  if (wideTarget !== undefined && target === undefined) return fits(narrow, named[wideTarget] ?? {}, named, depth + 1);
  return Object.entries(wide).every(([keyword, limit]) =>
    keywordFits(keyword, limit, narrow, (mine, theirs) => fits(mine, theirs, named, depth + 1)),
  );
}

function keywordFits(
  keyword: string,
  limit: Json,
  narrow: JsonObject,
  fit: (one: Json, other: Json) => boolean,
): boolean {
  const mine = narrow[keyword];
  switch (keyword) {
    case "type":
      return typesOf(mine).length > 0 && typesOf(mine).every((type) => isOfType(type, limit));
    case "enum":
      return narrow["const"] === undefined
        ? mine !== undefined && itemsIn(mine, limit)
        : itemsIn([narrow["const"]], limit);
    case "required":
      return itemsIn(limit, mine ?? []);
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
      return typeof mine === "number" && typeof limit === "number" && mine >= limit;
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
      return typeof mine === "number" && typeof limit === "number" && mine <= limit;
    case "items":
      return mine !== undefined && fit(mine, limit);
    case "properties":
      return Object.entries(limit as JsonObject).every(
        ([name, schema]) => isObject(mine) && Object.hasOwn(mine, name) && fit(mine[name] as Json, schema),
      );
    default:
      return mine !== undefined && isWrittenAlike(mine, limit);
  }
}

function isOfType(type: Json, limit: Json): boolean {
  return typesOf(limit).includes(type) || (type === "integer" && typesOf(limit).includes("number"));
}

/** Whether all items of a list are items of another one. */
function itemsIn(some: Json, all: Json): boolean {
  return (
    Array.isArray(some) && Array.isArray(all) && some.every((one) => all.some((item) => isWrittenAlike(one, item)))
  );
}
