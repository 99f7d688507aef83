/**
 * JSON as SQL writes it. Every text is what `JSON.stringify` would have written, so that an answer does not tell whether
 * the database or the service put it together.
 */
import type { ColumnType } from "../../plan/plan.ts";
import { quoteText } from "./value.ts";

export interface MemberOfText {
  readonly name: string;
  /** What stands before the member: `{` or `,`. */
  readonly start: "{" | ",";
  /** What an absent value comes to; `never`: there is always one. */
  readonly absent: "left out" | "null" | "never";
  readonly column: string;
  readonly type: ColumnType;
  /** A closed list that the column is held to. */
  readonly values?: readonly string[] | undefined;
  /** Another text of the value than the usual. */
  readonly value?: string | undefined;
}

/** Whether a column's member is in every answer. */
export function isAlwaysThere(column: { readonly nullable: boolean; readonly absent: "left out" | "null" }): boolean {
  return !column.nullable || column.absent === "null";
}

/** The SQL of a member's text from a column: `,"size":"small"`, or an empty text where it is left out. */
export function memberText({ name, start, absent, column, type, values, value }: MemberOfText): string {
  const before = quoteText(`${start}${JSON.stringify(name)}:`);
  const present = `${before} || ${value ?? columnText(column, type, values)}`;
  if (absent === "never") return present;
  const none = absent === "null" ? quoteText(`${start}${JSON.stringify(name)}:null`) : "''";
  return `CASE WHEN ${column} IS NULL THEN ${none} ELSE ${present} END`;
}

/** The text of a value that is there. What cannot need an escape is not looked through for one. */
function columnText(column: string, type: ColumnType, values: readonly string[] | undefined): string {
  if (type === "timestamp" || (type === "text" && values?.every(isPlain))) return `'"' || ${column} || '"'`;
  if (type === "text") return `json_quote(${column})`;
  return type === "integer" ? column : valueText(column, type);
}

function isPlain(text: string): boolean {
  return JSON.stringify(text) === `"${text}"`;
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
