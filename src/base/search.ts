/**
 * Searches texts for the `search` parameter of lists: every word must occur in one of the texts, anywhere and in any case.
 * Texts are compared in one form of Unicode (NFKC), so that texts that look the same are equal.
 */

/** Returns the words of a search text, in the form in which texts are compared. */
export function searchWords(text: string): readonly string[] {
  return folded(text)
    .split(/\s+/u)
    .filter((word) => word !== "");
}

/** Whether every word occurs in one of the texts; an absent text contains no word. */
export function isFound(words: readonly string[], texts: readonly (string | null)[]): boolean {
  const looked = texts.flatMap((text) => (text === null ? [] : [folded(text)]));
  return words.every((word) => looked.some((text) => text.includes(word)));
}

/**
 * Converts to upper case first, so that `ß` and `ss` are equal, and then to lower case. Replaces the sigma of word ends by the
 * usual one, so that parts of words are found.
 */
export function folded(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}
