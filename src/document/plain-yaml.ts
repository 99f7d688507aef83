/**
 * Parses the simple YAML that nearly all documents consist of, and all that Nonet prints: `key: value`, `- value`, braces and
 * brackets that close on their line, with plain or quoted texts on one line. With the YAML library alone, parsing would take
 * half of a check's time. Any other block, above all an invalid one, is left to the library as a whole. Both parsers return the same nodes,
 * which a test compares.
 */
import { LineSpan, type Span } from "../base/span.ts";
import type { Entry, ListNode, MapNode, Node, TextNode } from "./document.ts";
import type { Source } from "./source.ts";
import { piecesOf } from "./text-pieces.ts";

/** Returns the block as a map; undefined if the library has to parse it. */
export function readPlainYaml(source: Source): MapNode | undefined {
  // Other blanks than spaces and line feeds have special rules in YAML.
  if (/[[\s\p{Cc}]--[ \n]]/v.test(source.text)) return undefined;
  const lines = contentLines(source);
  const reading: Reading = { source, text: source.text, lines, index: 0, at: 0, texts: new Map() };
  if (lineOf(reading).indent !== 0) return undefined;
  const node = readBlock(reading, 0);
  return node?.kind === "map" ? node : undefined;
}

/** A line with content other than a comment. */
interface Line {
  /** The number of spaces before the line's first other character. */
  readonly indent: number;
  /** The offsets of the line's first non-space character and of its end. */
  readonly start: number;
  readonly end: number;
  /** The position of `start` in the file: its line, column and offset. */
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  /** The largest indentation of the comments between this line and the previous line with content; -1 without comments. */
  readonly comment: number;
}

interface Reading {
  readonly source: Source;
  readonly text: string;
  /**
   * The lines. The last one is a sentinel at the end of the text, with less indentation than any line. When a block starts
   * behind a dash, the rest of its first line takes the line's place.
   */
  readonly lines: Line[];
  index: number;
  /** The offset up to which the current line has been parsed. */
  at: number;
  /** The short texts so far: a large document repeats each of them about twenty times, and stores it once. */
  readonly texts: Map<string, string>;
}

/** The deepest nesting that is parsed here; the library parses deeper documents and has its own limit. */
const deepest = 32;
/** The longest key that is parsed here: YAML rejects longer keys, which the library reports. */
const longestKey = 1000;

function contentLines(source: Source): Line[] {
  const { text } = source;
  const lines: Line[] = [];
  let comment = -1;
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf("\n", from);
    const end = newline < 0 ? text.length : newline;
    let start = from;
    while (start < end && text[start] === " ") start++;
    if (start < end && text[start] === "#") comment = Math.max(comment, start - from);
    else if (start < end) {
      lines.push({ indent: start - from, start, end, ...source.position(start), comment });
      comment = -1;
    }
    from = end + 1;
  }
  const [start, end] = [text.length, text.length];
  lines.push({ indent: -1, start, end, ...source.position(end), comment });
  return lines;
}

function lineOf({ lines, index }: Reading): Line {
  return lines[index] as Line;
}

// Blocks of several lines

/** Reads the map or list that starts at the current line. */
function readBlock(reading: Reading, depth: number): MapNode | ListNode | undefined {
  const { indent, start, line, column, offset } = lineOf(reading);
  if (depth > deepest) return undefined;
  const isList = reading.text.startsWith("- ", start);
  const inside = isList ? readItems(reading, indent, depth) : readEntries(reading, indent, depth);
  if (inside === undefined || !ends(reading, indent)) return undefined;
  // In the library, a block ends after the end of its last line.
  const last = reading.lines[reading.index - 1] as Line;
  const end = reading.source.position(Math.min(last.end + 1, reading.text.length));
  return { ...inside, span: { start: { line, column, offset }, end } };
}

function readEntries(reading: Reading, indent: number, depth: number): Omit<MapNode, "span"> | undefined {
  const entries: Entry[] = [];
  const keys = new Set<string>();
  do {
    reading.at = lineOf(reading).start;
    const key = readKey(reading, blockKey, keys);
    if (key === undefined) return undefined;
    const value = restIsBlank(reading) ? readBelow(reading, indent, depth) : readDocument(reading, depth);
    if (value === undefined) return undefined;
    entries.push({ key, value });
  } while (continues(reading, indent));
  return { kind: "map", entries };
}

