/** Values as SQLite keeps them: truth as 0 and 1, structures as JSON text, everything else as it is. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/resources/types.ts";
import { quoteText } from "../sql/json-text.ts";

/** A value of a column for binding. */
export function toStored(value: Value | undefined, type: ColumnType): SQLInputValue {
  if (value === null || value === undefined) return null;
  if (type === "json") return JSON.stringify(value);
  return typeof value === "boolean" ? Number(value) : (value as string | number);
}

/** What a column or an expression of this type gave. */
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
 * `LIMIT` with a value that is bound, as SQL. Of a placeholder alone SQLite asks what is bound when it makes its plan, and so
 * makes the plan anew for each execution: 20 µs and more. Of a sum it does not.
 */
export function limitOf(placeholder: string): string {
  return `LIMIT (${placeholder} + 0)`;
}

/** A name in SQL. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A stored value in SQL. */
export function literalSql(value: SQLInputValue): string {
  if (typeof value === "string") return quoteText(value);
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  if (value === null) return "NULL";
  throw new Error("a stored value is a text, a number or null");
}
