/** Expressions that differ from another one in one operator, one number, one text or one part. */
import { parseExpression } from "../../../src/expression/parse.ts";
import { printExpression } from "../../../src/expression/print.ts";
import type { BinaryOperator, Expression } from "../../../src/expression/syntax.ts";
import type { Model } from "../../../src/language/model.ts";

const otherOperators: Partial<Readonly<Record<BinaryOperator, BinaryOperator>>> = {
  "==": "!=",
  "!=": "==",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
};

/** Functions whose result has the type of what they are called on, so that the call can be left out. */
const optionalCalls: ReadonlySet<string> = new Set(["sort", "distinct", "lower", "upper", "trim"]);

export function otherExpressions(text: string, model: Model): readonly string[] {
  const { expression } = parseExpression(text);
  if (expression === undefined) return [];
  const states = new Set(Object.values(model.states).flatMap((one) => (one === "none" ? [] : Object.keys(one.states))));
  const negated: Expression = { kind: "not", at: expression.at, operand: expression };
  const others = [negated, ...alterations(expression, states)].map((one) => printExpression(one));
  return [...new Set(others)].filter((other) => other !== text);
}

function* alterations(one: Expression, states: ReadonlySet<string>): Iterable<Expression> {
  switch (one.kind) {
    case "int":
      yield { ...one, value: one.value + 1 };
      if (one.value > 0) yield { ...one, value: one.value - 1 };
      return;
    case "double":
      yield { ...one, value: one.value + 1 };
      return;
    case "string":
      yield* otherLiterals(one, states);
      return;
    case "bool":
      yield { ...one, value: !one.value };
      return;
    case "not":
      yield one.operand;
      for (const operand of alterations(one.operand, states)) yield { ...one, operand };
      return;
    case "negate":
      yield one.operand;
      return;
    case "list":
      for (const [index, item] of one.items.entries()) {
        yield { ...one, items: one.items.toSpliced(index, 1) };
        for (const other of alterations(item, states)) yield { ...one, items: one.items.with(index, other) };
      }
      return;
    case "binary": {
      const operator = otherOperators[one.operator];
      if (operator !== undefined) yield { ...one, operator };
      if (one.operator === "&&" || one.operator === "||") yield* [one.left, one.right];
      for (const left of alterations(one.left, states)) yield { ...one, left };
      for (const right of alterations(one.right, states)) yield { ...one, right };
      return;
    }
    case "conditional":
      yield { ...one, whenTrue: one.whenFalse, whenFalse: one.whenTrue };
      for (const test of alterations(one.test, states)) yield { ...one, test };
      for (const whenTrue of alterations(one.whenTrue, states)) yield { ...one, whenTrue };
      for (const whenFalse of alterations(one.whenFalse, states)) yield { ...one, whenFalse };
      return;
    case "member":
      for (const object of alterations(one.object, states)) yield { ...one, object };
      return;
    case "call":
      yield* otherCalls(one, states);
      return;
    case "name":
    case "null":
      return;
  }
}

function* otherCalls(one: Expression & { kind: "call" }, states: ReadonlySet<string>): Iterable<Expression> {
  const { target } = one;
  if (target !== undefined && optionalCalls.has(one.function)) yield target;
  if (one.function === "exists") yield { ...one, function: "all" };
  if (target !== undefined) for (const other of alterations(target, states)) yield { ...one, target: other };
  for (const [index, argument] of one.arguments.entries())
    for (const other of alterations(argument, states)) yield { ...one, arguments: one.arguments.with(index, other) };
}

/** Another state for a state, a longer or shorter time for a time, and another end for other texts. */
function* otherLiterals(one: Expression & { kind: "string" }, states: ReadonlySet<string>): Iterable<Expression> {
  const { value } = one;
  if (states.has(value)) for (const state of states) if (state !== value) yield { ...one, value: state };
  if (states.has(value)) return;
  if (/^\d+[a-z]+$/.test(value))
    for (const by of [1, -1]) yield { ...one, value: value.replace(/\d+/, (number) => String(Number(number) + by)) };
  else yield { ...one, value: `${value}x` };
}
