/** Whatever stands in a document, reading it ends, throws nothing, and points into the text. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { models } from "../../test/arbitraries/model.ts";
import { printTree, type Tree } from "../document/print.ts";
import { readDocument } from "../document/read.ts";
import { partNames } from "./model.ts";
import { printData, printModel } from "./print.ts";
import { readModel } from "./read.ts";

const flagship = readFileSync(new URL("../../examples/parcel-lockers.md", import.meta.url), "utf8");

function readWhatever(name: string, text: string): void {
  const { document } = readDocument(name, text);
  const { model, diagnostics, places } = readModel(document);
  for (const { span, message, code, fix } of diagnostics) {
    assert.match(code, /^[a-z]+\/[a-z0-9-]+$/);
    assert.notEqual(message, "");
    for (const { start, end } of [span, fix?.span ?? span]) {
      assert.ok(start.offset >= 0 && start.offset <= end.offset && end.offset <= document.text.length, message);
    }
  }
  for (const path of [...places.keys()].flatMap((key) => [key, `${key}#key`, `${key}#value`])) {
    const { start, end } = places.get(path) ?? { start: { offset: 0 }, end: { offset: 0 } };
    assert.ok(start.offset <= end.offset && end.offset <= document.text.length);
  }
  // What could be understood can be printed.
  assert.ok(printModel(model).length > 0 && printData(model).length > 0);
}

/** Words and marks of the language in any order. */
const scraps = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...new Set(flagship.split(/\s+/))) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "",
      "none",
      "not shown",
      "|",
      ",",
      "(",
      ")",
      "[]",
      "(1..",
      "/",
      "'",
      '"',
      "=",
      ":=",
      "->",
      "else",
      "if",
      "any",
      "__proto__",
      "constructor",
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 8 }) },
);
const lines = fc.array(scraps, { maxLength: 6 }).map((words) => words.join(" "));

const trees: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    lines,
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(lines, tie("tree"), { maxKeys: 4 }),
    fc.dictionary(scraps, tie("tree"), { maxKeys: 4 }),
  ),
})).tree;

test("any values under any keys", () => {
  const keys = [
    "types",
    "rules",
    "users",
    "operations",
    "endpoints",
    "lists",
    "edits",
    "repeats",
    "out",
    "delivery",
    "rate",
    "versions",
    "Parcel",
  ];
  const parts = fc.dictionary(
    fc.constantFrom(...partNames),
    fc.oneof(trees, fc.dictionary(fc.constantFrom(...keys), trees, { maxKeys: 4 })),
  );
  fc.assert(
    fc.property(parts, (parts) => readWhatever("a.yaml", printTree(parts))),
    { numRuns: 300, endOnFailure: true },
  );
});

test("a sound document with a piece cut out, or another put in", () => {
  const cuts = fc.tuple(fc.nat(), fc.nat({ max: 12 }), scraps);
  const texts = fc.oneof(fc.constant(flagship), models.map(printModel));
  fc.assert(
    fc.property(texts, cuts, (text, [at, length, scrap]) => {
      const start = at % text.length;
      readWhatever("a.md", text.slice(0, start) + scrap + text.slice(start + length));
    }),
    { numRuns: 100, endOnFailure: true },
  );
});
