/**
 * Prints the lines of a layout: breaks braces and brackets that are too long, and aligns comments. A line breaks after a comma
 * of its outermost brackets if that is enough, and is filled up to the last entry that fits.
 */

/** The most columns of a line that can be broken; comments do not count. */
const mostColumns = 120;
/** The columns by which a value in brackets is indented below its key, and its further lines below its first. */
const step = 2;

/** A list or map in brackets. */
export interface Flow {
  readonly outer: Flow | undefined;
  /** The indentation of the further lines of the outermost brackets. */
  indent: number;
}

export interface Piece {
  text: string;
  /** Whether a blank is before the piece, unless it is the first of its line. */
  readonly spaced: boolean;
  /** The brackets that a line break before this piece continues. */
  readonly breaks?: Flow | undefined;
  /** The outermost brackets that start here and may move to the line below their key. */
  readonly shiftable?: Flow | undefined;
}

export interface Line {
  /** The indentation in columns, or the brackets that the line continues. */
  readonly indent: number | Flow;
  /** The indentation of the first piece that is no dash. */
  base: number;
  readonly pieces: readonly Piece[];
  /** The comment at the end of the line, and its column in the source. */
  readonly comment?: { readonly text: string; readonly column: number } | undefined;
  /** Whether an empty line is above. */
  readonly blank: boolean;
  /** Whether the line is part of a text, so that its empty lines and its blanks belong to the value. */
  readonly isText?: boolean;
  /** The numbers of the source's lines that the line comes from. */
  readonly sourceLines: ReadonlySet<number>;
}

/** Prints the lines. `isFixed`: whether the line of the source with this number must not be broken. */
export function printLines(lines: readonly Line[], isFixed: (line: number) => boolean): readonly string[] {
  const broken = lines.flatMap((line) => ([...line.sourceLines].some(isFixed) ? [line] : breakLine(line)));
  return withComments(broken).flatMap((text, index) => (isBlankAbove(broken, index) ? ["", text] : [text]));
}

/** Empty lines above the first line, and above the first line of a deeper block, are left out. */
function isBlankAbove(lines: readonly Line[], index: number): boolean {
  const [line, above] = [lines[index], lines[index - 1]];
  if (line === undefined || !line.blank) return false;
  return line.isText === true || (above !== undefined && columnOf(line) <= columnOf(above));
}

function columnOf({ indent }: Line): number {
  return typeof indent === "number" ? indent : continuationOf(indent);
}

function continuationOf({ outer, indent }: Flow): number {
  return outer === undefined ? indent : continuationOf(outer) + step;
}

function depthOf({ outer }: Flow): number {
  return outer === undefined ? 0 : depthOf(outer) + 1;
}

/** Returns the line, or the lines into which it is broken. */
function breakLine(line: Line): readonly Line[] {
  const ends = endColumns(line);
  if ((ends.at(-1) ?? 0) <= mostColumns) return [line];
  const shifted = line.pieces.findIndex(({ shiftable }, index) => index > 0 && shiftable !== undefined);
  const flow = line.pieces[shifted]?.shiftable;
  if (flow !== undefined) {
    const indent = flow.indent;
    flow.indent += step;
    return split(line, shifted, indent);
  }
  const at = breakAt(line.pieces, ends);
  return at === undefined ? [line] : split(line, at, line.pieces[at]?.breaks ?? 0);
}

function split(line: Line, at: number, indent: number | Flow): readonly Line[] {
  const first: Line = { ...line, pieces: line.pieces.slice(0, at), comment: undefined };
  const second: Line = { ...line, pieces: line.pieces.slice(at), indent, blank: false };
  return [...breakLine(first), ...breakLine(second)];
}

/** Returns the index of the piece before which to break the line; undefined if there is none. */
function breakAt(pieces: readonly Piece[], ends: readonly number[]): number | undefined {
  const possible = pieces.flatMap(({ breaks }, index) =>
    index > 0 && breaks !== undefined ? [{ index, depth: depthOf(breaks) }] : [],
  );
  const fitting = possible.filter(({ index }) => (ends[index - 1] ?? 0) <= mostColumns);
  const choice = fitting.length > 0 ? fitting : possible;
  const outermost = Math.min(...choice.map(({ depth }) => depth));
  const chosen = choice.filter(({ depth }) => depth === outermost);
  return (fitting.length > 0 ? chosen.at(-1) : chosen[0])?.index;
}

/** Returns the column at which each piece ends. */
function endColumns(line: Line): readonly number[] {
  let column = columnOf(line);
  return line.pieces.map(({ text, spaced }, index) => (column += text.length + (index > 0 && spaced ? 1 : 0)));
}

/** Prints each line with its comment. Comments of consecutive lines stay aligned if they are so in the source. */
function withComments(lines: readonly Line[]): readonly string[] {
  const texts = lines.map((line) => printPieces(line));
  const groupEnd = (from: number): number => {
    const column = lines[from]?.comment?.column;
    const after = lines.findIndex(
      ({ comment, pieces, blank }, index) =>
        index > from && (comment?.column !== column || pieces.length === 0 || blank),
    );
    return after < 0 ? lines.length : after;
  };
  for (let from = 0; from < lines.length; ) {
    if (lines[from]?.comment === undefined) {
      from++;
      continue;
    }
    const end = lines[from]?.pieces.length === 0 ? from + 1 : groupEnd(from);
    const width = Math.max(...texts.slice(from, end).map(({ length }) => length));
    for (; from < end; from++) texts[from] = withComment(texts[from] ?? "", lines[from]?.comment?.text ?? "", width);
  }
  return texts;
}

function withComment(text: string, comment: string, width: number): string {
  return text.trim() === "" ? text + comment : `${text.padEnd(width)} ${comment}`;
}

function printPieces(line: Line): string {
  const text = line.pieces.map((piece, index) => (index > 0 && piece.spaced ? ` ${piece.text}` : piece.text)).join("");
  return text === "" && line.comment === undefined ? "" : " ".repeat(columnOf(line)) + text;
}
