/** What clearing a reference changes in a record: the reference, and the stored columns that are computed from it. */
import type { Value } from "../../expression/evaluate.ts";
import { parts, type TypedExpression } from "../../expression/typed.ts";
import type { Cleared } from "./deletion.ts";
import type { Row } from "../port/store.ts";

/** Asks for the values of expressions over rows. */
export function* recomputed({
  table,
  row,
  columns,
}: Cleared): Generator<readonly [expression: TypedExpression, row: Row], Row, Value> {
  const changes: Record<string, Value> = Object.fromEntries(columns.map((column) => [column, null]));
  for (const { name, computed } of table.columns) {
    if (computed && columns.some((column) => mentions(computed, column))) {
      changes[name] = yield [computed, { ...row, ...changes }];
    }
  }
  return changes;
}

function mentions(expression: TypedExpression, field: string): boolean {
  if (expression.kind === "field") return expression.name === field;
  return parts(expression).some((part) => mentions(part, field));
}
