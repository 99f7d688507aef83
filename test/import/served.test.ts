/**
 * Imported descriptions are served without an edit: a client creates a record, reads, lists, changes and deletes it.
 *
 * `NONET_DESCRIPTIONS` is a folder with the projects of published descriptions, as their authors publish them: Swagger Petstore
 * (github.com/swagger-api/swagger-petstore), the petstores of the OpenAPI specification (github.com/OAI/OpenAPI-Specification),
 * Museum (github.com/Redocly/museum-openapi-example) and Train Travel (github.com/bump-sh-examples/train-travel-api).
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { importDocument } from "../../src/import/import.ts";
import { check } from "../../src/language/check.ts";
import { functionStubs } from "../../src/export/typescript/functions.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { notImplemented } from "../../src/runtime/functions/typed.ts";
import { planOf, type Running, run } from "../serve/running.ts";

const shelter = `
swagger: "2.0"
info: { title: Animal Shelter, version: "1" }
basePath: /v1
consumes: [application/json]
produces: [application/json, application/xml]
securityDefinitions:
  login: { type: oauth2, flow: implicit, authorizationUrl: "https://login.example/", scopes: { "write:dogs": change dogs, "read:dogs": see dogs } }
paths:
  /dog:
    post:
      operationId: addDog
      security: [{ login: ["write:dogs", "read:dogs"] }]
      parameters: [{ in: body, name: body, required: true, schema: { $ref: "#/definitions/Dog" } }]
      responses: { 405: { description: That is no dog } }
  /dog/findByMood:
    get:
      operationId: findDogs
      security: [{ login: ["read:dogs"] }]
      parameters: [{ in: query, name: mood, type: string, enum: [calm, wild] }]
      responses: { 200: { description: Dogs, schema: { type: array, items: { $ref: "#/definitions/Dog" } } } }
  /dog/{dogId}:
    parameters: [{ in: path, name: dogId, required: true, type: integer }]
    get:
      operationId: getDog
      security: [{ login: ["read:dogs"] }]
      responses: { 200: { description: A dog, schema: { $ref: "#/definitions/Dog" } } }
    delete:
      operationId: dropDog
      security: [{ login: ["write:dogs", "read:dogs"] }]
      responses: { 404: { description: There is no such dog } }
definitions:
  Dog:
    type: object
    required: [name, pictures]
    properties:
      id: { type: integer, format: int64 }
      name: { type: string }
      breed: { type: object, properties: { id: { type: integer }, name: { type: string } } }
      pictures: { type: array, items: { type: string } }
      mood: { type: string, enum: [calm, wild] }
`;

const gallery = `
openapi: 3.1.0
info: { title: Gallery, version: "1" }
servers: [{ url: "https://gallery.example/api" }]
security: [{ staff: [] }]
paths:
  /guided-tours:
    post:
      operationId: addTour
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Tour" } } } }
      responses: { 201: { description: Added, content: { application/json: { schema: { $ref: "#/components/schemas/Tour" } } } } }
    get:
      operationId: listTours
      parameters:
        - { in: query, name: page, schema: { type: integer, default: 1 } }
        - { in: query, name: limit, schema: { type: integer, default: 10, maximum: 30 } }
      responses: { 200: { description: Tours, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Tour" } } } } } }
  /guided-tours/{tourId}:
    parameters: [{ in: path, name: tourId, required: true, schema: { $ref: "#/components/schemas/TourId" } }]
    get:
      operationId: getTour
      responses: { 200: { description: A tour, content: { application/json: { schema: { $ref: "#/components/schemas/Tour" } } } } }
    patch:
      operationId: editTour
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/TourFields" } } } }
      responses: { 200: { description: A tour, content: { application/json: { schema: { $ref: "#/components/schemas/Tour" } } } } }
    delete: { operationId: dropTour, responses: { 204: { description: Gone } } }
components:
  securitySchemes: { staff: { type: http, scheme: basic } }
  schemas:
    TourId: { type: string, format: uuid }
    Title: { type: string, description: What the tour is called. }
    TourFields:
      type: object
      properties:
        title: { $ref: "#/components/schemas/Title" }
        days: { type: array, items: { type: string, format: date } }
        price: { type: number, format: float }
    Tour:
      type: object
      required: [title, days, price]
      properties:
        tourId: { $ref: "#/components/schemas/TourId" }
        title: { $ref: "#/components/schemas/Title" }
        days: { type: array, items: { type: string, format: date } }
        price: { type: number, format: float }
`;

const ferries = `
openapi: 3.1.0
info: { title: Ferries, version: "1" }
security: [{ oauth: [read] }]
paths:
  /tickets:
    get:
      operationId: list-tickets
      parameters:
        - { in: query, name: page, schema: { type: integer, minimum: 1, default: 1 } }
        - { in: query, name: limit, schema: { type: integer, minimum: 1, maximum: 100, default: 10 } }
      responses:
        200:
          description: Tickets
          headers: { RateLimit: { schema: { type: string } } }
          content:
            application/json:
              schema:
                allOf:
                  - $ref: "#/components/schemas/Page"
                  - properties: { data: { type: array, items: { $ref: "#/components/schemas/Ticket" } } }
    post:
      operationId: buy-ticket
      security: [{ oauth: [write] }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Ticket" } } } }
      responses: { 201: { description: Bought, content: { application/json: { schema: { $ref: "#/components/schemas/LinkedTicket" } } } } }
  /tickets/{ticketId}:
    parameters: [{ in: path, name: ticketId, required: true, schema: { type: string, format: uuid } }]
    get:
      operationId: get-ticket
      responses: { 200: { description: A ticket, content: { application/json: { schema: { $ref: "#/components/schemas/LinkedTicket" } } } } }
    put:
      operationId: change-ticket
      security: [{ oauth: [write] }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Ticket" } } } }
      responses: { 200: { description: Changed, content: { application/json: { schema: { $ref: "#/components/schemas/Ticket" } } } } }
    delete: { operationId: drop-ticket, security: [{ oauth: [write] }], responses: { 204: { description: Dropped } } }
components:
  securitySchemes:
    oauth:
      type: oauth2
      flows: { authorizationCode: { authorizationUrl: "https://id.example/a", tokenUrl: "https://id.example/t", scopes: { read: see, write: change } } }
  schemas:
    Page: { type: object, properties: { data: { type: array, items: { type: object } }, links: { type: object, readOnly: true } } }
    LinkedTicket: { allOf: [{ $ref: "#/components/schemas/Ticket" }, { properties: { links: { type: object } } }] }
    Ticket:
      type: object
      properties:
        id: { type: string, format: uuid, readOnly: true }
        passenger: { type: string }
        car: { type: boolean }
`;

const shops = `
openapi: 3.0.3
info: { title: Shops, version: "1" }
servers: [{ url: "/v1" }]
paths:
  /shops:
    post:
      operationId: addShop
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Shop" } } } }
      responses: { 201: { description: Added, content: { application/json: { schema: { $ref: "#/components/schemas/Shop" } } } } }
  /shops/{shop-id}:
    parameters: [{ in: path, name: shop-id, required: true, schema: { type: integer } }]
    get:
      operationId: getShop
      responses: { 200: { description: A shop, content: { application/json: { schema: { $ref: "#/components/schemas/Shop" } } } } }
  /shops/{shop-id}/offers:
    parameters: [{ in: path, name: shop-id, required: true, schema: { type: integer } }]
    post:
      operationId: addOffer
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [code], properties: { code: { type: string }, price: { type: number } } } } } }
      responses: { 201: { description: Added, content: { application/json: { schema: { $ref: "#/components/schemas/Offer" } } } } }
    get:
      operationId: listOffers
      responses: { 200: { description: Offers, content: { application/json: { schema: { type: object, required: [items, total], properties: { items: { type: array, items: { $ref: "#/components/schemas/Offer" } }, total: { type: integer } } } } } } }
  /shops/{shop-id}/offers/{code}:
    parameters:
      - { in: path, name: shop-id, required: true, schema: { type: integer } }
      - { in: path, name: code, required: true, schema: { type: string } }
    get:
      operationId: getOffer
      responses: { 200: { description: An offer, content: { application/json: { schema: { $ref: "#/components/schemas/Offer" } } } } }
    delete: { operationId: dropOffer, responses: { 204: { description: Gone } } }
components:
  schemas:
    Shop: { type: object, required: [id, name], properties: { id: { type: integer, readOnly: true }, name: { type: string } } }
    Offer: { type: object, required: [code, shopId], properties: { code: { type: string }, price: { type: number }, shopId: { type: integer, readOnly: true } } }
`;

interface Flow {
  /** The path of the collection, and the member that names a record. */
  readonly path: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Members of answers that no request has, besides the key. */
  readonly made?: Readonly<Record<string, unknown>>;
  readonly list?: { readonly path: string; readonly items?: string };
  /** The method and the members of a change. */
  readonly change?: readonly [method: "PATCH" | "PUT", members: Readonly<Record<string, unknown>>];
  readonly isDeleted?: boolean;
  /** The credential with keys, the roles of a key, and how a request sends it. */
  readonly credential?: readonly [
    name: string,
    roles: readonly string[],
    sent: (key: string) => Readonly<Record<string, string>>,
  ];
}

