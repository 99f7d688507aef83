/** A part of a value stands in the file where its span says, also where YAML folds, quotes or escapes it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "./read.ts";
import { spanInside } from "./span-inside.ts";

/** What the file has where the part `wanted` of the value of `a` stands. */
function written(yaml: string, wanted: string, name = "a.yaml"): string {
  const { document } = readDocument(name, yaml);
  const root = document.root ?? document.sections[0]?.fences[0]?.body;
  assert.ok(root?.kind === "map");
  const value = root.entries[0]?.value;
  assert.ok(value?.kind === "text");
  const from = value.value.indexOf(wanted);
  assert.ok(from >= 0, value.value);
  const { start, end } = spanInside(value, from, from + wanted.length);
  const lines = document.text.split("\n");
  const line = lines[start.line - 1] ?? "";
  if (start.line === end.line) {
    assert.equal(line.slice(start.column - 1, end.column - 1), document.text.slice(start.offset, end.offset));
  }
  return document.text.slice(start.offset, end.offset);
}

const rows: readonly (readonly [what: string, yaml: string, wanted: string, written: string])[] = [
  ["plain", "a: one two", "two", "two"],
  ["quoted", 'a: "one two"', "two", "two"],
  ["folded plain", "a: one\n   two\n     three", "three", "three"],
  ["across a fold", "a: one\n   two", "one two", "one\n   two"],
  ["single quotes", "a: 'it''s two'", "two", "two"],
  ["the doubled quote itself", "a: 'it''s two'", "s two", "s two"],
  ["escapes", 'a: "\\u00e9\\t\\U0001F69A \\"x\\" two"', "two", "two"],
  ["folded double quotes", 'a: "one\n\n  two \\\n  three"', "three", "three"],
  ["a literal block", "a: |\n  one\n    two\n\n  three\n", "three", "three"],
  ["inside a literal block", "a: |\n  one\n    two\n", "two", "two"],
  ["a folded block", "a: >-\n\n  one\n  two\n", "two", "two"],
  ["a mended value", "a: !one two\n", "two", "two"],
  ["a mended value with escapes", 'a: !o\'ne "x" two\n', "two", "two"],
  ["a mended value in braces", "a: {base_url}/two\n", "two", "two"],
];
for (const [what, yaml, wanted, expected] of rows) {
  test(`${what}: ${JSON.stringify(yaml)}`, () => assert.equal(written(yaml, wanted), expected));
}

test("inside a fence in a quote, where lines have marks before them", () => {
  const text = "## A\n> ```yaml\n> a: one\n>   two\n>   three\n> ```\n";
  assert.equal(written(text, "three", "a.md"), "three");
  assert.equal(written(text, "two", "a.md"), "two");
});
