/**
 * The comparison of contracts, schema by schema: a table with a row for each keyword, in requests and responses, in both
 * directions; and what must not be found.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { contractDifferences } from "../../src/diff/contracts.ts";
import type { EndpointContract } from "../../src/language/endpoints/model.ts";
import type { Model } from "../../src/language/model.ts";
import type { FieldType } from "../../src/language/resources/model.ts";
import { tableRows } from "../docs/fences.ts";

const site = { subject: "op", at: "endpoints/endpoints/op/wire" };

/** The differences of two contracts as `effect kind message`. */
function told(
  old: EndpointContract,
  now: EndpointContract,
  [before, after]: readonly [JsonObject, JsonObject] = [{}, {}],
): readonly string[] {
  const [one, other] = [before, after].map(
    (schemas) => ({ resources: { resources: {}, types: {}, schemas, rules: {} } }) as unknown as Model,
  ) as [Model, Model];
  return [...contractDifferences([{ site, old, now }], one, other)].map(({ effect, kind, message }) => {
    seen.add(kind);
    return `${effect} ${kind}: ${message}`;
  });
}

function typed(schema: Json): FieldType {
  return { kind: "schema", schema };
}

function asking(schema: Json): EndpointContract {
  return { body: { optional: false, type: typed(schema) } };
}

function answering(schema: Json): EndpointContract {
  return { answers: { 200: { type: typed(schema) } } };
}

/** The kinds of all differences that the tests of this file find. */
const seen = new Set<string>();

const signs: Readonly<Record<string, string>> = { breaking: "!", additive: "+", neutral: "~" };

/** The effects in a request and a response, from old to new and then back, such as `+ ! | ! +`; and the kinds. */
function signsOf(old: Json, now: Json): string {
  const kinds = new Set<string>();
  const found = [[old, now] as const, [now, old] as const].map(([before, after]) =>
    [asking, answering].map((contract) => {
      const lines = told(contract(before), contract(after));
      for (const line of lines) kinds.add(/ (.*?)(?:-(?:narrower|wider|other))?:/.exec(line)?.[1] ?? "");
      return (
        Object.entries(signs)
          .flatMap(([effect, sign]) => (lines.some((line) => line.startsWith(effect)) ? sign : []))
          .join("") || "."
      );
    }),
  );
  return `${found.map((effects) => effects.join(" ")).join(" | ")} ${[...kinds].toSorted().join(" ")}`.trimEnd();
}

const text = { type: "string" };
const number = { type: "number" };
const list = { type: "array" };
const any = { type: "object" };

function object(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: "object", properties, ...(required.length === 0 ? {} : { required }) };
}

/** `!` breaks, `+` adds, `~` is neutral, `.` is no difference: request and response, then both from new to old. */
type Row = readonly [about: string, old: Json, now: Json, expected: string];

