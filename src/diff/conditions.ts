/** Whether a condition that is written differently lets more or less through. */
import type { TypedExpression } from "../expression/typed.ts";
import { exclusive } from "../expression/prove.ts";
import { parseExpression } from "../expression/parse.ts";
import { printExpression } from "../expression/print.ts";
import { type TypedExpressions, typeExpressions } from "../language/analysis/expressions.ts";
import type { Model } from "../language/model.ts";

/** A model with its typed expressions, which are worked out when the first condition differs. */
export interface Side {
  readonly model: Model;
  typed(): TypedExpressions["typed"];
}

export function sideOf(model: Model): Side {
  let known: TypedExpressions["typed"] | undefined;
  return { model, typed: () => (known ??= typeExpressions(model).typed) };
}

/** The text of a condition and where its model has it; no text is no condition. */
export interface Condition {
  readonly side: Side;
  readonly path: string;
  readonly text: string | undefined;
}

/** `tighter` is also what is not known to be anything else: a client must not find out by being refused. */
export type Strictness = "same" | "looser" | "tighter";

export function strictnessOf(old: Condition, now: Condition): Strictness {
  if (old.text === now.text || canonical(old.text) === canonical(now.text)) return "same";
  if (now.text === undefined) return "looser";
  if (old.text === undefined) return "tighter";
  const before = old.side.typed().get(old.path);
  const after = now.side.typed().get(now.path);
  if (before === undefined || after === undefined || !implies(before, after)) return "tighter";
  return implies(after, before) ? "same" : "looser";
}

/** Blanks and brackets mean nothing. */
export function canonical(text: string | undefined): string | undefined {
  const expression = text === undefined ? undefined : parseExpression(text).expression;
  return expression === undefined ? text : printExpression(expression);
}

/** Proved: whatever one lets through, the other does, too. */
function implies(one: TypedExpression, other: TypedExpression): boolean {
  return exclusive(one, {
    kind: "not",
    operand: other,
    at: other.at,
    type: { kind: "bool" },
    nullable: other.nullable,
  });
}
