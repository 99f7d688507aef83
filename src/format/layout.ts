/**
 * Lays out a block of YAML in the house style. The author's line breaks, quotes, comments and choice between blocks and
 * brackets stay; indentation, blanks and repeated empty lines are normalised, and `long-lines.ts` breaks lines that are too
 * long. The code visits the tokens of the block in their order, so that none is lost.
 */
import { type CST, Parser } from "yaml";
import { isSuppression } from "../document/suppression.ts";
import { type Flow, type Line, type Piece, printLines } from "./long-lines.ts";

/** The columns of one level. */
const step = 2;

/** A block collection around a token. */
interface Scope {
  /** The column of the collection in the source. */
  readonly column: number;
  readonly indent: number;
  readonly outer: Scope | undefined;
}

/** Where a token is. */
interface Context {
  /** The indentation of the token if it is the first of its line. */
  readonly indent: number;
  readonly scope: Scope | undefined;
  /** The brackets around the token. */
  readonly flow: Flow | undefined;
  /** Whether the token is the value of a key in a block. */
  readonly isValue?: boolean;
}

/** A line that is not finished. */
interface OpenLine extends Line {
  readonly pieces: Piece[];
  readonly scope: Scope | undefined;
  comment: Line["comment"];
  readonly sourceLines: Set<number>;
}

/** A comment on a separate line. */
interface Comment {
  readonly text: string;
  readonly column: number;
  readonly blank: boolean;
  readonly source: number;
}

/** The layout under construction. */
interface Layout {
  readonly source: string;
  readonly lines: Line[];
  line: OpenLine | undefined;
  /** The last line with content. */
  last: OpenLine | undefined;
  /** The comments above the next line. Their indentation depends on that line. */
  comments: Comment[];
  /** Whether an empty line is above the next line or comment. */
  blank: boolean;
  /** Whether the current line of the source has only a comment. */
  isCommentLine: boolean;
  /** Whether a comma precedes the next entry in brackets. */
  comma: boolean;
  /** Whether the next piece directly follows an opening bracket. */
  tight: boolean;
  /** Whether the source has a line break before the closing bracket at the end of the current line. */
  isJoined: boolean;
  /** The number of the source's current line, from 0. */
  sourceLine: number;
}

const root: Context = { indent: 0, scope: undefined, flow: undefined };

/**
 * Returns the lines of the block, without line ends. `source` must be valid YAML whose lines end with LF. `isFixed`: whether the
 * line of the source with this number (from 0) must not be broken.
 */
export function layOut(source: string, isFixed: (line: number) => boolean): readonly string[] {
  const layout: Layout = {
    source,
    lines: [],
    line: undefined,
    last: undefined,
    comments: [],
    blank: false,
    isCommentLine: false,
    comma: false,
    tight: false,
    isJoined: false,
    sourceLine: 0,
  };
  for (const token of new Parser().parse(source)) {
    if (token.type === "document") {
      addTokens(layout, token.start, root);
      if (token.value !== undefined) addNode(layout, token.value, root);
      addTokens(layout, token.end, root);
    } else addTokens(layout, [token as CST.SourceToken], root);
  }
  layout.line = undefined;
  addComments(layout, root);
  return printLines(layout.lines, isFixed);
}

// Values

function addNode(layout: Layout, token: CST.Token, context: Context): void {
  switch (token.type) {
    case "block-map":
      return addMap(layout, token, context);
    case "block-seq":
      return addSequence(layout, token, context);
    case "flow-collection":
      return addFlow(layout, token, context);
    case "block-scalar":
      return addBlockScalar(layout, token, context);
    default:
      addScalar(layout, "source" in token ? token.source : "", context);
      addTokens(layout, "end" in token ? token.end : [], context);
  }
}

function addMap(layout: Layout, { indent: column, items }: CST.BlockMap, { indent, scope: outer }: Context): void {
  const inside: Context = { indent, scope: { column, indent, outer }, flow: undefined };
  for (const { start, key, sep, value } of items) {
    addTokens(layout, start, inside);
    if (key) addNode(layout, key, inside);
    addTokens(layout, sep, inside);
    const isValue = !start.some(({ type }) => type === "explicit-key-ind");
    if (value) addNode(layout, value, { ...inside, indent: indent + step, isValue });
  }
}

