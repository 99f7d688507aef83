/** Configures the compiler of expressions and views for SQLite. */
import { sql } from "../sql/fragment.ts";
import { cachedFragmentsOf } from "../sql/json-fragments.ts";
import { type ViewSql, viewSql } from "../sql/view.ts";
import { columnText, numberText, valueText } from "./json.ts";
import { quoteName, fromStored } from "./value.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { expressionSql, type ExpressionSql } from "../sql/condition.ts";
import { stopAt } from "./deadline.ts";
import type { SQLOutputValue } from "node:sqlite";

export const expressions: ExpressionSql = expressionSql("sqlite", quoteName, stopAt);

/** Returns a function that converts the SQL result of an expression to its value. */
export function resultOf({ type }: TypedExpression): (stored: SQLOutputValue | undefined) => Value {
  switch (type.kind) {
    case "bool":
      return (stored) => fromStored(stored, "boolean");
    case "list":
    case "map":
    case "object":
    case "any":
      return (stored) => fromStored(stored, "json");
    default:
      return (stored) => fromStored(stored, "text");
  }
}

export const views: ViewSql = viewSql({
  expressions,
  quoteName,
  columnText: (name, { type, unix, values }) =>
    type === "number" ? numberText(name) : columnText(name, unix ?? type, values),
  valueText,
  joinedTexts: (text, order) => sql`group_concat(${text}, ',' ORDER BY ${order})`,
  fragments: cachedFragmentsOf,
  // The fragment is null if SQL cannot format one of its numbers as JSON does, so it is built again.
  fragmentText: (stored, { columns }, made) =>
    columns.some(({ type }) => type === "number") ? `coalesce(${stored}, ${made()})` : stored,
});
