/** Converts values to and from SQLite: booleans as 0 and 1, structures as JSON text, others unchanged. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/resources/types.ts";
import { quoteText } from "../sql/json-text.ts";

/** `isRequired`: whether the column has a value in every row, so that its null is a value of JSON. */
export function toStored(value: Value | undefined, type: ColumnType, isRequired = false): SQLInputValue {
  if (value === null || value === undefined) return isRequired && type === "json" && value === null ? "null" : null;
  if (type === "json") return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) : (value as string | number);
}

/** Converts a stored value of a column or expression of this type. */
export function fromStored(stored: SQLOutputValue | undefined, type: ColumnType): Value {
  if (stored === null || stored === undefined) return null;
  switch (type) {
    case "boolean":
      return stored !== 0;
    case "json":
      return JSON.parse(stored as string) as Value;
    default:
      return stored as string | number;
  }
}

/**
 * Returns SQL of a `LIMIT` with a bound value. For a bare placeholder SQLite reads the bound value to plan, and so plans again
 * for each execution (20 µs and more); for a sum it does not.
 */
export function limitOf(placeholder: string): string {
  return `LIMIT (${placeholder} + 0)`;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns a stored value as a SQL literal. */
export function literalSql(value: SQLInputValue): string {
  if (typeof value === "string") return quoteText(value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value === null) return "NULL";
  throw new Error("a stored value is a text, a number or null");
}
