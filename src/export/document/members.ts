/** Lists the members of a schema as rows of a table: each with its path and its type in words. */
import type { Json, JsonObject } from "../../base/json.ts";
import { componentOf, type Described } from "../described.ts";
import { code, joined, link, named, type Row, type Table, table, type Target, type Words } from "./content.ts";

export interface MembersOptions {
  readonly schemas: Described["schemas"];
  /** Components with a heading: types link to the heading instead of listing the members again. */
  readonly headings: ReadonlyMap<string, Target>;
  /** Additional notes on a member, by its path. */
  readonly remarks?: Readonly<Record<string, readonly Words[]>>;
}

/** Builds the table of a schema's members; undefined unless the schema is an object with members. */
export function membersTable(caption: string, options: MembersOptions, schema: Json | undefined): Table | undefined {
  if (schema === undefined) return undefined;
  return named(table(caption, ["Member", "Type", "Notes", "Meaning"], memberRows(options, schema, "", 0)));
}

function memberRows(options: MembersOptions, schema: Json, before: string, depth: number): readonly Row[] {
  const { properties, required = [] } = resolve(options, schema) as {
    readonly properties?: JsonObject;
    readonly required?: readonly string[];
  };
  return Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const inner = member as JsonObject;
    const path = before + name;
    const remarks = [
      ...(required.includes(name) ? [] : ["optional"]),
      ...(inner["deprecated"] === true ? ["deprecated"] : []),
      ...(inner["readOnly"] === true ? ["read-only"] : []),
      ...(inner["default"] === undefined ? [] : [["default ", code(JSON.stringify(inner["default"]))]]),
      ...(options.remarks?.[path] ?? []),
    ];
    const description = typeof inner["description"] === "string" ? inner["description"] : undefined;
    const row = [code(path), typeWords(options, inner), joined(remarks, ", ", (words) => words), description];
    return [row, ...(depth > 4 ? [] : nestedRows(options, inner, path, depth))];
  });
}

function nestedRows(options: MembersOptions, schema: JsonObject, path: string, depth: number): readonly Row[] {
  const name = nameOf(schema);
  if (name !== undefined && options.headings.has(name)) return [];
  const resolved = resolve(options, schema);
  if (resolved["properties"] !== undefined) return memberRows(options, resolved, `${path}.`, depth + 1);
  const items = resolved["items"];
  if (typeof items !== "object" || items === null || Array.isArray(items)) return [];
  return nestedRows(options, items as JsonObject, `${path}[]`, depth + 1);
}

/** Describes a type in words, such as `string, 6 to 40 characters`, `"small" or "large"`, `list of Parcel`. */
export function typeWords(options: MembersOptions, schema: Json): Words {
  if (typeof schema !== "object" || schema === null) return "anything";
  const object = schema as JsonObject;
  const name = nameOf(object);
  const target = options.headings.get(name ?? "");
  if (name !== undefined && target !== undefined) return link(target, name);
  if (name !== undefined) return typeWords(options, resolve(options, object));
  const { const: only, enum: values, oneOf, anyOf, type } = object;
  if (only !== undefined) return code(JSON.stringify(only));
  if (Array.isArray(values)) return joined(values, " or ", (one: Json) => code(JSON.stringify(one)));
  const alternatives = oneOf ?? anyOf;
  if (Array.isArray(alternatives)) return joined(alternatives, " or ", (one: Json) => typeWords(options, one));
  if (Array.isArray(type)) return joined(type, " or ", (one: Json) => typeWords(options, { ...object, type: one }));
  switch (type) {
    case "array":
      return [
        "list of ",
        typeWords(options, (object["items"] ?? {}) as Json),
        bounds(object, "minItems", "maxItems", "items"),
      ];
    case "object":
      return object["properties"] === undefined && typeof object["additionalProperties"] === "object"
        ? ["map of ", typeWords(options, object["additionalProperties"] as Json)]
        : "object";
    case "string":
      return [
        typeof object["format"] === "string" ? object["format"] : "string",
        bounds(object, "minLength", "maxLength", "characters"),
        typeof object["pattern"] === "string" ? [", ", code(object["pattern"])] : undefined,
      ];
    case "integer":
    case "number":
      return `${type}${bounds(object, "minimum", "maximum", "")}`;
    case "boolean":
    case "null":
      return type;
    default:
      return "anything";
  }
}

/** The default bounds of texts, lists and numbers, which the table omits. */
const usual: ReadonlySet<Json> = new Set([10_000, 1000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

function bounds(schema: JsonObject, low: string, high: string, unit: string): string {
  const least = schema[low] === undefined || usual.has(schema[low]) ? undefined : Number(schema[low]);
  const most = schema[high] === undefined || usual.has(schema[high]) ? undefined : Number(schema[high]);
  const words = unit === "" ? "" : ` ${unit}`;
  if (least !== undefined && least === most) return `, ${least}${words}`;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}${words}`;
  if (most !== undefined) return `, at most ${most}${words}`;
  return least === undefined ? "" : `, at least ${least}${words}`;
}

function nameOf(schema: JsonObject): string | undefined {
  const reference = schema["$ref"];
  return typeof reference === "string" ? componentOf(reference) : undefined;
}

function resolve(options: MembersOptions, schema: Json): JsonObject {
  if (typeof schema !== "object" || schema === null) return {};
  const name = nameOf(schema as JsonObject);
  return name === undefined ? (schema as JsonObject) : resolve(options, options.schemas[name] ?? {});
}
