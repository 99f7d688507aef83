/**
 * What an import takes over, the export gives back, or the report names it. `NONET_DESCRIPTIONS` is a folder with published
 * descriptions in OpenAPI 3, at any depth, such as those of `@readme/oas-examples`: of each, every member is given back or named.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { mismatches } from "../../src/import/compare.ts";
import { importDocument } from "../../src/import/import.ts";
import { valueAt } from "../../src/import/schemas.ts";
import { silentlyLost } from "./lost-members.ts";
import { carried, described } from "./round-trip.ts";

const json = (schema: Json, more: JsonObject = {}): JsonObject => ({
  content: { "application/json": { schema, ...more } },
});
const ok: JsonObject = { "200": { description: "Fine" } };
const pet: JsonObject = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
const flows = (scopes: JsonObject): JsonObject => ({
  authorizationCode: { authorizationUrl: "https://i.example/a", tokenUrl: "https://i.example/t", scopes },
  clientCredentials: { tokenUrl: "https://i.example/t", refreshUrl: "https://i.example/r", scopes },
});

/** A description with one operation, `GET /pets`, unless `path` and `method` say another one. */
function descriptionWith(operation: JsonObject, more: JsonObject = {}, method = "get", path = "/pets"): JsonObject {
  return {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "https://pets.example/v1" }],
    ...more,
    paths: { [path]: { [method]: { operationId: "one", responses: ok, ...operation } } },
  };
}

const one = "/paths/~1pets/get";
const posted = "/paths/~1pets/post";
const answers = `${one}/responses/200/content/application~1json`;