const tables: Readonly<Record<string, readonly Row[]>> = {
  "types and values": [
    ["another type", text, { type: "integer" }, "! ! | ! ! type"],
    ["a wider type", { type: "integer" }, number, "+ ! | ! + type"],
    ["one more type", text, { type: ["string", "boolean"] }, "+ ! | ! + type"],
    ["any type", text, {}, "+ ! | ! + type"],
    ["no value", text, false, "! + | + ! type"],
    ["null", text, { type: ["string", "null"] }, "+ ! | ! + null"],
    ["null as an alternative", { anyOf: [text, { type: "null" }] }, text, "! + | + ! null"],
    ["null among the values", { type: ["string", "null"], enum: ["a", null] }, { type: "string", enum: ["a"] }, "! + | + ! null"],
    ["one more value", { enum: ["a"] }, { enum: ["a", "b"] }, "+ ! | ! + value"],
    ["another constant", { const: "a" }, { const: "b" }, "!+ !+ | !+ !+ value"],
    ["only some values", text, { type: "string", enum: ["a"] }, "! + | + ! value"],
  ],
  "ranges and texts": [
    ["a longer text", { ...text, maxLength: 5 }, { ...text, maxLength: 9 }, "+ ! | ! + range"],
    ["a shorter minimum length", { ...text, minLength: 5 }, { ...text, minLength: 2 }, "+ ! | ! + range"],
    ["another window", { ...text, minLength: 1, maxLength: 5 }, { ...text, minLength: 3, maxLength: 9 }, "! ! | ! ! range"],
    ["a higher maximum", { ...number, maximum: 5 }, { ...number, maximum: 9 }, "+ ! | ! + range"],
    ["a lower minimum", { ...number, minimum: 5 }, { ...number, minimum: 2 }, "+ ! | ! + range"],
    ["a maximum that is no longer excluded", { ...number, exclusiveMaximum: 5 }, { ...number, maximum: 5 }, "+ ! | ! + range"],
    ["an excluded bound that does not matter", { ...number, minimum: 5 }, { ...number, minimum: 5, exclusiveMinimum: 2 }, "~ ~ | ~ ~ operation-described"],
    ["a divisor", { ...number, multipleOf: 6 }, { ...number, multipleOf: 3 }, "+ ! | ! + range"],
    ["another divisor", { ...number, multipleOf: 2 }, { ...number, multipleOf: 3 }, "! ! | ! ! range"],
    ["more items", { ...list, maxItems: 5 }, { ...list, maxItems: 9 }, "+ ! | ! + range"],
    ["repeated items", { ...list, uniqueItems: true }, list, "+ ! | ! + range"],
    ["more members", { ...any, maxProperties: 5 }, { ...any, maxProperties: 9 }, "+ ! | ! + range"],
    ["no pattern", { ...text, pattern: "^a" }, text, "+ ! | ! + pattern"],
    ["another pattern", { ...text, pattern: "^a" }, { ...text, pattern: "^b" }, "! ! | ! ! pattern"],
    ["no format", { ...text, format: "date" }, text, "+ ! | ! + pattern"],
    ["a wider format", { type: "integer", format: "int32" }, { type: "integer", format: "int64" }, "+ ! | ! + pattern"],
    ["another format", { ...text, format: "date" }, { ...text, format: "uuid" }, "! ! | ! ! pattern"],
    ["content of another media type", { ...text, contentMediaType: "text/a" }, { ...text, contentMediaType: "text/b" }, "! ! | ! ! pattern"],
  ],
  members: [
    ["an optional member", object({}), object({ a: text }), "+ + | ! ! member-added member-removed"],
    ["a required member", object({}), object({ a: text }, "a"), "! + | ! ! member-removed member-required"],
    ["a member that becomes optional", object({ a: text }, "a"), object({ a: text }), "+ ! | ! + member-optional member-required"],
    ["a member of another type", object({ a: text }), object({ a: number }), "! ! | ! ! type"],
    ["a member far inside", object({ a: { ...list, items: object({ b: text }) } }), object({ a: { ...list, items: object({ b: text }, "b") } }), "! + | + ! member-optional member-required"],
    ["a required name that is not described", any, { ...any, required: ["a"] }, "! + | + ! member-optional member-required"],
    ["other members", { ...any, additionalProperties: false }, any, "+ + | ! + other-members"],
    ["a map of other values", { ...any, additionalProperties: { type: "integer" } }, { ...any, additionalProperties: number }, "+ ! | ! + type"],
    ["a map that becomes open", { ...any, additionalProperties: text }, any, "+ ! | ! + type"],
    ["a described member of a map", { ...any, additionalProperties: text }, { ...object({ a: { ...text, enum: ["x"] } }), additionalProperties: text }, "! + | + ! value"],
    ["members by pattern", any, { ...any, patternProperties: { "^x": text } }, "! + | + ! condition"],
    ["names of members", { ...any, propertyNames: { pattern: "^a" } }, any, "+ ! | ! + condition"],
    ["unevaluated members", { ...any, unevaluatedProperties: false }, any, "+ + | ! + other-members"],
    ["a member that is read-only", object({ a: text }), object({ a: { ...text, readOnly: true } }), "! ~ | + ~ member-added member-removed operation-described"],
    ["a read-only member that is required", object({ a: { ...text, readOnly: true } }), object({ a: { ...text, readOnly: true } }, "a"), "~ + | ~ ! member-optional member-required operation-described"],
    ["a member that is write-only", object({ a: text }), object({ a: { ...text, writeOnly: true } }), "~ ! | ~ + member-added member-removed operation-described"],
    ["a member that another one needs", any, { ...any, dependentRequired: { a: ["b"] } }, "! + | + ! condition"],
    ["an object that depends on a member", any, { ...any, dependentSchemas: { a: { required: ["b"] } } }, "! + | + ! condition"],
  ],
  items: [
    ["items of another type", { ...list, items: { type: "integer" } }, { ...list, items: number }, "+ ! | ! + type"],
    ["an item of a tuple", { ...list, prefixItems: [text] }, { ...list, prefixItems: [{}] }, "+ ! | ! + type"],
    ["one more item of a tuple", { ...list, prefixItems: [text], items: false }, { ...list, prefixItems: [text, text], items: false }, "+ ! | ! + type"],
    ["an item that it contains", { ...list, contains: text }, list, "+ ! | ! + condition"],
    ["fewer items that it contains", { ...list, contains: text, minContains: 3 }, { ...list, contains: text, minContains: 2 }, "+ ! | ! + range"],
    ["unevaluated items", { ...list, unevaluatedItems: false }, list, "+ + | ! + other-members"],
  ],
  "alternatives and conditions": [
    ["one more alternative", { oneOf: [text, number] }, { oneOf: [text, number, any] }, "+ ! | ! + alternative"],
    ["one more alternative of any", { anyOf: [text, number] }, { anyOf: [text, number, any] }, "+ ! | ! + alternative"],
    ["an alternative to the schema", text, { oneOf: [text, number] }, "+ ! | ! + alternative"],
    ["alternatives that overlap", object({ a: text, b: text }, "a", "b"), { oneOf: [object({ a: text, b: text }, "a"), object({ a: text, b: text }, "b")] }, "! ! | ! ! alternative"],
    ["an alternative that changes", { oneOf: [text, { type: "integer" }] }, { oneOf: [number, text] }, "+ ! | ! + type"],
    ["an alternative by its constant", { oneOf: [object({ k: { const: "a" } }, "k"), object({ k: { const: "b" } }, "k")] }, { oneOf: [object({ k: { const: "b" } }, "k"), object({ k: { const: "a" }, x: text }, "k")] }, "+ + | ! ! member-added member-removed"],
    ["one more part", object({ a: text }), { allOf: [object({ a: text }), object({ b: text }, "b")] }, "! + | ! ! member-removed member-required"],
    ["a part that cannot be merged", { allOf: [{ ...text, pattern: "a" }, { pattern: "b" }] }, { ...text, pattern: "a" }, "+ ! | ! + condition"],
    ["excluded values", text, { ...text, not: { enum: ["a"] } }, "! + | + ! condition"],
    ["more excluded values", { ...text, not: { enum: ["a"] } }, { ...text, not: { enum: ["a", "b"] } }, "! + | + ! condition"],
    ["a condition", any, { ...any, if: { required: ["a"] }, then: { required: ["b"] } }, "! + | + ! condition"],
    ["another condition", { ...any, if: { required: ["a"] }, then: { required: ["b"] } }, { ...any, if: { required: ["c"] }, then: { required: ["b"] } }, "! ! | ! ! condition"],
  ],
  annotations: [
    ["another default", { ...text, default: "a" }, { ...text, default: "b" }, "! ~ | ! ~ default-changed"],
    ["a default", text, { ...text, default: "a" }, "+ ~ | ! ~ default-changed"],
    ["a deprecation", object({ a: text }), object({ a: { ...text, deprecated: true } }), "~ ~ | ~ ~ annotation-changed"],
  ],
  "what is no difference for clients": [
    ["wording", { ...text, title: "A", description: "a", examples: ["a"], "x-a": 1 }, text, "~ ~ | ~ ~ operation-described"],
    ["the order of keys", { type: "object", properties: { a: text, b: text } }, { properties: { b: text, a: text }, type: "object" }, ". . | . ."],
    ["the order of required names", object({ a: text, b: text }, "a", "b"), object({ a: text, b: text }, "b", "a"), "~ ~ | ~ ~ operation-described"],
    ["the order of values", { enum: ["a", "b"] }, { enum: ["b", "a"] }, "~ ~ | ~ ~ operation-described"],
    ["the order of alternatives", { oneOf: [text, number] }, { oneOf: [number, text] }, "~ ~ | ~ ~ operation-described"],
    ["a constant as the only value", { const: "a" }, { enum: ["a"] }, "~ ~ | ~ ~ operation-described"],
    ["a list of one type", text, { type: ["string"] }, "~ ~ | ~ ~ operation-described"],
    ["null by type or as an alternative", { type: ["string", "null"] }, { anyOf: [text, { type: "null" }] }, "~ ~ | ~ ~ operation-described"],
    ["one part", object({ a: text }), { allOf: [object({ a: text })] }, "~ ~ | ~ ~ operation-described"],
    ["parts", object({ a: text, b: text }, "a"), { allOf: [object({ a: text }, "a"), object({ b: text })] }, "~ ~ | ~ ~ operation-described"],
    ["a type that members imply", { properties: { a: text } }, object({ a: text }), "~ ~ | ~ ~ operation-described"],
    ["bounds that say nothing", { ...text, minLength: 0 }, text, "~ ~ | ~ ~ operation-described"],
    ["a pattern with an escaped slash", { ...text, pattern: "^\\/a" }, { ...text, pattern: "^/a" }, "~ ~ | ~ ~ operation-described"],
    ["a pattern that every text matches", { ...text, pattern: ".*" }, text, "~ ~ | ~ ~ operation-described"],
    ["a format that hides the text", { ...text, format: "password" }, text, "~ ~ | ~ ~ operation-described"],
    ["other members that are always possible", { ...any, additionalProperties: true }, any, "~ ~ | ~ ~ operation-described"],
  ],
}; // biome-ignore format: tables

