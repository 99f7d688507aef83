/**
 * The document of a report as HTML: its prose, and its blocks line by line, each statement with a sign and a word, and its
 * evidence in a `<details>` that its line opens.
 */
import { type Content, html, type Html } from "../../base/html.ts";
import { proseHtml } from "../../base/prose-html.ts";
import type { Position } from "../../base/span.ts";
import { type Lines, lineText } from "../../document/source.ts";
import { partHeadings } from "../../language/grammar/sections.ts";
import { partNames } from "../../language/model.ts";
import type { Report, StatementResult } from "../result.ts";
import type { CurlOptions } from "./curl.ts";
import { type DocumentPieces, type DocumentSection, isNone, type Piece, piecesOf } from "./document-pieces.ts";
import { evidenceHtml } from "./html-evidence.ts";
import { countsOf, type Kind } from "./summary.ts";

/** What shows the result of a statement: a sign and a word, so that nothing depends on colours. */
export const signs: Readonly<Record<Kind, { readonly sign: string; readonly word: string; readonly style: string }>> = {
  broken: { sign: "✗", word: "broken", style: "broken" },
  holds: { sign: "✓", word: "holds", style: "holds" },
  "not tried": { sign: "–", word: "not tried", style: "untried" },
};

/** The sign of a result, with its word for those who hear the page. */
export function signHtml(kind: Kind, hasWord = true): Html {
  const { sign, word, style } = signs[kind];
  return html`<span class="sign ${style}"><span aria-hidden="true">${sign}</span>${hasWord ? html`<span class="hidden">${word}:</span>` : undefined}</span>`;
}

/** In the order in which counts are shown. */
export const kinds: readonly Kind[] = ["broken", "holds", "not tried"];

/** A statement with the lines on which the page shows it. */
interface Stated {
  readonly result: StatementResult;
  readonly from: number;
  readonly to: number;
  /** Offsets of its words. */
  readonly start: number;
  readonly end: number;
}

/** Lines that one or more statements share; they have one `<details>`. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly statements: readonly Stated[];
}

export function documentHtml(report: Report, options: CurlOptions): Html {
  const document = piecesOf(report.document, report.text);
  const groups = groupsOf(statedOf(report, document));
  const definitions = definitionsOf(document);
  return html`${document.sections.map((section) => {
    const inside = groups
      .filter(({ from }) => section.pieces.some((piece) => piece.from <= from && from <= piece.to))
      .flatMap(({ statements }) => statements.map(({ result }) => result.kind));
    return html`<section class="part ${kindStyles(inside)}">
${headingHtml(report, section)}${section.pieces.map((piece) =>
  piece.kind === "prose"
    ? html`<div class="prose">${proseHtml(`${rawLines(document, piece)}\n\n${definitions}`)}</div>\n`
    : html`<div class="block">${blockHtml(report, document, piece, groups, options)}</div>\n`,
)}</section>\n`;
  })}`;
}

/** `has-broken has-untried`: what the filters look for. */
function kindStyles(inside: readonly Kind[]): string {
  return (["broken", "not tried"] as const)
    .filter((kind) => inside.includes(kind))
    .map((kind) => `has-${signs[kind].style}`)
    .join(" ");
}

function headingHtml({ statements }: Report, { heading, part }: DocumentSection): Content {
  if (heading === undefined) return undefined;
  if (part === undefined) return html`<h2>${heading}</h2>\n`;
  const counts = countsOf(statements.filter(({ statement }) => statement.part === part));
  const texts = kinds
    .filter((kind) => counts[kind] > 0)
    .map(
      (kind) =>
        html` <span class="sign ${signs[kind].style}"><span aria-hidden="true">${signs[kind].sign}</span> ${counts[kind]}<span class="hidden"> ${signs[kind].word}</span></span>`,
    );
  const number = html`<span class="number">${partNames.indexOf(part) + 1}</span>`;
  return html`<h2 id="${part}">${number} ${partHeadings[part][0]}<span class="counts">${texts}</span></h2>\n`;
}

// ── Where statements are ───────────────────────────────────────────────────────────────────────────────────────────

