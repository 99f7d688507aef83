/** The input of the planner, and functions for typed expressions. */
import type { TypedExpression } from "../expression/check.ts";
import { mentions, nodesOf } from "../expression/typed.ts";
import type { Model, SourceLocations } from "../language/model.ts";

export interface PlanInput {
  readonly model: Model;
  readonly places: SourceLocations;
  readonly typed: ReadonlyMap<string, TypedExpression>;
  /** Set if the model is an older version's, whose plan only describes requests and responses. */
  readonly older?: true;
}

/**
 * Replaces an expression that cannot be typed in an older version. It reads no field, so it reveals nothing about visibility,
 * which comes from the newest plan (permitted.ts).
 */
export const placeholder: TypedExpression = {
  kind: "constant",
  value: null,
  type: { kind: "any" },
  nullable: false,
  at: { start: 0, end: 0 },
};

/**
 * Returns the typed expression at a path; a model without errors has one for each. In an older version, an expression may name
 * something that was added later; the placeholder replaces it, since the service never evaluates an older plan.
 */
export function typedAt({ typed, older }: PlanInput, path: string): TypedExpression {
  const expression = typed.get(path) ?? (older === true ? placeholder : undefined);
  if (expression === undefined) throw new Error(`no typed expression at ${path}`);
  return expression;
}

/** Throws if the condition is false, which is a bug of Nonet: a document with errors is never planned. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`cannot plan: ${what}`);
}

/** Returns the fields of the current record that an expression reads, as bare names or through `old`. */
export function fieldsRead(expression: TypedExpression): readonly string[] {
  return nodesOf(expression).flatMap((node) => {
    if (node.kind === "field") return [node.name];
    return node.kind === "variable" && node.path[0] === "old" ? node.path.slice(1, 2) : [];
  });
}

/** Whether an expression depends only on the current record, not on the time, the caller or other records. */
export function isOfRecord(expression: TypedExpression): boolean {
  return !mentions(expression, "variable", "records", "walk");
}

/** Returns the operands of `&&` in an expression. */
export function conjuncts(expression: TypedExpression): readonly TypedExpression[] {
  if (expression.kind !== "logical" || expression.operator !== "&&") return [expression];
  return [...conjuncts(expression.left), ...conjuncts(expression.right)];
}

export function both(left: TypedExpression, right: TypedExpression): TypedExpression {
  return logical("&&", left, right);
}

export function either(left: TypedExpression, right: TypedExpression): TypedExpression {
  return logical("||", left, right);
}

function logical(operator: "&&" | "||", left: TypedExpression, right: TypedExpression): TypedExpression {
  const at = { start: 0, end: 0 };
  return { kind: "logical", operator, at, type: { kind: "bool" }, nullable: true, left, right };
}

/** Returns the columns that an expression compares with `==` to a value independent of the record. */
export function equated(expression: TypedExpression): readonly string[] {
  const columns = conjuncts(expression).flatMap((one) => {
    if (one.kind !== "compare" || one.operator !== "==") return [];
    const { left, right } = one;
    if (left.kind === "field" && isConstant(right)) return [left.name];
    return right.kind === "field" && isConstant(left) ? [right.name] : [];
  });
  return unique(columns);
}

function isConstant(expression: TypedExpression): boolean {
  return expression.kind === "constant" || expression.kind === "variable";
}

/** Removes duplicates; keeps the order of first appearance. */
export function unique<Value>(values: readonly Value[]): readonly Value[] {
  return [...new Set(values)];
}