for (const [about, rows] of Object.entries(tables))
  test(about, () => {
    assert.deepEqual(
      rows.map(([name, old, now]) => [name, signsOf(old, now)]),
      rows.map(([name, , , expected]) => [name, expected]),
    );
  });

test("parameters, bodies, responses and headers", () => {
  const parameter = (type: FieldType, optional = true): NonNullable<EndpointContract["query"]> => ({
    n: { optional, type },
  });
  const [words, count] = [typed(text), typed({ type: "integer" })] as const;
  const json = typed(any);
  const header = (optional: boolean): EndpointContract => ({
    answers: { 200: { headers: { "X-A": { optional, type: typed(text) } } } },
  });
  const rows: readonly (readonly [old: EndpointContract, now: EndpointContract, ...expected: readonly string[]])[] = [
    [{}, { query: parameter(words) }, "additive parameter-added: `op` query/n is new"],
    [{}, { query: parameter(words, false) }, "breaking parameter-added: `op` query/n is new and required: breaks callers, who do not send it"],
    [{ query: parameter(words) }, {}, "breaking parameter-removed: `op` query/n is removed: may break callers who send it"],
    [{ query: parameter(words) }, { query: parameter(words, false) }, "breaking parameter-required: `op` query/n is required: breaks callers who omit it"],
    [{ query: parameter(words, false) }, { query: parameter(words) }, "additive parameter-optional: `op` query/n may be absent"],
    [{ query: parameter(words) }, { query: { n: { optional: true, type: words, sent: "commas" } } }, "breaking parameter-form: `op` query/n is sent with commas, was repeated names: breaks callers who send several values"],
    [{ query: parameter(count) }, { query: parameter(words) }, "additive type-wider: `op` query/n is `string`, and was `integer`"],
    [{ query: parameter(words) }, { query: parameter(typed({ ...list, items: text })) }, "additive range-wider: `op` query/n has the number of items any, and had 1"],
    [{ path: parameter(words) }, { path: parameter(typed({ ...list, items: text })) }, "breaking type-other: `op` path/n is `array`, and was `string`: breaks callers who send another type"],
    [{ header: { "X-A": { optional: true, type: words } } }, { header: { "x-a": { optional: true, type: words } } }, "neutral operation-described: `wire` of `op` is described differently"],
    [{}, { body: { optional: true, type: json } }, "additive body-added: `op` body is new"],
    [{}, { body: { optional: false, type: json } }, "breaking body-added: `op` body is new and required: breaks callers, who send none"],
    [{ body: { optional: true, type: json } }, {}, "breaking body-removed: `op` body is removed: breaks callers who send one"],
    [{ body: { optional: true, type: json } }, { body: { optional: false, type: json } }, "breaking body-required: `op` body is required: breaks callers who send none"],
    [{ body: { optional: true, type: json } }, { body: { optional: true, type: json, media: ["application/json", "text/csv"] } }, "additive media-added: `op` body can be sent as `text/csv` too"],
    [{ body: { optional: true, media: ["text/csv"] } }, { body: { optional: true, media: ["text/*"] } }, "neutral operation-described: `wire` of `op` is described differently"],
    [{ body: { optional: true, media: ["text/*"] } }, { body: { optional: true, media: ["text/csv"] } }, "breaking media-removed: `op` body can no longer be sent as `text/*`: breaks callers who send it"],
    [{ answers: { 200: { media: ["text/*"] } } }, { answers: { 200: { media: ["text/csv"] } } }, "neutral operation-described: `wire` of `op` is described differently"],
    [{ answers: { 200: { media: ["text/csv"] } } }, { answers: { 200: { media: ["text/*"] } } }, "breaking media-removed: `op` 200 body can no longer be returned as `text/csv`: breaks readers of it"],
    [{ answers: { 200: {} } }, { answers: { 200: {}, 404: {} } }, "additive status-added: `op` 404 is a new status"],
    [{ answers: { 200: {}, 404: {} } }, { answers: { 200: {} } }, "additive status-removed: `op` 404 is no longer a status"],
    [{ answers: { 200: {} } }, { answers: { 201: {} } }, "additive status-added: `op` 201 is a new status", "breaking status-removed: `op` 200 is no longer a status: breaks readers of it"],
    [{ answers: { "4XX": { type: json } } }, { answers: { "4XX": { type: json }, 404: { type: json } } }, "neutral operation-described: `wire` of `op` is described differently"],
    [{ answers: { 200: { type: json } } }, { answers: { 200: {} } }, "breaking body-removed: `op` 200 body is removed: breaks readers of it"],
    [{ answers: { 200: {} } }, { answers: { 200: { type: json } } }, "additive body-added: `op` 200 body is new"],
    [{ answers: { 200: {} } }, header(true), "additive header-added: `op` 200 header/x-a is new"],
    [header(true), { answers: { 200: {} } }, "breaking header-removed: `op` 200 header/x-a is removed: breaks readers of it"],
    [header(true), header(false), "additive header-required: `op` 200 header/x-a is required"],
    [{ body: { optional: false, type: json } }, { body: { optional: true, type: json } }, "additive body-optional: `op` body may be absent"],
    [header(false), header(true), "breaking header-optional: `op` 200 header/x-a may be absent: breaks readers who need it"],
  ]; // biome-ignore format: a table
  for (const [old, now, ...expected] of rows) assert.deepEqual(told(old, now), expected, JSON.stringify([old, now]));
});