function statedOf(report: Report, document: DocumentPieces): readonly Stated[] {
  return report.statements.map((result): Stated => {
    const { path, part, span } = result.statement;
    if (path === part) return statedPart(result, document);
    // The span of a block map ends where the next key begins, behind blank lines and comments.
    let to = span.end.line;
    while (to > span.start.line && /^\s*(?:#.*)?$/.test(textBefore(document.lines, to, span.end))) to -= 1;
    return { result, from: span.start.line, to, start: span.start.offset, end: span.end.offset };
  });
}

/** Returns the text of a line, only up to `end` if that is on the line. */
function textBefore(lines: Lines, line: number, end: Position): string {
  return lineText(lines, line - 1).slice(0, line === end.line ? end.column - 1 : undefined);
}

/** The location of a part that is `none` is the whole part, of which the line `none` is shown as the statement. */
function statedPart(result: StatementResult, { lines, sections }: DocumentPieces): Stated {
  const { start, end } = result.statement.span;
  const blocks = sections.flatMap(({ pieces }) => pieces).filter(({ kind }) => kind === "block");
  const all = blocks.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));
  const inside = all.filter((line) => start.line <= line && line <= end.line);
  const line = inside.find((one) => isNone(lineText(lines, one - 1))) ?? inside[0] ?? start.line;
  const offset = lines.starts[line - 1] ?? 0;
  return { result, from: line, to: line, start: offset, end: offset + lineText(lines, line - 1).length };
}

function groupsOf(all: readonly Stated[]): readonly Group[] {
  const groups: { from: number; to: number; statements: Stated[] }[] = [];
  for (const stated of all) {
    const last = groups.at(-1);
    if (last === undefined || stated.from > last.to)
      groups.push({ from: stated.from, to: stated.to, statements: [stated] });
    else {
      last.to = Math.max(last.to, stated.to);
      last.statements.push(stated);
    }
  }
  return groups;
}

// ── Lines ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function blockHtml(
  report: Report,
  document: DocumentPieces,
  { from, to }: Piece,
  groups: readonly Group[],
  options: CurlOptions,
): Content {
  const content: Html[] = [];
  const inside = groups.filter((group) => from <= group.from && group.from <= to);
  let next = from;
  const addPlain = (end: number): void => {
    for (; next < end; next += 1) content.push(html`<div class="row">${rowHtml(document, next, [])}</div>\n`);
  };
  for (const group of inside) {
    addPlain(group.from);
    content.push(groupHtml(report, document, group, options));
    next = group.to + 1;
  }
  addPlain(to + 1);
  return content;
}

function groupHtml(report: Report, document: DocumentPieces, group: Group, options: CurlOptions): Html {
  const { from, to, statements } = group;
  const all = statements.map(({ result }) => result.kind);
  const rows = Array.from({ length: to - from + 1 }, (_, index) => {
    const line = from + index;
    const here = statements.filter((one) => one.from <= line && line <= one.to);
    return html`<span class="row ${signs[worst(here.length === 0 ? all : here.map(({ result }) => result.kind))].style}">${rowHtml(document, line, here)}</span>`;
  });
  return html`<details class="${kindStyles(all)}"><summary>${rows}</summary><div class="evidence">${statements.map(
    ({ result }) => evidenceHtml(report, result, statements.length > 1, options),
  )}</div></details>\n`;
}

function worst(all: readonly Kind[]): Kind {
  return all.includes("broken") ? "broken" : all.includes("not tried") ? "not tried" : "holds";
}

/**
 * A line: its number, the sign of its statement, its text. Of several statements on a line, each has its sign before its words,
 * and the line the sign of the worst one.
 */
function rowHtml(document: DocumentPieces, line: number, here: readonly Stated[]): Html {
  const first = here.filter(({ from }) => from === line).map(({ result }) => result.kind);
  const sign = first.length === 0 ? undefined : signHtml(worst(first), here.length === 1);
  return html`<span class="line" id="L${line}">${line}</span><span class="gutter">${sign}</span><code>${wordsHtml(document, line, here)}</code>`;
}

function wordsHtml({ lines }: DocumentPieces, line: number, here: readonly Stated[]): Content {
  const text = lineText(lines, line - 1);
  if (here.length < 2) return text;
  const offset = lines.starts[line - 1] ?? 0;
  const pieces: Content[] = [];
  let done = 0;
  for (const { result, start, end, from } of here) {
    const first = Math.max(done, start - offset);
    const last = Math.max(first, Math.min(text.length, end - offset));
    const sign = line === from ? signHtml(result.kind) : undefined;
    pieces.push(
      text.slice(done, first),
      html`<span class="words ${signs[result.kind].style}">${sign}${text.slice(first, last)}</span>`,
    );
    done = last;
  }
  return [...pieces, text.slice(done)];
}

function rawLines({ lines }: DocumentPieces, { from, to }: Piece): string {
  return lines.text.slice(lines.starts[from - 1] ?? 0, lines.starts[to] ?? lines.text.length);
}

/** The definitions of links, which prose elsewhere in the document may use. */
function definitionsOf(document: DocumentPieces): string {
  return document.sections
    .flatMap(({ pieces }) => pieces)
    .filter(({ kind }) => kind === "prose")
    .flatMap((piece) => rawLines(document, piece).match(/^ {0,3}\[[^\]\n]+\]:[ \t]*\S+.*$/gm) ?? [])
    .join("\n");
}
