/** Imports of descriptions: valid documents that describe the same API, and a report of the rest. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { mismatches } from "../../src/import/compare.ts";
import { importDocument } from "../../src/import/import.ts";
import { check, soundModel } from "../../src/language/check.ts";
import { buildPlan } from "../../src/plan/build.ts";
import { valueAt } from "../../src/import/schemas.ts";
import { carried, described } from "./round-trip.ts";

const base: JsonObject = { openapi: "3.0.0", info: { title: "Pets", version: "1" } };
const ok: JsonObject = { operationId: "one", responses: { "200": { description: "Fine" } } };
const pet = { type: "object", required: ["name"], properties: { name: { type: "string" } } };

/** What a source says, and the line of the document that says it. */
const lines: readonly (readonly [what: string, source: JsonObject, document: RegExp])[] = [
  ["a parameter by a name of its own", operation({ parameters: [{ in: "query", name: "page[size]", schema: { type: "boolean" } }] }), /"page\[size\]\?": boolean/],
  ["a required one", operation({ parameters: [{ in: "header", name: "X-A", required: true, schema: { type: "string", format: "uuid" } }] }), /header: \{ X-A: uuid \}/],
  ["a cookie", operation({ parameters: [{ in: "cookie", name: "sid", schema: { type: "string", maxLength: 9 } }] }), /cookie: \{ sid\?: string\(\.\.9\) \}/],
  ["a body that may be left out", operation({ requestBody: { content: json(pet) } }, "post"), /body\?:\n/],
  ["a body that may not", operation({ requestBody: { required: true, content: json({ $ref: "#/components/schemas/Pet" }) } }, "post"), /body: Pet\n/],
  ["media types", operation({ requestBody: { content: { "text/csv": { schema: { type: "boolean" } } } } }, "post"), /body\?: \{? ?\n?\s*type: boolean,? ?\n?\s*media: \[text\/csv\]|body\?:\n\s+type: boolean\n\s+media: \[text\/csv\]/],
  ["a status without a body", operation({ responses: { "204": { description: "" } } }), /answers: \{ 204: none \}/],
  ["a class of statuses, and all others", operation({ responses: { "4xx": { description: "" }, default: { description: "" } } }), /answers: \{ 4XX: none, default: none \}/],
  ["a schema with a name that refers to itself", withSchema({ ...pet, properties: { friend: { $ref: "#/components/schemas/Pet" } } }), /friend: \{ \$ref: "#\/schemas\/Pet" \}/],
  ["nullable", withSchema({ type: "string", nullable: true, enum: ["a"] }), /type: \[string, "null"\]\n\s+enum: \[a, null\]/],
  ["exclusive bounds", withSchema({ type: "number", minimum: 0, exclusiveMinimum: true }), /Pet: \{ type: number, exclusiveMinimum: 0 \}/],
  ["a format that is only told", withSchema({ type: "integer", format: "int64" }), /Pet: \{ type: integer, x-format: int64 \}/],
  ["a pattern that is only told", withSchema({ type: "string", pattern: "(?=a)" }), /x-pattern: \(\?=a\)/],
  ["an extension of a schema", withSchema({ type: "string", "x-a": 1 }), /Pet: \{ type: string, x-a: 1 \}/],
  ["a parameter of a path by another name", { ...base, paths: { "/pets/{pet-id}": { get: ok } } }, /GET \/pets\/\{petId\}/],
  ["no security at all", operation({}), /## Authentication\nThis part is not shown/],
  ["security", { ...operation({ security: [{ key: [] }] }), components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } } }, /sent: header X-Key[\s\S]*allow: \{ one: key \}/],
  ["security for some", { ...operation({ security: [{ key: [] }, {}] }), components: { securitySchemes: { key: { type: "http", scheme: "basic" } } } }, /kind: basic[\s\S]*allow: \{ one: anyone \}/],
  ["prose that looks like a part", operation({ description: "First.\n\n## Endpoints\n```yaml\nendpoints: none\n```" }), /description: "First\.\\n\\n## Endpoints\\n```yaml\\nendpoints: none\\n```"/],
  ["a deprecated operation, without dates", operation({ deprecated: true }), /deprecated:\n {2}one: \{ since: not shown, sunset: not shown \}\nscheme: not shown\nsent: not shown\nabsent: not shown\npolicy: not shown\nversions: not shown/],
  ["one with the date of its end", operation({ deprecated: true, "x-sunset": "2027-03-01" }), /one: \{ sunset: 2027-03-01, since: not shown \}/],
  ["one whose end is a moment at midnight", operation({ deprecated: true, "x-sunset": "2027-03-01T00:00:00Z" }), /one: \{ sunset: 2027-03-01, since: not shown \}/],
  ["one with all that an export says", operation({ deprecated: true, "x-deprecated-since": "2026-09-01", "x-sunset": "2027-03-01", "x-deprecated-guide": "https://docs.example/1" }), /one: "?since 2026-09-01, sunset 2027-03-01, guide https:\/\/docs\.example\/1/],
  ["one that ends on no date", operation({ deprecated: true, "x-sunset": "2027-02-30" }), /one: \{ since: not shown, sunset: not shown \}/],
  ["one without an endpoint", operation({ deprecated: true }, "options"), /> Deprecated\.[\s\S]*## Versioning\nThis part is not shown/],
  ["an operation that is not deprecated", operation({ deprecated: false, "x-sunset": "2027-03-01" }), /## Versioning\nThis part is not shown/],
  ["a deprecated parameter", operation({ parameters: [{ in: "query", name: "a", deprecated: true, "x-sunset": "2027-03-01", schema: { type: "boolean" } }] }), /schema: \{ type: boolean, deprecated: true, x-sunset: 2027-03-01 \}/],
  ["a deprecated member", withSchema({ properties: { a: { type: "string", deprecated: true, "x-sunset": "2027-03-01" } } }), /a: \{ type: string, deprecated: true, x-sunset: 2027-03-01 \}/],
  ["a webhook", { ...base, openapi: "3.1.0", webhooks: { newPet: { post: { requestBody: { content: json(pet) }, responses: {} } } } }, /out: \{ newPet: not shown \}/],
]; // biome-ignore format: a table

for (const [what, source, line] of lines) {
  test(what, () => assert.match(carried(source).document, line));
}

/** What is lost, guessed or renamed, by the report's words. */
const noted: readonly (readonly [what: string, source: JsonObject])[] = [
  ["lost: a reference to another file, which is not read", withSchema({ $ref: "other.yaml#/a" })],
  ["lost: a reference to another file, which is not read", withSchema({ $ref: "https://example.com/a" })],
  ["lost: a reference that leads nowhere", withSchema({ properties: { a: { $ref: "#/components/schemas/None" } } })],
  ["lost: a reference that leads nowhere", withSchema({ properties: { a: { $ref: "#/components/schemas/constructor" } } })],
  ["lost: a schema that is itself, without a member or an item between", withSchema({ allOf: [{ $ref: "#/components/schemas/Pet" }] })],
  ["lost: a reference that leads back to itself", { ...base, paths: { "/a": { get: { responses: { "200": { $ref: "#/components/responses/A" } } } } }, components: { responses: { A: { $ref: "#/components/responses/A" } } } }],
  ["lost: `x-sunset` that is no date", operation({ deprecated: true, "x-sunset": "2027-02-30" })],
  ["lost: `x-sunset` that is no date", operation({ deprecated: true, "x-sunset": "2027-03-01T09:00:00Z" })],
  ["lost: `x-deprecated-guide` that is no address", operation({ deprecated: true, "x-deprecated-guide": "see the docs" })],
  ["lost: `x-deprecated-guide` that is no address", operation({ deprecated: true, "x-deprecated-guide": "https://docs.example/<1>" })],
  ["lost: the date of a deprecation that is after its sunset", operation({ deprecated: true, "x-deprecated-since": "2027-09-01", "x-sunset": "2027-03-01" })],
  ["lost: an operation by a method that the language does not have", operation({}, "options")],
  ["lost: an operation at a path that the language cannot say", { ...base, paths: { "/a#b": { get: ok } } }],
  ["lost: an operation at a path that another one has", { ...base, paths: { "/a/{x}": { get: ok }, "/a/{y}": { get: ok } } }],
  ["lost: an operation at a path where every service has something of its own", { ...base, paths: { "/livez": { get: ok } } }],
  ["lost: `unknown`, which is no keyword of JSON Schema", withSchema({ type: "string", unknown: 1 })],
  ["lost: a type that JSON does not have", withSchema({ type: "float" })],
  ["lost: `required` that is no list of names", withSchema({ required: true })],
  ["lost: how a list or an object is written in a parameter", operation({ parameters: [{ in: "query", name: "a", style: "matrix", schema: {} }] })],
  ["lost: the scopes of a credential that has none: nobody is let in by it", { ...operation({ security: [{ o: ["a"] }] }), components: { securitySchemes: { o: { type: "http", scheme: "basic" } } } }],
  ["renamed: an operation by a name that a document cannot have", operation({ operationId: "pets/list all" })],
  ["renamed: a schema by a name that a document cannot have", { ...operation({}), components: { schemas: { "io.pet-v1": pet } } }],
  ["guessed: the name of an operation that has none, from its method and path", { ...base, paths: { "/a": { get: { responses: {} } } } }],
]; // biome-ignore format: a table

for (const [what, source] of noted) {
  test(`${what}: ${JSON.stringify(source["paths"])}`.slice(0, 120), () => {
    const { notes } = carried(source);
    assert(
      notes.some(({ kind, what: said }) => `${kind}: ${said}` === what),
      JSON.stringify(notes),
    );
  });
}

const withAll: JsonObject = {
  deprecated: true,
  "x-deprecated-since": "2026-09-01",
  "x-sunset": "2027-03-01",
  "x-deprecated-guide": "https://docs.example/1",
};

for (const deprecation of [withAll, { deprecated: true, "x-sunset": "2027-03-01" }, { deprecated: true }]) {
  test(`a deprecation is the same after an export and a second import: ${Object.keys(deprecation).join(", ")}`, () => {
    const first = carried(operation({ ...deprecation, summary: "See it" }));
    const exported = described(first.document);
    const paths = exported["paths"] as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
    assert.deepEqual({ ...paths["/pets"]?.["get"], ...deprecation }, paths["/pets"]?.["get"]);
    const second = importDocument("exported.json", JSON.stringify(exported));
    assert(second.kind === "imported");
    assert.deepEqual(second.model.versioning, first.model.versioning);
    const datesOf = ({ gaps }: typeof first.model) => gaps.filter((gap) => gap.startsWith("versioning/"));
    assert.deepEqual(datesOf(second.model), datesOf(first.model));
    assert.doesNotMatch(second.document, /> Deprecated/);
  });
}

/** What no document is made of, where it says so. */
const faults: readonly (readonly [text: string, at: string, message: RegExp])[] = [
  ["", "1:1", /no map of names and values/],
  ["[]", "1:1", /no map of names and values/],
  ["{}", "1:1", /neither `openapi` nor `swagger`/],
  ['{\n "openapi": "3.0.0",\n "paths": {,}\n}', "3:12", /no JSON/],
  ["openapi: 3.0.0\npaths: [}\n", "2:9", /no YAML/],
  ["swagger: '1.2'\n", "1:1", /`swagger: "1.2"` is a version that is not read/],
  ["info: {}\nasyncapi: 2.6.0\n", "2:1", /a version that is not read/],
  ["openapi: 3.0.0\n", "1:1", /no `paths`/],
  ["openapi: 3.0.0\npaths: 1\n", "2:1", /has to be a map of paths/],
  [`{"a":${"[".repeat(100_000)}`, "1:505", /nested more than 500 deep/],
  [`a: &a [x, x]\n${Array.from({ length: 24 }, (_, at) => `${name(at + 1)}: &${name(at + 1)} [${Array.from({ length: 9 }, () => `*${name(at)}`).join(", ")}]`).join("\n")}\n`, "1:1", /alias/],
]; // biome-ignore format: a table

function name(index: number): string {
  return String.fromCharCode(97 + index);
}

for (const [text, at, message] of faults) {
  test(`is refused: ${JSON.stringify(text.slice(0, 60))}`, () => {
    const result = importDocument("a", text);
    assert(result.kind === "error");
    assert.match(result.message, message);
    assert.equal(`${result.position.line}:${result.position.column}`, at);
  });
}

test("names that every object has are names like others", () => {
  const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
  const schemas = Object.fromEntries(
    names.map((one) => [
      one,
      {
        type: "object",
        properties: Object.fromEntries(names.map((other) => [other, { $ref: `#/components/schemas/${one}` }])),
      },
    ]),
  );
  const paths = Object.fromEntries(
    names.map((one) => [
      `/${one}/{${one}}`,
      {
        get: {
          operationId: one,
          parameters: [
            { in: "path", name: one, required: true, schema: { type: "string" } },
            { in: "query", name: one, schema: {} },
          ],
          responses: { "200": { description: "", content: json({ $ref: `#/components/schemas/${one}` }) } },
        },
      },
    ]),
  );
  const source = JSON.parse(JSON.stringify({ ...base, paths, components: { schemas } })) as JsonObject;
  assert.deepEqual(mismatches(source, described(carried(source).document)), []);
  assert.equal(({} as Record<string, unknown>)["type"], undefined);
});

test("lines of the report are those of the source", () => {
  const text = `openapi: 3.0.0\npaths:\n  /a:\n    get:\n      operationId: a b\n      responses: {}\n`;
  const yaml = importDocument("a.yaml", text);
  assert(yaml.kind === "imported");
  assert.deepEqual(
    yaml.notes.map(({ kind, line, column }) => [kind, line, column]),
    [
      ["handler", 4, 5],
      ["renamed", 5, 7],
    ],
  );
  const json = importDocument(
    "a.json",
    JSON.stringify({ openapi: "3.0.0", paths: { "/a": { get: { operationId: "a b", responses: {} } } } }, null, 2),
  );
  assert(json.kind === "imported");
  assert.deepEqual(
    json.notes.map(({ kind, line, column }) => [kind, line, column]),
    [
      ["handler", 5, 7],
      ["renamed", 6, 9],
    ],
  );
});

test("Swagger 2: bodies, forms, files, media types, hosts", () => {
  const source: JsonObject = {
    swagger: "2.0",
    info: { title: "S", version: "1" },
    host: "api.example.com",
    basePath: "/v1",
    schemes: ["http"],
    consumes: ["application/json"],
    produces: ["application/json", "text/csv"],
    paths: {
      "/a": {
        parameters: [{ in: "query", name: "q", type: "integer", minimum: 1, maximum: 9 }],
        post: {
          operationId: "a",
          parameters: [{ in: "body", name: "b", required: true, schema: { $ref: "#/definitions/pet" } }],
          responses: { 200: { description: "", schema: { $ref: "#/definitions/pet" } } },
        },
        put: {
          operationId: "b",
          parameters: [{ in: "formData", name: "f", type: "file", required: true }],
          responses: { 200: { description: "", headers: { "X-A": { type: "boolean" } } } },
        },
        patch: {
          operationId: "c",
          schemes: ["ws"],
          parameters: [
            { in: "formData", name: "t", type: "array", items: { type: "string" }, description: "Tags", "x-a": 1 },
            { in: "formData", name: "u", type: "array", items: { type: "string" }, collectionFormat: "multi" },
          ],
          responses: {
            200: { description: "", schema: {}, examples: { "text/csv": "a,b", "text/html": "<p>" } },
            204: { description: "", examples: { "application/json": {} } },
          },
        },
      },
    },
    definitions: { pet },
  };
  const { document, notes } = carried(source);
  assert.match(document, /base: http:\/\/api\.example\.com\/v1/);
  assert.match(document, /q\?: integer\(1\.\.9\)/);
  assert.match(document, /body: Pet\n/);
  assert.match(document, /media: \[application\/json, text\/csv\]/);
  assert.match(document, /media: \[multipart\/form-data\]/);
  assert.deepEqual(mismatches(source, described(document)), []);
  const patch = valueAt(described(document), "/paths/~1a/patch") as JsonObject;
  const form = "/requestBody/content/application~1x-www-form-urlencoded/schema/properties/t";
  assert.deepEqual(valueAt(patch, form), { type: "array", items: { type: "string" }, description: "Tags", "x-a": 1 });
  assert.equal(valueAt(patch, "/responses/200/content/text~1csv/example"), "a,b");
  assert.deepEqual(
    notes.flatMap(({ kind, what, detail = "" }) => (kind === "lost" ? [`${what}: ${detail}`] : [])),
    [
      "`schemes` of an operation: ",
      "how a list or an object is written in a parameter: csv",
      "an example of a media type that an answer does not have: text/html",
      "an example of a media type that an answer does not have: application/json",
    ],
  );
});

test("AsyncAPI 3: what goes out and what comes in", () => {
  const result = importDocument(
    "a",
    JSON.stringify({
      asyncapi: "3.0.0",
      info: { title: "Lights", version: "1" },
      channels: {
        measured: {
          address: "light/measured",
          messages: { m: { payload: { type: "object", properties: { lumens: { type: "integer" } } } } },
        },
      },
      operations: {
        onMeasured: { action: "receive", channel: { $ref: "#/channels/measured" } },
        "turn on": {
          action: "send",
          channel: { $ref: "#/channels/measured" },
          messages: [{ $ref: "#/channels/measured/messages/m" }],
        },
      },
    }),
  );
  assert(result.kind === "imported");
  assert.match(result.document, /out: \{ turn\.on: not shown \}/);
  assert.match(result.document, /in: \{ onMeasured: not shown \}/);
  assert.match(result.document, /It carries a `MPayload`/);
  assert.deepEqual(
    check("a.md", result.document).diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
});

test("a description of 5,000 operations with 1,000 schemas that refer to one another", () => {
  const schemas = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [
      `Thing${at}`,
      {
        ...pet,
        properties: { name: { type: "string" }, next: { $ref: `#/components/schemas/Thing${(at + 1) % 1000}` } },
      },
    ]),
  );
  const paths = Object.fromEntries(
    Array.from({ length: 2500 }, (_, at) => [
      `/things${at}/{id}`,
      {
        get: {
          operationId: `get${at}`,
          responses: {
            "200": { description: "It", content: json({ $ref: `#/components/schemas/Thing${at % 1000}` }) },
            "404": { description: "None" },
          },
        },
        delete: { operationId: `delete${at}`, responses: { "204": { description: "Gone" } } },
      },
    ]),
  );
  const securitySchemes = { key: { type: "http", scheme: "bearer" } };
  const source = { ...base, paths, security: [{ key: [] }], components: { schemas, securitySchemes } };
  const { document } = carried(source);
  const result = check("a.md", document);
  const sound = soundModel(result);
  assert(sound !== undefined);
  assert.deepEqual(mismatches(source, openapi(buildPlan(sound, result.places, result.expressions), "http://x")), []);
});

test("a reference through another answers for what it leads to, also inside of another schema", () => {
  const source = {
    ...base,
    paths: {
      "/a": {
        get: {
          operationId: "a",
          responses: {
            "200": { description: "", content: json({ $ref: "#/components/schemas/Pet/properties/owner" }) },
          },
        },
      },
    },
    components: {
      schemas: {
        Pet: {
          properties: {
            owner: { type: "object", required: ["id"], properties: { id: { $ref: "#/components/schemas/Pet" } } },
          },
        },
      },
    },
  };
  assert.deepEqual(mismatches(source, described(carried(source).document)), []);
});

test("what differs is found", () => {
  const before = operation(
    {
      requestBody: { required: true, content: json(pet) },
      parameters: [{ in: "query", name: "q", schema: {} }],
      responses: {
        "200": { description: "", content: json({ type: "array", items: pet }) },
        "404": { description: "" },
      },
    },
    "post",
  );
  const after = operation(
    {
      requestBody: { content: json({ ...pet, required: [] }) },
      parameters: [{ in: "query", name: "q", required: true, schema: {} }],
      responses: {
        "200": { description: "", content: json({ type: "array", items: { ...pet, required: ["name", "age"] } }) },
        "201": { description: "" },
      },
    },
    "post",
  );
  assert.deepEqual(
    mismatches(before, after).map(({ what }) => what),
    [
      "has the query q required",
      "has a body that is optional",
      "does not answer 404",
      "answers 201, too",
      "requires age, name of the answer 200/*, not name",
    ],
  );
  assert.deepEqual(
    mismatches(before, { ...before, paths: {} }).map(({ what }) => what),
    ["is not there"],
  );
});

function json(schema: Json): JsonObject {
  return { "application/json": { schema } };
}

function operation(said: JsonObject, method = "get"): JsonObject {
  return { ...base, paths: { "/pets": { [method]: { ...ok, ...said } } }, components: { schemas: { Pet: pet } } };
}

function withSchema(schema: Json): JsonObject {
  const answer = { "200": { description: "Fine", content: json({ $ref: "#/components/schemas/Pet" }) } };
  return { ...operation({ responses: answer }), components: { schemas: { Pet: schema } } };
}