test("each media type is compared by its own schema", () => {
  const csv = (schema: Json) => ({ "text/csv": typed(schema) });
  const json = typed({ type: "integer" });
  const rows: readonly (readonly [old: EndpointContract, now: EndpointContract, ...found: readonly string[]])[] = [
    [{ answers: { 200: { type: json } } }, { answers: { 200: { type: json, others: csv(text) } } }, "additive media-added: `op` 200 body can be returned as `text/csv` too"],
    [{ answers: { 200: { type: json, others: csv(text) } } }, { answers: { 200: { type: json } } }, "breaking media-removed: `op` 200 body can no longer be returned as `text/csv`: breaks readers of it"],
    [{ answers: { 200: { type: json, others: csv(text) } } }, { answers: { 200: { type: json, others: csv({ ...text, maxLength: 9 }) } } }, "additive range-narrower: `op` 200 body as text/csv has the length 0..9, and had any"],
    [{ body: { optional: true, type: json, others: csv(text) } }, { body: { optional: true, type: json, others: csv({ ...text, maxLength: 9 }) } }, "breaking range-narrower: `op` body as text/csv has the length 0..9, and had any: breaks callers outside of it"],
    [{ body: { optional: true, type: json, others: csv(text) } }, { body: { optional: true, type: typed(text), media: ["text/csv"], others: { "application/json": json } } }, "neutral operation-described: `wire` of `op` is described differently"],
  ]; // biome-ignore format: a table
  for (const [old, now, ...found] of rows) assert.deepEqual(told(old, now), found);
});

