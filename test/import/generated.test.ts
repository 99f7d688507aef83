/** Any description: its import has no errors, and exports the same API again. */
import test from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../src/base/json.ts";
import { mismatches } from "../../src/import/compare.ts";
import { carried, described } from "./round-trip.ts";

const schemaNames = ["Pet", "owner", "io.k8s.Pod", "constructor"] as const;
const memberNames = fc.constantFrom("id", "name", "x-y", "$type", "__proto__", "toString", "a b", "");

const scalars: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ type: fc.constant("string") }),
  fc.record({
    type: fc.constant("string"),
    format: fc.constantFrom("date", "uuid", "password", "date-time"),
    nullable: fc.boolean(),
  }),
  fc.record({ type: fc.constant("string"), enum: fc.uniqueArray(fc.string(), { maxLength: 3 }) }),
  fc.record({ type: fc.constant("string"), pattern: fc.constantFrom("^a$", "(?=a)", "(") }),
  fc.record({
    type: fc.constantFrom("integer", "number", "float"),
    minimum: fc.integer(),
    exclusiveMinimum: fc.boolean(),
    "x-order": fc.nat(),
  }),
  fc.constant({}),
);

/** Schemas of OpenAPI 3.0: references go in circles, and some lead nowhere. */
const schemas = fc.letrec<{ schema: JsonObject; part: JsonObject }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, depthIdentifier: "schema" },
    scalars,
    fc.constantFrom(...schemaNames, "None").map((name): JsonObject => ({ $ref: `#/components/schemas/${name}` })),
    tie("schema"),
  ),
  schema: fc.oneof(
    { maxDepth: 4, depthIdentifier: "schema" },
    fc
      .tuple(fc.dictionary(memberNames, tie("part"), { maxKeys: 3 }), fc.uniqueArray(memberNames, { maxLength: 2 }))
      .map(([properties, required]): JsonObject => ({ type: "object", properties, required })),
    tie("part").map((items): JsonObject => ({ type: "array", items })),
    fc
      .tuple(fc.constantFrom("allOf", "oneOf", "anyOf"), fc.array(tie("part"), { minLength: 1, maxLength: 3 }))
      .map(([keyword, list]): JsonObject => ({ [keyword]: list, discriminator: { propertyName: "kind" } })),
    tie("part").map((additionalProperties): JsonObject => ({ type: "object", additionalProperties })),
  ),
}));

const contents = schemas.part.map((schema): JsonObject => ({ "application/json": { schema } }));
const words = fc.oneof(
  fc.string(),
  fc.constantFrom("none", "not shown", "# Endpoints", "```yaml\nnone\n```", "a: b # c", "> x"),
);

const operations = fc.record(
  {
    operationId: fc.oneof(words, fc.stringMatching(/^[a-z]{1,9}$/)),
    summary: words,
    description: words,
    deprecated: fc.boolean(),
    tags: fc.array(words, { maxLength: 2 }),
    security: fc.constantFrom([], [{}], [{ key: [] }], [{ key: ["a"] }, {}]),
    parameters: fc.array(
      fc.record({
        in: fc.constantFrom("query", "header", "cookie"),
        name: fc.constantFrom("a", "b[]", "x-c", "__proto__", "$d"),
        required: fc.boolean(),
        schema: schemas.part,
      }),
      { maxLength: 3 },
    ),
    requestBody: fc.record({ required: fc.boolean(), content: contents }),
    responses: fc.dictionary(
      fc.constantFrom("200", "201", "204", "404", "5XX", "default"),
      fc.record({ description: words, content: contents }, { requiredKeys: ["description"] }),
      { minKeys: 1, maxKeys: 3 },
    ),
    "x-extension": fc.jsonValue(),
  },
  { requiredKeys: ["responses"] },
);

const sources = fc
  .record({
    paths: fc.dictionary(
      fc.constantFrom("/pets", "/pets/{pet-id}", "/pets/{id}/", "/a/{b}.json", "/v1/{name}:undo", "/livez/x"),
      fc.dictionary(fc.constantFrom("get", "post", "put", "patch", "delete"), operations, { minKeys: 1, maxKeys: 3 }),
      { maxKeys: 4 },
    ),
    components: fc.record({
      schemas: fc.record(Object.fromEntries(schemaNames.map((name) => [name, schemas.part]))),
      securitySchemes: fc.constant({ key: { type: "apiKey", in: "header", name: "X-Key" } }),
    }),
  })
  .map(
    (source) =>
      JSON.parse(JSON.stringify({ openapi: "3.0.3", info: { title: "Any", version: "1" }, ...source })) as JsonObject,
  );

/** What is taken out of a schema, so that the two are not alike, is in the report instead. */
const outOfSchemas =
  /reference that leads nowhere|itself, without a member|cannot be enforced|path that another one has|beside a reference/;

test("what is imported is sound, and nothing is lost without being told", () => {
  fc.assert(
    fc.property(sources, (source) => {
      const { document, notes } = carried(source);
      if (notes.some(({ kind, what }) => kind === "lost" && outOfSchemas.test(what))) return;
      assert.deepEqual(mismatches(source, described(document)), []);
    }),
    { numRuns: 150 },
  );
});
