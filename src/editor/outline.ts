/** The outline of a document, the ranges that an editor can fold, and the lines above operations. */
import type { Span } from "../base/span.ts";
import { spanIn } from "../document/source.ts";
import type { Entry, Node } from "../document/document.ts";
import { partHeadings } from "../language/grammar/sections.ts";
import { type PartName, partNames } from "../language/model.ts";
import type { ReferenceKind } from "../language/grammar/references.ts";
import type { Analysis } from "./analysis.ts";
import { addressOf, allowedText } from "./describe.ts";
import { namesIn } from "./names.ts";

export interface Outline {
  readonly name: string;
  readonly kind: "part" | "key" | ReferenceKind;
  /** Of the whole statement; `selection` of its name. */
  readonly span: Span;
  readonly selection: Span;
  readonly children: readonly Outline[];
}

/** The deepest level of an outline below a part. */
const deepest = 3;

export function outline(analysis: Analysis): readonly Outline[] {
  const { lines, text } = analysis;
  const declared = new Map(
    namesIn(analysis).flatMap(({ declares, kind, span }) => (declares ? [[span.start.offset, kind] as const] : [])),
  );
  const headings = headingsOf(analysis);
  return headings.map(({ part, span }, index): Outline => {
    const { body } = analysis.index.sections.parts[part];
    const end = headings[index + 1]?.span.start.offset ?? text.length;
    const children = body.entries.map((entry) => outlineOf(entry, 1, declared));
    const own = { start: span.start, end: spanIn(lines, 0, Math.max(end - 1, span.end.offset)).end };
    const around = children.reduce((all, child) => hull(all, child.span), own);
    return { name: partHeadings[part][0], kind: "part", span: around, selection: span, children };
  });
}

function headingsOf({ index }: Analysis): readonly { readonly part: PartName; readonly span: Span }[] {
  const { parts } = index.sections;
  return partNames
    .filter((part) => parts[part].heading !== undefined)
    .map((part) => ({ part, span: parts[part].span }))
    .toSorted((a, b) => a.span.start.offset - b.span.start.offset);
}

function outlineOf({ key, value }: Entry, level: number, declared: ReadonlyMap<number, ReferenceKind>): Outline {
  const entries = value.kind === "map" && level < deepest ? value.entries : [];
  const children = entries.map((entry) => outlineOf(entry, level + 1, declared));
  const own = hull({ start: key.span.start, end: value.span.end }, key.span);
  const span = children.reduce((all, child) => hull(all, child.span), own);
  return {
    name: key.value || " ",
    kind: declared.get(key.span.start.offset) ?? "key",
    span,
    selection: key.span,
    children,
  };
}

/** Returns the smallest span around two spans. */
function hull(one: Span, other: Span): Span {
  return {
    start: one.start.offset <= other.start.offset ? one.start : other.start,
    end: one.end.offset >= other.end.offset ? one.end : other.end,
  };
}

export interface Fold {
  /** Lines count from 1; both stay visible or hidden as the editor wants. */
  readonly start: number;
  readonly end: number;
}

/** Returns the sections, blocks, maps and lists of more than one line. */
export function folds({ index, lines, text }: Analysis): readonly Fold[] {
  const { document } = index;
  const found = new Map<number, number>();
  const add = (start: number, end: number): void => {
    if (end > start && (found.get(start) ?? 0) < end) found.set(start, end);
  };
  const visit = (node: Node): void => {
    if (node.kind === "list") for (const item of node.items) visit(item);
    if (node.kind !== "map") return;
    for (const { key, value } of node.entries) {
      add(key.span.start.line, lastLine(value.span, text));
      visit(value);
    }
  };
  for (const [at, section] of document.sections.entries()) {
    const next = document.sections[at + 1]?.span.start.line ?? lines.starts.length + 1;
    add(section.span.start.line, next - 1);
    for (const { body, span } of section.fences) {
      add(span.start.line, span.end.line);
      if (body !== undefined) visit(body);
    }
  }
  if (document.root !== undefined) visit(document.root);
  return [...found].map(([start, end]) => ({ start, end }));
}

/** Returns the last line of a value that has text: a block can end at the start of a line. */
function lastLine({ end, start }: Span, text: string): number {
  const blank = /\s*$/.exec(text.slice(start.offset, end.offset))?.[0] ?? "";
  return end.line - (blank.match(/\n/g)?.length ?? 0);
}

export interface Lens {
  readonly span: Span;
  readonly title: string;
}

/** Returns a line above each operation of part 4: its served address, and who may run it. */
export function lenses({ index: { model, places } }: Analysis): readonly Lens[] {
  return Object.keys(model.endpoints.endpoints).flatMap((operation): Lens[] => {
    const span = places.get(`endpoints/endpoints/${operation}#key`);
    if (span === undefined) return [];
    const allowed = allowedText(model, operation) ?? "nobody";
    return [{ span, title: `${addressOf(model, operation)} · ${allowed}` }];
  });
}
