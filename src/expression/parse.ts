/** Parses a text to a syntax tree by CEL's grammar. Never throws: returns a problem with its location. */

import { notInLanguage, scan, type Token } from "./scan.ts";
import {
  type BinaryOperator,
  children,
  type Expression,
  type ExpressionProblem,
  type Extent,
  keywords,
  limits,
  precedence,
  reservedWords,
} from "./syntax.ts";

export type { ExpressionProblem } from "./syntax.ts";

export interface Parsed {
  /** The syntax tree; absent if there is a problem. */
  readonly expression?: Expression;
  readonly problems: readonly ExpressionProblem[];
}

/** Parses a whole text as one expression. Stops at the first problem. */
export function parseExpression(text: string): Parsed {
  if (text.length > limits.text) return failed(tooLarge(`longer than ${limits.text} characters`, 0, text.length));
  const scanned = scan(text);
  if ("problem" in scanned) return failed(scanned.problem);
  const reader: Reader = { tokens: scanned.tokens, next: 0, depth: 0, problem: undefined };
  const expression = readExpression(reader);
  if (expression && peek(reader).kind !== "end") unexpected(reader, "an operator or the end");
  if (!expression || reader.problem) return failed(reader.problem ?? impossible());
  const oversize = oversizeOf(expression);
  return oversize ? failed(oversize) : { expression, problems: [] };
}

function failed(problem: ExpressionProblem): Parsed {
  return { problems: [problem] };
}

function impossible(): never {
  throw new Error("an expression was not read and nothing said why");
}

interface Reader {
  readonly tokens: readonly Token[];
  next: number;
  depth: number;
  problem: ExpressionProblem | undefined;
}

/** The result of a reading function; undefined after it has set `reader.problem`. */
type Read<T> = T | undefined;

function peek(reader: Reader, ahead = 0): Token {
  return reader.tokens[Math.max(0, Math.min(reader.next + ahead, reader.tokens.length - 1))] ?? impossible();
}

function nextToken(reader: Reader): Token {
  const token = peek(reader);
  reader.next += 1;
  return token;
}

function isSign(token: Token, value: string): boolean {
  return token.kind === "sign" && token.value === value;
}

function acceptSign(reader: Reader, value: string): boolean {
  if (!isSign(peek(reader), value)) return false;
  reader.next += 1;
  return true;
}

function complain(reader: Reader, problem: ExpressionProblem): undefined {
  reader.problem ??= problem;
  return undefined;
}

function unexpected(reader: Reader, wanted: string): undefined {
  const token = peek(reader);
  const { start, end } = token;
  const left = outsideOf(reader, token);
  if (left) return complain(reader, left);
  const message = token.kind === "end" ? `the expression ends where ${wanted} is due` : `expected ${wanted}`;
  const help = helpWith(token) ?? helpWith(peek(reader, -1));
  return complain(reader, { code: "unexpected-token", message, ...(help === undefined ? {} : { help }), start, end });
}

/** Operators that are words in other languages, with the operator of this language. */
const wordsForSigns: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["not", "!"],
]);

function helpWith({ kind, value }: Token): string | undefined {
  const sign = kind === "name" ? wordsForSigns.get(value.toLowerCase()) : undefined;
  return sign === undefined ? undefined : `write \`${sign}\` in place of \`${value}\``;
}

/** Returns a problem for a construct that CEL allows at this token and Nonet does not. */
function outsideOf(reader: Reader, { kind, value, start, end }: Token): ExpressionProblem | undefined {
  if (kind === "quoted-name")
    return notInLanguage("quoted names without an object", "write `old.` before it", start, end);
  if (kind !== "sign") return undefined;
  if (value === "{") return notInLanguage("maps and messages", "compare their members one by one", start, end);
  if (value === "." && reader.next === 0) return notInLanguage("leading dots", "write the name alone", start, end);
  return undefined;
}

function readExpression(reader: Reader): Read<Expression> {
  if (reader.depth >= limits.depth) {
    const { start, end } = peek(reader);
    return complain(reader, tooLarge(`nested more than ${limits.depth} levels deep`, start, end));
  }
  reader.depth += 1;
  const expression = readConditional(reader);
  reader.depth -= 1;
  return expression;
}

function readConditional(reader: Reader): Read<Expression> {
  const test = readBinary(reader, 1);
  if (!test || !acceptSign(reader, "?")) return test;
  const whenTrue = readBinary(reader, 1);
  if (!whenTrue) return undefined;
  if (!acceptSign(reader, ":")) return unexpected(reader, "`:`");
  const whenFalse = readExpression(reader);
  if (!whenFalse) return undefined;
  return { kind: "conditional", at: { start: test.at.start, end: whenFalse.at.end }, test, whenTrue, whenFalse };
}

/** Reads binary operators that bind at least as tightly as `level`; all of them associate to the left. */
function readBinary(reader: Reader, level: number): Read<Expression> {
  let left = readUnary(reader);
  while (left) {
    const operator = operatorOf(peek(reader));
    if (operator === undefined || precedence[operator] < level) return left;
    reader.next += 1;
    const right = readBinary(reader, precedence[operator] + 1);
    if (!right) return undefined;
    left = { kind: "binary", at: { start: left.at.start, end: right.at.end }, operator, left, right };
  }
  return undefined;
}

function operatorOf(token: Token): BinaryOperator | undefined {
  if (token.kind !== "sign" && token.kind !== "name") return undefined;
  return Object.hasOwn(precedence, token.value) ? (token.value as BinaryOperator) : undefined;
}

