/** The semantic tokens of a document: its names by kind, the keys of the language, and the parts of expressions. */
import type { Position } from "../base/span.ts";
import { spanIn } from "../document/source.ts";
import { scan } from "../expression/scan.ts";
import { keywords } from "../expression/syntax.ts";
import type { ReferenceKind } from "../language/grammar/references.ts";
import { type Analysis, expressionsIn } from "./analysis.ts";
import { formsOf } from "./describe.ts";
import { namesIn } from "./names.ts";

export const tokenTypes = [
  "keyword", "class", "type", "property", "enumMember", "method", "event", "variable", "function", "string", "number",
  "operator", "decorator",
] as const; // biome-ignore format: a table

export type TokenType = (typeof tokenTypes)[number];

const typeOf: Readonly<Record<ReferenceKind, TokenType>> = {
  resource: "class",
  type: "type",
  view: "type",
  schema: "type",
  operation: "method",
  event: "event",
  error: "enumMember",
  role: "decorator",
  credential: "variable",
  field: "property",
  state: "enumMember",
  member: "property",
};

export interface SemanticToken {
  readonly start: Position;
  readonly length: number;
  readonly type: TokenType;
  readonly declares: boolean;
}

/** Returns the tokens in the order of the document, without overlaps; none spans lines. */
export function semanticTokens(analysis: Analysis): readonly SemanticToken[] {
  const { index, text } = analysis;
  const found = new Map<number, SemanticToken>();
  const add = (start: Position, length: number, type: TokenType, declares = false): void => {
    if (length > 0 && !found.has(start.offset) && !text.slice(start.offset, start.offset + length).includes("\n"))
      found.set(start.offset, { start, length, type, declares });
  };
  for (const { declares, kind, span } of namesIn(analysis))
    add(span.start, span.end.offset - span.start.offset, typeOf[kind], declares);
  for (const path of index.places.keys()) {
    const span = index.places.get(`${path}#key`);
    if (span !== undefined) add(span.start, span.end.offset - span.start.offset, "keyword");
  }
  for (const one of expressionTokens(analysis)) add(one.start, one.length, one.type);
  return withoutOverlaps([...found.values()]);
}

function expressionTokens(analysis: Analysis): readonly SemanticToken[] {
  return expressionsIn(analysis).flatMap(({ isExact, span, text }) => {
    const scanned = scan(text);
    if (!isExact || "problem" in scanned) return [];
    return scanned.tokens.slice(0, -1).map(({ end, kind, start, value }): SemanticToken => {
      const from = span.start.offset + start;
      const type = kind === "name" || kind === "quoted-name" ? nameType(value) : signType(kind);
      return { start: spanIn(analysis.lines, from, from).start, length: end - start, type, declares: false };
    });
  });
}

function nameType(name: string): TokenType {
  if (keywords.has(name)) return "keyword";
  return formsOf(name) === undefined ? "variable" : "function";
}

function signType(kind: "int" | "double" | "string" | "sign" | "end"): TokenType {
  if (kind === "string") return "string";
  return kind === "sign" || kind === "end" ? "operator" : "number";
}

function withoutOverlaps(tokens: readonly SemanticToken[]): readonly SemanticToken[] {
  let end = 0;
  return tokens
    .toSorted((a, b) => a.start.offset - b.start.offset)
    .filter(({ length, start }) => {
      if (start.offset < end) return false;
      end = start.offset + length;
      return true;
    });
}
