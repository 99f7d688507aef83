/** Expressions in SQLite's SQL, and what it gives for them. */
import type { SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import { type ExpressionSql, expressionSql } from "../sql/condition.ts";
import { stopAt } from "./deadline.ts";
import { fromStored, quoteName } from "./value.ts";

export const expressions: ExpressionSql = expressionSql("sqlite", quoteName, stopAt);

/** From what SQL gives for an expression to its value. */
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
