/** Converts members of a record to fields: their types, bounds, formats, defaults and who sets them. */
import type { Json, JsonObject } from "../../base/json.ts";
import { bareType } from "../../language/resources/fields.ts";
import type { Field, FieldType, Modifier } from "../../language/resources/model.ts";
import { bare, type NamedSchemas, plainSchema, referenceIn, typesOf } from "./schema.ts";

/** Returns the type of a member by its schema. A value that no type of a field fits keeps its schema. */
export function fieldType(schema: Json, named: NamedSchemas): FieldType {
  const plain = plainSchema(schema, named);
  const { type, enum: values, ...rest } = bare(plain);
  const types = typesOf(type).filter((one) => one !== "null");
  const [only] = types;
  const allowed = Array.isArray(values) ? values.filter((one) => one !== null) : undefined;
  const single = {
    ...rest,
    ...(plain["x-format"] === "int32" ? shortBounds(rest) : {}),
    ...(types.length === 1 && only !== undefined ? { type: only } : {}),
    ...(allowed === undefined ? {} : { enum: allowed }),
  };
  const found = scalarType(single) ?? listType(single, named);
  if (found === undefined) return { kind: "schema", schema };
  return isNullable(plain) ? { kind: "nullable", of: found } : found;
}

/** Returns the bounds of a whole number of 32 bits. */
function shortBounds({ minimum = -(2 ** 31), maximum = 2 ** 31 - 1 }: JsonObject): JsonObject {
  return { minimum, maximum };
}

/** Whether null is a value of a schema. */
export function isNullable(plain: JsonObject): boolean {
  const { type, enum: values } = plain;
  return typesOf(type).includes("null") && (!Array.isArray(values) || values.includes(null));
}

/** Whether null is a value of a schema, of the one that it refers to, or of one of its alternatives. */
export function allowsNull(schema: Json, named: NamedSchemas): boolean {
  const plain = plainSchema(schema, named);
  const name = referenceIn(plain);
  return (
    isNullable(plain) ||
    (plain["type"] === undefined && name !== undefined && isNullable(plainSchema(named[name] ?? {}, {})))
  );
}

function scalarType(schema: JsonObject): FieldType | undefined {
  const { type, format, enum: values, ...limits } = schema;
  const has = (...keywords: readonly string[]) => Object.keys(limits).every((keyword) => keywords.includes(keyword));
  if (Array.isArray(values)) {
    const isText =
      values.length > 0 && values.every((one) => typeof one === "string" && one.trim() === one && one !== "");
    if (!isText || !has() || format !== undefined || (type !== undefined && type !== "string")) return undefined;
    return { kind: "one-of", values: [...new Set(values as readonly string[])], open: false };
  }
  switch (type) {
    case "boolean":
      return has() && format === undefined ? { kind: "scalar", name: "boolean" } : undefined;
    case "integer":
    case "number":
      if (!has("minimum", "maximum") || format !== undefined) return undefined;
      return { kind: "scalar", name: type, ...bounds(limits, "minimum", "maximum") };
    case "string": {
      const name = typeof format === "string" ? formats[format] : undefined;
      if (format !== undefined) return name !== undefined && has() ? { kind: "scalar", name } : undefined;
      if (!has("minLength", "maxLength", "pattern")) return undefined;
      const { pattern } = limits;
      return {
        kind: "scalar",
        name: "string",
        ...bounds(limits, "minLength", "maxLength"),
        ...(typeof pattern === "string" ? { pattern } : {}),
      };
    }
    default:
      return undefined;
  }
}

/** The types that accept what a format of JSON Schema means. */
const formats: Readonly<Record<string, "date" | "datetime" | "duration" | "email" | "uuid">> = {
  date: "date",
  "date-time": "datetime",
  duration: "duration",
  email: "email",
  uuid: "uuid",
};

function bounds(schema: JsonObject, low: string, high: string): { readonly min?: number; readonly max?: number } {
  const { [low]: min, [high]: max } = schema;
  return {
    ...(typeof min === "number" && Number.isSafeInteger(min) && (min !== 0 || low === "minimum") ? { min } : {}),
    ...(typeof max === "number" && Number.isSafeInteger(max) ? { max } : {}),
  };
}

function listType(schema: JsonObject, named: NamedSchemas): FieldType | undefined {
  const { type, items, ...limits } = schema;
  if (type !== "array" || items === undefined) return undefined;
  if (!Object.keys(limits).every((keyword) => keyword === "minItems" || keyword === "maxItems")) return undefined;
  const of = fieldType(items, named);
  if (of.kind !== "scalar" && of.kind !== "one-of") return undefined;
  return { kind: "list", of, ...bounds(limits, "minItems", "maxItems") };
}

/** Returns a default of a schema as a literal of a document; undefined if the type has no such literal. */
export function literalOf(value: Json | undefined, type: FieldType): string | undefined {
  const base = bareType(type);
  if (value === null) return type.kind === "nullable" ? "null" : undefined;
  if (base.kind === "one-of") return typeof value === "string" && base.values.includes(value) ? value : undefined;
  if (base.kind !== "scalar") return undefined;
  if (base.name === "boolean") return typeof value === "boolean" ? String(value) : undefined;
  const { min = -Infinity, max = Infinity } = base;
  if (base.name === "integer" || base.name === "number") {
    const isNumber = typeof value === "number" && (base.name === "number" || Number.isInteger(value));
    return isNumber && value >= min && value <= max ? String(value) : undefined;
  }
  const isPlain = base.name === "string" && base.pattern === undefined && typeof value === "string";
  return isPlain && value !== "" && value.length >= min && value.length <= max ? value : undefined;
}

/** Whether lists can filter by the field: it has one value, which a query parameter can be. */
export function isFilterable({ type, marks }: Field): boolean {
  const base = bareType(type);
  return (base.kind === "scalar" || base.kind === "one-of" || base.kind === "id") && !marks.includes("write-only");
}

/** Returns the description and the example of a schema, for a field. */
export function descriptionOf(plain: JsonObject, type: FieldType): Pick<Field, "note" | "example"> {
  const { description } = plain;
  const note = typeof description === "string" ? description.replaceAll(/\s+/g, " ").trim() : "";
  return note === "" || type.kind === "schema" ? {} : { note };
}

export function withModifiers(field: Field, ...marks: readonly Modifier[]): Field {
  return { ...field, marks: [...new Set([...field.marks, ...marks])] };
}
