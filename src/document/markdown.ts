/**
 * Markdown to title, sections, prose and fences, each with its place in the file.
 *
 * Only the block structure is asked of the CommonMark parser: prose is wanted as plain text, and reading inline marks
 * costs the parser more than linear time. So it gets the text with every sign that means nothing to blocks replaced by a
 * letter (`masked`), without the lines inside of plain fences (`shown`), and its inline constructs switched off; words and
 * lines are taken from the file by their places.
 */
import { fromMarkdown } from "mdast-util-from-markdown";
import type { Span } from "../base/span.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Fence, Prose, Section } from "./document.ts";
import { plainText } from "./plain-text.ts";
import {
  indexBefore,
  type Lines,
  lineText,
  positionIn,
  type Source,
  type SourceLine,
  sourceOf,
  spanIn,
} from "./source.ts";

/** A fence whose YAML has not been read yet, with its text as a source of its own. */
export interface RawFence {
  readonly fence: Fence;
  readonly source: Source;
}

export interface RawSection extends Omit<Section, "fences"> {
  readonly fences: readonly RawFence[];
}

export interface Markdown {
  readonly title?: { readonly text: string; readonly span: Span };
  readonly sections: readonly RawSection[];
  /** Fences that stand before the first H2 or after a later H1. */
  readonly loose: readonly RawFence[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What is used of an mdast node; the full union of types would only make the walk longer. */
interface Block {
  readonly type: string;
  readonly depth?: number | undefined;
  readonly value?: string | undefined;
  readonly lang?: string | null | undefined;
  readonly meta?: string | null | undefined;
  readonly children?: readonly Block[] | undefined;
  readonly position?: { readonly start: Point; readonly end: Point } | undefined;
}

interface Point {
  readonly offset?: number | undefined;
}

/** Lists and quotes that open further right than this are not followed: the parser's time grows with their depth. */
const deepestMarkerColumn = 100;

const inlineConstructs = [
  "attention",
  "autolink",
  "characterEscape",
  "characterReference",
  "codeText",
  "definition",
  "hardBreakEscape",
  "htmlText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
];

export function readMarkdown(lines: Lines): Markdown {
  const diagnostics: Diagnostic[] = [];
  const mask = masked(lines, diagnostics);
  const seen = shown(lines, mask);
  const tree: Block = fromMarkdown(seen.text, {
    extensions: [{ disable: { null: inlineConstructs } }],
  });
  const reading: Reading = { lines, mask, shown: seen, loose: [], diagnostics };
  const sections: RawSection[] = [];
  let title: Markdown["title"];
  let open: OpenSection | undefined;
  const close = (end: number): void => {
    if (open) sections.push(finished(open, lines, end));
    open = undefined;
  };
  for (const block of tree.children ?? []) {
    if (block.type === "heading" && (block.depth ?? 1) <= 2) {
      close(startOf(block, reading));
      const heading = { text: plainText(wordsOf(block, reading)), span: spanOf(block, reading) };
      if (block.depth === 2) open = { heading, start: startOf(block, reading), prose: [], fences: [] };
      else title ??= heading;
    } else {
      collect(block, reading, open);
    }
  }
  close(lines.text.length);
  return { ...(title && { title }), sections, loose: reading.loose, diagnostics };
}

interface Reading {
  readonly lines: Lines;
  /** The lines as the parser sees them: sign for sign. */
  readonly mask: readonly string[];
  readonly shown: Shown;
  readonly loose: RawFence[];
  readonly diagnostics: Diagnostic[];
}

interface OpenSection {
  readonly heading: { readonly text: string; readonly span: Span };
  readonly start: number;
  readonly prose: Prose[];
  readonly fences: RawFence[];
}

function finished(open: OpenSection, lines: Lines, end: number): RawSection {
  return {
    heading: open.heading.text,
    span: spanIn(lines, open.start, end),
    prose: open.prose,
    fences: open.fences,
  };
}

/** Adds the prose and the fences in `block`, however deep in lists and quotes. */
function collect(block: Block, reading: Reading, section: OpenSection | undefined): void {
  if (block.type === "code") {
    const fence = readFence(block, reading);
    if (fence) (section?.fences ?? reading.loose).push(fence);
  } else if (block.type === "paragraph" || block.type === "heading") {
    section?.prose.push({ text: plainText(wordsOf(block, reading)), span: spanOf(block, reading) });
  } else {
    for (const child of block.children ?? []) collect(child, reading, section);
  }
}

const fenceOpening = /^(`{3,}|~{3,})/;

/** The fence, or undefined for a block of indented code, which is illustration and has no language. */
function readFence(block: Block, reading: Reading): RawFence | undefined {
  const { lines } = reading;
  const span = spanOf(block, reading);
  const opening = fenceOpening.exec(lines.text.slice(span.start.offset, span.end.offset))?.[1];
  if (opening === undefined) return undefined;
  reportUnclosed(opening, span, reading);
  const source = sourceOf(
    reading.shown.plain.has(span.start.offset) ? linesInside(span, lines) : linesGiven(block, span, lines),
  );
  return { source, fence: { language: block.lang ?? "", meta: block.meta ?? "", text: source.text, span } };
}

/** The lines between the first and the last of a span. */
function linesInside(span: Span, lines: Lines): readonly SourceLine[] {
  return Array.from({ length: span.end.line - span.start.line - 1 }, (_, index) => {
    const at = span.start.line + index;
    return { text: lineText(lines, at), line: at + 1, column: 1, offset: lines.starts[at] ?? 0 };
  });
}

/**
 * The lines of a fence as the parser gives them. It strips quote marks and indentation from the front of each line only, so
 * a line of the fence is always the end of a line of the file.
 */
function linesGiven(block: Block, span: Span, lines: Lines): readonly SourceLine[] {
  return (block.value ?? "").split(/\r\n|\n|\r/).map((line, index) => {
    const at = span.start.line + index;
    const written = lineText(lines, at);
    const prefix = Math.max(0, written.length - line.length);
    return {
      text: written.slice(prefix).padStart(line.length),
      line: at + 1,
      column: prefix + 1,
      offset: (lines.starts[at] ?? 0) + prefix,
    };
  });
}

/** A fence that nobody closed swallows the rest of the document, which is never meant. */
function reportUnclosed(opening: string, { start: first, end: last }: Span, { lines, diagnostics }: Reading): void {
  const lastLine = lineText(lines, last.line - 1).trimEnd();
  const closing = opening.length + 1 > lastLine.length ? lastLine : lastLine.slice(-opening.length);
  if (last.line > first.line && closing === opening) return;
  diagnostics.push({
    code: "document/fence-not-closed",
    severity: "error",
    message: "This fenced block is never closed.",
    span: spanIn(lines, first.offset, first.offset + opening.length),
    why: "Everything below it is read as its content, headings included.",
    help: `Write \`${opening}\` on a line of its own after the last line of the block.`,
  });
}

