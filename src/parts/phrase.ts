/**
 * A run of words inside a text of the document that knows where it stands: what the one-line forms are taken apart
 * with, so that a complaint points at the exact words.
 */
import { type Span, startOfText } from "../base/span.ts";
import type { TextNode } from "../document/document.ts";
import { spanWithin } from "../document/span-within.ts";

/** `text` is the part of `node.value` that starts at `from`. */
export interface Phrase {
  readonly text: string;
  readonly node: TextNode;
  readonly from: number;
}

/** The whole text of a node, without the blanks around it. */
export function phraseOf(node: TextNode): Phrase {
  return trimmed({ text: node.value, node, from: 0 });
}

/** A phrase that stands in no document: what a printer tries a one-line form with. */
export function loosePhrase(text: string): Phrase {
  return phraseOf({ kind: "text", value: text, quoted: false, span: startOfText });
}

/** The characters from `start` up to `end` of a phrase, without the blanks around them. */
export function slice(phrase: Phrase, start: number, end: number = phrase.text.length): Phrase {
  return trimmed({ text: phrase.text.slice(start, end), node: phrase.node, from: phrase.from + start });
}

/** Where a phrase stands, exactly. */
export function spanOf(phrase: Phrase): Span {
  return spanWithin(phrase.node, phrase.from, phrase.from + phrase.text.length);
}

/**
 * The phrase cut at each `mark` that stands outside quotes, brackets and regular expressions' classes. A doubled mark
 * (`||`) does not cut. Blanks around the pieces are dropped.
 */
export function splitAt(phrase: Phrase, mark: "|" | "," | "+"): Phrase[] {
  const pieces: Phrase[] = [];
  let start = 0;
  for (const index of topLevel(phrase.text)) {
    const { text } = phrase;
    if (text[index] !== mark) continue;
    if (mark === "|" && (text[index - 1] === mark || text[index + 1] === mark)) continue;
    pieces.push(slice(phrase, start, index));
    start = index + 1;
  }
  pieces.push(slice(phrase, start));
  return pieces;
}

/** The words of a phrase: what blanks separate. */
export function words(phrase: Phrase): Phrase[] {
  return [...phrase.text.matchAll(/\S+/g)].map((match) => slice(phrase, match.index, match.index + match[0].length));
}

/** The phrase before and after the first `mark` outside quotes and brackets, or undefined where there is none. */
export function cutAt(phrase: Phrase, mark: string): readonly [before: Phrase, after: Phrase] | undefined {
  for (const index of topLevel(phrase.text)) {
    if (phrase.text.startsWith(mark, index)) return [slice(phrase, 0, index), slice(phrase, index + mark.length)];
  }
  return undefined;
}

/** The indexes of the characters that stand outside quotes and brackets. */
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

function trimmed(phrase: Phrase): Phrase {
  const text = phrase.text.trim();
  const blanks = phrase.text.length - phrase.text.trimStart().length;
  return { text, node: phrase.node, from: phrase.from + (text === "" ? 0 : blanks) };
}