/** Reads signs. As in CEL, a sign may be repeated (`!!a`, `--a`), but different signs cannot follow each other (`!-a`). */
function readUnary(reader: Reader): Read<Expression> {
  const first = peek(reader);
  const prefix = isSign(first, "!") ? "!" : isSign(first, "-") ? "-" : undefined;
  const starts: number[] = [];
  while (prefix !== undefined && isSign(peek(reader), prefix)) starts.push(nextToken(reader).start);
  let operand = readMember(reader);
  for (const start of starts.reverse()) {
    if (!operand) return undefined;
    operand = { kind: prefix === "!" ? "not" : "negate", at: { start, end: operand.at.end }, operand };
  }
  return operand;
}

function readMember(reader: Reader): Read<Expression> {
  let object = readPrimary(reader);
  while (object) {
    const token = peek(reader);
    if (isSign(token, "[")) {
      const help = "use `in`, `exists` or, for a member, a dot";
      return complain(reader, notInLanguage("indexes", help, token.start, token.end));
    }
    if (!acceptSign(reader, ".")) return object;
    object = readSelection(reader, object);
  }
  return undefined;
}

function readSelection(reader: Reader, object: Expression): Read<Expression> {
  const token = peek(reader);
  if (isSign(token, "?")) {
    return complain(reader, notInLanguage("optional members", "absent is null here", token.start, token.end));
  }
  if (token.kind === "quoted-name" || (token.kind === "name" && !keywords.has(token.value))) {
    reader.next += 1;
    const nameAt: Extent = { start: token.start, end: token.end };
    if (token.kind === "name" && acceptSign(reader, "(")) return readCall(reader, token.value, nameAt, object);
    const at = { start: object.at.start, end: token.end };
    return { kind: "member", at, object, name: token.value, nameAt };
  }
  return unexpected(reader, "a name");
}

function readCall(reader: Reader, name: string, nameAt: Extent, target?: Expression): Read<Expression> {
  const list = readItems(reader, ")");
  if (!list) return undefined;
  const at = { start: target?.at.start ?? nameAt.start, end: list.end };
  const call = { kind: "call", at, function: name, nameAt, arguments: list.items } as const;
  return target === undefined ? call : { ...call, target };
}

/** Reads expressions with commas between them, including the closing sign. A list may end in a comma, a call may not. */
function readItems(reader: Reader, close: ")" | "]"): Read<{ items: Expression[]; end: number }> {
  const items: Expression[] = [];
  for (;;) {
    const token = peek(reader);
    const mayClose = items.length === 0 || close === "]";
    if (mayClose && acceptSign(reader, close)) return { items, end: token.end };
    const item = readExpression(reader);
    if (!item) return undefined;
    items.push(item);
    const after = peek(reader);
    if (acceptSign(reader, close)) return { items, end: after.end };
    if (!acceptSign(reader, ",")) return unexpected(reader, `\`,\` or \`${close}\``);
  }
}

function readPrimary(reader: Reader): Read<Expression> {
  const token = peek(reader);
  const at: Extent = { start: token.start, end: token.end };
  switch (token.kind) {
    case "int":
    case "double":
      reader.next += 1;
      return { kind: token.kind, at, value: token.value };
    case "string":
      reader.next += 1;
      return { kind: "string", at, value: token.value };
    case "name":
      return readName(reader, token.value, at);
    case "sign":
      if (acceptSign(reader, "(")) return readBracketed(reader, at);
      if (acceptSign(reader, "[")) {
        const list = readItems(reader, "]");
        return list && { kind: "list", at: { start: at.start, end: list.end }, items: list.items };
      }
      return unexpected(reader, "a value");
    default:
      return unexpected(reader, "a value");
  }
}

/** Reads an expression in brackets. Brackets create no node, but the span of their content includes them. */
function readBracketed(reader: Reader, opening: Extent): Read<Expression> {
  const inner = readExpression(reader);
  if (!inner) return undefined;
  const { end } = peek(reader);
  if (!acceptSign(reader, ")")) return unexpected(reader, "`)`");
  return { ...inner, at: { start: opening.start, end } };
}

function readName(reader: Reader, name: string, at: Extent): Read<Expression> {
  if (name === "in") return unexpected(reader, "a value");
  reader.next += 1;
  if (name === "true" || name === "false") return { kind: "bool", at, value: name === "true" };
  if (name === "null") return { kind: "null", at };
  if (reservedWords.has(name)) {
    const help = "CEL keeps this word for itself; a field of that name can only follow a dot, as in `old." + name + "`";
    return complain(reader, { code: "reserved-word", message: `\`${name}\` cannot stand alone`, help, ...at });
  }
  return acceptSign(reader, "(") ? readCall(reader, name, at) : { kind: "name", at, name };
}

function tooLarge(how: string, start: number, end: number): ExpressionProblem {
  return {
    code: "too-large",
    message: `this expression is ${how}`,
    help: "split it: a computed field (`:=`) can hold a part of it",
    start,
    end,
  };
}

/**
 * Returns a problem if the tree is too large. Iterates level by level instead of recursively, since a long chain of operators
 * is a deep tree.
 */
function oversizeOf(expression: Expression): ExpressionProblem | undefined {
  const { start, end } = expression.at;
  let level: readonly Expression[] = [expression];
  let nodes = 0;
  for (let depth = 1; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > limits.depth) return tooLarge(`nested more than ${limits.depth} levels deep`, start, end);
    if (nodes > limits.nodes) return tooLarge(`made of more than ${limits.nodes} parts`, start, end);
    level = level.flatMap(children);
  }
  return undefined;
}
