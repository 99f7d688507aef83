/** Finds values that make a condition true or false: what has to equal what. */
import type { Value } from "../expression/evaluate.ts";
import type { Comparison } from "../expression/syntax.ts";
import { readsVariable, type TypedExpression } from "../expression/typed.ts";
import { evaluate, type Scope } from "./expressions.ts";

/** The values that a condition asks for, by name. */
export interface Solution {
  /** Fields of the current record, and `state`. */
  readonly fields: ReadonlyMap<string, Value>;
  /** Members of the input. */
  readonly input: ReadonlyMap<string, Value>;
}

/** The operators whose comparison is true where the other one's is false. */
const opposites: Readonly<Record<Comparison, Comparison>> = {
  ...{ "==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">" },
};

/** By how much the left side of a true comparison is greater than the right side. */
const distances: Readonly<Partial<Record<Comparison, number>>> = { "==": 0, "<=": 0, ">=": 0, "<": -1, ">": 1 };

/**
 * Returns values with which the comparisons of a condition are true, or false if that is wanted, as far as their other sides are
 * known. The condition may still have another value with them: the caller evaluates it. Without `bounds`,
 * comparisons by size give no value, so that the values of several records differ.
 */
export function solve(condition: TypedExpression, scope: Scope, wanted = true, bounds = true): Solution {
  const fields = new Map<string, Value>();
  const input = new Map<string, Value>();
  for (const one of conjuncts(condition)) {
    if (one.kind === "field") fields.set(one.name, wanted);
    if (one.kind === "variable" && one.path[0] === "input" && one.path[1] !== undefined) input.set(one.path[1], wanted);
    if (one.kind !== "compare") continue;
    const operator = wanted ? one.operator : opposites[one.operator];
    const distance = distances[operator];
    if (distance === undefined || (operator !== "==" && !bounds)) continue;
    for (const [side, other, sign] of [
      [one.left, one.right, 1],
      [one.right, one.left, -1],
    ] as const) {
      // Of two members of the input, the second one stays as it is.
      const found = evaluate(isInput(one.left) && isInput(one.right) ? one.right : other, scope);
      // An id that the test does not know cannot be sent.
      if (found === undefined || (typeof found.value === "string" && found.value.startsWith("\0"))) continue;
      if (distance !== 0 && typeof found.value !== "number") continue;
      const value = typeof found.value === "number" ? found.value + sign * distance : found.value;
      const [operand, operandValue] = operandOf(side, value, scope);
      if (operand.kind === "field") fields.set(operand.name, operandValue);
      else if (isInput(operand) && operand.path[1] !== undefined) input.set(operand.path[1], operandValue);
    }
  }
  return { fields, input };
}

/**
 * Returns what must have which value so that an expression has a value: of a sum or a difference, the operand that reads the input,
 * or else one beside a known operand.
 */
function operandOf(typed: TypedExpression, value: Value, scope: Scope): readonly [TypedExpression, Value] {
  if (typed.kind !== "calculate" || typeof value !== "number") return [typed, value];
  const { calculation, left, right } = typed;
  if (calculation !== "add" && calculation !== "subtract") return [typed, value];
  const isSum = calculation === "add";
  const [first, second] = [left, right].map((one) => evaluate(one, scope)?.value);
  if (typeof second === "number" && !readsVariable(right, "input"))
    return operandOf(left, isSum ? value - second : value + second, scope);
  if (typeof first === "number") return operandOf(right, isSum ? value - first : first - value, scope);
  return [typed, value];
}

/** Whether a condition compares two members of the input with one another. */
export function comparesInput(condition: TypedExpression): boolean {
  return conjuncts(condition).some((one) => one.kind === "compare" && isInput(one.left) && isInput(one.right));
}

function isInput(typed: TypedExpression): typed is Extract<TypedExpression, { kind: "variable" }> {
  return typed.kind === "variable" && typed.path[0] === "input";
}

/** Returns the operands of `&&`. */
export function conjuncts(condition: TypedExpression): readonly TypedExpression[] {
  if (condition.kind !== "logical" || condition.operator !== "&&") return [condition];
  return [...conjuncts(condition.left), ...conjuncts(condition.right)];
}