/** What a description says, and at which pointers the export says it. */
const rows: readonly (readonly [item: string, source: JsonObject, given: Readonly<Record<string, Json>>])[] = [
  ["a list parameter", descriptionWith({ parameters: [{ name: "limit", in: "query", description: "How many", schema: { type: "integer", maximum: 50, default: 10 }, example: 5 }] }), { [`${one}/parameters/0`]: { name: "limit", in: "query", description: "How many", schema: { type: "integer", maximum: 50, default: 10 }, example: 5 } }],
  ["a filter", descriptionWith({ parameters: [{ name: "kind", in: "query", schema: { type: "string", enum: ["cat", "dog"] }, examples: { a: { summary: "Cats", value: "cat" }, b: { value: "dog" } } }] }), { [`${one}/parameters/0/examples`]: { a: { summary: "Cats", value: "cat" }, b: { value: "dog" } }, [`${one}/parameters/0/schema/enum`]: ["cat", "dog"] }],
  ["a deprecated parameter", descriptionWith({ parameters: [{ name: "kind", in: "query", deprecated: true, "x-sunset": "2027-03-01", schema: { type: "string" } }] }), { [`${one}/parameters/0/deprecated`]: true, [`${one}/parameters/0/x-sunset`]: "2027-03-01" }],
  ["a deprecated header field", descriptionWith({ responses: { "200": { description: "It", headers: { "X-A": { deprecated: true, schema: { type: "string" } } } } } }), { [`${one}/responses/200/headers/X-A/deprecated`]: true }],
  ["an extension of a parameter", descriptionWith({ parameters: [{ name: "kind", in: "query", "x-order": 1, schema: { type: "string" } }] }), { [`${one}/parameters/0/x-order`]: 1 }],
  ["bodies and statuses of errors", descriptionWith({ responses: { ...ok, "404": { description: "None", ...json({ type: "object", properties: { code: { type: "string" } } }) }, "5XX": { description: "Broken" }, default: { description: "Else" } } }), { [`${one}/responses/404/content/application~1json/schema/properties/code/type`]: "string", [`${one}/responses/5XX/description`]: "Broken", [`${one}/responses/default/description`]: "Else" }],
  ["read-only and write-only", descriptionWith({ requestBody: json({ type: "object", properties: { id: { type: "string", readOnly: true }, secret: { type: "string", writeOnly: true } } }) }, {}, "post"), { [`${posted}/requestBody/content/application~1json/schema/properties`]: { id: { type: "string", readOnly: true }, secret: { type: "string", writeOnly: true } } }],
  ["the credentials of one operation", descriptionWith({ security: [{ key: [] }, { basic: [] }] }, { components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key", description: "From us" }, basic: { type: "http", scheme: "basic" } } } }), { [`${one}/security`]: [{ key: [] }, { basic: [] }], "/components/securitySchemes/key/name": "X-Key" }],
  ["an operation that anyone may run", descriptionWith({ security: [{}] }, { security: [{ key: [] }], components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "key" } } } }), { [`${one}/security/0`]: {} }],
  ["scopes, one of two and both", descriptionWith({ security: [{ o: ["read", "write"] }, { o: ["admin"] }] }, { components: { securitySchemes: { o: { type: "oauth2", flows: flows({ read: "Read", write: "Write", admin: "All" }) } } } }), { [`${one}/security`]: [{ o: ["read", "write"] }, { o: ["admin"] }] }],
  ["OAuth flows", descriptionWith({ security: [{ o: ["read"] }] }, { components: { securitySchemes: { o: { type: "oauth2", flows: flows({ read: "Read pets", unused: "Nothing" }) } } } }), { "/components/securitySchemes/o/type": "oauth2", "/components/securitySchemes/o/flows": flows({ read: "Read pets", unused: "Nothing" }) }],
  ["OpenID Connect", descriptionWith({ security: [{ o: [] }] }, { components: { securitySchemes: { o: { type: "openIdConnect", openIdConnectUrl: "https://i.example/.well-known/openid-configuration" } } } }), { "/components/securitySchemes/o/openIdConnectUrl": "https://i.example/.well-known/openid-configuration", [`${one}/security`]: [{ o: [] }] }],
  ["the format of a token", descriptionWith({ security: [{ o: [] }] }, { components: { securitySchemes: { o: { type: "http", scheme: "bearer", bearerFormat: "opaque" } } } }), { "/components/securitySchemes/o/bearerFormat": "opaque", "/components/securitySchemes/o/scheme": "bearer" }],
  ["`deprecated`", descriptionWith({ deprecated: true, "x-sunset": "2027-03-01" }), { [`${one}/deprecated`]: true, [`${one}/x-sunset`]: "2027-03-01" }],
  ["tags", descriptionWith({ tags: ["pets", "more"] }, { tags: [{ name: "pets", description: "All *pets*", externalDocs: { url: "https://d.example" }, "x-order": 1 }] }), { [`${one}/tags`]: ["pets", "more"], "/tags/0": { name: "pets", description: "All *pets*", externalDocs: { url: "https://d.example" }, "x-order": 1 } }],
  ["a summary and a description", descriptionWith({ summary: "See the pets", description: "All of them.\n\n## Endpoints\n\n- `a`\n" }), { [`${one}/summary`]: "See the pets", [`${one}/description`]: "All of them.\n\n## Endpoints\n\n- `a`\n" }],
  ["descriptions of bodies, responses and headers", descriptionWith({ requestBody: { description: "A pet", ...json(pet) }, responses: { "200": { description: "It", headers: { "X-A": { description: "A header", schema: { type: "string" }, example: "b" } } } } }, {}, "post"), { [`${posted}/requestBody/description`]: "A pet", [`${posted}/responses/200`]: { description: "It", headers: { "X-A": { description: "A header", schema: { type: "string" }, example: "b" } } } }],
  ["links to documentation", descriptionWith({ externalDocs: { url: "https://d.example/1", description: "More" } }, { externalDocs: { url: "https://d.example" } }), { [`${one}/externalDocs/url`]: "https://d.example/1", "/externalDocs/url": "https://d.example" }],
  ["extensions", descriptionWith({ "x-a": { b: [1] } }, { "x-c": "d" }), { [`${one}/x-a`]: { b: [1] }, "/x-c": "d" }],
  ["the example of a body", descriptionWith({ responses: { "200": { description: "It", ...json(pet, { example: { name: "Rex" } }) } } }), { [`${answers}/example`]: { name: "Rex" } }],
  ["examples by name, one of them a reference", descriptionWith({ responses: { "200": { description: "It", ...json(pet, { examples: { rex: { $ref: "#/components/examples/Rex" }, tom: { value: { name: "Tom" } } } }) } } }, { components: { examples: { Rex: { summary: "A dog", value: { name: "Rex" } } } } }), { [`${answers}/examples`]: { rex: { summary: "A dog", value: { name: "Rex" } }, tom: { value: { name: "Tom" } } } }],
  ["examples of a schema", descriptionWith({ responses: { "200": { description: "It", ...json({ type: "string", examples: ["a", "b"] }) } } }), { [`${answers}/schema/examples`]: ["a", "b"] }],
  ["schemas of several media types", descriptionWith({ requestBody: { content: { "application/json": { schema: pet }, "text/csv": { schema: { type: "string", maxLength: 9 } } } }, responses: { "200": { description: "It", content: { "text/plain": { schema: { type: "string" } }, "application/xml": { schema: { type: "array", items: { type: "string" } }, example: "<a/>" } } } } }, {}, "post"), { [`${posted}/requestBody/content/text~1csv/schema`]: { type: "string", maxLength: 9 }, [`${posted}/responses/200/content/application~1xml`]: { schema: { type: "array", items: { type: "string" } }, example: "<a/>" } }],
  ["the encoding of a form", descriptionWith({ requestBody: { content: { "multipart/form-data": { schema: pet, encoding: { name: { contentType: "text/plain" } } } } } }, {}, "post"), { [`${posted}/requestBody/content/multipart~1form-data/encoding`]: { name: { contentType: "text/plain" } } }],
  ["links between operations", descriptionWith({ operationId: "see pets", responses: { "200": { description: "It", links: { again: { operationId: "see pets" } } } } }), { [`${one}/responses/200/links`]: { again: { operationId: "seePets" } } }],
  ["a discriminator with its mapping", descriptionWith({ responses: { "200": { description: "It", ...json({ $ref: "#/components/schemas/Animal" }) } } }, { components: { schemas: { Animal: { oneOf: [{ $ref: "#/components/schemas/Cat" }], discriminator: { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat", tom: "Cat" } } }, Cat: pet } } }), { "/components/schemas/Animal/discriminator": { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat", tom: "#/components/schemas/Cat" } } }],
  ["texts beside references", descriptionWith({ parameters: [{ $ref: "#/components/parameters/Limit", description: "Here" }], requestBody: { $ref: "#/components/requestBodies/Pet", description: "A pet here" }, responses: { "200": { description: "It", headers: { "X-A": { $ref: "#/components/headers/A", description: "A here" } }, ...json({}, { examples: { rex: { $ref: "#/components/examples/Rex", summary: "Rex here" } } }) }, "404": { $ref: "#/components/responses/None", description: "None here" } } }, { components: { parameters: { Limit: { name: "limit", in: "query", description: "Anywhere", schema: { type: "integer" } } }, requestBodies: { Pet: { description: "Anywhere", ...json(pet) } }, headers: { A: { description: "Anywhere", schema: { type: "string" } } }, examples: { Rex: { summary: "Anywhere", value: 1 } }, responses: { None: { description: "Anywhere" } } } }, "post"), { [`${posted}/parameters/0/description`]: "Here", [`${posted}/requestBody/description`]: "A pet here", [`${posted}/responses/200/headers/X-A/description`]: "A here", [`${posted}/responses/200/content/application~1json/examples/rex`]: { summary: "Rex here", value: 1 }, [`${posted}/responses/404/description`]: "None here" }],
  ["names in XML", descriptionWith({ responses: { "200": { description: "It", ...json({ type: "object", xml: { name: "pet" }, externalDocs: { url: "https://d.example" }, properties: { "x-xml": { type: "string" } } }) } } }), { [`${answers}/schema/xml`]: { name: "pet" }, [`${answers}/schema/externalDocs`]: { url: "https://d.example" }, [`${answers}/schema/properties`]: { "x-xml": { type: "string" } } }],
  ["a callback", descriptionWith({ callbacks: { onPet: { "{$request.body#/url}": { post: { summary: "A pet", tags: ["a"], requestBody: json({ $ref: "#/components/schemas/Pet" }), responses: { "204": { description: "Got it" } } } } } } }, { components: { schemas: { Pet: pet } } }, "post"), { [`${posted}/callbacks/onPet/{$request.body#~1url}/post`]: { summary: "A pet", security: [], tags: ["a"], requestBody: json({ $ref: "#/components/schemas/Pet" }), responses: { "204": { description: "Got it" } } } }],
  ["a webhook", { ...descriptionWith({}), webhooks: { newPet: { put: { description: "A *pet*", parameters: [{ name: "X-A", in: "header", schema: { type: "string" } }], requestBody: json(pet), responses: { "204": { description: "Got it" } } } } } }, { "/webhooks/newPet/put": { security: [], description: "A *pet*", parameters: [{ name: "X-A", in: "header", schema: { type: "string" } }], requestBody: json(pet), responses: { "204": { description: "Got it" } } } }],
  ["server variables, and further servers", descriptionWith({}, { servers: [{ url: "https://{region}.pets.example/v1", description: "Live", variables: { region: { default: "eu", enum: ["eu", "us"] } } }, { url: "https://test.example" }] }), { "/servers": [{ url: "https://{region}.pets.example/v1", description: "Live", variables: { region: { default: "eu", enum: ["eu", "us"] } } }, { url: "https://test.example" }] }],
  ["servers of one operation", descriptionWith({ servers: [{ url: "https://files.example" }] }), { [`${one}/servers`]: [{ url: "https://files.example" }] }],
  ["`info`", descriptionWith({}, { info: { title: "Pets", version: "2024-01b", summary: "Pets of all kinds", description: "# Pets\n\nAll of them.", termsOfService: "https://d.example/t", contact: { name: "We", email: "we@d.example" }, license: { name: "MIT", identifier: "MIT" }, "x-a": 1 } }), { "/info/version": "2024-01b", "/info/summary": "Pets of all kinds", "/info/termsOfService": "https://d.example/t", "/info/contact": { name: "We", email: "we@d.example" }, "/info/license": { name: "MIT", identifier: "MIT" }, "/info/x-a": 1 }],
]; // biome-ignore format: a table

for (const [item, source, given] of rows) {
  test(`given back: ${item}`, () => {
    const { document, source: read, notes } = carried(source);
    const exported = described(document);
    for (const [pointer, expected] of Object.entries(given))
      assert.deepEqual(valueAt(exported, pointer), expected, pointer);
    assert.deepEqual(silentlyLost(read, exported, notes), []);
    const again = importDocument("again.json", JSON.stringify(exported));
    assert(again.kind === "imported");
  });
}

/** What is not given back, and the line of the report that says so. */
const named: readonly (readonly [line: string, source: JsonObject])[] = [
  ["lost: an operation by a method that the language does not have", descriptionWith({}, {}, "trace")],
  ["lost: that an operation asks for several credentials at once: nobody is let in by it", descriptionWith({ security: [{ a: [], b: [] }] }, { components: { securitySchemes: { a: { type: "http", scheme: "basic" }, b: { type: "http", scheme: "bearer" } } } })],
  ["lost: an operation by a method that the language does not have", { ...descriptionWith({}, {}, "query"), openapi: "3.2.0" }],
  ["lost: an operation by a method that the language does not have", { ...descriptionWith({}), openapi: "3.2.0", paths: { "/pets": { additionalOperations: { COPY: { operationId: "copy", responses: ok } } } } }],
  ["lost: a parameter in a place that the language does not have", { ...descriptionWith({ parameters: [{ name: "all", in: "querystring", content: { "application/x-www-form-urlencoded": { schema: pet } } }] }), openapi: "3.2.0" }],
  ["lost: an extension of the answers", descriptionWith({ responses: { ...ok, "x-a": 1 } })],
  ["lost: an extension of a callback", descriptionWith({ callbacks: { onPet: { "x-a": 1, "{$request.body#/url}": { post: { responses: ok } } } } }, {}, "post")],
  ["lost: a member of a path that is no operation", { ...descriptionWith({}), paths: { "/pets": { geet: { responses: ok }, get: { operationId: "one", responses: ok } } } }],
  ["lost: what stands beside a reference, where the standard ignores it", { ...descriptionWith({ responses: { "200": { $ref: "#/components/responses/It", description: "Here" } } }, { components: { responses: { It: { description: "It" } } } }), openapi: "3.0.3" }],
  ["lost: a security scheme that the language does not have", descriptionWith({}, { components: { securitySchemes: { t: { type: "mutualTLS" } } } })],
  ["lost: how a list or an object is written in a parameter", descriptionWith({ parameters: [{ name: "a", style: "deepObject", in: "cookie", schema: { type: "object" } }] })],
  ["lost: that a parameter has a media type of its own", descriptionWith({ parameters: [{ name: "a", in: "query", content: { "application/json": { schema: pet } } }] })],
  ["lost: a text about a whole path", { ...descriptionWith({}), paths: { "/pets": { description: "All", get: { operationId: "one", responses: ok } } } }],
  ["lost: a component that nothing refers to", descriptionWith({}, { components: { responses: { Unused: { description: "None" } } } })],
  ["lost: a component that nothing refers to", descriptionWith({ responses: { "200": { description: "It", ...json({ type: "string", $defs: { Unused: { const: 1 } } }) } } })],
  ["lost: `$comment` of a schema", descriptionWith({ responses: { "200": { description: "It", ...json({ type: "string", $id: "https://a.example", $anchor: "a", $comment: "Why" }) } } })],
  ["lost: a summary of several lines or more than 200 characters", descriptionWith({ summary: "One\ntwo" })],
  ["lost: a summary of several lines or more than 200 characters", { ...descriptionWith({}), webhooks: { a: { post: { summary: "One\ntwo", responses: ok } } } }],
  ["lost: what makes the service send an event", { ...descriptionWith({}), webhooks: { a: { post: { responses: ok } } } }],
  ["lost: `operationId` of an event", { ...descriptionWith({}), webhooks: { a: { post: { operationId: "onA", responses: ok } } } }],
  ["renamed: a schema by a name that a document cannot have", descriptionWith({ responses: { "200": { description: "It", ...json({ $ref: "#/components/schemas/pet-1" }) } } }, { components: { schemas: { "pet-1": pet } } })],
]; // biome-ignore format: a table

for (const [line, source] of named) {
  test(`in the report: ${line}`, () => {
    const { document, source: read, notes } = carried(source);
    assert(
      notes.some(({ kind, what }) => `${kind}: ${what}` === line),
      JSON.stringify(notes),
    );
    assert.deepEqual(silentlyLost(read, described(document), notes), []);
  });
}

test("what an operation that Nonet performs says besides is given back, beside what the service does", () => {
  const Pet = {
    type: "object",
    required: ["name"],
    properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } },
  };
  const body = { required: true, ...json({ $ref: "#/components/schemas/Pet" }, { example: { name: "Rex" } }) };
  const answer = {
    "201": {
      description: "The pet",
      headers: { "X-Left": { schema: { type: "integer" } }, "request-id": { schema: { type: "string" } } },
      ...json({ $ref: "#/components/schemas/Pet" }, { examples: { rex: { value: { id: 1, name: "Rex" } } } }),
    },
  };
  const refused = {
    "400": {
      description: "Not a pet",
      content: { "application/problem+json": { example: { status: 400 } }, "text/html": {} },
    },
  };
  const source = descriptionWith({ tags: ["animals"], summary: "Admit", description: "There is *room*.", requestBody: body, responses: { ...answer, ...refused } }, { components: { schemas: { Pet } } }, "post"); // biome-ignore format: a table
  const read = { operationId: "read", parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }], responses: { "200": { description: "It", ...json({ $ref: "#/components/schemas/Pet" }) } } }; // biome-ignore format: a table
  const paths = { ...(source["paths"] as JsonObject), "/pets/{id}": { get: read } };
  const { document, model } = carried({ ...source, paths });
  assert.equal(model.endpoints.endpoints["one"]?.wire, undefined, document);
  const exported = described(document);
  assert.deepEqual(valueAt(exported, `${posted}/tags`), ["animals"]);
  assert.equal(valueAt(exported, `${posted}/description`), "There is *room*.");
  assert.deepEqual(valueAt(exported, `${posted}/requestBody/content/application~1json/example`), { name: "Rex" });
  assert.deepEqual(valueAt(exported, `${posted}/responses/201/content/application~1json/examples`), {
    rex: { value: { id: 1, name: "Rex" } },
  });
  assert.equal(valueAt(exported, `${posted}/responses/201/description`), "The pet");
  const error = valueAt(exported, `${posted}/responses/400`) as JsonObject;
  assert.match(error["description"] as string, /^Not a pet\n`invalid-request`: /);
  assert.equal(valueAt(exported, "/components/responses/InvalidRequest400"), undefined);
  const lacking = mismatches({ ...source, paths }, exported).flatMap(({ operation, what }) =>
    /header| as |example/.test(what) ? [`${operation} ${what}`] : [],
  );
  assert.deepEqual(lacking, [
    "POST /pets answers 201 without the header X-Left",
    "POST /pets does not answer 400 as text/html",
    "POST /pets lacks the example of the answer 400",
  ]);
});

