/** Any description: its import has no errors, and exports the same API again. */
import test from "node:test";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../src/base/json.ts";
import { isFree } from "../../src/language/endpoints/resolve.ts";
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

/** Records of which operations may become actions: their members, and which of them each body and answer has. */
const recordMembers = fc.dictionary(
  fc.constantFrom("id", "petId", "name", "state", "tags", "shopId", "pet", "parentPet", "created_at", "x-y", "toString", "_seq", "ID", "key"),
  fc.oneof(
    scalars,
    fc.record({ type: fc.constant("integer"), readOnly: fc.boolean(), default: fc.constantFrom(0, 1, "now", null) }),
    fc.record({ type: fc.constant("string"), writeOnly: fc.boolean(), default: fc.constantFrom("now", "a, b", "", 1), maxLength: fc.constantFrom(1, 80) }),
    fc.record({ type: fc.constant("string"), format: fc.constantFrom("date-time", "uuid", "email", "uri"), readOnly: fc.boolean() }),
    fc.record({ type: fc.constant("array"), items: scalars, maxItems: fc.nat(5) }),
    fc.constant({ type: "object", properties: { a: { $ref: "#/components/schemas/owner" } } }),
  ),
  { minKeys: 1 },
); // biome-ignore format: a table

const recordSchemas = fc
  .tuple(recordMembers, fc.uniqueArray(memberNames, { maxLength: 2 }), fc.boolean())
  .map(([members, names, closed]): JsonObject => {
    const properties: JsonObject = { id: { type: "string" }, ...(members as JsonObject) };
    const required = names.filter((name) => Object.hasOwn(properties, name));
    return { type: "object", properties, required, ...(closed ? { additionalProperties: false } : {}) };
  });

const recordBodies = fc
  .oneof(
    { weight: 4, arbitrary: fc.constant<JsonObject>({ $ref: "#/components/schemas/Pet" }) },
    { weight: 1, arbitrary: recordSchemas },
    { weight: 1, arbitrary: fc.constant<JsonObject>({ type: "object", properties: { pet: { $ref: "#/components/schemas/Pet" } } }) },
    { weight: 2, arbitrary: fc.constant<JsonObject>({ type: "array", items: { $ref: "#/components/schemas/Pet" } }) },
    { weight: 1, arbitrary: fc.constant<JsonObject>({ type: "object", properties: { data: { type: "array", items: { $ref: "#/components/schemas/Pet" } }, total: { type: "integer" } } }) },
  )
  .map((schema): JsonObject => ({ "application/json": { schema } })); // biome-ignore format: a table

const recordOperations = fc.record(
  {
    parameters: fc.array(
      fc.record({
        in: fc.constant("query"),
        name: fc.constantFrom("limit", "page", "offset", "name", "id", "state", "size"),
        schema: fc.oneof(scalars, fc.constantFrom({ type: "integer", default: 0 }, { type: "integer", maximum: 3 })),
      }),
      { maxLength: 2 },
    ),
    requestBody: fc.record({ required: fc.boolean(), content: recordBodies }),
    responses: fc.dictionary(
      fc.constantFrom("200", "201", "204", "400"),
      fc.record({ description: words, content: recordBodies }, { requiredKeys: ["description"] }),
      { maxKeys: 2 },
    ),
  },
  { requiredKeys: ["responses"] },
);

/** An operation as most descriptions have it, or any other one. */
function usually(
  body: JsonObject | undefined,
  status: string,
  answer: JsonObject | undefined,
): fc.Arbitrary<JsonObject> {
  const content = (schema: JsonObject | undefined) =>
    schema === undefined ? {} : { content: { "application/json": { schema } } };
  const usual: JsonObject = {
    ...(body === undefined ? {} : { requestBody: { required: true, ...content(body) } }),
    responses: { [status]: { description: "", ...content(answer) } },
  };
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: recordOperations });
}

const one: JsonObject = { $ref: "#/components/schemas/Pet" };
const all = fc.record(
  { post: usually(one, "201", one), get: usually(undefined, "200", { type: "array", items: one }) },
  { requiredKeys: ["post"] },
);
const each = fc.record(
  {
    get: usually(undefined, "200", one),
    put: usually(one, "200", one),
    patch: usually({ type: "object", properties: { name: {} } }, "200", one),
    delete: usually(undefined, "204", undefined),
  },
  { requiredKeys: ["get"] },
);

const collections = fc
  .record({
    paths: fc.record({
      "/pets": all,
      "/pets/{petId}": each,
      "/pets/found": fc.record({ get: recordOperations }, { requiredKeys: [] }),
      "/shops": all,
      "/shops/{shop-id}": each,
      "/shops/{shop-id}/pets": all,
      "/shops/{shop-id}/pets/{key}": each,
      "/shops/{shop-id}/pets/{key}/toys/": all,
    }),
    components: fc.record({ schemas: fc.record({ Pet: recordSchemas, owner: schemas.part }) }),
  })
  .map(
    (source) =>
      JSON.parse(JSON.stringify({ openapi: "3.0.3", info: { title: "Any", version: "1" }, ...source })) as JsonObject,
  );

test("what is declared of collections and their records is sound", () => {
  let declared = 0;
  fc.assert(
    fc.property(collections, (source) => {
      const { document, model } = carried(source);
      declared += Object.values(model.endpoints.endpoints).filter((endpoint) => !isFree(endpoint)).length;
      described(document);
    }),
    { numRuns: 300 },
  );
  assert(declared > 0, "no operation is declared");
});

test("what is imported is sound, and nothing is lost without being told", () => {
  fc.assert(
    fc.property(sources, (source) => {
      const { document, model, notes } = carried(source);
      if (notes.some(({ kind, what }) => kind === "lost" && outOfSchemas.test(what))) return;
      // Nonet describes what it performs itself.
      if (Object.values(model.endpoints.endpoints).some((endpoint) => !isFree(endpoint))) return;
      assert.deepEqual(mismatches(source, described(document)), []);
    }),
    { numRuns: 150 },
  );
});
