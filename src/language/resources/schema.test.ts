/** What is found wrong in schemas, and schemas without their references. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../base/json.ts";
import { schemaErrors, withoutReferences } from "./schema.ts";

const sound: readonly Json[] = [
  true,
  false,
  {},
  { $schema: "https://json-schema.org/draft/2020-12/schema", $id: "https://example.com/a", $comment: "c", title: "t" },
  { type: ["string", "null"], minLength: 0, maxLength: 2.0, pattern: "^a+$", format: "uuid" },
  { enum: [1, null, {}], const: 1, default: [], examples: [], deprecated: true, readOnly: false, "x-note": { a: 1 } },
  { type: "array", prefixItems: [{}, true], items: false, contains: {}, minContains: 0, uniqueItems: true },
  { properties: { type: { type: "string" }, $ref: true, "": {} }, required: [], patternProperties: { "^x": {} } },
  { anyOf: [{ not: {} }], if: {}, then: true, else: false, dependentRequired: { a: ["b"] }, dependentSchemas: { a: {} } },
  { $ref: "#/$defs/a~1b", $defs: { "a/b": { $ref: "#c" }, c: { $anchor: "c" } } },
  { $ref: "#/definitions/a%20b/properties/c", definitions: { "a b": { properties: { c: true } } } },
  { const: { $ref: "#/nowhere", type: 5 } },
]; // biome-ignore format: a table

for (const schema of sound) {
  test(`${JSON.stringify(schema)} is sound`, () => {
    assert.deepEqual(schemaErrors(schema), []);
  });
}

const chain = (length: number): Json => ({
  $ref: "#/$defs/s0",
  $defs: Object.fromEntries([
    ...Array.from({ length }, (_, n) => [`s${n}`, { allOf: [{ $ref: `#/$defs/s${n + 1}` }, { $ref: `#/$defs/s${n + 1}` }] }]),
    [`s${length}`, { type: "string" }],
  ]) as Record<string, Json>,
}); // biome-ignore format: short

const unsound: readonly (readonly [schema: Json, at: string, message: RegExp])[] = [
  [null, "", /has to be a schema/],
  [5, "", /has to be a schema/],
  [[], "", /has to be a schema/],
  [{ type: 5 }, "type", /has to be a type/],
  [{ type: "text" }, "type", /has to be a type/],
  [{ type: [] }, "type", /has to be a type/],
  [{ type: ["string", "string"] }, "type", /has to be a type/],
  [{ minLength: -1 }, "minLength", /whole number/],
  [{ minLength: 1.5 }, "minLength", /whole number/],
  [{ maximum: "5" }, "maximum", /has to be a number/],
  [{ multipleOf: 0 }, "multipleOf", /greater than 0/],
  [{ uniqueItems: 1 }, "uniqueItems", /true/],
  [{ required: "a" }, "required", /list of names/],
  [{ required: ["a", "a"] }, "required", /each once/],
  [{ dependentRequired: { a: "b" } }, "dependentRequired/a", /list of names/],
  [{ enum: [] }, "enum", /not empty/],
  [{ anyOf: [] }, "anyOf", /not empty/],
  [{ items: [{}] }, "items", /has to be a schema/],
  [{ properties: { a: 1 } }, "properties/a", /has to be a schema/],
  [{ properties: [] }, "properties", /map of names/],
  [{ pattern: "(?=a)" }, "pattern", /linear time/],
  [{ pattern: "(a)\\1" }, "pattern", /linear time/],
  [{ patternProperties: { "(": {} } }, "patternProperties/(", /linear time/],
  [{ format: "ipv5" }, "format", /ipv5/],
  [{ format: "constructor" }, "format", /constructor/],
  [{ constructor: 1 }, "constructor", /not a keyword/],
  [{ $ref: "#/$defs/constructor", $defs: {} }, "$ref", /refers to .*(not below|no schema)/],
  [{ properties: { a: { items: { type: "x" } } } }, "properties/a/items/type", /has to be a type/],
  [{ minLenght: 1 }, "minLenght", /not a keyword/],
  [{ type: "string", nullable: true }, "nullable", /not a keyword/],
  [{ $async: true }, "$async", /not a keyword/],
  [{ id: "a" }, "id", /not a keyword/],
  [{ "x-minimum": "a" }, "x-minimum", /not a keyword/],
  [{ properties: { a: { $dynamicRef: "#a" } } }, "properties/a/$dynamicRef", /not a keyword/],
  [{ $schema: "http://json-schema.org/draft-07/schema#" }, "$schema", /not JSON Schema 2020-12/],
  [{ items: { $id: "b" } }, "items/$id", /no address/],
  [{ $ref: "#/$defs/a" }, "$ref", /refers to .*(not below|no schema)/],
  [{ $ref: "https://example.com/a" }, "$ref", /refers to .*(not below|no schema)/],
  [{ $ref: "#a" }, "$ref", /refers to .*(not below|no schema)/],
  [{ $ref: "#/%" }, "$ref", /refers to .*(not below|no schema)/],
  [{ $ref: "#/const", const: {} }, "$ref", /refers to .*(not below|no schema)/],
  [{ $ref: "#/__proto__" }, "$ref", /refers to .*(not below|no schema)/],
  [{ $ref: 1 }, "$ref", /has to be a reference/],
  [{ $defs: { a: { $anchor: "x" }, b: { $anchor: "x" } } }, "$defs/b/$anchor", /another part/],
  [{ $ref: "#" }, "$ref", /without end/],
  [{ properties: { child: { $ref: "#" } } }, "properties/child/$ref", /without end/],
  [{ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { items: { $ref: "#/$defs/a" } } } }, "$defs/b/items/$ref", /without end/],
  [chain(30), "", /too large/],
]; // biome-ignore format: a table

for (const [schema, at, message] of unsound) {
  test(`${JSON.stringify(schema).slice(0, 100)} is not`, () => {
    const faults = schemaErrors(schema);
    assert.deepEqual(faults.map((problem) => problem.at.join("/")), [at]); // biome-ignore format: short
    assert.match(faults[0]?.message ?? "", message);
    assert.doesNotThrow(() => withoutReferences(schema), "it is read all the same");
  });
}

test("what is referred to stands in the place of the reference, beside what stood there", () => {
  assert.deepEqual(
    withoutReferences({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        from: { $ref: "#/$defs/place" },
        to: { $ref: "#place", description: "where to", allOf: [{ minLength: 2 }] },
        raw: { const: { $ref: "#place" } },
      },
      $defs: { place: { $anchor: "place", type: "string" } },
    }),
    {
      type: "object",
      properties: {
        from: { type: "string" },
        to: { description: "where to", allOf: [{ minLength: 2 }, { type: "string" }] },
        raw: { const: { $ref: "#place" } },
      },
    },
  );
});
