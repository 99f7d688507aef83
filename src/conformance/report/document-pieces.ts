/** Splits a document into what a page shows one after the other: headings, prose, and the blocks that define the service. */
import type { Document, Section } from "../../document/document.ts";
import { type Lines, linesOf, lineText } from "../../document/source.ts";
import { readDocument } from "../../document/read.ts";
import { documentKeys, partOfHeading } from "../../language/grammar/sections.ts";
import type { PartName } from "../../language/model.ts";

/** A piece of the document; lines count from 1, and both are included. */
export interface Piece {
  /** `block`: lines that are shown as they are. */
  readonly kind: "prose" | "block";
  readonly from: number;
  readonly to: number;
}

export interface DocumentSection {
  /** The text of the heading of level 2; absent before the first one, and in a document of YAML. */
  readonly heading?: string;
  readonly part?: PartName;
  readonly pieces: readonly Piece[];
}

export interface DocumentPieces {
  readonly lines: Lines;
  readonly sections: readonly DocumentSection[];
}

/** The title, a heading of level 1, is in no piece. */
export function piecesOf(name: string, text: string): DocumentPieces {
  const lines = linesOf(text);
  const last = lines.starts.length;
  const { document } = readDocument(name, text, { topLevelKeys: documentKeys });
  if (document.form === "data") return { lines, sections: [{ pieces: [{ kind: "block", from: 1, to: last }] }] };
  const sections: DocumentSection[] = [];
  let next = 1;
  for (const section of document.sections) {
    const { from, to } = linesIn(section.span);
    sections.push(...opening(document, lines, next, from - 1), sectionOf(section, lines));
    next = to + 1;
  }
  return { lines, sections: [...sections, ...opening(document, lines, next, last)] };
}

/** Returns what is in no section, without the title. */
function opening({ title }: Document, lines: Lines, from: number, to: number): readonly DocumentSection[] {
  const titleLines = title === undefined ? undefined : linesIn(title.span);
  const isTitled = titleLines !== undefined && titleLines.from >= from && titleLines.from <= to;
  const pieces = isTitled
    ? [...prose(lines, from, titleLines.from - 1), ...prose(lines, endOfHeading(lines, titleLines.from) + 1, to)]
    : prose(lines, from, to);
  return pieces.length === 0 ? [] : [{ pieces }];
}

function sectionOf({ heading, span, fences, prose: words }: Section, lines: Lines): DocumentSection {
  const { from, to } = linesIn(span);
  const defining = fences.filter(({ language, meta }) => language.toLowerCase() === "yaml" && meta === "");
  // Without a block, the word `none` alone in the prose is what the part says.
  const blocks = defining.length > 0 ? defining : words.filter(({ text }) => isNone(text));
  const pieces: Piece[] = [];
  let next = endOfHeading(lines, from) + 1;
  for (const block of blocks) {
    const around = linesIn(block.span);
    const inside = "language" in block ? withoutFence(lines, around) : around;
    pieces.push(...prose(lines, next, around.from - 1));
    if (inside.from <= inside.to) pieces.push({ kind: "block", ...inside });
    next = around.to + 1;
  }
  pieces.push(...prose(lines, next, to));
  const part = partOfHeading(heading);
  return { heading, ...(part === undefined ? {} : { part }), pieces };
}

/** Whether a text is only the word `none`. */
export function isNone(text: string): boolean {
  return /^\s*none\.?\s*$/i.test(text);
}

interface Extent {
  readonly from: number;
  readonly to: number;
}

function linesIn({ start, end }: Section["span"]): Extent {
  // A span that ends before the first character of a line does not include that line.
  return { from: start.line, to: end.column === 1 && end.line > start.line ? end.line - 1 : end.line };
}

/** Returns the last line of the heading that begins at a line: one underlined with `=` or `-` has two lines or more. */
function endOfHeading(lines: Lines, from: number): number {
  if (/^ {0,3}#/.test(lineText(lines, from - 1))) return from;
  let line = from + 1;
  while (line <= lines.starts.length && !/^ {0,3}(?:=+|-+)\s*$/.test(lineText(lines, line - 1))) line += 1;
  return Math.min(line, lines.starts.length);
}

function withoutFence(lines: Lines, { from, to }: Extent): Extent {
  const isClosed = to > from && /^[\s>]*(?:`{3,}|~{3,})\s*$/.test(lineText(lines, to - 1));
  return { from: from + 1, to: isClosed ? to - 1 : to };
}

function prose(lines: Lines, from: number, to: number): readonly Piece[] {
  for (let line = from; line <= to; line += 1)
    if (lineText(lines, line - 1).trim() !== "") return [{ kind: "prose", from, to }];
  return [];
}
