/**
 * Formats the YAML of a document: the `yaml` blocks of a Markdown document, or the whole file of the one-file form. Everything
 * else stays as it is, byte for byte. A block with an error stays as it is too, since its intended form is unknown.
 */
import type { Span } from "../base/span.ts";
import type { Fence } from "../document/document.ts";
import { readMarkdown } from "../document/markdown.ts";
import { isDataDocument, isNormative, tooLarge } from "../document/read.ts";
import {
  editedSource,
  type Edit,
  type Lines,
  lineText,
  linesOf,
  type Source,
  sourceOfLines,
} from "../document/source.ts";
import { readSuppressions } from "../document/suppression.ts";
import { readYaml } from "../document/yaml.ts";
import { documentKeys } from "../language/grammar/sections.ts";
import { layOut } from "./layout.ts";
import { isSameReading, type Reading } from "./same-reading.ts";

export interface Formatting {
  /** The formatted document. */
  readonly text: string;
  /** The blocks that were left as they are, each with the reason. */
  readonly problems: readonly FormatProblem[];
}

export interface FormatProblem {
  /** The first place that prevents formatting. */
  readonly span: Span;
  readonly message: string;
}

/**
 * Formats a document. `name`: the name of its file, which tells the one-file form from Markdown. Formatting changes neither the
 * meaning of a document nor its findings, and the result does not change if it is formatted again.
 */
export function formatDocument(text: string, name: string = ""): Formatting {
  const bom = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const lines = linesOf(text.slice(bom.length));
  const size = tooLarge(lines);
  if (size) return { text, problems: [{ span: size.span, message: size.message }] };
  const formatting = isDataDocument(name, lines.text, documentKeys) ? formatData(lines, name) : formatFences(lines);
  return { ...formatting, text: bom + formatting.text };
}

/** Formats the one-file form. JSON, which has formatters of its own, stays as it is. */
function formatData(lines: Lines, name: string): Formatting {
  if (name.toLowerCase().endsWith(".json") || /^\s*[{[]/.test(lines.text)) return { text: lines.text, problems: [] };
  const block = formatBlock(sourceOfLines(lines));
  if (block.lines === undefined) return { text: lines.text, problems: block.problems };
  return { text: block.lines.map((line) => line + lineEndOf(lines, 0)).join(""), problems: [] };
}

function formatFences(lines: Lines): Formatting {
  const { sections, orphans, diagnostics } = readMarkdown(lines);
  const problems: FormatProblem[] = [];
  const edits: Edit[] = [];
  const open = diagnostics.filter(({ code }) => code === "document/fence-not-closed");
  for (const { fence, source } of [...orphans, ...sections.flatMap(({ fences }) => fences)]) {
    if (!isNormative(fence) || source.text.trim() === "") continue;
    const unclosed = open.find(({ span }) => span.start.offset === fence.span.start.offset);
    const block = unclosed ? { problems: [{ span: unclosed.span, message: unclosed.message }] } : formatBlock(source);
    problems.push(...block.problems);
    if (block.lines) edits.push(editOf(lines, fence, source, block.lines));
  }
  return { text: editedSource(sourceOfText(lines.text), edits).text, problems };
}

function sourceOfText(text: string): Source {
  return { text, position: (offset) => ({ line: 1, column: 1, offset }) };
}

/** Returns the edit that replaces the lines of a fence. */
function editOf(lines: Lines, fence: Fence, source: Source, formatted: readonly string[]): Edit {
  const prefix = prefixOf(lines, source);
  const first = fence.span.start.line;
  const count = source.text.split("\n").length;
  const at = lines.starts[first] ?? lines.text.length;
  const end = lines.starts[first + count] ?? lines.text.length;
  const lineEnd = lineEndOf(lines, first - 1);
  const insert = formatted.map((line) => (prefix + line).trimEnd() + lineEnd).join("");
  return { at, remove: end - at, insert };
}

/**
 * Returns the indentation and the marks of quotes before the lines of a fence. Lines may have fewer blanks before them than
 * the fence; the longest prefix is valid for all.
 */
function prefixOf(lines: Lines, source: Source): string {
  let prefix = "";
  let offset = 0;
  for (const text of source.text.split("\n")) {
    const { line, column } = source.position(offset);
    offset += text.length + 1;
    if (text.trim() !== "" && column > prefix.length) prefix = lineText(lines, line - 1).slice(0, column - 1);
  }
  return prefix;
}

/** Returns the end of the line with this index; a line feed for the last line. */
function lineEndOf({ text, starts }: Lines, index: number): string {
  const next = starts[index + 1];
  return next === undefined ? "\n" : (/(?:\r\n|\n|\r)$/.exec(text.slice(starts[index], next))?.[0] ?? "\n");
}

interface FormattedBlock {
  /** The formatted lines; absent if the block stays as it is. */
  readonly lines?: readonly string[];
  readonly problems: readonly FormatProblem[];
}

function formatBlock(source: Source): FormattedBlock {
  const reading = readBlock(source);
  const problem = reading.diagnostics.find(({ severity }) => severity === "error");
  if (problem) return { problems: [{ span: problem.span, message: problem.message }] };
  const first = source.position(0).line;
  const covered = new Set(reading.suppressions.map(({ covers }) => covers));
  const lines = layOut(source.text, (line) => covered.has(first + line));
  const after = readBlock(sourceOfLines(linesOf(lines.join("\n"))));
  if (isSameReading(reading, after)) return { lines, problems: [] };
  const start = source.position(0);
  const message = "In the house style a comment of this block would belong to another line.";
  return { problems: [{ span: { start, end: start }, message }] };
}

function readBlock(source: Source): Reading {
  const { node, diagnostics } = readYaml(source);
  const found = readSuppressions(source, node);
  return { node, suppressions: found.suppressions, diagnostics: [...diagnostics, ...found.diagnostics] };
}
