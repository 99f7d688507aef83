/** What clearing a reference changes in a record: the reference, and the stored columns that are computed from it. */
import type { Value } from "../expression/evaluate.ts";
import { parts, type TypedExpression } from "../expression/typed.ts";
import type { Cleared } from "./deletion.ts";
import type { Row } from "./store.ts";

export function recomputed(
  { table, row, columns }: Cleared,
  evaluate: (expression: TypedExpression, row: Row) => Value,
): Row {
  const changes: Record<string, Value> = Object.fromEntries(columns.map((column) => [column, null]));
  for (const { name, computed } of table.columns) {
    if (computed && columns.some((column) => mentions(computed, column))) {
      changes[name] = evaluate(computed, { ...row, ...changes });
    }
  }
  return changes;
}

function mentions(expression: TypedExpression, field: string): boolean {
  if (expression.kind === "field") return expression.name === field;
  return parts(expression).some((part) => mentions(part, field));
}
