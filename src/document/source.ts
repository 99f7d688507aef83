/**
 * A piece of a file as a separate text, such as a fence without its indentation, with the position of each character in the
 * file.
 */
import type { Position, Span } from "../base/span.ts";

export interface Source {
  readonly text: string;
  /** Returns the position in the file of the character at `offset` of `text`. Offsets after the end return the end. */
  position(offset: number): Position;
}

/** An edit of a source: replaces `remove` characters at `at` with `insert`. */
export interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** The lines of a file, split at LF, CRLF and lone CR as in CommonMark. */
export interface Lines {
  readonly text: string;
  /** The offset of each line's first character. */
  readonly starts: readonly number[];
}

export function linesOf(text: string): Lines {
  const starts = [0];
  for (const end of text.matchAll(/\r\n|\n|\r/g)) starts.push(end.index + end[0].length);
  return { text, starts };
}

/** Returns the text of the line with this index (from 0), without its line end. */
export function lineText(lines: Lines, index: number): string {
  const { starts, text } = lines;
  const start = starts[index];
  if (start === undefined) return "";
  let end = starts[index + 1] ?? text.length;
  while (end > start && (text[end - 1] === "\n" || text[end - 1] === "\r")) end -= 1;
  return text.slice(start, end);
}

export function positionIn(lines: Lines, offset: number): Position {
  const at = Math.max(0, Math.min(offset, lines.text.length));
  const line = indexBefore(lines.starts, at);
  return { line: line + 1, column: at - (lines.starts[line] ?? 0) + 1, offset: at };
}

export function spanIn(lines: Lines, start: number, end: number): Span {
  return { start: positionIn(lines, start), end: positionIn(lines, Math.max(start, end)) };
}

/** A piece of a source's line: `text` starts at `offset` of the file, which is column `column` of line `line`. */
export interface SourceLine {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** Joins lines of the file with LF to a source. */
export function sourceOf(pieces: readonly SourceLine[], file: Lines): Source {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first !== undefined && last !== undefined && isContiguous(pieces, file.text)) {
    const end = last.offset + last.text.length;
    const position = (offset: number): Position => positionIn(file, Math.min(first.offset + Math.max(0, offset), end));
    return { text: file.text.slice(first.offset, end), position };
  }
  const starts: number[] = [];
  let length = 0;
  for (const piece of pieces) {
    starts.push(length);
    length += piece.text.length + 1;
  }
  const position = (offset: number): Position => {
    const index = indexBefore(starts, Math.max(0, offset));
    const piece = pieces[index] ?? { text: "", line: 1, column: 1, offset: 0 };
    const along = Math.max(0, Math.min(offset - (starts[index] ?? 0), piece.text.length));
    return { line: piece.line, column: piece.column + along, offset: piece.offset + along };
  };
  return { text: pieces.map((piece) => piece.text).join("\n"), position };
}

/** Whether the joined lines are a piece of the file, which then needs no copy. */
function isContiguous(pieces: readonly SourceLine[], text: string): boolean {
  return pieces.every(({ text: piece, offset }, index) => {
    const next = offset + piece.length;
    const isJoined = index === pieces.length - 1 || (text[next] === "\n" && pieces[index + 1]?.offset === next + 1);
    return isJoined && text.startsWith(piece, offset);
  });
}

/** Returns the whole file as a source. */
export function sourceOfLines(lines: Lines): Source {
  const pieces = lines.starts.map((offset, index) => ({
    text: lineText(lines, index),
    line: index + 1,
    column: 1,
    offset,
  }));
  return sourceOf(pieces, lines);
}

export function spanAt(source: Source, start: number, end: number): Span {
  return { start: source.position(start), end: source.position(Math.max(start, end)) };
}

/** Returns the source after the edits; inserted text has the position of its edit in the file. Edits must not overlap. */
export function editedSource(source: Source, edits: readonly Edit[]): Source {
  const ordered = edits.toSorted((a, b) => a.at - b.at);
  /** The start of each unchanged piece of text, in the new text and in the old one. */
  const newStarts: number[] = [0];
  const oldStarts: number[] = [0];
  let text = "";
  let done = 0;
  for (const edit of ordered) {
    text += source.text.slice(done, edit.at);
    newStarts.push(text.length);
    oldStarts.push(edit.at);
    text += edit.insert;
    done = edit.at + edit.remove;
    newStarts.push(text.length);
    oldStarts.push(done);
  }
  text += source.text.slice(done);
  const position = (offset: number): Position => {
    const run = indexBefore(newStarts, Math.max(0, offset));
    const old = (oldStarts[run] ?? 0) + offset - (newStarts[run] ?? 0);
    // A position inside inserted text becomes the position of the edit.
    return source.position(Math.min(old, oldStarts[run + 1] ?? Number.POSITIVE_INFINITY));
  };
  return { text, position };
}

/** Returns the index of the last start that is not after `offset`. */
export function indexBefore(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
