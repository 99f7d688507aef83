/**
 * SQL that writes JSON. Every text equals the output of `JSON.stringify`, so that responses do not depend on whether the database
 * or the service builds them.
 */
import type { JsonType } from "../../plan/resources/types.ts";
import { isPlain } from "../sql/json-text.ts";

/** Returns the text of a value that is not null; types that never need an escape skip the escaping. */
export function columnText(column: string, type: JsonType, values: readonly string[] | undefined): string {
  if (type === "timestamp" || (type === "text" && values?.every(isPlain))) return `'"' || ${column} || '"'`;
  if (type === "text") return `json_quote(${column})`;
  return type === "integer" ? column : valueText(column, type);
}

/**
 * Returns SQL of a value's text, or null. `value` appears once, so it may contain placeholders. A number from outside an
 * INTEGER column is a double, which would print as `5.0`.
 */
export function valueText(value: string, type: JsonType): string {
  switch (type) {
    case "text":
    case "timestamp":
      return `nullif(json_quote(${value}), 'null')`;
    case "integer":
      return `CAST(${value} AS INTEGER)`;
    case "number":
      return `nonet_number(${value})`;
    case "boolean":
      return `CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END`;
    case "seconds":
      return `unixepoch(${value})`;
    case "milliseconds":
      return `CAST(round(unixepoch(${value}, 'subsec') * 1000) AS INTEGER)`;
    case "json":
      return value;
  }
}

/**
 * Returns SQL of a number's text, for safe integers and numbers of up to 15 significant digits (every `decimal`) that JSON
 * writes without an exponent; null for others: SQLite prints 15 or 17 digits, JSON the shortest that parse to the same number.
 */
export function plainNumberText(column: string): string {
  return [
    `CASE WHEN abs(${column}) < 9007199254740992 AND ${column} = CAST(${column} AS INTEGER)`,
    `THEN CAST(${column} AS INTEGER)`,
    `WHEN abs(${column}) >= 1e-4 AND abs(${column}) < 1e15 AND CAST(format('%!.15g', ${column}) AS REAL) = ${column}`,
    `THEN format('%!.15g', ${column}) END`,
  ].join(" ");
}

/** Returns SQL of any number's text: `nonet_number` is `JSON.stringify`, registered on the connection. */
export function numberText(column: string): string {
  return `coalesce(${plainNumberText(column)}, nonet_number(${column}))`;
}
