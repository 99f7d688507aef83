/** Converts the text of a literal default to a value of its field's type. */
import type { Json } from "../../base/json.ts";
import { readUnixTime, type UnixUnit } from "../../base/unix-time.ts";
import { coreValue } from "../../document/data.ts";
import type { Model } from "../model.ts";
import { bareType, lookup } from "./fields.ts";
import type { Field, FieldType } from "./model.ts";

/** Returns the default of a field if it is a literal; undefined if there is none, or if the server generates it. */
export function defaultValue(model: Model, field: Field): Json | undefined {
  return field.default?.kind === "literal" ? literalValue(model, field.type, field.default.text) : undefined;
}

/** Converts a literal to a value of the type; undefined if it is no such value: `abc` is no integer. */
export function literalValue(model: Model, type: FieldType, text: string): Json | undefined {
  if (type.kind === "nullable" && text === "null") return null;
  const bare = bareType(type);
  if (bare.kind === "scalar") return scalarValue(bare.name, text, bare.unix);
  if (bare.kind === "one-of" && !bare.open && !bare.values.includes(text)) return undefined;
  if (bare.kind === "id" && bare.of !== undefined) return literalValue(model, bare.of, text);
  if (bare.kind === "list") return listValue(model, bare.of, text);
  if (bare.kind === "map" || bare.kind === "schema") return structured(text);
  if (bare.kind === "named" && lookup(model.resources.types, bare.name) !== undefined) return structured(text);
  return text;
}

function scalarValue(name: string, text: string, unix?: UnixUnit): Json | undefined {
  if (name === "integer" || name === "number" || name === "decimal") {
    const value = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
    return name === "integer" && !Number.isSafeInteger(value) ? undefined : Number.isNaN(value) ? undefined : value;
  }
  if (name === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (name === "json") return structured(text) ?? coreValue(text);
  if (name === "money") return moneyValue(text);
  if (name === "datetime" && unix !== undefined) return readUnixTime(text, unix);
  if (name === "datetime") return Number.isNaN(Date.parse(text)) ? undefined : new Date(text).toISOString();
  return text;
}

/** Converts `12.50 EUR` to a money value. */
function moneyValue(text: string): Json | undefined {
  const [, amount, currency] = /^(-?[0-9]+(?:\.[0-9]+)?)\s+([A-Z]{3})$/.exec(text) ?? [];
  return amount === undefined || currency === undefined ? structured(text) : { amount, currency };
}

/** Converts `[a, b]` to a list: its items are JSON, or words. */
function listValue(model: Model, of: FieldType, text: string): Json | undefined {
  const value = structured(text);
  if (Array.isArray(value)) return value as Json;
  const [, inner] = /^\[(.*)\]$/s.exec(text) ?? [];
  if (inner === undefined) return undefined;
  if (inner.trim() === "") return [];
  const items = inner.split(",").map((item) => literalValue(model, of, item.trim()));
  return items.includes(undefined) ? undefined : (items as Json[]);
}

function structured(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