test("a request that the service sends is compared for its receivers", () => {
  const sent = (old: EndpointContract, now: EndpointContract): readonly string[] => {
    const model = { resources: { resources: {}, types: {}, schemas: {}, rules: {} } } as unknown as Model;
    const at = { subject: "newPet", at: "events/wire/newPet" };
    return [...contractDifferences([{ site: at, old, now, isSent: true }], model, model)].map((one) => {
      if (one.kind.startsWith("event")) seen.add(one.kind);
      return `${one.effect} ${one.kind} ${one.at}`;
    });
  };
  const body = (schema: Json, optional = false): EndpointContract => ({ body: { optional, type: typed(schema) } });
  const header = { "X-A": { optional: false, type: typed(text) } };
  const rows: readonly (readonly [old: EndpointContract, now: EndpointContract, ...found: readonly string[]])[] = [
    [body(object({ name: text })), body(object({ kind: text })), "additive member-added events/wire/newPet/body", "breaking member-removed events/wire/newPet/body"],
    [body(object({ name: text })), body(object({ name: text }, "name")), "additive member-required events/wire/newPet/body"],
    [body(text), body(text, true), "breaking body-optional events/wire/newPet/body"],
    [body(text, true), body(text), "additive body-required events/wire/newPet/body"],
    [body(text), {}, "breaking body-removed events/wire/newPet/body"],
    [{ header }, {}, "breaking header-removed events/wire/newPet/header/x-a"],
    [{ answers: { 200: {} } }, { answers: { 204: {} } }, "additive status-added events/wire/newPet/answers/204", "breaking status-removed events/wire/newPet/answers/200"],
    [{ answers: { 200: { type: typed(text) } } }, { answers: { 200: { type: typed({ ...text, maxLength: 9 }) } } }, "breaking range-narrower events/wire/newPet/answers/200"],
    [body(text), { ...body(text), openapi: { tags: ["a"] } }, "neutral event-described events/wire/newPet"],
  ]; // biome-ignore format: a table
  for (const [old, now, ...found] of rows) assert.deepEqual(sent(old, now), found);
});

