/** Compiles expressions to PostgreSQL's SQL and converts their results. */
import type { Value } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { ValueType } from "../../expression/types.ts";
import { type ExpressionSql, expressionSql, isCounted, type Named, tableFor } from "../sql/condition.ts";
import type { SqlValue } from "./connection.ts";
import { fromStored, quoteName } from "./value.ts";

export const expressions: ExpressionSql = expressionSql("postgres", columnSql);

/**
 * Returns SQL of a column as expressions read it: structures as `jsonb`, and all ids as text. Tables with counter ids have an
 * index on the id's text.
 */
function columnSql(name: string, type: ValueType, tables: Named): string {
  const column = quoteName(name);
  switch (type.kind) {
    case "list":
    case "map":
    case "object":
    case "any":
      return `${column}::jsonb`;
    case "record":
      return isCounted(tableFor(tables, type.resource).table) ? `${column}::text` : column;
    default:
      return column;
  }
}

/** Returns a function that converts the SQL result of an expression to its value. */
export function resultOf({ type }: TypedExpression, tables: Named): (stored: SqlValue | undefined) => Value {
  switch (type.kind) {
    case "list":
    case "map":
    case "object":
    case "any":
      return (stored) => fromStored(stored, "json");
    case "record": {
      if (!isCounted(tableFor(tables, type.resource).table)) break;
      return (stored) => (stored === null || stored === undefined ? null : Number(stored));
    }
    default:
  }
  return (stored) => fromStored(stored, "text");
}
