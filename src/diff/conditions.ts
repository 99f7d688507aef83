/** Compares two texts of a condition: whether the new one accepts more or fewer requests. */
import type { TypedExpression } from "../expression/typed.ts";
import { exclusive } from "../expression/prove.ts";
import { parseExpression } from "../expression/parse.ts";
import { printExpression } from "../expression/print.ts";
import { type TypedExpressions, typeExpressions } from "../language/analysis/expressions.ts";
import type { Model } from "../language/model.ts";
import { type Difference, type Site, restated } from "./difference.ts";

/** A model with its typed expressions, which are computed when the first condition differs. */
export interface Side {
  readonly model: Model;
  typed(): TypedExpressions["typed"];
}

export function sideOf(model: Model): Side {
  let known: TypedExpressions["typed"] | undefined;
  return { model, typed: () => (known ??= typeExpressions(model).typed) };
}

export interface Sides {
  readonly old: Side;
  readonly now: Side;
}

/** A condition: its text, and its path in the model. Without a text there is no condition. */
export interface Condition {
  readonly side: Side;
  readonly path: string;
  readonly text: string | undefined;
}

/**
 * How strict the new condition is compared with the old one. If neither "same" nor "looser" is proved, the result is
 * `tighter`: a missed break would surprise clients with errors.
 */
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

interface StatedCondition {
  /** The subject of the condition, as the start of a sentence. */
  readonly what: string;
  /** The kind of the difference without its ending `-tighter` or `-looser`. */
  readonly kind: string;
  /** The path in the old document if it differs. */
  readonly oldAt?: string;
}

/** Reports a condition that accepts fewer or more requests. */
export function* conditionDifferences(
  { old, now }: Sides,
  site: Site,
  { kind, what, ...details }: StatedCondition,
  texts: readonly [string | undefined, string | undefined],
): Iterable<Difference> {
  const strictness = strictnessOf(
    { side: old, path: details.oldAt ?? site.at, text: texts[0] },
    { side: now, path: site.at, text: texts[1] },
  );
  if (strictness === "same") return;
  const effect = strictness === "tighter" ? "breaking" : "additive";
  yield* restated(effect, `${kind}-${strictness}`, site, what, texts, { category: "right", ...details });
}

/** Removes redundant blanks and parentheses from an expression; returns a text that does not parse unchanged. */
export function canonical(text: string | undefined): string | undefined {
  const expression = text === undefined ? undefined : parseExpression(text).expression;
  return expression === undefined ? text : printExpression(expression);
}

/** Whether it is proved that `other` accepts every value that `one` accepts. */
function implies(one: TypedExpression, other: TypedExpression): boolean {
  return exclusive(one, {
    kind: "not",
    operand: other,
    at: other.at,
    type: { kind: "bool" },
    nullable: other.nullable,
  });
}