test("a named schema is reported once, with the operations that use it", () => {
  const pet = { $ref: "#/schemas/Pet" };
  const contract: EndpointContract = { ...asking(pet), answers: { 200: { type: typed({ ...list, items: pet }) } } };
  const named = (schema: JsonObject): JsonObject => ({
    Pet: schema,
    Tree: object({ of: { $ref: "#/schemas/Tree" }, pet }),
  });
  const before = object({ name: text, kind: { enum: ["cat"] } });
  const toldOf = (now: JsonObject, ...contracts: readonly EndpointContract[]): readonly string[] => {
    const models = [before, now].map(
      (schema) => ({ resources: { resources: {}, types: {}, schemas: named(schema), rules: {} } }) as unknown as Model,
    ) as [Model, Model];
    const pairs = contracts.map((one, index) => ({ site: { ...site, subject: `op${index}` }, old: one, now: one }));
    return [...contractDifferences(pairs, ...models)].map(
      ({ effect, kind, message }) => `${effect} ${kind}: ${message}`,
    );
  };
  assert.deepEqual(toldOf(object({ name: text, kind: { enum: ["cat", "dog"] } }), contract, contract), [
    "breaking value-wider: `Pet` kind has the new value `dog`: may break readers who know only the old values (`op0` and `op1`)",
  ]);
  // A recursive schema, which refers to the changed one.
  assert.deepEqual(
    toldOf(object({ name: text, kind: { enum: ["cat"] } }, "name"), asking({ $ref: "#/schemas/Tree" })),
    ["breaking member-required: `Pet` name is required: breaks callers who omit it (`op0`)"],
  );
  assert.deepEqual(toldOf(object({ name: text, kind: { enum: ["cat"] } }, "name"), contract), [
    "breaking member-required: `Pet` name is required: breaks callers who omit it (`op0`)",
  ]);
  assert.deepEqual(toldOf(before, contract), []);
  assert.deepEqual(toldOf(object({ name: text, kind: { enum: ["cat"] } }, "name")), [
    "neutral schema-described: The schema `Pet` is described differently",
  ]);
});

