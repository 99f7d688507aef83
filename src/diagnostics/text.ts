/** Prints findings for a terminal: location, message, the lines of the document, the reason, and what to write instead. */
import type { Span } from "../base/span.ts";
import type { Diagnostic, Severity } from "./diagnostic.ts";

export interface TextOptions {
  /** The name of the file for the reader. */
  readonly name: string;
  /** The text of the file, for the code frame. */
  readonly text: string;
  readonly colour?: boolean;
}

/** How many lines at the start of a long finding are printed, besides one line at its end. */
const contextLines = 4;
const mostColumns = 160;
const tabColumns = 4;

/** Prints a finding as several lines, each ended by a line feed. */
export function printDiagnostic(diagnostic: Diagnostic, options: TextOptions): string {
  const { code, severity, message, span, why, help } = diagnostic;
  const paint = painter(options.colour ?? false);
  const location = `${options.name}:${span.start.line}:${span.start.column}`;
  const head = `${paint(location, "bold")}: ${paint(severity, severity)}: ${message} ${paint(`[${code}]`, "faint")}`;
  const lines = [head, ...codeFrame(span, options.text, severity, paint)];
  if (why !== undefined) lines.push(`  ${paint("why:", "bold")} ${why}`);
  if (help !== undefined) lines.push(`  ${paint("help:", "bold")} ${help}`);
  return `${lines.map(visible).join("\n")}\n`;
}

/**
 * The most findings that are printed: more would not help a reader, and a repeated mistake in a large document causes many.
 */
const mostPrinted = 200;

/**
 * Prints findings with an empty line after each. If there are more than `mostPrinted`, errors are printed before warnings, and
 * earlier findings before later ones.
 */
export function printDiagnostics(
  { name, text, diagnostics }: Pick<TextOptions, "name" | "text"> & { readonly diagnostics: readonly Diagnostic[] },
  { colour }: Required<Pick<TextOptions, "colour">>,
): string {
  const printed = diagnostics.length > mostPrinted ? gravest(diagnostics) : diagnostics;
  const more = diagnostics.length - printed.length;
  return [
    ...printed.map((diagnostic) => `${printDiagnostic(diagnostic, { name, text, colour })}\n`),
    ...(more === 0 ? [] : [`… and ${more.toLocaleString("en-US")} more: nonet check --format json gives all\n\n`]),
  ].join("");
}

/** Returns the findings that are printed if there are too many, in their order in the file. */
function gravest(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const others = diagnostics.filter(({ severity }) => severity !== "error");
  const chosen = new Set([...errors, ...others].slice(0, mostPrinted));
  return diagnostics.filter((diagnostic) => chosen.has(diagnostic));
}

export type Paint = (text: string, as: Severity | "bold" | "faint") => string;

const colours = { error: "31", warning: "33", hint: "36", bold: "1", faint: "2" } as const;

export function painter(colour: boolean): Paint {
  return (text, as) => (colour ? `\u001b[${colours[as]}m${text}\u001b[0m` : text);
}

/** Replaces control characters by visible symbols, so that a document cannot send commands to the terminal. */
export function visible(line: string): string {
  return line.replace(/\p{Cc}/gu, (character, at: number) => {
    const paintsHere = character === "\u001b" && /^\u001b\[\d{1,2}m/.test(line.slice(at, at + 5));
    return paintsHere ? character : picture(character);
  });
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
}

/** Returns the lines of the document around a span, with the span underlined. */
export function codeFrame(span: Span, text: string, severity: Severity, paint: Paint): readonly string[] {
  const lines = linesOf(text);
  const { start, end } = span;
  // A span that ends before the first character of a line does not include that line.
  const last = end.column === 1 && end.line > start.line ? end.line - 1 : end.line;
  const from = Math.max(1, start.line - 1);
  const to = Math.min(lines.length, last + 1);
  const gutter = String(to).length;
  const frame: string[] = [];
  for (let number = from; number <= to; number++) {
    if (number === start.line + contextLines && last > number + 1) {
      frame.push(`  ${paint(`${" ".repeat(gutter)} …`, "faint")}`);
      number = last;
    }
    const line = lines[number - 1] ?? "";
    const isUnderlined = number >= start.line && number <= last;
    const window = windowOf(line, number === start.line ? start.column - 1 : 0);
    frame.push(`  ${paint(`${String(number).padStart(gutter)} |`, "faint")} ${expandTabs(window.text)}`.trimEnd());
    if (!isUnderlined) continue;
    const first = number === start.line ? start.column - 1 : indentOf(line);
    const after = number === end.line ? end.column - 1 : line.length;
    const underlining = underline(window.text, first - window.from, after - window.from);
    if (underlining !== "")
      frame.push(`  ${paint(`${" ".repeat(gutter)} |`, "faint")} ${paintUnderline(underlining, severity, paint)}`);
  }
  return frame;
}

/** Caches the lines of the last text, since the findings of one document are printed in sequence. */
let lastText = "";
let lastLines: readonly string[] = [""];

function linesOf(text: string): readonly string[] {
  if (text !== lastText) {
    lastLines = text.split(/\r\n|\n|\r/);
    lastText = text;
  }
  return lastLines;
}

/** Returns the part of a line to print: all of it, or enough around `column`. */
function windowOf(line: string, column: number): { readonly text: string; readonly from: number } {
  if (line.length <= mostColumns) return { text: line, from: 0 };
  const from = Math.max(0, Math.min(column - 40, line.length - mostColumns));
  return { text: line.slice(from, from + mostColumns), from };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function underline(line: string, first: number, after: number): string {
  const start = Math.max(0, Math.min(first, line.length));
  const end = Math.max(start, Math.min(after, line.length));
  const left = columnsOf(expandTabs(line.slice(0, start)));
  const right = columnsOf(expandTabs(line.slice(0, end)));
  // An empty span points between two characters; one sign marks it.
  return " ".repeat(left) + "^".repeat(Math.max(1, right - left));
}

function paintUnderline(underlining: string, severity: Severity, paint: Paint): string {
  const at = underlining.indexOf("^");
  return underlining.slice(0, at) + paint(underlining.slice(at), severity);
}

function expandTabs(text: string): string {
  if (!text.includes("\t")) return text;
  let expanded = "";
  for (const [index, piece] of text.split("\t").entries()) {
    if (index > 0) expanded += " ".repeat(tabColumns - (columnsOf(expanded) % tabColumns));
    expanded += piece;
  }
  return expanded;
}

/** Returns how many columns of a terminal a text takes: two for wide characters and emoji, none for combining marks. */
function columnsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of (segmenter ??= createSegmenter()).segment(text))
    columns += isWide(segment) ? 2 : isJoining(segment) ? 0 : 1;
  return columns;
}

/** Created on first use: few texts need the segmenter, and it is slow to create. */
let segmenter: Intl.Segmenter | undefined;

function createSegmenter(): Intl.Segmenter {
  return new Intl.Segmenter("en", { granularity: "grapheme" });
}

function isJoining(segment: string): boolean {
  return /^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(segment);
}

/** Whether a character is wide: East Asian Wide or Fullwidth (UAX 11), or drawn as an emoji. */
function isWide(segment: string): boolean {
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(segment)) return true;
  const code = segment.codePointAt(0) ?? 0;
  return wideRanges.some(([from, to]) => code >= from && code <= to);
}

const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];
