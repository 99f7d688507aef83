/** Query parameters as requests send them: one text, lists with commas, repeated or with brackets, and objects in brackets. */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { isOneValue } from "../../language/endpoints/filter-type.ts";
import type { Model } from "../../language/model.ts";
import { bareType, lookup } from "../../language/resources/fields.ts";
import type { Field, FieldType } from "../../language/resources/model.ts";
import { writtenAs } from "../values/fits.ts";
import { textOf } from "./known.ts";

export type Pairs = readonly (readonly [name: string, text: string])[];

/** Parameters by name; a list repeats its parameter. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/** Returns parameters by their names. */
export function queryOf(pairs: Pairs): Query {
  const texts = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    [...texts].map(([name, some]) => {
      const [first = "", ...others] = some.map(([, text]) => text);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

/** Returns parameters as a request sends them. */
export function pairsOf(query: Query): Pairs {
  return Object.entries(query).flatMap(
    ([name, value]): Pairs =>
      typeof value === "string" ? [[name, value]] : value.map((text) => [name, text] as const),
  );
}

/** Returns parameters as the query of an address. */
export function queryText(query: Query): string {
  return new URLSearchParams(pairsOf(query).map(([name, text]) => [name, text])).toString();
}

export type Parameter = Pick<Field, "type" | "marks">;

/** Whether a request sends the value in parts, and not as one text. */
export function hasParts(model: Model, type: FieldType): boolean {
  return !isOneValue(model, type);
}

/** Returns the parameters that send a value. */
export function sent(model: Model, name: string, { type, marks }: Parameter, value: Json | undefined): Pairs {
  if (!hasParts(model, type)) return [[name, textOf(value)]];
  if (!Array.isArray(value) || marks.includes("brackets")) return inBrackets(name, value ?? null);
  const texts = (value as readonly Json[]).map(textOf);
  return marks.includes("repeated") ? texts.map((text) => [name, text]) : [[name, texts.join(",")]];
}

function inBrackets(name: string, value: Json): Pairs {
  if (!Array.isArray(value) && !isObject(value)) return [[name, textOf(value)]];
  return Object.entries(value).flatMap(([key, member]) => inBrackets(`${name}[${key}]`, member as Json));
}

/** Returns the value that parameters send; undefined if there is none. */
export function received(model: Model, name: string, { type, marks }: Parameter, pairs: Pairs): Json | undefined {
  const texts = pairs.flatMap(([key, text]) => (key === name ? [text] : []));
  const [text] = texts;
  const bare = bareType(type);
  if (!hasParts(model, bare)) return text === undefined ? undefined : fromText(bare, text);
  if (bare.kind !== "list" || marks.includes("brackets")) return fromBrackets(model, name, bare, pairs);
  if (text === undefined) return undefined;
  return (marks.includes("repeated") ? texts : text.split(",")).map((item) => fromText(bare.of, item));
}

function fromBrackets(model: Model, name: string, type: FieldType, pairs: Pairs): Json | undefined {
  const bare = bareType(type);
  if (!hasParts(model, bare)) return received(model, name, { type: bare, marks: [] }, pairs);
  const keys = new Set(
    pairs.flatMap(([key]) => (key.startsWith(`${name}[`) ? [key.slice(name.length + 1).split("]")[0] ?? ""] : [])),
  );
  if (keys.size === 0) return undefined;
  const fields = bare.kind === "named" ? (lookup(model.resources.types, bare.name) ?? {}) : {};
  const members = [...keys].map((key): [string, Json] => {
    const of = bare.kind === "list" || bare.kind === "map" ? bare.of : lookup(fields, key)?.type;
    const inner = `${name}[${key}]`;
    const text = pairs.find(([sentName]) => sentName === inner)?.[1] ?? "";
    return [key, (of === undefined ? text : fromBrackets(model, inner, of, pairs)) ?? text];
  });
  return bare.kind === "list" ? members.map(([, item]) => item) : (Object.fromEntries(members) as JsonObject);
}

/** Returns the value of a text by its type. */
export function fromText(type: FieldType, text: string): Json {
  const bare = bareType(type);
  const name = bare.kind === "scalar" ? writtenAs(bare).name : undefined;
  if (name === "integer" || name === "number" || name === "decimal")
    return Number.isNaN(Number(text)) ? text : Number(text);
  if (name === "boolean" && (text === "true" || text === "false")) return text === "true";
  return bare.kind === "list" ? text.split(",").map((item) => fromText(bare.of, item.trim())) : text;
}
