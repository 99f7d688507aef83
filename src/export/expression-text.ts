/** Writes a typed expression in the language's syntax, with parentheses only where they are needed. */
import { printDouble, printText } from "../expression/print.ts";
import type { Calculation, TypedExpression } from "../expression/typed.ts";

export function expressionText(expression: TypedExpression): string {
  return write(expression, 0);
}

/** The precedence of operators, lowest first; all other expressions bind tightest. */
const binding = { choose: 1, "||": 2, "&&": 3, compare: 4, sum: 5, product: 6, unary: 7, tightest: 8 } as const;

const signs: Readonly<Record<Calculation, readonly [sign: string, level: number]>> = {
  add: ["+", binding.sum],
  join: ["+", binding.sum],
  append: ["+", binding.sum],
  later: ["+", binding.sum],
  subtract: ["-", binding.sum],
  earlier: ["-", binding.sum],
  between: ["-", binding.sum],
  multiply: ["*", binding.product],
  divide: ["/", binding.product],
  remainder: ["%", binding.product],
  "add-money": ["+", binding.sum],
  "subtract-money": ["-", binding.sum],
  "multiply-money": ["*", binding.product],
};

/** Functions that are printed before their argument instead of as methods of it. */
const functions: ReadonlySet<string> = new Set([
  "slugify", "string", "int", "double", "date", "time", "month", "week", "timestamp", "hash", "money",
]); // biome-ignore format: a table

function write(expression: TypedExpression, around: number): string {
  const [text, level] = bare(expression);
  return level < around ? `(${text})` : text;
}

function bare(expression: TypedExpression): readonly [text: string, level: number] {
  switch (expression.kind) {
    case "constant":
      return [constantText(expression.value, expression.type.kind), binding.tightest];
    case "field":
      return [expression.name, binding.tightest];
    case "variable":
      return [expression.path.join("."), binding.tightest];
    case "item":
      return [itemName(expression.slot), binding.tightest];
    case "item-field":
      return [`${itemName(expression.slot)}.${expression.name}`, binding.tightest];
    case "walk":
      return [`${write(expression.reference, binding.tightest)}.${expression.name}`, binding.tightest];
    case "member":
      return [`${write(expression.object, binding.tightest)}.${expression.name}`, binding.tightest];
    case "list":
      return [`[${expression.items.map((item) => write(item, 0)).join(", ")}]`, binding.tightest];
    case "records":
      return [
        expression.ancestors === undefined ? expression.resource : `ancestors(${write(expression.ancestors.from, 0)})`,
        binding.tightest,
      ];
    case "not":
      return [`!${write(expression.operand, binding.unary)}`, binding.unary];
    case "negate":
      return [`-${write(expression.operand, binding.unary)}`, binding.unary];
    case "logical":
      return infix(expression.left, expression.operator, expression.right, binding[expression.operator]);
    case "compare":
      return infix(expression.left, expression.operator, expression.right, binding.compare);
    case "calculate":
      return infix(
        expression.left,
        signs[expression.calculation][0],
        expression.right,
        signs[expression.calculation][1],
      );
    case "within":
      return infix(expression.value, "in", expression.list, binding.compare);
    case "choose": {
      const { test, whenTrue, whenFalse } = expression;
      return [`${write(test, 2)} ? ${write(whenTrue, 2)} : ${write(whenFalse, 1)}`, binding.choose];
    }
    case "call":
      return [callText(expression.function, expression.arguments), binding.tightest];
    case "macro": {
      const item = itemName(expression.slot);
      const list = write(expression.list, binding.tightest);
      return [`${list}.${expression.macro}(${item}, ${write(expression.body, 0)})`, binding.tightest];
    }
    case "as":
      return bare(expression.operand);
  }
}

function infix(
  left: TypedExpression,
  operator: string,
  right: TypedExpression,
  level: number,
): readonly [text: string, level: number] {
  return [`${write(left, level)} ${operator} ${write(right, level + 1)}`, level];
}

function callText(name: string, [first, ...rest]: readonly TypedExpression[]): string {
  if (first === undefined || functions.has(name) || ((name === "min" || name === "max") && rest.length > 0)) {
    return `${name}(${[first, ...rest].map((one) => (one === undefined ? "" : write(one, 0))).join(", ")})`;
  }
  return `${write(first, binding.tightest)}.${name}(${rest.map((one) => write(one, 0)).join(", ")})`;
}

/**
 * Returns an item name for a macro: typed expressions do not contain the author's names, and nested macros need different
 * ones.
 */
function itemName(slot: number): string {
  return slot === 0 ? "x" : `x${slot + 1}`;
}

function constantText(value: string | number | boolean | null, kind: string): string {
  if (kind === "duration" && typeof value === "number") return `duration('${durationText(value)}')`;
  if (kind === "timestamp") return `timestamp('${String(value)}')`;
  if (kind === "double" && typeof value === "number") return printDouble(value);
  return typeof value === "string" ? printText(value) : String(value);
}

function durationText(milliseconds: number): string {
  const units = [["h", 3_600_000], ["m", 60_000], ["s", 1000]] as const; // biome-ignore format: a table
  const unit = units.find(([, size]) => milliseconds % size === 0);
  return unit === undefined ? `${milliseconds / 1000}s` : `${milliseconds / unit[1]}${unit[0]}`;
}