const bearer = (key: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${key}` });
const basic = (key: string): Readonly<Record<string, string>> => ({ Authorization: `Basic ${btoa(`ann:${key}`)}` });

const flows: readonly (readonly [what: string, source: string, flow: Flow])[] = [
  ["a shelter in Swagger 2", shelter, { path: "/v1/dog", key: "id", body: { name: "Rex", pictures: ["a.png"], breed: { id: 1, name: "Pug" }, mood: "calm" }, list: { path: "/findByMood?mood=calm" }, isDeleted: true, credential: ["key", ["login-write-dogs", "login-read-dogs"], bearer] }],
  ["a gallery whose key has another name", gallery, { path: "/api/guided-tours", key: "tourId", body: { title: "Dawn", days: ["2027-01-05"], price: 0 }, list: { path: "?page=1&limit=5" }, change: ["PATCH", { price: 15.5 }], isDeleted: true, credential: ["staff", [], basic] }],
  ["ferries with tokens of another server", ferries, { path: "/tickets", key: "id", body: { passenger: "Ann", car: true }, list: { path: "?limit=5", items: "data" }, change: ["PUT", { passenger: "Bob", car: false }], isDeleted: true, credential: ["key", ["oauth-read", "oauth-write"], bearer] }],
]; // biome-ignore format: a table

test("is served: records below another one, whose keys are unique only there", async () => {
  await using service = await served(shops);
  const headers = { "Content-Type": "application/json" };
  for (const id of [1, 2]) {
    const added = await fetch(`${service.url}/v1/shops`, { method: "POST", headers, body: '{"name":"Corner"}' });
    assert.deepEqual(await added.json(), { id, name: "Corner" });
    const path = `/v1/shops/${id}/offers`;
    const list = { path: "", items: "items" };
    await play(service, { path, key: "code", body: { code: "a", price: 2 }, made: { shopId: id }, list });
  }
  const deleted = await fetch(`${service.url}/v1/shops/1/offers/a`, { method: "DELETE" });
  assert.equal(deleted.status, 204);
  assert.equal((await fetch(`${service.url}/v1/shops/2/offers/a`)).status, 200);
});

for (const [what, source, flow] of flows)
  test(`is served: ${what}`, async () => {
    await using service = await served(source);
    await play(service, flow);
  });

test("a served operation needs the roles of its scopes, and leaves out what no record has", async () => {
  await using service = await served(shelter);
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ id: 77, name: "Rex", pictures: [], tail: "short" });
  assert.equal((await fetch(`${service.url}/v1/dog`, { method: "POST", headers, body })).status, 401);
  const key = bearer(await service.keyOf("key", "ann", "login-write-dogs", "login-read-dogs"));
  const added = await fetch(`${service.url}/v1/dog`, { method: "POST", headers: { ...headers, ...key }, body });
  assert.deepEqual(await added.json(), { id: 1, name: "Rex", pictures: [] });
  assert.equal(
    (await fetch(`${service.url}/v1/dog/1`, { headers: bearer(await service.keyOf("key", "bob")) })).status,
    403,
  );
});

test("a handler without a function of its own answers 501, beside what Nonet performs", async () => {
  const source = shelter.replace(
    /^ {2}\/dog\/\{dogId\}:/m,
    "  /walks:\n    post: { operationId: walk, responses: { 200: { description: Walked } } }\n$&",
  );
  const imported = importDocument("source", source);
  assert(imported.kind === "imported");
  assert.match(functionStubs(planOf(imported.document), "./shelter.types.ts"), /^ {2}walk: notImplemented,$/m);
  await using service = await run(imported.document, {
    functions: { walk: notImplemented } as ServiceFunctions,
  });
  assert.equal((await fetch(`${service.url}/v1/walks`, { method: "POST" })).status, 501);
  assert.equal((await fetch(`${service.url}/v1/dog/1`)).status, 401);
});

test("records whose creation stays a handler: an empty list, then those that its function creates", async () => {
  const tag = { type: "object", required: ["id", "name", "url"], properties: { id: { type: "integer" }, name: { type: "string" }, url: { type: "string", format: "uri" } } }; // biome-ignore format: one line
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const answer = (schema: object, status = 200) => ({ responses: { [status]: { description: "", ...json(schema) } } });
  const parameters = [
    { in: "path", name: "owner", required: true, schema: { type: "string" } },
    { in: "path", name: "tagId", required: true, schema: { type: "integer" } },
  ];
  const name = json({ type: "object", required: ["name"], properties: { name: { type: "string" } } });
  const imported = importDocument(
    "source",
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Tags", version: "1" },
      servers: [{ url: "/v1" }],
      paths: {
        "/{owner}/tags": {
          parameters: parameters.slice(0, 1),
          get: { operationId: "listTags", ...answer({ type: "array", items: tag }) },
          post: { operationId: "addTag", requestBody: { required: true, ...name }, ...answer(tag, 201) },
        },
        "/{owner}/tags/{tagId}": {
          parameters,
          get: { operationId: "getTag", ...answer(tag) },
          patch: { operationId: "renameTag", requestBody: { required: true, ...name }, ...answer(tag) },
          delete: { operationId: "dropTag", responses: { 204: { description: "" } } },
        },
      },
    }),
  );
  assert(imported.kind === "imported");
  await using service = await run(imported.document, {
    functions: {
      addTag: async ({ input, records }) => {
        const { body, path } = input as { body: { name: string }; path: { owner: string } };
        const made = await records["system"]?.["Tag"]?.create({
          ...path,
          name: body.name,
          url: "https://tags.example/1",
        });
        const { id, name, url } = made as unknown as Readonly<Record<string, unknown>>;
        return { status: 201, body: { id, name, url } };
      },
    } as ServiceFunctions,
  });
  const send = async (method: string, path: string, body?: object) => {
    const reply = await fetch(`${service.url}/v1${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
    });
    const text = await reply.text();
    return [reply.status, text === "" || reply.status >= 400 ? undefined : JSON.parse(text)];
  };
  const made = { id: 1, name: "first", url: "https://tags.example/1" };
  assert.deepEqual(await send("GET", "/ann/tags"), [200, []]);
  assert.deepEqual(await send("GET", "/ann/tags/1"), [404, undefined]);
  assert.deepEqual(await send("POST", "/ann/tags", { name: "first" }), [201, made]);
  assert.deepEqual(await send("GET", "/ann/tags"), [200, [made]]);
  assert.deepEqual(await send("GET", "/bob/tags"), [200, []]);
  assert.deepEqual(await send("PATCH", "/ann/tags/1", { name: "other" }), [200, { ...made, name: "other" }]);
  assert.deepEqual(await send("GET", "/ann/tags/1"), [200, { ...made, name: "other" }]);
  assert.deepEqual(await send("DELETE", "/ann/tags/1"), [204, undefined]);
  assert.deepEqual(await send("GET", "/ann/tags/1"), [404, undefined]);
});

