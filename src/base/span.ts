/** Positions in a text. Lines and columns count from 1; columns and offsets are in UTF-16 code units. */

export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** A piece of text from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: Position;
  readonly end: Position;
}

/** Returns the span from the start of `first` to the end of `last`. */
export function spanning(first: Span, last: Span): Span {
  return { start: first.start, end: last.end };
}

/** The first character of a text: the span of findings about the whole text. */
export const startOfText: Span = {
  start: { line: 1, column: 1, offset: 0 },
  end: { line: 1, column: 1, offset: 0 },
};
