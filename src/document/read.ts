/** Reads a file's bytes as a document: the entry point of this folder. Never throws; errors become diagnostics. */
import { type Diagnostic, inOrder } from "../diagnostics/diagnostic.ts";
import type { Document, Fence, Section, Suppression } from "./document.ts";
import { decode } from "./encoding.ts";
import { type RawFence, readMarkdown } from "./markdown.ts";
import { type Lines, linesOf, type Source, spanIn, sourceOfLines } from "./source.ts";
import { readSuppressions } from "./suppression.ts";
import { readYaml } from "./yaml.ts";

export interface DocumentReading {
  readonly document: Document;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ReadOptions {
  /**
   * The top-level keys of a document in the one-file form. A text whose file name does not tell its format counts as YAML or
   * JSON if it has one of these keys at its top level.
   */
  readonly topLevelKeys?: readonly string[];
}

/**
 * The most characters of a document that is read, so that reading always ends. The largest published API descriptions have
 * half of this after an import; documents written by hand have a hundredth.
 */
export const mostCharacters: number = 12_582_912;
export const mostLines = 250_000;

/** Reads a document. Positions and `document.text` do not count a byte order mark. */
export function readDocument(name: string, input: string | Uint8Array, options: ReadOptions = {}): DocumentReading {
  const { text, diagnostics } = decode(input);
  const lines = linesOf(text);
  const form = isDataDocument(name, text, options.topLevelKeys ?? []) ? "data" : "markdown";
  const blank = { name, text, form, sections: [], suppressions: [] } as const;
  const size = tooLarge(lines);
  if (size) return { document: blank, diagnostics: [...diagnostics, size] };
  const reading = form === "data" ? readData(blank, lines) : readSections(blank, lines);
  return { document: reading.document, diagnostics: inOrder([...diagnostics, ...reading.diagnostics]) };
}

function readData(blank: Document, lines: Lines): DocumentReading {
  const { node, suppressions, diagnostics } = readBlock(sourceOfLines(lines));
  return { document: { ...blank, ...(node && { root: node }), suppressions }, diagnostics };
}

function readSections(blank: Document, lines: Lines): DocumentReading {
  const { title, sections: raw, orphans, diagnostics: found } = readMarkdown(lines);
  const diagnostics: Diagnostic[] = [...found];
  const suppressions: Suppression[] = [];
  const sections = raw.map(
    (section): Section => ({
      ...section,
      fences: section.fences.map((fence) => readFence(fence, diagnostics, suppressions)),
    }),
  );
  for (const { fence } of orphans) if (isNormative(fence)) diagnostics.push(orphanFence(fence, lines));
  return { document: { ...blank, ...(title && { title }), sections, suppressions }, diagnostics };
}

function readFence(raw: RawFence, diagnostics: Diagnostic[], suppressions: Suppression[]): Fence {
  const { fence, source } = raw;
  if (!isNormative(fence)) {
    const doubt = doubtfulFence(fence);
    if (doubt) diagnostics.push(doubt);
    return fence;
  }
  const block = readBlock(source);
  for (const diagnostic of block.diagnostics) diagnostics.push(diagnostic);
  for (const suppression of block.suppressions) suppressions.push(suppression);
  return { ...fence, ...(block.node && { body: block.node }) };
}

function readBlock(source: Source): ReturnType<typeof readYaml> & { readonly suppressions: readonly Suppression[] } {
  const { node, diagnostics } = readYaml(source);
  const found = readSuppressions(source, node);
  return {
    ...(node && { node }),
    suppressions: found.suppressions,
    diagnostics: [...diagnostics, ...found.diagnostics],
  };
}

/** Whether a fence defines something, by the rules of the language. */
export function isNormative(fence: Fence): boolean {
  return fence.language.toLowerCase() === "yaml" && fence.meta === "";
}

/** Reports a fence that looks like a definition but is only an illustration by the rules of the language. */
function doubtfulFence(fence: Fence): Diagnostic | undefined {
  const language = fence.language.toLowerCase();
  if (language === "yml") {
    return {
      code: "document/fence-language",
      severity: "warning",
      message: "A `yml` block is illustration; only `yaml` blocks define.",
      span: firstLine(fence),
      help: "Write `yaml`, or `yaml example` if it is illustration.",
    };
  }
  if (language !== "yaml" || /^example\b/.test(fence.meta)) return undefined;
  return {
    code: "document/fence-language",
    severity: "warning",
    message: `This block is illustration, because \`${fence.meta}\` stands after \`yaml\`.`,
    span: firstLine(fence),
    help: "Leave the word out if the block defines something, or write `yaml example`.",
  };
}

function orphanFence(fence: Fence, lines: Lines): Diagnostic {
  return {
    code: "document/fence-outside-part",
    severity: "warning",
    message: "This block stands under no heading of level 2, so it belongs to no part and was not read.",
    span: spanIn(lines, fence.span.start.offset, firstLine(fence).end.offset),
    help: "Move it below the heading of its part, or write `yaml example` if it is illustration.",
  };
}

function firstLine(fence: Fence): Fence["span"] {
  const { start } = fence.span;
  const info = [fence.language, fence.meta].filter((word) => word !== "").join(" ");
  const length = 3 + info.length;
  return {
    start,
    end: { line: start.line, column: start.column + length, offset: start.offset + length },
  };
}

/** Returns the error of a text that is too large to be read. */
export function tooLarge(lines: Lines): Diagnostic | undefined {
  const long = lines.text.length > mostCharacters;
  if (!long && lines.starts.length <= mostLines) return undefined;
  return {
    code: "document/too-large",
    severity: "error",
    message: long
      ? `The document has ${lines.text.length} characters; at most ${mostCharacters} are read.`
      : `The document has ${lines.starts.length} lines; at most ${mostLines} are read.`,
    span: spanIn(lines, 0, 0),
    help: "Describe the service in several documents.",
  };
}

/**
 * Whether a text is a YAML or JSON value: its file name says so, or every unindented line could be in a map and one of the
 * known keys is at the top level.
 */
export function isDataDocument(name: string, text: string, topLevelKeys: readonly string[]): boolean {
  if (/\.(ya?ml|json)$/i.test(name)) return true;
  if (/\.(md|markdown)$/i.test(name) || topLevelKeys.length === 0) return false;
  const top = [...text.matchAll(/^[^\s#].*$/gm)].map((line) => line[0]);
  if (top[0]?.startsWith("{")) return topLevelKeys.some((key) => text.includes(`"${key}"`));
  const keys = top.map((line) => /^(?:"([^"]*)"|'([^']*)'|([^\s:"'`{[-][^:`]*?))\s*:(?:\s|$)/.exec(line));
  const fits = top.every((line, index) => keys[index] || /^(---|\.\.\.|- |[\]}])/.test(line));
  return fits && keys.some((key) => key && topLevelKeys.includes(key[1] ?? key[2] ?? key[3] ?? ""));
}
