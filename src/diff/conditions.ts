/** Compares two texts of a condition: whether the new one accepts more or fewer requests. */
import type { TypedExpression } from "../expression/typed.ts";
import { exclusive } from "../expression/prove.ts";
import { parseExpression } from "../expression/parse.ts";
import { printExpression } from "../expression/print.ts";
import { type TypedExpressions, typeExpressions } from "../language/analysis/expressions.ts";
import type { Model } from "../language/model.ts";

/** A model with its typed expressions, which are computed when the first condition differs. */
export interface Side {
  readonly model: Model;
  typed(): TypedExpressions["typed"];
}

export function sideOf(model: Model): Side {
  let known: TypedExpressions["typed"] | undefined;
  return { model, typed: () => (known ??= typeExpressions(model).typed) };
}

/** A condition's text and its path in the model; without a text there is no condition. */
export interface Condition {
  readonly side: Side;
  readonly path: string;
  readonly text: string | undefined;
}

/** If neither "same" nor "looser" is proved, the result is `tighter`: a missed break would surprise clients with errors. */
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

/** Removes redundant blanks and parentheses from an expression; returns a text that does not parse unchanged. */
export function canonical(text: string | undefined): string | undefined {
  const expression = text === undefined ? undefined : parseExpression(text).expression;
  return expression === undefined ? text : printExpression(expression);
}

/** Whether it is proved that every value that `one` accepts, `other` accepts too. */
function implies(one: TypedExpression, other: TypedExpression): boolean {
  return exclusive(one, {
    kind: "not",
    operand: other,
    at: other.at,
    type: { kind: "bool" },
    nullable: other.nullable,
  });
}