const folder = process.env["NONET_DESCRIPTIONS"];
const skip = folder === undefined && "NONET_DESCRIPTIONS is no folder of published descriptions";

/** The published descriptions, by their titles and the ends of their paths. */
const published: readonly (readonly [end: string, flow: Flow])[] = [
  ["swagger-petstore/src/main/resources/openapi.yaml", { path: "/api/v3/pet", key: "id", body: { name: "doggie", photoUrls: ["string"], category: { id: 1, name: "Dogs" }, tags: [{ id: 0, name: "string" }], status: "available" }, credential: ["key", ["petstore_auth-write-pets", "petstore_auth-read-pets"], bearer] }],
  ["swagger-petstore/src/main/resources/openapi.yaml", { path: "/api/v3/store/order", key: "id", body: { petId: 198772, quantity: 7, status: "approved", complete: true }, isDeleted: true }],
  ["swagger-petstore/src/main/resources/openapi.yaml", { path: "/api/v3/user", key: "username", body: { username: "theUser", firstName: "John", password: "12345" }, isDeleted: true }],
  ["schemas/v3.0/pass/petstore.yaml", { path: "/v1/pets", key: "id", body: { id: 7, name: "Rex" }, list: { path: "?limit=5" } }],
  ["schemas/v3.0/pass/petstore-expanded.yaml", { path: "/v2/pets", key: "id", body: { name: "Rex", tag: "dog" }, isDeleted: true }],
  ["museum-openapi-example/openapi.yaml", { path: "/_mock/docs/openapi/museum-api/special-events", key: "eventId", body: { name: "Mermaids", location: "Under the sea", eventDescription: "A rare collection", dates: ["2023-09-05"], price: 0 }, change: ["PATCH", { location: "On the beach.", price: 15 }], isDeleted: true, credential: ["MuseumPlaceholderAuth", [], basic] }],
  ["train-travel-api/openapi.yaml", { path: "/rest/Train+Travel+API/1.0.0/bookings", key: "id", body: { trip_id: "ea399ba1-6d95-433f-92d1-83f67b775594", passenger_name: "John Doe", has_bicycle: true, has_dog: true }, list: { path: "?limit=5", items: "data" }, isDeleted: true, credential: ["key", ["OAuth2-read", "OAuth2-write"], bearer] }],
]; // biome-ignore format: a table

