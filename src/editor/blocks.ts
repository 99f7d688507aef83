/**
 * Finds the part of a document at an offset by its lines alone, so that the text may be half-written, and cuts out the text of
 * the part, which is read in a fraction of the time of the everything document.
 */
import { isDataDocument } from "../document/read.ts";
import { documentKeys, partOfHeading } from "../language/grammar/sections.ts";
import { type PartName, partNames } from "../language/model.ts";

export interface PartText {
  readonly part: PartName | undefined;
  /** Whether the offset is in a block that defines something. */
  readonly isBlock: boolean;
  /** The text of the part in the document: from its heading to the next, or its key to the next. */
  readonly start: number;
  readonly end: number;
  /** Whether the document is in the one-file form. */
  readonly isData: boolean;
}

export function partAt(name: string, text: string, offset: number): PartText {
  return isDataDocument(name, text, documentKeys) ? partOfData(text, offset) : partOfMarkdown(text, offset);
}

function partOfMarkdown(text: string, offset: number): PartText {
  let fence: { readonly marker: string; readonly isYaml: boolean } | undefined;
  let heading: { readonly part: PartName | undefined; readonly start: number } = { part: undefined, start: 0 };
  let isBlock = false;
  for (const { line, start } of linesFrom(text)) {
    const isPast = start > offset;
    const opening = /^ {0,3}(```+|~~~+)\s*(\S*)(.*)$/.exec(line);
    if (fence !== undefined) {
      if (opening?.[1]?.startsWith(fence.marker) && opening[2] === "") fence = undefined;
    } else if (opening !== null) {
      const [, marker = "", language = "", meta = ""] = opening;
      fence = { marker, isYaml: language.toLowerCase() === "yaml" && meta.trim() === "" };
      // The cursor on the line of the fence is outside of the block.
      if (!isPast) isBlock = false;
      if (start + line.length >= offset) continue;
    } else if (/^##? /.test(line)) {
      if (isPast) return { ...heading, isBlock, end: start, isData: false };
      heading = { part: line.startsWith("## ") ? partOfHeading(line.slice(3)) : undefined, start };
    }
    if (!isPast) isBlock = fence?.isYaml === true;
  }
  return { ...heading, isBlock, end: text.length, isData: false };
}

function partOfData(text: string, offset: number): PartText {
  const everything = { start: 0, end: text.length, isBlock: true, isData: true };
  if (text.trimStart().startsWith("{")) return { ...everything, part: keyBefore(text, offset) };
  let found: PartText = { ...everything, part: undefined };
  for (const { line, start } of linesFrom(text)) {
    const key = /^["']?(\w+)["']?\s*:/.exec(line)?.[1];
    if (key === undefined) continue;
    if (start > offset) return { ...found, end: start };
    found = { ...everything, part: partNames.find((one) => one === key), start };
  }
  return found;
}

/** Returns the last part of a JSON document whose key is before the offset. */
function keyBefore(text: string, offset: number): PartName | undefined {
  const before = text.slice(0, offset);
  const found = partNames.map((part) => ({ part, at: before.lastIndexOf(`"${part}"`) })).filter(({ at }) => at >= 0);
  return found.toSorted((a, b) => b.at - a.at)[0]?.part;
}

function* linesFrom(text: string): Generator<{ readonly line: string; readonly start: number }> {
  let start = 0;
  while (start <= text.length) {
    const end = text.indexOf("\n", start);
    const next = end < 0 ? text.length : end;
    yield { line: text.slice(start, next).replace(/\r$/, ""), start };
    start = next + 1;
  }
}

/** Whether a text is a document of this language, rather than any other Markdown, YAML or JSON: it declares the edition, or has parts. */
export function isNonetDocument(text: string): boolean {
  if (/(?:^|[\s{,])["']?nonet["']?\s*:\s*["']?\d/m.test(text)) return true;
  const parts = new Set([...text.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => partOfHeading(heading)));
  return [...parts].filter((part) => part !== undefined).length >= mostlyParts;
}

/** A page about something else may have one or two headings that are also those of parts, such as `Errors`. */
const mostlyParts = 4;
