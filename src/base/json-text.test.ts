/** JSON as text: the same value, and no line longer than it has to be. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "./json.ts";
import { jsonText } from "./json-text.ts";

const rows: readonly (readonly [value: Json, text: string])[] = [
  [[], "[]\n"],
  [{}, "{}\n"],
  ['"', '"\\""\n'],
  [{ a: [1, null, { b: true }] }, '{ "a": [1, null, { "b": true }] }\n'],
  [{ a: "x".repeat(130), b: [] }, `{\n  "a": "${"x".repeat(130)}",\n  "b": []\n}\n`],
];

for (const [value, text] of rows)
  test(`jsonText: ${JSON.stringify(value).slice(0, 40)}`, () => assert.equal(jsonText(value), text));

test("the text is the value, and a line with several values has at most 120 columns", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = jsonText(value as Json);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      for (const line of text.split("\n"))
        assert.ok(line.length <= 121 || !/[[{].*[\]}]/.test(line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "s")), line);
    }),
  );
});
