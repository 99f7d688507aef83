/**
 * Parses the block structure of Markdown, line by line, after CommonMark's appendix ("A parsing strategy"): headings,
 * paragraphs and fences, at any depth in lists and quotes. For a given nesting, the time is linear in the text; the caller
 * limits the nesting. It does not parse inline markup, and link reference definitions stay paragraphs. `blocks.test.ts`
 * compares it with a full CommonMark parser.
 */
import type { SourceLine } from "./source.ts";

export interface HeadingBlock {
  readonly kind: "heading";
  readonly depth: number;
  /** Whether the heading is outside lists and quotes. */
  readonly atMargin: boolean;
  readonly lines: readonly SourceLine[];
  /** The offset of the heading's text in the file. */
  readonly start: number;
  readonly end: number;
}

export interface ParagraphBlock {
  readonly kind: "paragraph";
  readonly lines: readonly SourceLine[];
  readonly start: number;
  readonly end: number;
}

export interface FenceBlock {
  readonly kind: "fence";
  /** The backticks or tildes that open the fence. */
  readonly delimiter: string;
  /** The rest of the line after the opening delimiter. */
  readonly info: string;
  /** The lines between the opening and the closing line, without the markers and indentation of lists and quotes. */
  readonly lines: readonly SourceLine[];
  readonly closed: boolean;
  readonly start: number;
  readonly end: number;
}

export type Block = HeadingBlock | ParagraphBlock | FenceBlock;

type Changing<T> = { -readonly [K in keyof T]: T[K] };

type Container =
  | { readonly kind: "quote" }
  /** A list item. `width`: the number of columns by which its lines are indented. */
  | { readonly kind: "item"; readonly width: number; empty: boolean };

type Leaf =
  | { readonly kind: "paragraph"; readonly lines: SourceLine[]; readonly start: number }
  | {
      readonly kind: "fence";
      readonly block: Changing<FenceBlock>;
      readonly lines: SourceLine[];
      readonly indent: number;
    }
  | { readonly kind: "html"; readonly type: number }
  | { readonly kind: "indented" };

