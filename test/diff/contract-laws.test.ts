/**
 * Laws of the comparison of contracts, with generated schemas: a schema does not differ from itself; if a value that callers could
 * send is no longer valid, something breaks a request; if a value that readers did not know is possible, something breaks a response.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { contractDifferences } from "../../src/diff/contracts.ts";
import type { EndpointContract } from "../../src/language/endpoints/model.ts";
import type { Model } from "../../src/language/model.ts";
import { runs } from "../nightly.ts";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const names = ["a", "b", "c"];

/** Two schemas with one structure: each part may be only in one of them, or differ. */
type Both = readonly [old: Json, now: Json];

const bound = fc.integer({ min: 0, max: 4 });

/** Keywords of both schemas: each pair is equal half of the time. */
function keywords(
  values: Readonly<Record<string, fc.Arbitrary<Json>>>,
): fc.Arbitrary<readonly [JsonObject, JsonObject]> {
  const one = fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
  return fc.tuple(one, one, fc.boolean()).map(([old, now, equal]) => [old, equal ? old : now] as const);
}

function withType(type: Json, pair: fc.Arbitrary<readonly [JsonObject, JsonObject]>): fc.Arbitrary<Both> {
  return fc
    .tuple(pair, fc.boolean(), fc.boolean(), fc.integer({ min: 0, max: 5 }))
    .map(([[old, now], wasNull, isNull, same]): Both => {
      const typeOf = (nullable: boolean): Json => (nullable ? [type, "null"] : type);
      return [
        { ...old, type: typeOf(wasNull) },
        { ...now, type: typeOf(same > 0 ? wasNull : isNull) },
      ];
    });
}

const texts = withType(
  "string",
  keywords({ minLength: bound, maxLength: bound, pattern: fc.constantFrom("a", "^b", "c$") }),
);
const words = withType("string", keywords({ enum: fc.subarray(["", "a", "ab", "abc"], { minLength: 1 }) }));
const numeric = keywords({
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
  multipleOf: fc.constantFrom(1, 2, 3),
  not: fc.constantFrom({ enum: [1] }, { enum: [1, 2] }, { maximum: 1 }),
});
const numbers = fc.oneof(withType("number", numeric), withType("integer", numeric));

const { schema } = fc.letrec<{ schema: Both; object: Both; array: Both; choice: Both }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthIdentifier: "schema" },
    texts,
    words,
    numbers,
    tie("object"),
    tie("array"),
    tie("choice"),
    fc.tuple(texts, numbers).map(([[old], [, now]]): Both => [old, now]),
  ),
  object: fc
    .record({
      members: fc.array(
        fc.record({
          pair: tie("schema"),
          on: fc.constantFrom("both", "both", "both", "old", "now"),
          needed: fc.nat(5),
        }),
        { maxLength: 3 },
      ),
      rest: fc.option(
        fc.oneof(
          fc.constant<Both>([false, false]),
          fc.constant<Both>([false, true]),
          fc.constant<Both>([true, false]),
          tie("schema"),
        ),
      ),
    })
    .map(({ members, rest }): Both => {
      const side = (index: 0 | 1): JsonObject => {
        const own = members.flatMap(({ pair, on, needed }, at) =>
          on === "both" || on === (index === 0 ? "old" : "now")
            ? [{ name: names[at] ?? "", schema: pair[index], needed }]
            : [],
        );
        const required = own.filter(({ needed }) => needed === 5 || needed === index).map(({ name }) => name);
        return {
          type: "object",
          properties: Object.fromEntries(own.map(({ name, schema: one }) => [name, one])),
          required,
          ...(rest === null ? {} : { additionalProperties: rest[index] }),
        };
      };
      return [side(0), side(1)];
    }),
  array: fc.tuple(tie("schema"), keywords({ minItems: bound, maxItems: bound, uniqueItems: fc.boolean() })).map(
    ([[items, newItems], [old, now]]): Both => [
      { type: "array", items, ...old },
      { type: "array", items: newItems, ...now },
    ],
  ),
  // Alternatives of different types, since only those cannot overlap.
  choice: fc
    .tuple(
      fc.tuple(texts, numbers, tie("object")),
      fc.subarray([0, 1, 2], { minLength: 2 }),
      fc.subarray([0, 1, 2], { minLength: 2 }),
      fc.constantFrom("oneOf", "anyOf"),
    )
    .map(
      ([parts, old, now, keyword]): Both => [
        { [keyword]: old.map((index) => withoutNull((parts[index] as Both)[0])) },
        { [keyword]: now.map((index) => withoutNull((parts[index] as Both)[1])) },
      ],
    ),
}));