for (const [end, flow] of published)
  test(`is served as published: ${end} ${flow.path}`, { skip }, async () => {
    const found = globSync(`**/*${end}`, { cwd: folder ?? "" });
    const [name] = found;
    assert(name !== undefined, `${folder} has no ${end}`);
    await using service = await served(readFileSync(join(folder ?? "", name), "utf8"));
    await play(service, flow);
  });

async function served(source: string): Promise<Running> {
  const imported = importDocument("source", source);
  assert(imported.kind === "imported");
  const errors = check("import.md", imported.document).diagnostics.filter(({ severity }) => severity === "error");
  assert.deepEqual(
    errors.map(({ message }) => message),
    [],
  );
  return run(imported.document);
}

async function play(
  service: Running,
  { path, key, body, made: more, list, change, isDeleted, credential }: Flow,
): Promise<void> {
  const [name, roles, sent] = credential ?? [];
  const headers = {
    "Content-Type": "application/json",
    ...(name === undefined || sent === undefined ? {} : sent(await service.keyOf(name, "ann", ...(roles ?? [])))),
  };
  const call = async (method: string, at: string, sentBody?: unknown): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${service.url}${path}${at}`, {
      method,
      headers,
      ...(sentBody === undefined ? {} : { body: JSON.stringify(sentBody) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const added = await call("POST", "", body);
  assert.equal(Math.floor(added.status / 100), 2, JSON.stringify(added.body));
  const made = { ...(added.body as Record<string, unknown> | undefined), ...body, ...more };
  const at = `/${String(made[key])}`;
  assert.deepEqual(await call("GET", at), { status: 200, body: { [key]: made[key], ...made } });
  if (list !== undefined) {
    const { body: page } = await call("GET", list.path);
    const items = list.items === undefined ? page : (page as Record<string, unknown>)[list.items];
    assert.deepEqual(items, [{ [key]: made[key], ...made }]);
  }
  if (change !== undefined) {
    const [method, members] = change;
    const changed = await call(method, at, members);
    assert.deepEqual(changed, { status: 200, body: { ...made, ...members } });
    assert.deepEqual((await call("GET", at)).body, changed.body);
  }
  if (isDeleted !== true) return;
  assert.equal(Math.floor((await call("DELETE", at)).status / 100), 2);
  assert.equal((await call("GET", at)).status, 404);
}

test("for a comparison of contracts, nothing of a description is served", () => {
  for (const source of [shelter, gallery]) {
    const imported = importDocument("source", source, { contractsOnly: true });
    assert(imported.kind === "imported");
    const { endpoints, resources } = imported.model;
    assert.deepEqual(resources.resources, {});
    for (const { does, wire, knownContract } of Object.values(endpoints.endpoints))
      assert.deepEqual([does, wire === undefined, knownContract], ["handler", false, undefined]);
  }
});
