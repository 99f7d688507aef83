/** Finds the locations of the characters of a text that YAML writes with escapes, folded lines or indentation. */
import type { TextPiece } from "./document.ts";
import type { Source } from "./source.ts";

const joined = /\\\n[ \t]*/y;
const blank = /[ \t]*\n[ \t\n]*/y;

/**
 * Returns the pieces of `value` if its characters are not contiguous in the file: in folded lines, escapes, block scalars, or
 * with quotes that a fix inserted. Compares the value with the written form from left to right.
 */
export function piecesOf(
  value: string,
  written: string,
  style: string,
  start: number,
  source: Source,
): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let at = 0;
  let along = 0;
  if (style.startsWith("QUOTE")) along = 1;
  else if (style.startsWith("BLOCK")) along = written.indexOf("\n") + 1 || written.length;
  let expected = -1;
  while (at < value.length && along < written.length) {
    // An escaped line end and the indentation of the next line add no character.
    joined.lastIndex = along;
    if (style === "QUOTE_DOUBLE" && joined.test(written)) along = joined.lastIndex;
    blank.lastIndex = along;
    const fold =
      style.startsWith("BLOCK") && at === 0 ? leadingIndent(written, along) : blank.exec(written)?.[0].length;
    if (fold !== undefined && (at === 0 || isBlank(value[at]))) {
      pieces.push({ at, start: source.position(start + along) });
      along += fold;
      while (at < value.length && isBlank(value[at])) at++;
      expected = -1;
      if (at >= value.length || along >= written.length) break;
    }
    if (along !== expected) pieces.push({ at, start: source.position(start + along) });
    const step = escapeLength(written, along, style);
    expected = along + 1;
    at += step > 1 && (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    along += step;
  }
  return pieces.length > 0 ? deduplicated(pieces) : [{ at: 0, start: source.position(start) }];
}

function leadingIndent(written: string, along: number): number {
  const indent = /[ \t\n]*/y;
  indent.lastIndex = along;
  return indent.exec(written)?.[0].length ?? 0;
}

function deduplicated(pieces: readonly TextPiece[]): readonly TextPiece[] {
  return pieces.filter((piece, index) => pieces[index + 1]?.at !== piece.at);
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t" || character === "\n";
}

/** Returns the number of characters in the source for the next character of the value. */
function escapeLength(written: string, along: number, style: string): number {
  if (style === "QUOTE_SINGLE" && written.startsWith("''", along)) return 2;
  if (style !== "QUOTE_DOUBLE" || written[along] !== "\\") return 1;
  const digits: Readonly<Record<string, number>> = { x: 4, u: 6, U: 10 };
  return digits[written[along + 1] ?? ""] ?? 2;
}