/** Parses lines as `source.ts` splits them: each without its line end, with its offset in the file. */
export function blocksOf(lines: Iterable<{ readonly text: string; readonly offset: number }>): readonly Block[] {
  const blocks: Block[] = [];
  const open: Container[] = [];
  let leaf: Leaf | undefined;
  /** The end of the last parsed line, as an offset in the file. */
  let end = 0;

  // The current line, and the position in it: index and column, which differ after tabs.
  let text = "";
  let at = 0;
  let column = 0;
  let insideTab = false;

  const isBlankAt = (index: number): boolean => {
    for (let next = index; next < text.length; next += 1) if (!isSpace(text.charCodeAt(next))) return false;
    return true;
  };

  /** Returns the position of the next character that is no space, and the number of columns before it. */
  const indentation = (): { readonly index: number; readonly columns: number } => {
    let index = at;
    let reached = column;
    for (; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code === space) reached += 1;
      else if (code === tab) reached += 4 - (reached % 4);
      else break;
    }
    return { index, columns: reached - column };
  };

  /** Skips that many columns, of spaces and tabs or of other characters. */
  const skipColumns = (count: number): void => {
    let left = count;
    while (left > 0 && at < text.length) {
      const width = text.charCodeAt(at) === tab ? 4 - (column % 4) : 1;
      if (width > left) {
        column += left;
        insideTab = true;
        return;
      }
      insideTab = false;
      column += width;
      left -= width;
      at += 1;
    }
  };

  const skipTo = (index: number, columns: number): void => {
    if (index > at) insideTab = false;
    at = index;
    column += columns;
  };

  /** Returns the rest of the line; a partly skipped tab becomes spaces. */
  const rest = (line: number, lineOffset: number): SourceLine => {
    if (!insideTab) return { text: text.slice(at), line, column: at + 1, offset: lineOffset + at };
    const blanks = 4 - (column % 4);
    return {
      text: " ".repeat(blanks) + text.slice(at + 1),
      line,
      column: Math.max(1, at + 2 - blanks),
      offset: lineOffset + Math.max(0, at + 1 - blanks),
    };
  };

  const closeLeaf = (): void => {
    if (leaf?.kind === "paragraph") {
      const { lines: words, start } = leaf;
      const last = words.at(-1) as SourceLine;
      blocks.push({ kind: "paragraph", lines: words, start, end: last.offset + last.text.length });
    } else if (leaf?.kind === "fence" && !leaf.block.closed) {
      leaf.block.end = Math.max(leaf.block.end, end);
    }
    leaf = undefined;
  };

  const filled = (): void => {
    const inner = open.at(-1);
    if (inner?.kind === "item") inner.empty = false;
  };

  let number = 0;
  for (const { text: lineText, offset } of lines) {
    number += 1;
    text = lineText;
    at = 0;
    column = 0;
    insideTab = false;

    // The number of open containers that the line continues.
    let matched = 0;
    for (; matched < open.length; matched += 1) {
      const container = open[matched] as Container;
      const next = indentation();
      if (container.kind === "quote") {
        if (next.columns >= 4 || text.charCodeAt(next.index) !== greater) break;
        skipTo(next.index, next.columns);
        skipMarker();
      } else if (next.index >= text.length) {
        if (container.empty && matched === open.length - 1) break;
        skipTo(next.index, next.columns);
      } else if (next.columns >= container.width) {
        skipColumns(container.width);
      } else break;
    }
    const all = matched === open.length;

    // Whether the line continues an open paragraph without the markers of its containers (a lazy continuation line).
    let lazy = false;
    if (leaf !== undefined) {
      const next = indentation();
      const blank = next.index >= text.length;
      if (leaf.kind === "paragraph") {
        if (blank) {
          closeLeaf();
        } else lazy = true;
      } else if (!all) {
        closeLeaf();
      } else if (leaf.kind === "fence") {
        const { block, indent, lines: inside } = leaf;
        if (next.columns < 4 && isClosing(text, next.index, block.delimiter)) {
          block.closed = true;
          block.end = offset + text.trimEnd().length;
          leaf = undefined;
        } else {
          skipColumns(Math.min(indent, next.columns));
          inside.push(rest(number, offset));
        }
        end = offset + text.length;
        continue;
      } else if (leaf.kind === "html") {
        if (blank && leaf.type >= 6) closeLeaf();
        else {
          if (leaf.type < 6 && htmlEnds[leaf.type]?.test(text.slice(at))) closeLeaf();
          end = offset + text.length;
          continue;
        }
      } else if (blank || next.columns >= 4) {
        end = offset + text.length;
        continue;
      } else closeLeaf();
    }

    // What kind of block begins on the line. `interrupts`: the line follows a paragraph in the same containers.
    let began = false;
    let isConsumed = false;
    for (;;) {
      const next = indentation();
      if (next.index >= text.length) break;
      const interrupts: boolean = lazy && all && !began;
      const code = text.charCodeAt(next.index);
      const start = offset + next.index;
      if (next.columns >= 4) {
        if (lazy && !began) break;
        closeTo(matched);
        leaf = { kind: "indented" };
        filled();
        isConsumed = true;
        break;
      }
      if (code === greater) {
        begin();
        skipTo(next.index, next.columns);
        skipMarker();
        filled();
        open.push({ kind: "quote" });
        matched += 1;
        continue;
      }
      if (code === hash) {
        const heading = /^#{1,6}(?=[ \t]|$)/.exec(text.slice(next.index, next.index + 7));
        if (heading && (next.index + 7 > text.length || heading[0].length < 7)) {
          begin();
          filled();
          blocks.push(atxHeading(text, next.index, heading[0].length, number, offset, open.length === 0));
          isConsumed = true;
          break;
        }
      }
      if (code === backtick || code === tilde) {
        const delimiter = fenceMarker(text, next.index);
        if (delimiter !== "") {
          begin();
          filled();
          const inside: SourceLine[] = [];
          const block: Changing<FenceBlock> = {
            kind: "fence",
            delimiter,
            info: text.slice(next.index + delimiter.length).trim(),
            lines: inside,
            closed: false,
            start,
            end: offset + text.length,
          };
          blocks.push(block);
          leaf = { kind: "fence", block, lines: inside, indent: next.columns };
          isConsumed = true;
          break;
        }
      }
      if (code === less) {
        const type = htmlType(text.slice(next.index), lazy && !began);
        if (type > 0) {
          begin();
          filled();
          if (!(type < 6 && htmlEnds[type]?.test(text.slice(next.index)))) leaf = { kind: "html", type };
          isConsumed = true;
          break;
        }
      }
      if (
        (code === equals || code === minus) &&
        interrupts &&
        leaf?.kind === "paragraph" &&
        isUnderline(text, next.index)
      ) {
        const { lines: words, start: from } = leaf;
        leaf = undefined;
        blocks.push({
          kind: "heading",
          depth: code === equals ? 1 : 2,
          atMargin: open.length === 0,
          lines: words,
          start: from,
          end: offset + text.trimEnd().length,
        });
        isConsumed = true;
        break;
      }
      if (isThematicBreak(text, next.index)) {
        begin();
        filled();
        isConsumed = true;
        break;
      }
      const marker = listMarker(text, next.index, interrupts);
      if (marker === 0) break;
      begin();
      filled();
      skipTo(next.index, next.columns);
      open.push(item(marker, next.columns));
      matched += 1;
    }
    if (!isConsumed) {
      const next = indentation();
      const blank = next.index >= text.length;
      if (blank) {
        if (matched < open.length) closeTo(matched);
      } else if (lazy && !began && leaf?.kind === "paragraph") {
        leaf.lines.push({
          text: trimmed(text, next.index),
          line: number,
          column: next.index + 1,
          offset: offset + next.index,
        });
      } else {
        closeTo(matched);
        filled();
        leaf = {
          kind: "paragraph",
          lines: [
            { text: trimmed(text, next.index), line: number, column: next.index + 1, offset: offset + next.index },
          ],
          start: offset + next.index,
        };
      }
    }
    end = offset + text.length;

    /** Begins a block: closes the paragraph before it and all containers that the line does not continue. */
    function begin(): void {
      closeTo(matched);
      began = true;
    }
  }
  closeLeaf();
  return blocks.toSorted((a, b) => a.start - b.start);

  function closeTo(depth: number): void {
    closeLeaf();
    open.length = depth;
  }

  /** Skips the marker of a quote, and one space after it. */
  function skipMarker(): void {
    at += 1;
    column += 1;
    if (at < text.length && isSpace(text.charCodeAt(at))) skipColumns(1);
  }

  /** Skips the marker of a list item. `marker`: its length in characters; `indent`: its indentation in columns. */
  function item(marker: number, indent: number): Container {
    at += marker;
    column += marker;
    const blank = isBlankAt(at);
    const { columns } = indentation();
    const spaces = blank || columns >= 5 ? 1 : columns;
    skipColumns(spaces);
    return { kind: "item", width: indent + marker + spaces, empty: true };
  }
}