function readItems(reading: Reading, indent: number, depth: number): Omit<ListNode, "span"> | undefined {
  const items: Node[] = [];
  do {
    const { start } = lineOf(reading);
    if (!reading.text.startsWith("- ", start)) return undefined;
    reading.at = start + 1;
    const value = readItem(reading, depth);
    if (value === undefined) return undefined;
    items.push(value);
  } while (continues(reading, indent));
  return { kind: "list", items };
}

/** Parses the value after a dash: a value on its line, or a block whose first line it is. */
function readItem(reading: Reading, depth: number): Node | undefined {
  const { at, lines, index } = reading;
  skipBlanks(reading);
  const isBlock = isAt(reading, blockKey) || isAt(reading, quotedKey) || reading.text.startsWith("- ", reading.at);
  if (!isBlock) {
    reading.at = at;
    return readDocument(reading, depth);
  }
  const line = lineOf(reading);
  const indent = line.indent + reading.at - line.start;
  const by = reading.at - line.start;
  lines[index] = { ...line, indent, start: reading.at, column: line.column + by, offset: line.offset + by };
  return readBlock(reading, depth + 1);
}

/** Parses the value of a key that is alone on its line. */
function readBelow(reading: Reading, indent: number, depth: number): Node | undefined {
  reading.index += 1;
  return lineOf(reading).indent > indent ? readBlock(reading, depth + 1) : undefined;
}

/** Parses a value that fills the rest of its line, except for a comment. */
function readDocument(reading: Reading, depth: number): Node | undefined {
  skipBlanks(reading);
  const value = isAt(reading, plainStart) ? readPlain(reading) : readInline(reading, depth);
  if (value === undefined || !restIsBlank(reading)) return undefined;
  reading.index += 1;
  return value;
}

// Whether the value above continues. In the library, the position of a comment decides whether it belongs to the value above,
// and so where the value ends.

function continues(reading: Reading, indent: number): boolean {
  const line = lineOf(reading);
  return line.indent === indent && line.comment <= indent;
}

function ends(reading: Reading, indent: number): boolean {
  const line = lineOf(reading);
  return line.indent < indent && line.comment < Math.max(indent, 1);
}

// Values on one line

