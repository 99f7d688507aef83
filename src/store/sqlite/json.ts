/**
 * JSON as SQL writes it. Every text is what `JSON.stringify` would have written, so that an answer does not tell whether
 * the database or the service put it together.
 */
import type { ColumnType } from "../../plan/resources/types.ts";
import { isPlain } from "../sql/json-text.ts";

/** The text of a value that is there. What cannot need an escape is not looked through for one. */
export function columnText(column: string, type: ColumnType, values: readonly string[] | undefined): string {
  if (type === "timestamp" || (type === "text" && values?.every(isPlain))) return `'"' || ${column} || '"'`;
  if (type === "text") return `json_quote(${column})`;
  return type === "integer" ? column : valueText(column, type);
}

/**
 * The SQL of a value's text, or null where there is no value. The value is asked for once, so it may hold parameters; a
 * number that is not kept in an INTEGER column arrives as a double, and would be written `5.0`.
 */
export function valueText(value: string, type: ColumnType): string {
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
    case "json":
      return value;
  }
}

/**
 * The SQL of a number's text for the numbers that SQL can write: whole ones that are safe integers, and those of up to 15
 * significant digits (every `decimal`) that JSON writes without an exponent. Others give null; SQLite knows 17 digits or 15,
 * and JSON wants the shortest that lead back.
 */
export function plainNumberText(column: string): string {
  return [
    `CASE WHEN abs(${column}) < 9007199254740992 AND ${column} = CAST(${column} AS INTEGER)`,
    `THEN CAST(${column} AS INTEGER)`,
    `WHEN abs(${column}) >= 1e-4 AND abs(${column}) < 1e15 AND CAST(format('%!.15g', ${column}) AS REAL) = ${column}`,
    `THEN format('%!.15g', ${column}) END`,
  ].join(" ");
}

/** Any number's text: `nonet_number` is `JSON.stringify`, which the service gives its connections. */
export function numberText(column: string): string {
  return `coalesce(${plainNumberText(column)}, nonet_number(${column}))`;
}
