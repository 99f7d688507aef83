/** Which of two versions is newer, by their numbers and not by their letters. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isNewerVersion } from "./version.ts";

const rows: readonly (readonly [one: string, other: string, newer: boolean])[] = [
  ["2026-03-01", "2026-02-28", true],
  ["2026-02-28", "2026-03-01", false],
  ["2026-03-01", "2026-03-01", false],
  ["10", "9", true],
  ["1.10", "1.9.9", true],
  ["2", "2.0.0", false],
  ["2.0.1", "2", true],
];

for (const [one, other, newer] of rows)
  test(`${one} is ${newer ? "" : "not "}newer than ${other}`, () => {
    assert.equal(isNewerVersion(one, other), newer);
  });