const tab = 0x09;
const space = 0x20;
const hash = 0x23;
const minus = 0x2d;
const less = 0x3c;
const equals = 0x3d;
const greater = 0x3e;
const backtick = 0x60;
const tilde = 0x7e;

function isSpace(code: number): boolean {
  return code === space || code === tab;
}

/** Returns the end of a text without its trailing spaces and tabs. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return end;
}

function trimmed(text: string, from: number): string {
  return text.slice(from, Math.max(from, endOf(text)));
}

function atxHeading(
  text: string,
  at: number,
  depth: number,
  line: number,
  offset: number,
  atMargin: boolean,
): HeadingBlock {
  const last = Math.max(at + depth, endOf(text));
  let from = at + depth;
  while (from < last && isSpace(text.charCodeAt(from))) from += 1;
  let to = last;
  while (to > from && text.charCodeAt(to - 1) === hash) to -= 1;
  // Trailing `#` signs close a heading only after a space.
  if (to < last && to > from && !isSpace(text.charCodeAt(to - 1))) to = last;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  const words = { text: text.slice(from, to), line, column: from + 1, offset: offset + from };
  return { kind: "heading", depth, atMargin, lines: [words], start: offset + at, end: offset + last };
}

/** Returns the three or more backticks or tildes that open a fence at this position; empty if there are none. */
function fenceMarker(text: string, at: number): string {
  const code = text.charCodeAt(at);
  let end = at;
  while (text.charCodeAt(end) === code) end += 1;
  if (end - at < 3 || (code === backtick && text.includes("`", end))) return "";
  return text.slice(at, end);
}