function addSequence(
  layout: Layout,
  { indent: column, items }: CST.BlockSequence,
  { indent, scope: outer }: Context,
): void {
  const inside: Context = { indent, scope: { column, indent, outer }, flow: undefined };
  for (const { start, value } of items) {
    addTokens(layout, start, inside);
    if (value) addNode(layout, value, { ...inside, indent: indent + step });
  }
}

function addFlow(layout: Layout, { start, items, end }: CST.FlowCollection, context: Context): void {
  const flow: Flow = { outer: context.flow, indent: (layout.line?.base ?? context.indent) + step };
  const isShiftable = context.isValue === true && layout.line !== undefined;
  add(layout, start.source, context, { shiftable: isShiftable ? flow : undefined });
  const isMap = start.source === "{";
  layout.tight = !isMap;
  const inside: Context = { ...context, flow, isValue: false };
  for (const item of items) {
    addTokens(layout, item.start, inside);
    if (item.key) addNode(layout, item.key, inside);
    addTokens(layout, item.sep, inside);
    if (item.value) addNode(layout, item.value, inside);
  }
  // A comma before the closing bracket has no meaning.
  layout.comma = false;
  const isEmpty = items.every(({ key, value }) => !key && !value);
  addClosing(layout, end, inside, isMap && !isEmpty);
  addTokens(layout, end.slice(1), context);
}

/**
 * Puts a closing bracket on the line of the last entry. It stays below if comments are between them, or if a suppression follows
 * the bracket, which would then cover the entry.
 */
function addClosing(
  layout: Layout,
  [closing, ...after]: readonly CST.SourceToken[],
  context: Context,
  spaced: boolean,
): void {
  const { last } = layout;
  layout.tight = false;
  layout.blank = false;
  const isAbove = layout.line === undefined || layout.isJoined;
  if (isAbove && after.some(({ type, source }) => type === "comment" && isSuppression(source))) layout.line = undefined;
  else if (isAbove && layout.comments.length === 0 && last?.comment === undefined) {
    layout.line = last;
    layout.isJoined = true;
  }
  add(layout, closing?.source ?? "", context, { spaced });
}

function addScalar(layout: Layout, source: string, context: Context): void {
  const [first = "", ...more] = source.split("\n");
  add(layout, more.length > 0 ? first.trimEnd() : first, context);
  let blanks = 0;
  for (const [index, text] of more.entries()) {
    endLine(layout);
    const trimmed = index < more.length - 1 ? text.trim() : text.trimStart();
    // Each empty line in a text is a line break of its value.
    if (trimmed === "" && index < more.length - 1) blanks++;
    else {
      for (; blanks > 0; blanks--) addTextLine(layout, "", context);
      layout.blank = false;
      add(layout, trimmed, context, { isText: true });
    }
  }
}

function addTextLine(layout: Layout, text: string, { indent }: Pick<Context, "indent">): void {
  layout.lines.push({
    indent,
    base: indent,
    pieces: text === "" ? [] : [{ text, spaced: false }],
    blank: false,
    isText: true,
    sourceLines: new Set(),
  });
}

/** Adds a text that starts with `|` or `>`. */
function addBlockScalar(layout: Layout, { props, source }: CST.BlockScalar, context: Context): void {
  const header = props.find(({ type }) => type === "block-scalar-header");
  const written = header !== undefined && "source" in header ? header.source : "";
  const lines = source.replace(/\n$/, "").split("\n");
  const digit = Number(/[1-9]/.exec(written)?.[0] ?? 0);
  const column = digit > 0 ? (context.scope?.column ?? 0) + digit : columnOfFirst(lines);
  for (const prop of props as readonly CST.SourceToken[])
    if (prop === header) add(layout, written.replace(/[1-9]/, String(step)), context);
    else addTokens(layout, [prop], context);
  const end = written.includes("+") ? lines.length : lines.findLastIndex((line) => line.trim() !== "") + 1;
  for (const line of lines.slice(0, end)) addTextLine(layout, line.slice(column), context);
  layout.sourceLine += source.split("\n").length - 1;
  endLine(layout);
  layout.blank = end < lines.length;
}

function columnOfFirst(lines: readonly string[]): number {
  const first = lines.find((line) => line.trim() !== "") ?? "";
  return first.length - first.trimStart().length;
}

// Tokens

