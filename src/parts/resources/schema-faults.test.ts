/** What is no JSON Schema is found, and whatever passes compiles as the service compiles it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../base/json.ts";
import { createJudges } from "../../serve/body.ts";
import { schemaFaults } from "./schema-faults.ts";

const good: readonly Json[] = [
  true,
  false,
  {},
  { type: "string", format: "email", maxLength: 5 },
  { type: ["string", "null"], enum: ["a", null] },
  { type: "object", required: ["hs"], properties: { hs: { type: "string", pattern: "^[0-9]{6}$" } } },
  { type: "array", prefixItems: [{ const: 1 }], items: false, uniqueItems: true },
  { $defs: { line: { type: "array", items: { $ref: "#/$defs/line" } } }, $ref: "#/$defs/line" },
  { type: "array", items: { $ref: "#" } },
  { patternProperties: { "^a": { minimum: 1.5 } }, additionalProperties: false, minProperties: 1 },
  { if: { type: "number" }, then: { multipleOf: 0.5 }, else: { not: { type: "null" } } },
  { dependentRequired: { a: ["b"] }, description: "d", examples: [1], default: 2, "x-note": { anything: 1 } },
];
for (const schema of good) {
  test(`good: ${JSON.stringify(schema)}`, () => {
    assert.deepEqual(schemaFaults(schema), []);
    if (typeof schema === "object") createJudges()(schema as Readonly<Record<string, Json>>);
  });
}

const bad: readonly (readonly [schema: Json, message: string])[] = [
  [5, "A schema is a map, `true` or `false`"],
  [null, "A schema is a map, `true` or `false`"],
  [{ type: 5 }, "`5` is no type of JSON Schema"],
  [{ type: "strin" }, "`strin` is no type of JSON Schema"],
  [{ type: [] }, "`type` is one of the types, or a list of them"],
  [{ typ: "string" }, "`typ` is no keyword of JSON Schema that is held to here"],
  [{ constructor: 1 }, "`constructor` is no keyword of JSON Schema that is held to here"],
  [{ $id: "https://example.com/a" }, "`$id` is no keyword of JSON Schema that is held to here"],
  [{ format: "emial" }, "There is no format `emial`"],
  [{ format: "constructor" }, "There is no format `constructor`"],
  [{ pattern: "(" }, "`(` is no regular expression of RE2"],
  [{ pattern: "(?=a)b" }, "`(?=a)b` is no regular expression of RE2"],
  [{ patternProperties: { "(": true } }, "`(` is no regular expression of RE2"],
  [{ $ref: "https://example.com/a" }, "`$ref` leads to nothing in this schema"],
  [{ $ref: "#/$defs/line" }, "`$ref` leads to nothing in this schema"],
  [{ $ref: "#/$defs/constructor", $defs: {} }, "`$ref` leads to nothing in this schema"],
  [{ minimum: "1" }, "`minimum` is a number"],
  [{ maxLength: -1 }, "`maxLength` is a whole number from 0 up"],
  [{ minItems: 1.5 }, "`minItems` is a whole number from 0 up"],
  [{ enum: [] }, "`enum` is a list of values, each once"],
  [{ enum: "a" }, "`enum` is a list of values, each once"],
  [{ required: "a" }, "`required` is a list of names, each once"],
  [{ required: ["a", "a"] }, "`required` is a list of names, each once"],
  [{ multipleOf: 0 }, "`multipleOf` is a number greater than 0"],
  [{ uniqueItems: "true" }, "`uniqueItems` is true or false"],
  [{ properties: [] }, "`properties` is a map of schemas"],
  [{ allOf: {} }, "`allOf` is a list of schemas"],
  [{ items: [{}] }, "A schema is a map, `true` or `false`"],
  [{ properties: { a: { items: { type: "x" } } } }, "`x` is no type of JSON Schema"],
];
for (const [schema, message] of bad) {
  test(`bad: ${JSON.stringify(schema)}`, () => assert.deepEqual(schemaFaults(schema).map((one) => one.message), [message])); // biome-ignore format: short
}