const fenceLine = /^[ \t>*+\-0-9.)]*(?:```|~~~)/;
/** Signs of inline marks. Before the first letter of a line, `*`, `_`, `<` and the backtick may open a block. */
const anywhere = /[[\]&\\]/g;
const afterLetter = /[[\]&\\!*_`]|<(?!\/)/g;

/**
 * The lines with an `x` for every sign that can only be an inline mark, and blanks for lines that are nested too deep.
 * Lines that open a fence or may belong to a declaration or comment of HTML stay as they are.
 */
function masked(lines: Lines, diagnostics: Diagnostic[]): readonly string[] {
  return lines.starts.map((start, index) => {
    const line = lines.text.slice(start, lines.starts[index + 1]);
    if (fenceLine.test(line) || line.includes("<!") || line.includes("]]>")) return line;
    if (isTooDeep(line)) return withoutDeep(line, start, lines, diagnostics);
    const letter = line.search(/[A-Za-z\u0080-\uffff]/) + 1;
    return line.slice(0, letter).replace(anywhere, "x") + line.slice(letter).replace(afterLetter, "x");
  });
}

function withoutDeep(whole: string, start: number, lines: Lines, diagnostics: Diagnostic[]): string {
  const line = whole.trimEnd();
  diagnostics.push({
    code: "document/too-deep",
    severity: "error",
    message: "This line is nested too deep in lists or quotes and was not read.",
    span: spanIn(lines, start + lastMarkerColumn(line), start + line.length),
    help: "Move it further to the left.",
  });
  return " ".repeat(line.length) + whole.slice(line.length);
}

