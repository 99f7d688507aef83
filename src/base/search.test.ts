/** What is found by which words. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isFound, searchWords } from "./search.ts";

const rows: readonly (readonly [asked: string, texts: readonly (string | null)[], found: boolean])[] = [
  ["red", ["A Red door"], true],
  ["RED door", ["red", "the DOOR"], true],
  ["red door", ["red", null], false],
  ["oo", ["door"], true],
  ["  ", ["door"], true],
  ["ÅRSTID", ["årstid"], true],
  ["straße", ["STRASSE"], true],
  ["ΣΊΣΥΦΟΣ", ["Σίσυφος"], true],
  ["οδοσ", ["οδοστρωμα"], true],
  ["ΟΔΟΣ", ["οδοστρωμα"], true],
  ["οδος", ["ΟΔΟΣ"], true],
  ["e\u0301tude", ["étude"], true],
  ["100%", ["100 % wool"], false],
  ["_", ["door"], false],
  ["red", [], false],
];

for (const [asked, texts, found] of rows) {
  test(`\`${asked}\` in ${JSON.stringify(texts)}`, () => assert.equal(isFound(searchWords(asked), texts), found));
}
