/**
 * Prints a syntax tree as its canonical text: single quotes, one space around operators, no redundant parentheses. Parsing the
 * text returns the same tree, except for positions.
 */

import { type Expression, keywords, precedence } from "./syntax.ts";

/** Prints the canonical text of an expression. */
export function printExpression(expression: Expression): string {
  return print(expression, loosest);
}

const loosest = 0;
const unary = 6;
const tightest = 7;

function print(expression: Expression, around: number): string {
  const text = printBare(expression);
  return bindingOf(expression) < around ? `(${text})` : text;
}

function bindingOf(expression: Expression): number {
  switch (expression.kind) {
    case "conditional":
      return loosest;
    case "binary":
      return precedence[expression.operator];
    case "not":
    case "negate":
      return unary;
    default:
      return tightest;
  }
}

function printBare(expression: Expression): string {
  switch (expression.kind) {
    case "int":
    case "bool":
      return String(expression.value);
    case "double":
      return printDouble(expression.value);
    case "string":
      return printText(expression.value);
    case "null":
      return "null";
    case "name":
      return expression.name;
    case "list":
      return `[${printItems(expression.items)}]`;
    case "member":
      return `${print(expression.object, tightest)}.${printSelector(expression.name)}`;
    case "call": {
      const target = expression.target === undefined ? "" : `${print(expression.target, tightest)}.`;
      return `${target}${expression.function}(${printItems(expression.arguments)})`;
    }
    case "not":
      return `!${print(expression.operand, expression.operand.kind === "not" ? unary : tightest)}`;
    case "negate":
      return `-${print(expression.operand, expression.operand.kind === "negate" ? unary : tightest)}`;
    case "binary": {
      const level = precedence[expression.operator];
      return `${print(expression.left, level)} ${expression.operator} ${print(expression.right, level + 1)}`;
    }
    case "conditional": {
      const { test, whenTrue, whenFalse } = expression;
      return `${print(test, loosest + 1)} ? ${print(whenTrue, loosest + 1)} : ${print(whenFalse, loosest)}`;
    }
  }
}

function printItems(items: readonly Expression[]): string {
  return items.map((item) => print(item, loosest)).join(", ");
}

/** Prints a double with a point or an exponent, so that it does not parse as an int. */
export function printDouble(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function printSelector(name: string): string {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !keywords.has(name) ? name : `\`${name}\``;
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "'": "\\'",
  "\\": "\\\\",
};

/** Prints a text as a literal in single quotes, which need no escape in YAML. */
export function printText(value: string): string {
  const escaped = value.replace(/['\\\p{Cc}\u2028\u2029]/gu, (character) => {
    return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  return `'${escaped}'`;
}