/** Null, which every schema here may have, would match several alternatives. */
function withoutNull(one: Json): Json {
  return isObject(one) && Array.isArray(one["type"]) ? { ...one, type: one["type"][0] as Json } : one;
}

/** Small values, so that many of them are valid. */
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, "", "a", "ab", "abc", "bc", "abcde", 0, 1, 2, 3, 4, 5, 1.5),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
}));

/** Edits the objects of a schema, innermost first. */
function edited(schemas: Json, edit: (schema: JsonObject) => JsonObject): Json {
  if (Array.isArray(schemas)) return (schemas as readonly Json[]).map((one) => edited(one, edit));
  if (!isObject(schemas)) return schemas;
  const inside = Object.entries(schemas).map(([key, one]): [string, Json] => [key, edited(one, edit)]);
  return edit(Object.fromEntries(inside));
}

/** Callers send only members that are described. */
function closed(schemas: Json): Json {
  return edited(schemas, (one) =>
    "properties" in one && !("additionalProperties" in one) ? { ...one, additionalProperties: false } : one,
  );
}

/** Readers ignore members that they do not know. */
function open(schemas: Json): Json {
  return edited(schemas, ({ additionalProperties: rest, ...one }) =>
    rest === undefined || rest === false ? one : { ...one, additionalProperties: rest },
  );
}

function effects(contract: (schema: Json) => EndpointContract, [old, now]: Both): readonly string[] {
  const model = { resources: { resources: {}, types: {}, schemas: {}, rules: {} } } as unknown as Model;
  const pair = { site: { subject: "op", at: "" }, old: contract(old), now: contract(now) };
  return [...contractDifferences([pair], model, model)].map(({ effect, message }) => `${effect} ${message}`);
}

const asking = (one: Json): EndpointContract => ({ body: { optional: false, type: { kind: "schema", schema: one } } });
const answering = (one: Json): EndpointContract => ({ answers: { 200: { type: { kind: "schema", schema: one } } } });

test("a contract does not differ from itself", () => {
  fc.assert(
    fc.property(schema, ([one]) => {
      for (const contract of [asking, answering]) assert.deepEqual(effects(contract, [one, structuredClone(one)]), []);
    }),
    { numRuns: runs(300, 3000) },
  );
});

test("a value that callers could send and that is no longer valid breaks them", () => {
  lawOf(asking, ([old, now]) => [closed(old), now]);
});

test("a value that readers did not know breaks them", () => {
  lawOf(answering, ([old, now]) => [now, open(old)]);
});

/** `sides` returns the schema of possible values, and the schema that they have to match. */
function lawOf(contract: (schema: Json) => EndpointContract, sides: (pair: Both) => Both): void {
  let broken = 0;
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 60, maxLength: 60 }), (pair, values) => {
      const [possible, expected] = sides(pair).map((one) => ajv.compile(one as JsonObject | boolean));
      const surprise = values.find((one) => possible?.(one) === true && expected?.(one) === false);
      if (surprise === undefined) return;
      broken++;
      const found = effects(contract, pair);
      assert.ok(
        found.some((line) => line.startsWith("breaking")),
        `${JSON.stringify(surprise)} with ${JSON.stringify(pair)}: ${found.join("; ")}`,
      );
    }),
    { numRuns: runs(1500, 20_000) },
  );
  assert.ok(broken > 100, `only ${broken} pairs had a value that breaks`);
}
