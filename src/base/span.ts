/** The position of a piece of text. Lines and columns count from 1, columns and offsets in UTF-16 code units. */

export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** From `start` up to, not including, `end`. */
export interface Span {
  readonly start: Position;
  readonly end: Position;
}

/** The span from the start of `first` to the end of `last`. */
export function spanning(first: Span, last: Span): Span {
  return { start: first.start, end: last.end };
}

/** The first character of a text: where a complaint about the whole of it points. */
export const startOfText: Span = {
  start: { line: 1, column: 1, offset: 0 },
  end: { line: 1, column: 1, offset: 0 },
};
