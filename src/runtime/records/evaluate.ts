/** Evaluates expressions over rows. */
import { onceFor } from "../../base/once.ts";
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import { mentions, type TypedExpression } from "../../expression/typed.ts";
import type { Awaitable, Row, Transaction } from "../../store/port/store.ts";

/**
 * Returns a function that evaluates an expression over a row: in the store if it reads other records or loops, so that it can
 * be interrupted.
 */
export function createEvaluator(): (
  tx: Transaction,
  expression: TypedExpression,
  row: Row,
  variables: Variables,
) => Awaitable<Value> {
  const compiled = onceFor((expression: TypedExpression): ((row: Row, variables: Variables) => Value) | "store" => {
    if (mentions(expression, "walk", "records", "macro")) return "store";
    const run = compileFunction(expression);
    return (record, variables) => run({ record, variables });
  });
  return (tx, expression, row, variables) => {
    const run = compiled(expression);
    return run === "store" ? tx.evaluate(expression, row, variables) : run(row, variables);
  };
}
