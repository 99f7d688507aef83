/** Finds the span in the file of a part of a value. */
import type { Position, Span } from "../base/span.ts";
import type { TextNode } from "./document.ts";

/** Returns the span of the characters `from` up to `to` of `node.value`, exact even in folded, escaped and block scalars. */
export function spanInside(node: TextNode, from: number, to: number = node.value.length): Span {
  const start = positionInside(node, from);
  if (to <= from) return { start, end: start };
  // The span ends after its last character, since the next character may be on another line.
  const last = positionInside(node, to - 1);
  return { start, end: along(last, 1) };
}

function positionInside(node: TextNode, index: number): Position {
  if (!node.pieces) return along(node.span.start, index + (node.quoted ? 1 : 0));
  const piece = node.pieces.findLast((candidate) => candidate.at <= index) ?? node.pieces[0];
  return piece ? along(piece.start, Math.max(0, index - piece.at)) : node.span.start;
}

function along(position: Position, count: number): Position {
  return { line: position.line, column: position.column + count, offset: position.offset + count };
}