test("a reference and its schema, and a renamed schema, are the same", () => {
  const schemas = { Pet: object({ name: text }) };
  for (const contract of [asking, answering]) {
    const [reference, inline] = [contract({ $ref: "#/schemas/Pet" }), contract(object({ name: text }))];
    const described = ["neutral operation-described: `wire` of `op` is described differently"];
    const [removed, added] = ["is removed", "is new"].map(
      (verb) => `neutral schema-described: The schema \`Pet\` ${verb}`,
    );
    assert.deepEqual(told(reference, inline, [schemas, {}]), [...described, removed]);
    assert.deepEqual(told(inline, reference, [{}, schemas]), [...described, added]);
    const renamed = contract({ $ref: "#/schemas/Animal" });
    assert.deepEqual(told(reference, renamed, [schemas, { Animal: object({ name: text }) }]), [
      ...described,
      "neutral schema-described: The schema `Animal` is new",
      "neutral schema-described: The schema `Pet` is removed",
    ]);
  }
});

test("a message is one short line, however large the schemas are", () => {
  const large = object(
    Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, { const: "x".repeat(500) }])),
  );
  for (const [old, now] of [
    [large, { enum: ["y".repeat(90_000)] }],
    [{ const: "y".repeat(90_000) }, { const: large }],
  ] as const)
    for (const line of told(asking(old), asking(now))) assert.ok(line.length < 500, `${line.length}`);
});

test("nested alternatives are compared within a bounded time", () => {
  const alternatives = (depth: number, leaf: Json): readonly Json[] =>
    [0, 1, 2, 3, 4, 5].map((index) => object({ [`a${index % 2}`]: nested(depth - 1, leaf), [`b${index}`]: text }));
  const nested = (depth: number, leaf: Json): Json => (depth === 0 ? leaf : { oneOf: alternatives(depth, leaf) });
  const began = performance.now();
  assert.ok(told(asking(nested(4, text)), asking(nested(4, number))).length > 0);
  assert.ok(performance.now() - began < 20_000);
});

test("the page has each kind of difference", () => {
  const rows = tableRows("docs/reference/contract-changes.md", "Kinds of differences");
  const written = rows.flatMap(([kinds = ""]) => [...kinds.matchAll(/`([a-z-]+)`/g)].map(([, kind = ""]) => kind));
  assert.deepEqual(written.toSorted(), [...seen].toSorted());
});
