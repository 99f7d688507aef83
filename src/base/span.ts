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

/**
 * A span within one line. A large document has half a million spans: as one object of four numbers, a span takes a third of the
 * memory of a span with its two positions, which are made for a reader.
 */
export class LineSpan implements Span {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly length: number;

  constructor(line: number, column: number, offset: number, length: number) {
    this.line = line;
    this.column = column;
    this.offset = offset;
    this.length = length;
  }

  get start(): Position {
    return { line: this.line, column: this.column, offset: this.offset };
  }

  get end(): Position {
    return { line: this.line, column: this.column + this.length, offset: this.offset + this.length };
  }
}

/** Returns the span with its positions as members, for every copy and every JSON of it. */
export function plainSpan(span: Span): Span {
  return span instanceof LineSpan ? { start: span.start, end: span.end } : span;
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