function isClosing(text: string, at: number, delimiter: string): boolean {
  if (!text.startsWith(delimiter, at)) return false;
  let end = at + delimiter.length;
  while (text[end] === delimiter[0]) end += 1;
  return endOf(text) <= end;
}

function isUnderline(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  let end = at;
  while (text.charCodeAt(end) === code) end += 1;
  return endOf(text) <= end;
}

function isThematicBreak(text: string, at: number): boolean {
  const delimiter = text[at];
  if (delimiter !== "*" && delimiter !== "-" && delimiter !== "_") return false;
  let count = 0;
  for (let index = at; index < text.length; index += 1) {
    if (text[index] === delimiter) count += 1;
    else if (!isSpace(text.charCodeAt(index))) return false;
  }
  return count >= 3;
}

/** Returns the length of the list marker at this position; 0 if there is none. Only some markers interrupt a paragraph. */
function listMarker(text: string, at: number, interrupts: boolean): number {
  const marker = /^(?:[-*+]|([0-9]{1,9})[.)])(?=[ \t]|$)/.exec(text.slice(at, at + 12));
  if (!marker) return 0;
  const length = marker[0].length;
  if (!interrupts) return length;
  if (marker[1] !== undefined && Number(marker[1]) !== 1) return 0;
  return endOf(text) <= at + length ? 0 : length;
}

const htmlStarts: readonly (RegExp | undefined)[] = [
  undefined,
  /^<(?:script|pre|textarea|style)(?:\s|>|$)/i,
  /^<!--/,
  /^<[?]/,
  /^<![A-Za-z]/,
  /^<!\[CDATA\[/,
  /^<[/]?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[123456]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|[/]?[>]|$)/i,
];

const htmlEnds: readonly (RegExp | undefined)[] = [
  undefined,
  /<\/(?:script|pre|textarea|style)>/i,
  /-->/,
  /\?>/,
  />/,
  /\]\]>/,
];

const attribute = `\\s+[a-zA-Z_:][a-zA-Z0-9:._-]*(?:\\s*=\\s*(?:[^"'=<>\`\\x00-\\x20]+|'[^']*'|"[^"]*"))?`;
const completeTag = new RegExp(
  `^(?:<[A-Za-z][A-Za-z0-9-]*(?:${attribute})*\\s*/?>|</[A-Za-z][A-Za-z0-9-]*\\s*[>])\\s*$`,
);

/**
 * Returns which of CommonMark's seven kinds of HTML block begins here; 0 if none. The last kind cannot interrupt a paragraph.
 */
function htmlType(text: string, interrupts: boolean): number {
  const type = htmlStarts.findIndex((start) => start?.test(text));
  if (type > 0) return type;
  return !interrupts && completeTag.test(text) ? 7 : 0;
}
