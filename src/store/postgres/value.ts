/** Converts values to and from PostgreSQL, and quotes names. */
import { createHash } from "node:crypto";
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/resources/types.ts";
import type { Bindable, SqlValue } from "./connection.ts";

/** The PostgreSQL types of columns. `json` stores the text verbatim, unlike `jsonb`. */
export const columnTypes: Readonly<Record<ColumnType, string>> = {
  text: "text",
  integer: "bigint",
  number: "double precision",
  boolean: "boolean",
  timestamp: "timestamptz",
  json: "json",
};

/** `isRequired`: whether the column has a value in every row, so that its null is a value of JSON. */
export function toStored(value: Value | undefined, type: ColumnType, isRequired = false): Bindable {
  if (value === null || value === undefined) return isRequired && type === "json" && value === null ? "null" : null;
  return type === "json" || typeof value === "object" ? JSON.stringify(value) : value;
}

/**
 * Replaces NUL, which PostgreSQL texts cannot contain, since it ends texts in the protocol; texts of records never contain it.
 */
export function withoutNul(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}

/** Converts a stored value of a column or expression of this type. */
export function fromStored(stored: SqlValue | undefined, type: ColumnType): Value {
  if (stored === null || stored === undefined) return null;
  if (type === "json") return JSON.parse(stored as string) as Value;
  return stored as Exclude<SqlValue, Buffer>;
}

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === "t",
  // All integers of Nonet are safe integers of JavaScript, so `bigint` becomes a number.
  20: Number,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  17: (text) => Buffer.from(text.slice(2), "hex"),
  1184: instantOf,
};

/** Returns the parser of a type by its `pg_type.oid`; other types stay text. */
export function parserOf(type: number): (text: string) => unknown {
  return parsers[type] ?? String;
}

/** Converts `2026-06-01 12:00:00.5+00` to `2026-06-01T12:00:00.500Z`. */
function instantOf(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20, -3).padEnd(3, "0")}Z`;
}

/** System columns of every table. https://www.postgresql.org/docs/current/ddl-system-columns.html */
const systemColumns = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

/** Quotes a name. PostgreSQL silently truncates names over 63 bytes, so a digest replaces the rest. */
export function quoteName(name: string): string {
  if (systemColumns.includes(name)) return `"${name} "`;
  const short = Buffer.byteLength(name) <= 63 ? name : `${Buffer.from(name).toString("utf8", 0, 40)} ${digestOf(name)}`;
  return `"${short.replaceAll('"', '""')}"`;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 12);
}
