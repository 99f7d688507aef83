/**
 * TypeScript types from JSON Schema, for whatever hands types to a program: the exported client, and the types of handlers
 * (`nonet types`). A caller gives the schema of a column, a body, an answer, and gets the text of its type:
 *
 *     typeText(column.schema, { named: (reference) => names.get(reference) })        →  string | null
 *     declaration("Parcel", schema, { named })                                       →  export interface Parcel { … }
 *
 * Types say the shape and no more: lengths, ranges and patterns stay with the service, which judges them. Everything is
 * `readonly`, since what was given is a picture of a record and what is sent is not changed on the way.
 */
import { fileKeyword } from "../../base/formats.ts";
import type { Json, JsonObject } from "../../base/json.ts";

export interface TypeOptions {
  /** The name of the type that a `$ref` means; without one it is `unknown`. */
  readonly named: (reference: string) => string | undefined;
}

/** An exported interface where the schema is of an object with known members, else an exported alias. */
export function declaration(name: string, schema: JsonObject, options: TypeOptions): string {
  const rendered = comment(schema["description"], "");
  if (isPlainObject(schema)) return `${rendered}export interface ${name} ${objectText(schema, options, "")}\n`;
  return `${rendered}export type ${name} = ${typeText(schema, options)};\n`;
}

/** `indent` stands before each further line of a type that takes several. */
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
  // Only an upload makes a file: no program has a value for it.
  if (schema[fileKeyword] !== undefined) return "never";
  // Bytes as they are, in a form; what is written in JSON has an encoding.
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

/** A member's name as it stands in a type or an object. */
export function memberName(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

export function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name);
}

/** A comment for tools that show it, with the line that follows it at `indent`; nothing for no text. */
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

/** A value as it is written in TypeScript; JSON allows two line ends inside of texts that would end a comment's line. */
export function literal(value: Json): string {
  if (value !== null && typeof value === "object")
    return Array.isArray(value) ? tuple(value) : record(value as JsonObject);
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** `A | B`, each once. */
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
  // Whoever sends fewer than are described is right unless `minItems` says otherwise.
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
    // An object that may hold nothing is said so that nothing else fits.
    return closed
      ? "{ readonly [name: string]: never }"
      : `{ readonly [name: string]: ${typeText(additional === undefined ? true : additional, options, indent)} }`;
  }
  const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as readonly string[]) : []);
  const inner = `${indent}  `;
  const members = properties.map(([name, member]) => {
    const rendered = isObject(member) ? comment(member["description"], inner) : "";
    const optional = required.has(name) ? "" : "?";
    return `${rendered}${inner}readonly ${memberName(name)}${optional}: ${typeText(member, options, inner)};\n`;
  });
  const known = `{\n${members.join("")}${indent}}`;
  // An index signature has to fit the known members too, so what else there may be is said beside them.
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

/** In brackets where something behind it or beside it would take only a part of it: a union, an intersection, a list. */
function grouped(type: string): string {
  return isComposite(type) ? `(${type})` : type;
}

function isComposite(type: string): boolean {
  if (type.startsWith("readonly ")) return true;
  let depth = 0;
  // Texts are passed over whole, so that what stands in them is not taken for brackets.
  for (const [sign] of type.matchAll(/"(?:[^"\\]|\\.)*"|\/\*[^]*?\*\/|[{}[\]()|&]/g)) {
    if (/^[{[(]$/.test(sign)) depth += 1;
    else if (/^[}\])]$/.test(sign)) depth -= 1;
    else if (depth === 0 && /^[|&]$/.test(sign)) return true;
  }
  return false;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
