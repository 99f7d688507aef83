/** Asserts that a text does not contain words. Ids are random letters, in which a short word can occur by chance. */
import assert from "node:assert/strict";

const ids = /\b[a-z]+_[0-9a-z]{26}\b/g;

export function doesNotTell(text: string, words: RegExp, message: string = text): void {
  assert.doesNotMatch(text.replaceAll(ids, "<id>"), words, message);
}
