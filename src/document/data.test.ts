/** What a value of YAML or JSON means: by the core schema of YAML 1.2, in JSON what JSON says, and keys are always text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "../base/json.ts";
import { startOfText } from "../base/span.ts";
import { coreValue, fromJson, toJson } from "./data.ts";
import { readDocument } from "./read.ts";

test("unquoted scalars by the core schema of YAML 1.2", () => {
  const rows: readonly (readonly [string, Json])[] = [
    ["", null], ["~", null], ["null", null], ["NULL", null], ["nULL", "nULL"],
    ["true", true], ["False", false], ["yes", "yes"], ["no", "no"], ["on", "on"],
    ["0", 0], ["-17", -17], ["+1", 1], ["0123", 123], ["0o17", 15], ["0xfF", 255], ["0b1", "0b1"], ["1_000", "1_000"],
    [".5", 0.5], ["1.", 1], ["1e3", 1000], ["-1.5E-2", -0.015], [".", "."], ["e3", "e3"], ["1.2.3", "1.2.3"],
    [".inf", ".inf"], [".nan", ".nan"], ["1e999", "1e999"], ["2026-09-01", "2026-09-01"], ["12:30", "12:30"], ["<<", "<<"],
  ]; // biome-ignore format: a table
  for (const [text, value] of rows) assert.equal(coreValue(text), value, text);
});

test("quoted and block scalars stay text; keys are text", () => {
  const { document } = readDocument(
    "a.yaml",
    "a: '1'\nb: \"true\"\nc: |\n  1\nd: [1, '1']\n1: null\n__proto__: { x: 1 }\n",
  );
  assert.ok(document.root);
  const json = JSON.stringify(toJson(document.root));
  assert.equal(json, '{"1":null,"a":"1","b":"true","c":"1\\n","d":[1,"1"],"__proto__":{"x":1}}');
});

test("JSON to nodes and back", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      assert.equal(JSON.stringify(toJson(fromJson(json as Json, startOfText))), JSON.stringify(json));
    }),
  );
});

test("a JSON file means what JSON says", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), (json, indent) => {
      const text = JSON.stringify({ root: json }, null, indent);
      const { document, diagnostics } = readDocument("a.json", text);
      assert.deepEqual(diagnostics, []);
      assert.ok(document.root);
      assert.equal(JSON.stringify(toJson(document.root)), JSON.stringify({ root: json }));
    }),
  );
});
