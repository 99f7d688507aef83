/** Prints fields and types in the canonical, shortest form; reading it gives the same field. */
import { printSize } from "../../base/bytes.ts";
import { jsonTree, type Tree } from "../../document/print.ts";
import { type Below, nothingBelow } from "../grammar/grammar.ts";
import { unlocatedText, splitAt } from "../grammar/source-text.ts";
import type { Default, Field, Fields, FieldType } from "./model.ts";
import { scalarNames } from "./model.ts";

export function printFields(fields: Fields, below: Below = nothingBelow): Record<string, Tree> {
  const entries = Object.entries(fields).map(([name, field]): [string, Tree] => {
    const key = field.optional ? `${name}?` : name;
    return [key, printField(field, below(key))];
  });
  return Object.fromEntries(entries);
}

/** Prints a field on one line if the line can express all of it; with `map` always as a map. */
function printField(field: Field, map: boolean): Tree {
  const { type, computed, marks, note, example } = field;
  const made = field.default && printDefault(field.default);
  const commas = computed !== undefined && splitAt(unlocatedText(computed), ",").length > 1;
  if (type.kind !== "schema" && note === undefined && example === undefined && !map && !commas) {
    const value = computed === undefined ? (made === undefined ? "" : ` = ${made}`) : ` := ${computed}`;
    return [`${printFieldType(type)}${value}`, ...marks].join(", ");
  }
  return {
    ...(type.kind === "schema" ? { schema: jsonTree(type.schema) } : { type: printFieldType(type) }),
    ...(made === undefined ? {} : { default: made }),
    ...(computed === undefined ? {} : { computed }),
    ...(marks.length === 0 ? {} : { marks }),
    ...(note === undefined ? {} : { note }),
    ...(example === undefined ? {} : { example: jsonTree(example) }),
  };
}

/** Prints a type on one line. A schema has no one-line form; see `printTypeTree`. */
export function printFieldType(type: FieldType): string {
  switch (type.kind) {
    case "scalar":
      return (
        type.name +
        (type.unix === undefined ? printBounds(type) : `(${type.unix})`) +
        (type.pattern === undefined ? "" : ` /${escapedPattern(type.pattern)}/`)
      );
    case "id":
      if (type.of !== undefined) return printFieldType(type.of);
      return printId(type);
    case "one-of":
      return [...type.values.map((value) => printValue(value, type)), ...(type.open ? ["string"] : [])].join(" | ");
    case "list":
      return `${printItem(type.of)}[]${printBounds(type)}`;
    case "map":
      return `map(${printFieldType(type.of)})`;
    case "nullable":
      return `${printFieldType(type.of)} | null`;
    case "named":
      return type.name;
    case "file":
      return `file(..${printSize(type.max)}${type.media.length === 0 ? "" : `, ${type.media.join(" | ")}`})`;
    case "schema":
      return "json";
  }
}

function printId({ made, prefix, length, alphabet }: FieldType & { readonly kind: "id" }): string {
  if (made === "counter") return "id(counter)";
  const parts = [prefix, length, alphabet].filter((part) => part !== undefined);
  return parts.length === 0 ? "id" : `id(${parts.join(", ")})`;
}

/** Prints a type on one line or as a map; only for places that allow a map. */
export function printTypeTree(type: FieldType): Tree {
  return type.kind === "schema" ? { schema: jsonTree(type.schema) } : printFieldType(type);
}

function printItem(type: FieldType): string {
  const item = printFieldType(type);
  return type.kind === "one-of" || type.kind === "nullable" ? `(${item})` : item;
}

function printBounds({ min, max }: { readonly min?: number; readonly max?: number }): string {
  if (min === undefined && max === undefined) return "";
  return min === max ? `(${min})` : `(${min ?? ""}..${max ?? ""})`;
}

/**
 * Prints a listed value without quotes if it reads back as the same value: a single word is a type, and some words are
 * reserved.
 */
function printValue(value: string, type: FieldType & { kind: "one-of" }): string {
  const reserved = value === "null" || value === "string" || (scalarNames as readonly string[]).includes(value);
  const bare = /^[^\s|,()[\]{}=:"'/]+$/.test(value) && !reserved && (type.values.length > 1 || type.open);
  return bare ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

function escapedPattern(pattern: string): string {
  return pattern.replaceAll(/\\[^]|\//g, (found) => (found === "/" ? String.raw`\/` : found));
}

function printDefault(value: Default): string {
  switch (value.kind) {
    case "literal":
      return printLiteral(value.text);
    case "digits":
    case "token":
      return `${value.kind}(${value.length})`;
    case "now-on-change":
      return "now on change";
    case "counter-per":
      return `counter per ${value.per}`;
    default:
      return value.kind;
  }
}

/** Prints a literal in quotes if the text without quotes would have another meaning. */
function printLiteral(text: string): string {
  const meant = /^(?:now|now on change|caller|counter(?:\s+per\s.*)?|uuid|not shown|=|(?:digits|token)\b.*)$/.test(
    text,
  );
  const bare =
    text !== "" && text === text.trim() && !/^["']|[\r\n]/.test(text) && splitAt(unlocatedText(text), ",").length === 1;
  return bare && !meant && balanced(text) ? text : JSON.stringify(text);
}

/** Whether a comma after the text would still end the text. */
function balanced(text: string): boolean {
  return splitAt(unlocatedText(`${text},x`), ",").length === 2;
}
