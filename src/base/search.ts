/**
 * Search in texts, as lists do it: every word has to stand in one of the texts, wherever, and in whatever case. Texts are
 * compared in one form of Unicode (NFKC), so that what reads the same is the same.
 */

/** The words of what somebody searches for, in the form that texts are compared in. */
export function searchWords(text: string): readonly string[] {
  return folded(text)
    .split(/\s+/u)
    .filter((word) => word !== "");
}

/** Whether every word stands in one of the texts; an absent text has none. */
export function isFound(words: readonly string[], texts: readonly (string | null)[]): boolean {
  const looked = texts.flatMap((text) => (text === null ? [] : [folded(text)]));
  return words.every((word) => looked.some((text) => text.includes(word)));
}

/**
 * Upper case first: `ß` and `ss` are one then. Lower case has another sigma at the end of a word, so that a part of a word would not
 * be found.
 */
function folded(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}
