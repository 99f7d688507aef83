/** The document's JSON Schemas: any schema that passes `check` is served, and validates as the standard defines. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { RE2JS } from "@bufbuild/re2";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { schemaErrors, withoutReferences } from "../../src/language/resources/schema.ts";
import { createValidators, formats } from "../../src/runtime/validation/validator.ts";
import { patternProperties } from "../../src/runtime/validation/pattern-properties.ts";
import { served } from "./scenario.ts";

/** Without members such as `valueOf`, which the library compares by calling them. */
const json = fc.object({
  key: fc.constantFrom("a", "b", "c"),
  maxDepth: 2,
  values: [fc.boolean(), fc.integer(), fc.constantFrom("a", "ab", ""), fc.constant(null)],
}) as unknown as fc.Arbitrary<Json>;

/** Mostly sound: values that a keyword takes, and now and then one that it does not. */
const { schema } = fc.letrec<{ schema: Json }>((tie) => {
  const part = tie("schema");
  const values: Readonly<Record<string, fc.Arbitrary<Json>>> = {
    type: fc.constantFrom<Json>("string", "object", "integer", "array", ["array", "null"], "text"),
    enum: fc.array(json, { maxLength: 3 }),
    const: json,
    minLength: fc.integer({ min: -1, max: 3 }),
    maximum: fc.integer({ min: -5, max: 5 }),
    multipleOf: fc.integer({ min: 0, max: 5 }),
    pattern: fc.constantFrom("^a", "b$", "(?=a)"),
    format: fc.constantFrom("uuid", "date", "none"),
    required: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
    properties: fc.dictionary(fc.constantFrom("a", "b", "$ref", "type"), part, { maxKeys: 2 }),
    patternProperties: fc.dictionary(fc.constantFrom("^a", "^b", "("), part, { maxKeys: 1 }),
    additionalProperties: part,
    unevaluatedProperties: fc.boolean(),
    unevaluatedItems: fc.boolean(),
    items: part,
    // The library, with which we are compared, does not find anchors there.
    prefixItems: fc.array(part.map(withoutAnchors), { maxLength: 2 }),
    contains: part,
    allOf: fc.array(part, { maxLength: 2 }),
    anyOf: fc.array(part, { maxLength: 2 }),
    oneOf: fc.array(part, { maxLength: 2 }),
    not: part,
    if: part,
    else: part,
    $ref: fc.constantFrom("#/$defs/a", "#/$defs/b", "#/$defs/a/items", "#c"),
    $anchor: fc.constant("c"),
    nullable: fc.constant(true),
  };
  const entries = Object.entries(values).map(([keyword, value]) => value.map((one) => [keyword, one] as const));
  const keywords = fc.array(fc.oneof(...entries), { maxLength: 4 }).map((all): Json => Object.fromEntries(all));
  return { schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.boolean(), keywords) };
});

function withoutAnchors(written: Json): Json {
  return JSON.parse(JSON.stringify(written, (key, one: Json) => (key === "$anchor" ? undefined : one))) as Json;
}

const whole = fc.record({ outer: schema, a: schema, b: schema }).map(({ outer, a, b }): Json => {
  return typeof outer === "object" ? { ...(outer as JsonObject), $defs: { a, b } } : outer;
});

