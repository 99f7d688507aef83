/**
 * Splits the text of an expression into tokens, by CEL's lexical grammar. It also recognises what Nonet leaves out of CEL
 * (bytes, unsigned numbers), so that a problem can name it.
 */

import type { ExpressionProblem } from "./syntax.ts";

export type Token =
  | { readonly kind: "int" | "double"; readonly value: number; readonly start: number; readonly end: number }
  | { readonly kind: "string"; readonly value: string; readonly start: number; readonly end: number }
  | { readonly kind: "name" | "quoted-name"; readonly value: string; readonly start: number; readonly end: number }
  | { readonly kind: "sign"; readonly value: string; readonly start: number; readonly end: number }
  | { readonly kind: "end"; readonly value: ""; readonly start: number; readonly end: number };

export type Scanned = { readonly tokens: readonly Token[] } | { readonly problem: ExpressionProblem };

/** Returns the tokens of a text, of which the last has the kind `end`; or the first problem. */
export function scan(text: string): Scanned {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = skipBlank(text, at);
    if (at >= text.length)
      return { tokens: [...tokens, { kind: "end", value: "", start: text.length, end: text.length }] };
    const found = scanToken(text, at);
    if ("code" in found) return { problem: found };
    tokens.push(found);
    at = found.end;
  }
}

const blank = /(?:[\t\n\f\r ]+|\/\/[^\n]*)*/y;
const number = /0x[0-9a-fA-F]+|(?:[0-9]+\.[0-9]+|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|[0-9]+/y;
const name = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const quotedName = /`[_a-zA-Z0-9./\- ]+`/y;
const sign = /&&|\|\||==|!=|<=|>=|[<>+\-*/%!?:.,()[\]{}]/y;
const stringOpening = /([rRbB]{0,2})("""|'''|"|')/y;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function skipBlank(text: string, at: number): number {
  return at + (match(blank, text, at)?.[0].length ?? 0);
}

function scanToken(text: string, start: number): Token | ExpressionProblem {
  const opening = match(stringOpening, text, start);
  if (opening) return scanString(text, start, opening);
  const digits = match(number, text, start)?.[0];
  if (digits !== undefined) return scanNumber(text, start, digits);
  const word = match(name, text, start)?.[0];
  if (word !== undefined) return { kind: "name", value: word, start, end: start + word.length };
  const quoted = match(quotedName, text, start)?.[0];
  if (quoted !== undefined) {
    return { kind: "quoted-name", value: quoted.slice(1, -1), start, end: start + quoted.length };
  }
  const operator = match(sign, text, start)?.[0];
  if (operator !== undefined) return { kind: "sign", value: operator, start, end: start + operator.length };
  return unexpectedCharacter(text, start);
}

function unexpectedCharacter(text: string, start: number): ExpressionProblem {
  const character = String.fromCodePoint(text.codePointAt(start) ?? 0);
  const meant: Record<string, string> = { "=": "==", "&": "&&", "|": "||", "“": "'", "”": "'", "‘": "'", "’": "'" };
  const instead = meant[character];
  return {
    code: "unexpected-character",
    message: `\`${character}\` means nothing here`,
    ...(instead === undefined ? {} : { help: `write \`${instead}\`` }),
    start,
    end: start + character.length,
  };
}

function scanNumber(text: string, start: number, digits: string): Token | ExpressionProblem {
  const end = start + digits.length;
  const next = text[end] ?? "";
  if (next === "u" || next === "U") {
    return notInLanguage("unsigned numbers", "leave out the `u`", start, end + 1);
  }
  if (/[_a-zA-Z0-9]/.test(next)) {
    const help = "units stand in a text: `duration('72h')`";
    return { code: "bad-number", message: `\`${digits}${next}\` is no number`, help, start, end: end + 1 };
  }
  const value = Number(digits);
  const matched = /^(?:0x[0-9a-fA-F]+|[0-9]+)$/.test(digits);
  if (matched ? !Number.isSafeInteger(value) : !Number.isFinite(value)) {
    return {
      code: "number-too-large",
      message: `${digits} is too large`,
      help: matched ? "whole numbers go up to 9007199254740991" : "numbers go up to 1.7976931348623157e308",
      start,
      end,
    };
  }
  return { kind: matched ? "int" : "double", value, start, end };
}

/** Returns a problem about a construct that CEL has and Nonet does not. */
export function notInLanguage(what: string, help: string, start: number, end: number): ExpressionProblem {
  return { code: "not-in-language", message: `${what} are not part of the expression language`, help, start, end };
}

function scanString(text: string, start: number, opening: RegExpExecArray): Token | ExpressionProblem {
  const [matched, prefix = "", quote = ""] = opening;
  if (/b/i.test(prefix)) return notInLanguage("bytes", "use a text", start, start + matched.length);
  if (prefix.length > 1) return unexpectedCharacter(text, start);
  const raw = prefix !== "";
  let value = "";
  let at = start + matched.length;
  while (!text.startsWith(quote, at)) {
    const character = text[at];
    if (character === undefined || (quote.length === 1 && (character === "\n" || character === "\r"))) {
      const message = "this text does not end";
      return { code: "unterminated-text", message, help: `close it with \`${quote}\``, start, end: at };
    }
    if (character === "\\" && !raw) {
      const escape = readEscape(text, at);
      if ("code" in escape) return escape;
      value += escape.value;
      at = escape.end;
    } else {
      value += character;
      at += 1;
    }
  }
  const end = at + quote.length;
  // No text column can store these characters, so no stored text could equal them.
  if (value.includes("\0") || !value.isWellFormed()) {
    const message = "a text cannot hold U+0000 or half of a surrogate pair";
    return { code: "bad-text", message, start, end };
  }
  return { kind: "string", value, start, end };
}

const plainEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "?": "?",
  '"': '"',
  "'": "'",
  "`": "`",
};

const numericEscape = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))/y;

function readEscape(text: string, at: number): { value: string; end: number } | ExpressionProblem {
  const plain = plainEscapes[text[at + 1] ?? ""];
  if (plain !== undefined) return { value: plain, end: at + 2 };
  const numeric = match(numericEscape, text, at);
  const hexadecimal = numeric?.[1] ?? numeric?.[2] ?? numeric?.[3];
  const code = hexadecimal === undefined ? Number.parseInt(numeric?.[4] ?? "", 8) : Number.parseInt(hexadecimal, 16);
  if (!numeric || Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    const message = `\`${text.slice(at, at + 2)}\` begins no escape`;
    return {
      code: "bad-escape",
      message,
      help: "a backslash itself is written `\\\\`",
      start: at,
      end: Math.min(at + 2, text.length),
    };
  }
  return { value: String.fromCodePoint(code), end: at + numeric[0].length };
}
