/**
 * A piece of a text in the document, with its source location. The readers of one-line forms split text into such pieces, so
 * that a finding marks the exact words.
 */
import { type Span, startOfText } from "../../base/span.ts";
import type { TextNode } from "../../document/document.ts";
import { spanInside } from "../../document/span-inside.ts";

/** `text` is the part of `node.value` that starts at `from`. */
export interface SourceText {
  readonly text: string;
  readonly node: TextNode;
  readonly from: number;
}

/** Returns the whole text of a node, without the blanks around it. */
export function sourceTextOf(node: TextNode): SourceText {
  return trimmed({ text: node.value, node, from: 0 });
}

/** Makes a text outside any document: printers use it to test whether a one-line form reads back. */
export function unlocatedText(text: string): SourceText {
  return sourceTextOf({ kind: "text", value: text, quoted: false, span: startOfText });
}

/** Returns the characters from `start` up to `end`, without the blanks around them. */
export function slice(sourceText: SourceText, start: number, end: number = sourceText.text.length): SourceText {
  return trimmed({ text: sourceText.text.slice(start, end), node: sourceText.node, from: sourceText.from + start });
}

/** Returns the exact span of a text. */
export function spanOf(sourceText: SourceText): Span {
  return spanInside(sourceText.node, sourceText.from, sourceText.from + sourceText.text.length);
}

/**
 * Splits a text at each `separator` outside quotes, brackets and character classes of regular expressions. A doubled separator
 * (`||`) does not split. The pieces have no blanks around them.
 */
export function splitAt(sourceText: SourceText, separator: "|" | "," | "+"): SourceText[] {
  const pieces: SourceText[] = [];
  let start = 0;
  for (const index of topLevel(sourceText.text)) {
    const { text } = sourceText;
    if (text[index] !== separator) continue;
    if (separator === "|" && (text[index - 1] === separator || text[index + 1] === separator)) continue;
    pieces.push(slice(sourceText, start, index));
    start = index + 1;
  }
  pieces.push(slice(sourceText, start));
  return pieces;
}

/** Splits a text into its words at blanks. */
export function words(sourceText: SourceText): SourceText[] {
  return [...sourceText.text.matchAll(/\S+/g)].map((match) =>
    slice(sourceText, match.index, match.index + match[0].length),
  );
}

/** Returns the text before and after the first `separator` outside quotes and brackets; undefined if there is none. */
export function cutAt(
  sourceText: SourceText,
  separator: string,
): readonly [before: SourceText, after: SourceText] | undefined {
  for (const index of topLevel(sourceText.text)) {
    if (sourceText.text.startsWith(separator, index))
      return [slice(sourceText, 0, index), slice(sourceText, index + separator.length)];
  }
  return undefined;
}

/** Yields the indexes of the characters outside quotes and brackets. */
function* topLevel(text: string): Generator<number> {
  let depth = 0;
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (quote !== "") {
      if (character === "\\") index++;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
    else if (depth === 0) yield index;
  }
}

function trimmed(sourceText: SourceText): SourceText {
  const text = sourceText.text.trim();
  const blanks = sourceText.text.length - sourceText.text.trimStart().length;
  return { text, node: sourceText.node, from: sourceText.from + (text === "" ? 0 : blanks) };
}
