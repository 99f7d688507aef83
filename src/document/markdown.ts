/**
 * Reads Markdown as a title, sections, prose and fences, each with its span. Parses only the block structure (`blocks.ts`),
 * since prose is returned as plain text.
 */
import type { Span } from "../base/span.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { type Block, blocksOf, type FenceBlock } from "./blocks.ts";
import type { Fence, Prose, Section } from "./document.ts";
import { type Lines, lineText, type Source, type SourceLine, sourceOf, spanIn } from "./source.ts";

/** A fence whose YAML is not parsed yet, and its content as a separate source. */
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
  /** The fences before the first H2 or after a later H1. */
  readonly orphans: readonly RawFence[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The parser ignores lists and quotes that start right of this column, since the time for a line grows with its depth. */
const deepestMarkerColumn = 100;

export function readMarkdown(lines: Lines): Markdown {
  const diagnostics: Diagnostic[] = [];
  const blocks = blocksOf(shallowLines(lines, diagnostics));
  const sections: RawSection[] = [];
  const orphans: RawFence[] = [];
  let title: Markdown["title"];
  let open: OpenSection | undefined;
  const close = (end: number): void => {
    if (open) sections.push(finished(open, lines, end));
    open = undefined;
  };
  for (const block of blocks) {
    if (block.kind === "fence") {
      (open?.fences ?? orphans).push(readFence(block, lines, diagnostics));
    } else if (block.kind === "heading" && block.atMargin && block.depth <= 2) {
      close(block.start);
      const heading = { text: plainText(wordsOf(block)), span: spanIn(lines, block.start, block.end) };
      if (block.depth === 2) open = { heading, start: block.start, prose: [], fences: [] };
      else title ??= heading;
    } else {
      open?.prose.push({ text: plainText(wordsOf(block)), span: spanIn(lines, block.start, block.end) });
    }
  }
  close(lines.text.length);
  return { ...(title && { title }), sections, orphans, diagnostics };
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

function wordsOf({ lines }: Block): string {
  return lines.map(({ text }) => text).join("\n");
}

function readFence(block: FenceBlock, lines: Lines, diagnostics: Diagnostic[]): RawFence {
  const { closed, end, info, lines: inside, delimiter, start } = block;
  if (!closed) diagnostics.push(notClosed(delimiter, start, lines));
  const source = sourceOf(withLine(inside, start, lines), lines);
  const [language = "", meta = ""] = split(info);
  return { source, fence: { language, meta, text: source.text, span: spanIn(lines, start, end) } };
}

/** Gives a fence without lines the location of its start. */
function withLine(inside: readonly SourceLine[], start: number, lines: Lines): readonly SourceLine[] {
  if (inside.length > 0) return inside;
  const { line, column, offset } = spanIn(lines, start, start).start;
  return [{ text: "", line, column, offset }];
}

/** Splits a text into two at its first blank. */
function split(info: string): readonly string[] {
  const end = info.search(/[ \t]/);
  return end < 0 ? [info] : [info.slice(0, end), info.slice(end).trim()];
}

/** Reports an unclosed fence: it contains the rest of the document, which no author intends. */
function notClosed(delimiter: string, start: number, lines: Lines): Diagnostic {
  return {
    code: "document/fence-not-closed",
    severity: "error",
    message: "This fenced block is never closed.",
    span: spanIn(lines, start, start + delimiter.length),
    why: "Everything below it is read as its content, headings included.",
    help: `Write \`${delimiter}\` on a line of its own after the last line of the block.`,
  };
}

function* shallowLines(lines: Lines, diagnostics: Diagnostic[]): Iterable<{ text: string; offset: number }> {
  let index = 0;
  for (const offset of lines.starts)
    yield { text: shallow(lineText(lines, index++), offset, lines, diagnostics), offset };
}

/** Returns the line, or blanks in place of a line with too deep nesting. */
function shallow(line: string, start: number, lines: Lines, diagnostics: Diagnostic[]): string {
  if (!isTooDeep(line)) return line;
  const end = line.trimEnd().length;
  diagnostics.push({
    code: "document/too-deep",
    severity: "error",
    message: "This line is nested too deep in lists or quotes and was not read.",
    span: spanIn(lines, start + lastMarkerColumn(line), start + end),
    help: "Move it further to the left.",
  });
  return "";
}

function isTooDeep(line: string): boolean {
  return line.length > deepestMarkerColumn && lastMarkerColumn(line) >= deepestMarkerColumn;
}

/** Returns the column (from 0) of the last list or quote marker at the start of the line; -1 if there is none. */
function lastMarkerColumn(line: string): number {
  let column = -1;
  for (const marker of line.matchAll(/[ \t]*(>|[-*+](?=[ \t])|[0-9]{1,9}[.)](?=[ \t]))/gy)) {
    column = marker.index + marker[0].length - (marker[1]?.length ?? 0);
  }
  return column;
}

/** The first of the private-use code points that replace escaped characters. */

const aside = 0xe000;

/** Returns the words of `markdown` without marks of emphasis, code, links and HTML; line ends become spaces. */
function plainText(markdown: string): string {
  return (
    markdown
      // Replaces escaped characters by private-use ones until the markup is removed.
      .replace(/\\([!-/:-@[-`{-~])/g, (_, character: string) => String.fromCharCode(aside + character.charCodeAt(0)))
      .replace(/<!--[^<>]*>|<\/?[A-Za-z][^<>]*>/g, (tag) => (/^<[a-z]+:|@/i.test(tag) ? tag.slice(1, -1) : ""))
      .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\s"[^"\n]*")?\)/g, "$1")
      .replace(/\[([^[\]]*)\]\[[^[\]]*\]/g, "$1")
      // Removes emphasis marks only at word boundaries: `2 * 3` and `snake_case` stay.
      .replace(/(^|[\s("'*_~[])(?:\*{1,3}|_{1,3}|~~)(?=\S)/g, "$1")
      .replace(/(\S)(?:\*{1,3}|_{1,3}|~~)(?=$|[\s)"'.,;:!?*_~\]])/g, "$1")
      .replace(/`+/g, "")
      .replace(/[\ue021-\ue07e]/g, (character) => String.fromCharCode(character.charCodeAt(0) - aside))
      .replace(/\s+/g, " ")
      .trim()
  );
}