test("the export of an operation that nobody may run requires every credential", () => {
  const securitySchemes = { a: { type: "http", scheme: "basic" }, b: { type: "http", scheme: "bearer" } };
  const { document } = carried(descriptionWith({ security: [{ a: [], b: [] }] }, { components: { securitySchemes } }));
  assert.deepEqual(valueAt(described(document), `${one}/security`), [{ a: [], b: [] }]);
});

test("the walk finds what an export lacks", () => {
  for (const [item, source, given] of rows) {
    const { document, source: read, notes } = carried(source);
    for (const pointer of Object.keys(given)) {
      const exported = described(document);
      const [last = "", ...above] = pointer.split("/").toReversed();
      const holder = valueAt(exported, above.toReversed().join("/")) as Record<string, Json>;
      if (Array.isArray(holder)) holder.splice(Number(last), 1);
      else delete holder[last.replaceAll("~1", "/").replaceAll("~0", "~")];
      assert.notDeepEqual(silentlyLost(read, exported, notes), [], `${item} ${pointer}`);
    }
  }
});

const folder = process.env["NONET_DESCRIPTIONS"];
const skip = folder === undefined && "NONET_DESCRIPTIONS is no folder of published descriptions";

test("published descriptions: nothing is lost silently", { skip }, () => {
  const files = readdirSync(folder as string, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(?:json|ya?ml)$/.test(file),
  );
  let count = 0;
  for (const file of files) {
    const text = readFileSync(join(folder as string, file), "utf8");
    if (!/^\s*(?:\{\s*)?"?openapi"?\s*:\s*["']?3/m.test(text.slice(0, 3000))) continue;
    const imported = importDocument(file, text, { contractsOnly: true });
    if (imported.kind === "error") continue;
    count++;
    const { source, document, notes } = imported;
    assert.deepEqual(silentlyLost(source, described(document), notes), [], file);
  }
  assert(count > 0);
});
