/** Sizes as a document writes them: what is one, what is none, and how one is printed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSize, printSize } from "./bytes.ts";

test("sizes are powers of 1024, whatever the case", () => {
  const rows: readonly (readonly [string, number])[] = [
    ["256KB", 262_144],
    ["256KiB", 262_144],
    ["1MB", 1_048_576],
    ["2gb", 2_147_483_648],
    ["17B", 17],
    ["0B", 0],
  ];
  for (const [text, bytes] of rows) assert.equal(parseSize(text), bytes, text);
});

test("what is no size", () => {
  for (const text of ["", "5", "KB", "5 KB", "1.5MB", "-1KB", "5TB", "999999999999999GB"]) {
    assert.equal(parseSize(text), undefined, text);
  }
});

test("prints the largest unit that is exact", () => {
  const rows: readonly (readonly [number, string])[] = [
    [262_144, "256KB"],
    [1_048_576, "1MB"],
    [1000, "1000B"],
    [0, "0B"],
  ];
  for (const [bytes, text] of rows) assert.equal(printSize(bytes), text);
});