/** What a value is that schemas like these speak of: as it is parsed, since the library compares prototypes too. */
const value = fc.oneof(
  json,
  fc.array(json, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b", "c", "$ref"), json, { maxKeys: 3, noNullPrototype: true }),
  fc.constantFrom<Json>("a", "ab", "2026-01-01", [], [1, "a"], 0, 5),
);

test("a schema without a fault is one by the standard, can be judged by, and means the same without references", () => {
  // Whether a schema is one is asked of the standard's own; here what it means, as the library says it.
  const meta = new Ajv2020({ strict: false, formats, logger: false });
  let judged = 0;
  fc.assert(
    fc.property(whole, fc.array(value, { minLength: 1, maxLength: 5 }), (written, given) => {
      const faults = schemaErrors(written);
      if (meta.validateSchema(written as JsonObject) !== true) assert.notDeepEqual(faults, []);
      if (faults.length > 0) return;
      judged += 1;
      const judge = createValidators()(withoutReferences(written) as JsonObject);
      // Unless it looks for all faults, the library takes `[]` for `{ prefixItems: [false], contains: false }`.
      const library = new Ajv2020({ allErrors: true, strict: false, formats, logger: false });
      const standard = library
        .removeKeyword("patternProperties")
        .addKeyword(patternProperties())
        .compile(written as JsonObject);
      for (const one of given) assert.equal(judge(one).length === 0, standard(one), JSON.stringify(one));
    }),
    { numRuns: 1000 },
  );
  assert.ok(judged > 100, `${judged} of them had no fault`);
});

const text = `# Post

## What the service does
\`\`\`yaml
nonet: 1
operations: { send: Send something, look: See it }
\`\`\`

## Resources and their fields
\`\`\`yaml
Thing:
  id: id(thg)
  from: { schema: { $ref: "#/$defs/place", $defs: { place: { $anchor: place, type: string, maxLength: 3 } } } }
  to?: { schema: { $ref: "#place", $defs: { place: { $anchor: place, type: string, maxLength: 3 } } } }
  route?: Route
  kind?: { schema: { enum: [1, "1", { a: { b: 1, c: 2 } }] } }
  either?: { schema: { anyOf: [{ additionalProperties: false }, { type: string }], patternProperties: { ^a: false } } }
  also?: { schema: { if: { additionalProperties: false }, patternProperties: { ^a: { type: integer } }, unevaluatedProperties: false } }
types:
  Route: { by: { schema: { $schema: "https://json-schema.org/draft/2020-12/schema", type: array, uniqueItems: true } } }
\`\`\`

## States and transitions
\`\`\`yaml
none
\`\`\`

## Endpoints
\`\`\`yaml
endpoints: { send: POST /things, look: "GET /things/{id}" }
\`\`\`

## Authentication
\`\`\`yaml
allow: { send: anyone, look: anyone }
\`\`\`

## Events
\`\`\`yaml
none
\`\`\`

## Errors
\`\`\`yaml
standard: all
\`\`\`

## Limits
\`\`\`yaml
none
\`\`\`

## Versioning
\`\`\`yaml
none
\`\`\`
`;

served("schemas of the document", text, (subject) => {
  const rows: readonly (readonly [body: Readonly<Record<string, unknown>>, faults: readonly string[]])[] = [
    [{ from: "abc", to: "abc" }, []],
    [{ from: "abcd", to: "abcd" }, ["#/from too-long", "#/to too-long"]],
    [{ from: "a", kind: "1" }, []],
    [{ from: "a", kind: { a: { c: 2, b: 1 } } }, []],
    [{ from: "a", kind: { a: { b: 1 } } }, ["#/kind not-one-of"]],
    [{ from: "a", kind: { valueOf: null } }, ["#/kind not-one-of"]],
    [{ from: "a", kind: { toString: 1 } }, ["#/kind not-one-of"]],
    [{ from: "a", either: {} }, []],
    [{ from: "a", either: { a: 1 } }, ["#/either/a unknown-field", "#/either wrong-type", "#/either/a false-schema"]],
    [{ from: "a", also: { a: 1 } }, []],
    [{ from: "a", also: { a: "1" } }, ["#/also/a wrong-type"]],
    [{ from: "a", also: { a: 1, b: 1 } }, ["#/also/b unknown-field"]],
    [{ from: "a", route: { by: [1, "1", { a: 1 }, { a: 2 }, [1], []] } }, []],
    [{ from: "a", route: { by: [{ a: 1, b: 2 }, { b: 2, a: 1 }] } }, ["#/route/by repeated"]],
    [{ from: "a", route: { by: [{ valueOf: null }, { valueOf: null }] } }, ["#/route/by repeated"]],
  ]; // biome-ignore format: a table
  for (const [body, faults] of rows) {
    test(`R2.3 ${JSON.stringify(body)}`, async () => {
      const reply = await subject.client.send({ method: "POST", path: "/things", body });
      assert.equal(reply.status, faults.length === 0 ? 201 : 422, reply.text);
      if (faults.length === 0) return;
      const { errors } = reply.json as { errors: readonly { pointer: string; code: string }[] };
      assert.deepEqual(errors.map(({ pointer, code }) => `${pointer} ${code}`), faults); // biome-ignore format: short
    });
  }
});

test("R2.8 a pattern with nothing to choose from is judged by another engine, and as RE2 judges it", () => {
  const part = fc.constantFrom("a", "_", "-", "9", "[0-9a-z]", "[a-]", "[-z]", "[A-C_]", "[0-9]{2}", "[a-c]{1}");
  const unit = fc.constantFrom("a", "A", "z", "0", "9", "_", "-", "\n", "é", "😀");
  const judgeOf = createValidators();
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), fc.array(fc.string({ unit, maxLength: 5 })), (parts, texts) => {
      const pattern = `^${parts.join("")}$`;
      const [judge, known] = [judgeOf({ type: "string", pattern }), new RE2JS(pattern)];
      // The parts themselves are texts of which many fit.
      for (const text of [...texts, parts.join("").replaceAll(/\[(.)[^\]]*\]/g, "$1")])
        assert.equal(judge(text).length === 0, known.test(text), `${pattern} of ${JSON.stringify(text)}`);
    }),
  );
});
