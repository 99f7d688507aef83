/**
 * Derives the types of the document's fields in expressions.
 *
 * `datetime` is a timestamp. `date` and `time` are strings, whose order is the order in time. A field of type `duration` is a
 * string too (ISO 8601, as in messages): only `duration('72h')` in an expression is a duration. `money` is an object whose
 * `amount` is a string; `money.ts` has its arithmetic. The type of `json`, and of a value that only `schema:` describes, is unknown.
 */
import { parseExpression } from "../../expression/parse.ts";
import { keywords, reservedWords } from "../../expression/syntax.ts";
import { type FieldType as ExpressionField, money, type ValueType } from "../../expression/types.ts";
import type { Model } from "../model.ts";
import { perModel } from "../analysis/per-model.ts";
import { fieldsOf, isNullable, isStored, lifecycleOf, lookup } from "./fields.ts";
import type { Field, FieldType, Fields, ScalarName } from "./model.ts";

/** Returns the names of a record that expressions can use: stored fields, `state`, and fields that are computed when read. */
export const namesOfRecord: (model: Model, resource: string) => Readonly<Record<string, ExpressionField>> = perModel(
  (model, resource) => {
    const fields = fieldsOf(model, resource);
    const read = Object.entries(definitions(model, resource)).filter(([name]) => !isStored(fields[name] as Field));
    return { ...recordMembers(model, resource), ...Object.fromEntries(read) };
  },
);

/** Returns the names of each resource's records that expressions can use. */
export function namesOfRecords(model: Model): Readonly<Record<string, Readonly<Record<string, ExpressionField>>>> {
  const resources = Object.keys(model.resources.resources);
  return Object.fromEntries(resources.map((resource) => [resource, namesOfRecord(model, resource)]));
}

/** Returns the computed fields of a resource, with their definitions. */
export const definitions: (model: Model, resource: string) => Readonly<Record<string, ExpressionField>> = perModel(
  (model, resource) =>
    Object.fromEntries(
      Object.entries(fieldsOf(model, resource)).flatMap(([name, field]) => {
        const expression = field.computed === undefined ? undefined : parseExpression(field.computed).expression;
        const path = `resources/${resource}/${name}/computed`;
        return expression === undefined ? [] : [[name, { ...valueOf(model, field), definition: { path, expression } }]];
      }),
    ),
);

/** Returns the members of a stored record: stored fields, and `state`. */
export const recordMembers: (model: Model, resource: string) => Readonly<Record<string, ExpressionField>> = perModel(
  (model, resource) => {
    const stored = Object.entries(fieldsOf(model, resource)).filter(([, field]) => isStored(field));
    const members = Object.fromEntries(stored.map(([name, field]) => [name, valueOf(model, field)]));
    const lifecycle = lifecycleOf(model, resource);
    if (lifecycle !== undefined) {
      members["state"] = { type: { kind: "string", values: Object.keys(lifecycle.states) }, nullable: false };
    }
    return members;
  },
);

export function valueOf(model: Model, field: Field): ExpressionField {
  const isTree = field.marks.includes("tree");
  const type: ValueType = field.marks.includes("secret")
    ? { kind: "string", form: "secret" }
    : valueTypeOf(model, field.type);
  return { type, nullable: isNullable(field), ...(isTree ? { tree: true } : {}) };
}

export function valueTypeOf(model: Model, type: FieldType, around: readonly string[] = []): ValueType {
  switch (type.kind) {
    case "scalar":
      return scalars[type.name];
    case "id":
      if (type.made === "counter") return { kind: "int" };
      return type.of === undefined ? { kind: "string" } : valueTypeOf(model, type.of, around);
    case "one-of":
      return type.open ? { kind: "string" } : { kind: "string", values: type.values };
    case "list":
      return { kind: "list", of: valueTypeOf(model, type.of, around) };
    case "map":
      return { kind: "map", of: valueTypeOf(model, type.of, around) };
    case "nullable":
      return valueTypeOf(model, type.of, around);
    case "named":
      return namedType(model, type.name, around);
    case "file":
      return file;
    case "schema":
      return { kind: "any" };
  }
}

function namedType(model: Model, name: string, around: readonly string[]): ValueType {
  if (Object.hasOwn(model.resources.resources, name)) {
    const id = lookup(fieldsOf(model, name), "id");
    const isNumber = id !== undefined && valueTypeOf(model, id.type, around).kind === "int";
    return { kind: "record", resource: name, ...(isNumber ? { number: true } : {}) };
  }
  const fields = lookup(model.resources.types, name);
  // A recursive type has no finite description; a check reports it.
  if (fields === undefined || around.includes(name)) return { kind: "any" };
  return { kind: "object", members: members(model, fields, [...around, name]) };
}

function members(model: Model, fields: Fields, around: readonly string[]): Record<string, ExpressionField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { type: valueTypeOf(model, field.type, around), nullable: isNullable(field) },
    ]),
  );
}

const string: ValueType = { kind: "string" };
const present = (type: ValueType): ExpressionField => ({ type, nullable: false });

const file: ValueType = {
  kind: "object",
  members: {
    id: present(string),
    type: present(string),
    bytes: present({ kind: "int" }),
    sha256: present(string),
    name: { type: string, nullable: true },
  },
};

const scalars: Readonly<Record<ScalarName, ValueType>> = {
  string, text: string, integer: { kind: "int" }, number: { kind: "double" }, decimal: { kind: "double" },
  money, boolean: { kind: "bool" }, date: { ...string, form: "date" }, time: { ...string, form: "time" }, datetime: { kind: "timestamp" }, duration: string,
  email: string, url: string, uuid: string, phone: string, country: string, currency: string, language: string,
  timezone: { ...string, form: "timezone" }, user: string, bytes: { ...string, form: "bytes" }, json: { kind: "any" },
}; // biome-ignore format: a table

/** Whether an expression reads a name as a field of its record: the name is none of the `variables` and no word of CEL. */
export function isBareField(name: string, variables: ReadonlySet<string>): boolean {
  return !variables.has(name) && !keywords.has(name) && !reservedWords.has(name);
}
