/** Maps types of the document and of expressions to column types and JSON Schemas. */
import type { TypedExpression } from "../../expression/check.ts";
import type { ValueType } from "../../expression/types.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Model } from "../../language/model.ts";
import { lookup, unixUnitOf } from "../../language/resources/fields.ts";
import { jsonSchemaOf, maxima, orNull } from "../../language/resources/json-schema.ts";
import type { FieldType } from "../../language/resources/model.ts";
import type { Column, ColumnType, JsonType } from "./types.ts";

export function columnTypeOf(model: Model, type: FieldType): ColumnType {
  switch (type.kind) {
    case "scalar":
      return scalarColumns[type.name] ?? "text";
    case "id":
      if (type.made === "counter") return "integer";
      return type.of === undefined ? "text" : columnTypeOf(model, type.of);
    case "one-of":
      return "text";
    case "nullable":
      return columnTypeOf(model, type.of);
    case "named": {
      const id = lookup(model.resources.resources, type.name)?.fields["id"];
      return id === undefined ? "json" : columnTypeOf(model, id.type);
    }
    case "list":
    case "map":
    case "file":
    case "schema":
      return "json";
  }
}

const scalarColumns: { readonly [name: string]: ColumnType } = {
  integer: "integer", number: "number", decimal: "number", boolean: "boolean", datetime: "timestamp", money: "json",
  json: "json",
}; // biome-ignore format: a table

/** Returns the column type of an expression's value. Durations are milliseconds. */
export function columnTypeOfValue(model: Model, type: ValueType): ColumnType {
  switch (type.kind) {
    case "bool":
      return "boolean";
    case "int":
    case "duration":
      return "integer";
    case "double":
      return "number";
    case "timestamp":
      return "timestamp";
    case "string":
      return "text";
    case "record":
      return columnTypeOf(model, { kind: "named", name: type.resource });
    default:
      return "json";
  }
}

/** Returns how JSON has a value of the type. */
export function jsonTypeOf(model: Model, type: FieldType): JsonType {
  return unixUnitOf(type) ?? columnTypeOf(model, type);
}

/** Returns how JSON has the value of a column. */
export function jsonTypeOfColumn({ type, unix }: Pick<Column, "type" | "unix">): JsonType {
  return unix ?? type;
}

/** Returns the JSON Schema of a column's stored value. */
export function storedSchema({ schema, unix }: Pick<Column, "schema" | "unix">): JsonObject {
  return unix === undefined ? schema : { type: "string", format: "date-time", maxLength: 64 };
}

/** Returns how JSON has the value of an expression: that of a field as the field, any other as its type. */
export function jsonTypeOfExpression(model: Model, resource: string, expression: TypedExpression): JsonType {
  const type = fieldTypeOf(model, resource, expression);
  return (type && unixUnitOf(type)) ?? columnTypeOfValue(model, expression.type);
}

/** Returns how JSON has a computed value in a response: a `json` member by the type of its expression. */
export function jsonTypeOfComputed(model: Model, type: FieldType, { type: made }: TypedExpression): JsonType {
  const declared = jsonTypeOf(model, type);
  return declared === "json" ? columnTypeOfValue(model, made) : declared;
}

/** Returns the expression type of a column; JSON values are compared as text. */
export function valueTypeOfColumn(type: ColumnType): ValueType {
  const kinds = { integer: "int", number: "double", boolean: "bool", timestamp: "timestamp" } as const;
  return type === "text" || type === "json" ? { kind: "string" } : { kind: kinds[type] };
}

/** Returns the JSON Schema of an expression: for a field its declared schema, else a schema of the expression's type. */
export function schemaOfExpression(model: Model, resource: string, expression: TypedExpression): JsonObject {
  const type = fieldTypeOf(model, resource, expression);
  const schema = type === undefined ? schemaOfValue(model, expression.type) : jsonSchemaOf(model, type);
  return expression.nullable && type?.kind !== "nullable" ? orNull(schema) : schema;
}

function fieldTypeOf(model: Model, resource: string, expression: TypedExpression): FieldType | undefined {
  if (expression.kind === "field") return lookup(model.resources.resources, resource)?.fields[expression.name]?.type;
  if (expression.kind === "walk")
    return lookup(model.resources.resources, expression.resource)?.fields[expression.name]?.type;
  return undefined;
}

/** Returns the JSON Schema of a value of a type. */
export function schemaOfValue(model: Model, type: ValueType): JsonObject {
  switch (type.kind) {
    case "bool":
      return { type: "boolean" };
    case "int":
    case "duration":
      return { type: "integer" };
    case "double":
      return { type: "number" };
    case "timestamp":
      return { type: "string", format: "date-time" };
    case "string":
      return type.values === undefined ? { type: "string" } : { type: "string", enum: type.values };
    case "record":
      return jsonSchemaOf(model, { kind: "named", name: type.resource });
    case "list":
      return {
        type: "array",
        items: type.holes ? orNull(schemaOfValue(model, type.of)) : schemaOfValue(model, type.of),
      };
    case "map":
      return { type: "object", additionalProperties: schemaOfValue(model, type.of), maxProperties: maxima.map };
    case "object":
      return {
        type: "object",
        properties: Object.fromEntries(
          Object.entries(type.members).map(([name, member]) => {
            const schema = schemaOfValue(model, member.type);
            return [name, member.nullable ? orNull(schema) : schema];
          }),
        ),
      };
    case "null":
      return { type: "null" };
    case "any":
      return {};
  }
}
