/**
 * Writes TypeScript types from JSON Schemas, for the exported client and the types of handlers (`nonet types`). A caller passes
 * the schema of a column, body or response and gets the text of its type:
 *
 *     typeText(column.schema, { named: (reference) => names.get(reference) })        →  string | null
 *     declaration("Parcel", schema, { named })                                       →  export interface Parcel { … }
 *
 * Types describe only the shape; the service validates lengths, ranges and patterns. Everything is `readonly`, since a received
 * record is a copy, and nothing changes a request before it is sent.
 */
import { fileKeyword } from "../../base/formats.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";

export interface TypeOptions {
  /** Returns the type name for a `$ref`; the type is `unknown` if it returns undefined. */
  readonly named: (reference: string) => string | undefined;
}

/** Returns an exported interface for an object with known members, otherwise an exported alias. */
export function declaration(name: string, schema: JsonObject, options: TypeOptions): string {
  const rendered = comment(schema["description"], "");
  if (isPlainObject(schema)) return `${rendered}export interface ${name} ${objectText(schema, options, "")}\n`;
  return `${rendered}export type ${name} = ${typeText(schema, options)};\n`;
}

/** Returns the text of a type; `indent` precedes each further line of a type with several lines. */
export function typeText(schema: Json | undefined, options: TypeOptions, indent = ""): string {
  if (schema === false) return "never";
  if (!isObject(schema)) return "unknown";
  const { $ref: reference, const: only, enum: values, type, not } = schema;
  if (typeof reference === "string") return options.named(reference) ?? "unknown";
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return union((values as readonly Json[]).map(literal));
  const alternatives = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(alternatives)) return union(alternatives.map((one: Json) => typeText(one, options, indent)));
  if (Array.isArray(schema["allOf"])) return intersection(schema, options, indent);
  if (isObject(not) && Object.keys(not).length === 0) return "never";
  if (Array.isArray(type)) return union(type.map((one: Json) => typeText({ ...schema, type: one }, options, indent)));
  // `never`, since only an upload creates a file: no program can pass one.
  if (schema[fileKeyword] !== undefined) return "never";
  // A text with a media type is raw bytes in a form; bytes in JSON have a `contentEncoding`.
  if (type === "string" && schema["contentMediaType"] !== undefined && schema["contentEncoding"] === undefined)
    return "Blob";
  switch (type) {
    case "string":
    case "boolean":
    case "null":
    case "number":
      return type;
    case "integer":
      return "number";
    case "array":
      return arrayText(schema, options, indent);
    case "object":
      return objectText(schema, options, indent);
    default:
      return isObject(schema["properties"]) ? objectText(schema, options, indent) : "unknown";
  }
}

/** Returns a member name, in quotes if it is no identifier. */
export function memberName(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

export function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/** Returns the doc comment of something that a description describes, with `@deprecated` if it is. */
export function commentOf({ deprecated, description }: Described, indent: string): string {
  if (deprecated !== true) return comment(description, indent);
  return comment(`${typeof description === "string" ? `${description}\n\n` : ""}@deprecated`, indent);
}

interface Described {
  readonly description?: Json;
  readonly deprecated?: Json;
}

/** Returns a doc comment with a newline; empty if there is no text. */
export function comment(text: Json | undefined, indent: string): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  const lines = text
    .trim()
    .replaceAll("*/", "*\u200b/")
    .split(/\r\n|[\n\r\u2028\u2029]/);
  const [only] = lines;
  if (lines.length === 1) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

/** Returns a value as a TypeScript literal; escapes the two line separators that JSON allows inside a string. */
export function literal(value: Json): string {
  if (value !== null && typeof value === "object")
    return Array.isArray(value) ? tuple(value) : record(value as JsonObject);
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** Returns the union `A | B` without duplicates. */
export function union(types: readonly string[]): string {
  const each = [...new Set(types)];
  if (each.includes("unknown")) return "unknown";
  const possible = each.filter((type) => type !== "never");
  return possible.length === 0 ? "never" : possible.join(" | ");
}

function tuple(values: readonly Json[]): string {
  return `readonly [${values.map(literal).join(", ")}]`;
}

function record(value: JsonObject): string {
  const members = Object.entries(value).map(([name, member]) => `readonly ${memberName(name)}: ${literal(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

function intersection(schema: JsonObject, options: TypeOptions, indent: string): string {
  const { allOf, ...rest } = schema;
  const typed = typeText(rest, options, indent);
  const parts = [
    ...(typed === "unknown" ? [] : [typed]),
    ...(allOf as readonly Json[]).map((one) => typeText(one, options, indent)),
  ];
  const rendered = parts.filter((part) => part !== "unknown").map(grouped);
  return rendered.length === 0 ? "unknown" : rendered.join(" & ");
}

function arrayText(schema: JsonObject, options: TypeOptions, indent: string): string {
  const { prefixItems, items } = schema;
  if (!Array.isArray(prefixItems)) return `readonly ${grouped(typeText(items, options, indent))}[]`;
  const first = prefixItems.map((one: Json) => typeText(one, options, indent));
  // Items after `minItems` are optional.
  const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
  const written = first.map((one, index) => (index < least ? one : `${grouped(one)}?`));
  const others = items === false ? [] : [`...${grouped(typeText(items, options, indent))}[]`];
  return `readonly [${[...written, ...others].join(", ")}]`;
}

function objectText(schema: JsonObject, options: TypeOptions, indent: string): string {
  const properties = Object.entries(isObject(schema["properties"]) ? schema["properties"] : {});
  const additional = schema["additionalProperties"];
  const closed = additional === false;
  if (properties.length === 0) {
    // The type of an object without members needs `never`, since `{}` would accept any value.
    return closed
      ? "{ readonly [name: string]: never }"
      : `{ readonly [name: string]: ${typeText(additional === undefined ? true : additional, options, indent)} }`;
  }
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : []);
  const inner = `${indent}  `;
  const members = properties.map(([name, member]) => {
    const rendered = isObject(member) ? commentOf(member, inner) : "";
    const optional = required.has(name) ? "" : "?";
    return `${rendered}${inner}readonly ${memberName(name)}${optional}: ${typeText(member, options, inner)};\n`;
  });
  const known = `{\n${members.join("")}${indent}}`;
  // An index signature must fit the known members too, so additional members are a separate type.
  return isObject(additional) ? `${known} & { readonly [name: string]: unknown }` : known;
}

function isPlainObject(schema: JsonObject): boolean {
  const text = ["$ref", "const", "enum", "oneOf", "anyOf", "allOf", "not"];
  const properties = schema["properties"];
  return (
    (schema["type"] === "object" || schema["type"] === undefined) &&
    isObject(properties) &&
    Object.keys(properties).length > 0 &&
    !isObject(schema["additionalProperties"]) &&
    text.every((keyword) => schema[keyword] === undefined)
  );
}

/** Puts unions and intersections in parentheses before `[]`, `|` or `&`, which bind tighter. */
function grouped(type: string): string {
  return isComposite(type) ? `(${type})` : type;
}

function isComposite(type: string): boolean {
  if (type.startsWith("readonly ")) return true;
  let depth = 0;
  // The pattern matches string literals and comments as a whole, so that brackets inside them do not count.
  for (const [sign] of type.matchAll(/"(?:[^"\\]|\\.)*"|\/\*[^]*?\*\/|[{}[\]()|&]/g)) {
    if (/^[{[(]$/.test(sign)) depth += 1;
    else if (/^[}\])]$/.test(sign)) depth -= 1;
    else if (depth === 0 && /^[|&]$/.test(sign)) return true;
  }
  return false;
}