function isTooDeep(line: string): boolean {
  return line.length > deepestMarkerColumn && lastMarkerColumn(line) >= deepestMarkerColumn;
}

/** The column (from 0) of the last list or quote marker among those that open the line; -1 if there is none. */
function lastMarkerColumn(line: string): number {
  let column = -1;
  for (const marker of line.matchAll(/[ \t]*(>|[-*+](?=[ \t])|[0-9]{1,9}[.)](?=[ \t]))/gy)) {
    column = marker.index + marker[0].length - (marker[1]?.length ?? 0);
  }
  return column;
}

/** What the parser is given. */
interface Shown {
  readonly text: string;
  /** Where the character at an offset of `text` stands in the file. */
  readonly place: (offset: number) => number;
  /** The offsets in the file of the fences whose lines the parser is not given. */
  readonly plain: ReadonlySet<number>;
}

/**
 * The lines without those inside of fences that stand at the margin. Such a line opens a fence whatever stands above it,
 * but for HTML and for a fence that is open: behind what may be HTML, behind an indented fence, which may stand in a list or
 * not, and behind one that nobody closed, everything is shown.
 */
function shown(lines: Lines, mask: readonly string[]): Shown {
  const plain = new Set<number>();
  const starts = [0];
  const removed = [0];
  let text = "";
  let index = 0;
  for (; index < mask.length; index++) {
    const line = mask[index] as string;
    const opening = /^(?:(`{3,})[^`]*|(~{3,}).*)$/s.exec(line);
    const last = opening === null ? index : closingLine(mask, index, opening[1] ?? opening[2] ?? "");
    if (last < 0 || /^ {0,3}<|^ {1,3}(?:```|~~~)/.test(line)) break;
    text += line;
    if (last === index) continue;
    const start = lines.starts[last] ?? 0;
    if (last > index + 1) plain.add(lines.starts[index] ?? 0);
    starts.push(text.length);
    removed.push(start - text.length);
    text += mask[last];
    index = last;
  }
  text += mask.slice(index).join("");
  return { text, plain, place: (offset) => offset + (removed[indexBefore(starts, offset)] ?? 0) };
}

/** The index of the line that ends the fence opened on the line `from`; -1 where none does. */
function closingLine(mask: readonly string[], from: number, opening: string): number {
  const closing = new RegExp(`^ {0,3}${opening[0]}{${opening.length},}[ \\t]*[\\r\\n]*$`);
  for (let index = from + 1; index < mask.length; index++) if (closing.test(mask[index] as string)) return index;
  return -1;
}

/** The words of a paragraph or heading as the file has them. The parser's text shows where on each line they stand. */
function wordsOf(block: Block, reading: Reading): string {
  const { lines, mask } = reading;
  const first = positionIn(lines, startOf(block, reading)).line - 1;
  const words = textOf(block)
    .split(/\r\n|\n|\r/)
    .map((seen, index) => {
      const at = (mask[first + index] ?? "").indexOf(seen);
      return at < 0 ? seen : lineText(lines, first + index).slice(at, at + seen.length);
    });
  return words.join("\n");
}

function textOf(block: Block): string {
  return block.value ?? (block.children ?? []).map(textOf).join("");
}

function spanOf(block: Block, reading: Reading): Span {
  return spanIn(reading.lines, startOf(block, reading), endOf(block, reading));
}

function startOf(block: Block, { shown: { place } }: Reading): number {
  return place(block.position?.start.offset ?? 0);
}

function endOf(block: Block, { shown: { place } }: Reading): number {
  return place(block.position?.end.offset ?? 0);
}