function addTokens(layout: Layout, tokens: readonly CST.SourceToken[] | undefined, context: Context): void {
  for (const token of tokens ?? []) addToken(layout, token, context);
}

function addToken(layout: Layout, token: CST.SourceToken, context: Context): void {
  switch (token.type) {
    case "space":
      return;
    case "newline":
      layout.blank ||= layout.line === undefined && !layout.isCommentLine;
      return endLine(layout);
    case "comment":
      return addComment(layout, token);
    case "comma":
      layout.comma = true;
      return;
    case "map-value-ind":
      // A colon on a separate line follows an explicit key, except in brackets.
      if (layout.line === undefined && context.flow === undefined) return add(layout, ":", context);
      return joinToLast(layout, ":");
    case "seq-item-ind":
    case "explicit-key-ind":
      add(layout, token.source, context);
      if (layout.line) layout.line.base += step;
      return;
    default:
      return add(layout, token.source, context);
  }
}

/** Adds a comment to its line, or to the comments above the next line. */
function addComment(layout: Layout, { source, offset }: CST.SourceToken): void {
  const column = offset - layout.source.lastIndexOf("\n", offset - 1) - 1;
  const text = source.trimEnd();
  if (layout.line) layout.line.comment = { text, column };
  else {
    layout.comments.push({ text, column, blank: layout.blank, source: layout.sourceLine });
    layout.blank = false;
    layout.isCommentLine = true;
  }
}

interface Form {
  readonly spaced?: boolean;
  readonly shiftable?: Flow | undefined;
  readonly isText?: boolean;
}

/** Adds a piece to the current line, or starts a line with it. */
function add(
  layout: Layout,
  text: string,
  context: Context,
  { spaced = !layout.tight, shiftable, isText }: Form = {},
): void {
  const breaks = layout.comma ? context.flow : undefined;
  if (layout.comma) joinToLast(layout, ",");
  // An entry after a closing bracket that was moved up stays on a line below.
  if (layout.comma && layout.isJoined) layout.line = undefined;
  layout.comma = false;
  layout.isJoined &&= layout.line !== undefined;
  layout.tight = false;
  layout.line ??= startLine(layout, context, isText ?? false);
  layout.line.pieces.push({ text, spaced, breaks, shiftable });
  // A suppression of a line that only closes brackets covers nothing.
  if (!layout.isJoined) layout.line.sourceLines.add(layout.sourceLine);
}

function startLine(layout: Layout, context: Context, isText: boolean): OpenLine {
  addComments(layout, context);
  const line: OpenLine = {
    indent: context.flow ?? context.indent,
    base: context.indent,
    pieces: [],
    comment: undefined,
    blank: layout.blank,
    isText,
    scope: context.scope,
    sourceLines: new Set(),
  };
  layout.blank = false;
  layout.lines.push(line);
  layout.last = line;
  return line;
}

/** Appends to the last piece, even if its line is finished: a comma and a colon never start a line. */
function joinToLast(layout: Layout, text: string): void {
  const piece = layout.last?.pieces.at(-1);
  if (piece) piece.text += text;
}

function endLine(layout: Layout): void {
  layout.line = undefined;
  layout.isJoined = false;
  layout.isCommentLine = false;
  layout.sourceLine += 1;
}

/** Adds the comments above a line that is at `context`. */
function addComments(layout: Layout, context: Context): void {
  for (const { text, column, blank, source } of layout.comments) {
    const indent = context.flow ?? commentIndent(column, context.scope, layout.last?.scope);
    const sourceLines = new Set([source]);
    layout.lines.push({ indent, base: 0, pieces: [], comment: { text, column }, blank, sourceLines });
  }
  layout.comments = [];
}

/**
 * Returns the indentation of a comment on a separate line: that of the innermost block collection around the next or the last
 * line that starts left of the comment or at its column.
 */
function commentIndent(column: number, next: Scope | undefined, last: Scope | undefined): number {
  const scopes = [...scopesOf(next), ...scopesOf(last)].filter((scope) => scope.column <= column);
  const innermost = Math.max(...scopes.map((scope) => scope.column));
  return scopes.find((scope) => scope.column === innermost)?.indent ?? 0;
}

function scopesOf(scope: Scope | undefined): readonly Scope[] {
  return scope === undefined ? [] : [scope, ...scopesOf(scope.outer)];
}
