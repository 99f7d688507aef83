/** Expressions over records in memory, by their functions. */
import { compileFunction, type Value, type Variables } from "../../expression/evaluate.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Condition, Row } from "../store.ts";
import type { Records } from "./records.ts";

type Run = ReturnType<typeof compileFunction>;

const functions = new WeakMap<TypedExpression, Run>();

export function evaluateIn(records: Records, expression: TypedExpression, record: Row, variables: Variables): Value {
  let run = functions.get(expression);
  if (!run) functions.set(expression, (run = compileFunction(expression)));
  return run({
    record,
    variables,
    reference: (resource, id) => records.find(resource, "id", id),
    records: (resource) => records.all(resource),
  });
}

export function holdsIn(records: Records, condition: Condition | undefined, row: Row, variables: Variables): boolean {
  const holds = (one: TypedExpression): boolean => evaluateIn(records, one, row, variables) === true;
  return (condition?.all ?? []).every(holds) && (condition?.any?.some(holds) ?? true);
}