/** A character that may start an unquoted key or value, as it is no YAML indicator. */
const letter = "[^\\s\\-?:,[\\]{}#&*!|>'\"%@`]";
const blockKey = new RegExp(`(?:${letter}|-[^\\s:#])(?:[^:#\\n]|:(?![ \\n]|$))*:(?=[ \\n]|$)`, "y");
const flowKey = new RegExp(`(?:${letter}|-[^\\s,:#[\\]{}])[^:#,[\\]{}\\n]*:(?= )`, "y");
const plainStart = new RegExp(`${letter}|[-:][^\\s]`, "y");
const flowText = new RegExp(`(?:${letter}|-[^\\s,[\\]{}])[^,[\\]{}\\n]*`, "y");
const blankRest = / *(?:$|\n|(?<= )#)/y;
/** A quoted text; in double quotes only with the escapes of JSON, which mean the same in YAML. */
const quotedText = /"(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|'[^'\n]*'/y;
const quotedKey = new RegExp(`(?:${quotedText.source}):(?=[ \\n]|$)`, "y");

/** Parses the key at the current position, with its colon; fails for a repeated key and for a key that is a YAML indicator. */
function readKey(reading: Reading, form: RegExp, keys: Set<string>): TextNode | undefined {
  const found = matchAt(reading, form);
  const key = found === undefined ? readQuotedKey(reading) : readPlainKey(reading, found);
  if (key === undefined || keys.has(key.value)) return undefined;
  keys.add(key.value);
  reading.at += 1;
  return key;
}

function readPlainKey(reading: Reading, { length }: string): TextNode | undefined {
  const value = reading.text.slice(reading.at, reading.at + length - 1);
  if (length > longestKey || value.endsWith(" ") || /^(?:<<$|\.\.\.|---)/.test(value)) return undefined;
  return textNode(reading, value, false, value.length);
}

function readQuotedKey(reading: Reading): TextNode | undefined {
  const found = matchAt(reading, quotedKey);
  if (found === undefined || found.length > longestKey) return undefined;
  return quotedNode(reading, found.slice(0, -1));
}

/** Parses unquoted text up to a comment or the end of the line. */
function readPlain(reading: Reading): TextNode | undefined {
  const rest = reading.text.slice(reading.at, lineOf(reading).end);
  const comment = rest.indexOf(" #");
  const value = (comment < 0 ? rest : rest.slice(0, comment)).trimEnd();
  if (/:(?: |$)/.test(value)) return undefined;
  // The library's reader warns about a comment that the author may have meant as text.
  if (comment >= 0 && (/[([{]/.test(value) || !/^ #(?:[\s#]|$)/.test(rest.slice(comment)))) return undefined;
  return textNode(reading, value, false, value.length);
}

/** Parses quoted text, or a list or map in brackets or braces. */
function readInline(reading: Reading, depth: number): Node | undefined {
  const sign = reading.text[reading.at];
  if (sign === "{" || sign === "[") return depth > deepest ? undefined : readFlow(reading, sign, depth + 1);
  const quoted = matchAt(reading, quotedText);
  return quoted === undefined ? undefined : quotedNode(reading, quoted);
}

function readFlow(reading: Reading, open: "{" | "[", depth: number): Node | undefined {
  const start = reading.at;
  const close = open === "{" ? "}" : "]";
  const entries: Entry[] = [];
  const items: Node[] = [];
  const keys = new Set<string>();
  reading.at += 1;
  skipBlanks(reading);
  while (reading.text[reading.at] !== close) {
    const key = open === "{" ? readKey(reading, flowKey, keys) : undefined;
    if (open === "{" && key === undefined) return undefined;
    skipBlanks(reading);
    const value = readFlowText(reading) ?? readInline(reading, depth);
    if (value === undefined) return undefined;
    if (key === undefined) items.push(value);
    else entries.push({ key, value });
    skipBlanks(reading);
    if (reading.text[reading.at] !== ",") break;
    reading.at += 1;
    skipBlanks(reading);
  }
  if (reading.text[reading.at] !== close) return undefined;
  reading.at += 1;
  const span = spanOf(reading, start, reading.at);
  return open === "{" ? { kind: "map", entries, span } : { kind: "list", items, span };
}

function readFlowText(reading: Reading): TextNode | undefined {
  const value = matchAt(reading, flowText)?.trimEnd();
  if (value === undefined || / #|:(?: |$)/.test(value)) return undefined;
  return textNode(reading, value, false, value.length);
}

/** Returns the match at the current position; by `test`, since `exec` makes a list for each of a million matches. */
function matchAt(reading: Reading, form: RegExp): string | undefined {
  return isAt(reading, form) ? reading.text.slice(reading.at, form.lastIndex) : undefined;
}

function isAt({ at, text }: Reading, form: RegExp): boolean {
  form.lastIndex = at;
  return form.test(text);
}

/** Makes a node of the quoted text at the current position. */
function quotedNode(reading: Reading, written: string): TextNode {
  const start = reading.at;
  if (written.startsWith("'") || !written.includes("\\"))
    return textNode(reading, written.slice(1, -1), true, written.length);
  const value = JSON.parse(written) as string;
  const pieces = piecesOf(value, written, "QUOTE_DOUBLE", start, reading.source);
  return { ...textNode(reading, value, true, written.length), pieces };
}

/** Makes a node of the text in the next `length` characters. */
function textNode(reading: Reading, value: string, quoted: boolean, length: number): TextNode {
  const start = reading.at;
  reading.at += length;
  return { kind: "text", value: shared(reading, value), quoted, span: spanOf(reading, start, reading.at) };
}

/** The most characters of a text that is stored once: longer texts are seldom repeated. */
const longestShared = 40;

function shared({ texts }: Reading, value: string): string {
  if (value.length > longestShared) return value;
  const known = texts.get(value);
  if (known === undefined) texts.set(value, value);
  return known ?? value;
}

/** Returns a span of the current line; `start` and `end` are offsets in the text. */
function spanOf(reading: Reading, start: number, end: number): Span {
  const { line, column, offset, start: lineStart } = lineOf(reading);
  return new LineSpan(line, column + start - lineStart, offset + start - lineStart, end - start);
}

function skipBlanks(reading: Reading): void {
  while (reading.text[reading.at] === " ") reading.at += 1;
}

/** Whether the rest of the line is empty or a comment. */
function restIsBlank(reading: Reading): boolean {
  return isAt(reading, blankRest);
}
