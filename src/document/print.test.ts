/** Any tree is printed so that it reads back as the same, whatever odd texts are in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../base/json.ts";
import { toJson } from "./data.ts";
import { jsonTree, printTree, type Tree, treeOf } from "./print.ts";
import { readDocument } from "./read.ts";

function readBack(text: string): Tree | undefined {
  const { document, diagnostics } = readDocument("tree.yaml", text);
  assert.deepEqual(diagnostics, [], text);
  return document.root && treeOf(document.root);
}

const printed: readonly (readonly [Tree, string])[] = [
  ["none", "none\n"],
  ["", '""\n'],
  ["a: b", '"a: b"\n'],
  ["!x", '"!x"\n'],
  ["no", "no\n"],
  ["🚚 lorry", "🚚 lorry\n"],
  ["\ud800", '"\\ud800"\n'],
  ["free -> held", "free -> held\n"],
  [{ a: "string(1..80)", b: "PUT /x/{id}" }, '{ a: string(1..80), b: "PUT /x/{id}" }\n'],
  [{ a: { b: "c" } }, "a: { b: c }\n"],
  [{ a: { b: { c: "d, e" } } }, 'a:\n  b: { c: "d, e" }\n'],
  [["a", ["b", "c"]], "- a\n- [b, c]\n"],
  [
    new Map([
      ["2", "rename a -> b"],
      ["1", "first"],
    ]),
    "{ 2: rename a -> b, 1: first }\n",
  ],
  [[{ a: ["b", { c: "d" }], e: "f" }], "- a:\n    - b\n    - { c: d }\n  e: f\n"],
  [{ a: [], b: {}, c: ["x, y", "[z"] }, 'a: []\nb: {}\nc: ["x, y", "[z"]\n'],
  [{ rule: "x".repeat(60), note: "y".repeat(60) }, `rule: ${"x".repeat(60)}\nnote: ${"y".repeat(60)}\n`],
  [
    { schema: jsonTree({ const: "1", type: ["integer", null], max: 1 }) },
    'schema:\n  const: "1"\n  type: [integer, null]\n  max: 1\n',
  ],
];

for (const [tree, text] of printed) {
  test(`prints ${JSON.stringify(text)}`, () => assert.equal(printTree(tree), text));
}

const nasty = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      ..." #:-?,[]{}!&*|>@%`'\"\\/a0\t\n\r~=<.".split(""),
      "ok ",
      "a:b",
      "---",
      "é",
      "\u2028",
      "\u0085",
      "\ufeff",
    ),
  }),
  fc.constantFrom(
    "null",
    "~",
    "true",
    "<<",
    "none",
    "not shown",
    "a".repeat(1100),
    "# ok x: y",
    "{base_url}",
    "k:v",
    "__proto__",
  ),
);

/** A longer one is refused, whichever way it is written. */
const key = nasty.filter((text) => text.length <= 1024);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    nasty,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.uniqueArray(fc.tuple(key, tie("tree")), { selector: ([name]) => name, maxLength: 4 }).map(Object.fromEntries),
  ),
}));

test("what is printed reads back as the same tree, without a diagnostic", () => {
  fc.assert(
    fc.property(tree, (given) => {
      const text = printTree(given);
      const back = readBack(text);
      assert.deepEqual(back === undefined ? "" : back, given, text);
    }),
    { numRuns: 2000 },
  );
});

test("JSON values inside a tree keep their types", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (json) => {
      const text = printTree({ schema: jsonTree(json as Json) });
      const { document, diagnostics } = readDocument("schema.yaml", text);
      assert.deepEqual(diagnostics, [], text);
      assert.ok(document.root);
      assert.equal(JSON.stringify(toJson(document.root)), JSON.stringify({ schema: json }), text);
    }),
    { numRuns: 1000 },
  );
});
