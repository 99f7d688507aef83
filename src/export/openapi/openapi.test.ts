/** What an exported document says of a plan, fact by fact. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Json, JsonObject } from "../../base/json.ts";
import { everyOperation } from "../../plan/events/events.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import { at, baseUrl, flagship, library, parametersAt, planOf, text } from "../../../test/export/documents.ts";
import { jsonPieces } from "../../base/json-text.ts";
import { openapi } from "./openapi.ts";

const lockers = openapi(flagship, baseUrl);
const rooms = openapi(library, "https://rooms.example.org/");

function names(value: Json): readonly string[] {
  return (value as readonly JsonObject[]).map(({ name }) => text(name));
}

function statuses(document: JsonObject, path: string, method: string): string {
  return Object.keys(at(document, "paths", path, method, "responses")).join(" ");
}

/** A response, looked up where it is a component. */
function response(document: JsonObject, path: string, method: string, status: string): JsonObject {
  const found = at(document, "paths", path, method, "responses", status);
  return "$ref" in found ? at(document, ...text(found["$ref"]).slice(2).split("/")) : found;
}

function codes(document: JsonObject, path: string, method: string, status: string): readonly string[] {
  const described = text(response(document, path, method, status)["description"]);
  return [...described.matchAll(/^`([a-z-]+)`/gm)].map((match) => match[1] as string);
}

test("the description of a small service is short", () => {
  const todos = readFileSync(new URL("../../../examples/todo-backend.md", import.meta.url), "utf8");
  const { length } = [...jsonPieces(openapi(planOf(todos), baseUrl))].join("");
  assert.ok(length < 30_000, `${length} characters`);
});

test("who and where", () => {
  assert.equal(lockers["openapi"], "3.1.1");
  assert.deepEqual(at(lockers, "info"), {
    title: "Parcel Lockers",
    version: "2026-09-01",
    summary: "Hand over a parcel without anybody having to be there.",
    description:
      "Every response can have the header fields `Request-Id`, `Cache-Control`, `Content-Security-Policy`, `X-Content-Type-Options`, `Referrer-Policy`, `Strict-Transport-Security`, `Vary`, `Content-Encoding`, `Content-Language`, `RateLimit-Policy`, `RateLimit`, `Lockers-Version`: `components.headers` describes them.",
  });
  assert.deepEqual(lockers["servers"], [{ url: baseUrl }]);
  assert.deepEqual(rooms["servers"], [{ url: "https://rooms.example.org/v1" }]);
  assert.equal(at(rooms, "info")["version"], "1", "a document without versions is at its first");
  assert.deepEqual(names(lockers["tags"] as Json), [
    "Site",
    "Locker",
    "Parcel",
    "Webhook",
    "WebhookDelivery",
    "Event",
    "service",
  ]);
});

test("pages of the service are not below the operations' mount point", () => {
  assert.deepEqual(at(rooms, "paths", "/livez")["servers"], [{ url: "https://rooms.example.org" }]);
  assert.equal(at(lockers, "paths", "/livez")["servers"], undefined);
});

test("every operation of the plan is there once", () => {
  for (const [document, plan, pages] of [
    [lockers, flagship, ["livez", "readyz", "openapi", "asyncapi"]],
    [rooms, library, ["livez", "readyz", "openapi"]],
  ] as const) {
    const found = Object.values(at(document, "paths")).flatMap((item) =>
      Object.values(item as JsonObject).flatMap((one) => ((one as JsonObject)["operationId"] ?? []) as string),
    );
    assert.deepEqual(found.toSorted(), [...everyOperation(plan).map(({ name }) => name), ...pages].toSorted());
  }
});

test("events: a stream and pages of one schema each, and what is sent to webhooks", () => {
  const ok = response(lockers, "/events", "get", "200");
  assert.deepEqual(Object.keys(at(ok, "content")), ["text/event-stream", "application/json"]);
  const page = at(lockers, "components", "schemas", "EventList", "properties", "items", "items");
  assert.deepEqual(page, { $ref: "#/components/schemas/Event" });
  const mapping = at(lockers, "components", "schemas", "Event", "discriminator", "mapping");
  assert.equal(mapping["parcel.stored"], "#/components/schemas/ParcelStoredEvent");
  assert.deepEqual(names(parametersAt(lockers, "/events", "get")), [
    "limit",
    "cursor",
    "type",
    "If-None-Match",
    "Last-Event-ID",
    "Lockers-Version",
  ]);
  const stored = at(lockers, "components", "schemas", "ParcelStoredEvent");
  assert.deepEqual(stored["required"], [
    "specversion",
    "id",
    "source",
    "type",
    "subject",
    "time",
    "datacontenttype",
    "sequence",
    "data",
  ]);
  assert.deepEqual(Object.keys(at(stored, "properties", "data", "properties")), [
    "id",
    "locker",
    "collectBy",
    "recipientEmail",
    "pickupCode",
  ]);
  const sent = at(lockers, "webhooks");
  assert(Object.keys(sent).includes("parcel.stored"));
  assert(!Object.keys(sent).some((name) => name.startsWith("webhook.")), "of webhooks no webhook tells");
  assert.deepEqual(at(sent, "parcel.stored", "post", "requestBody", "content"), {
    "application/cloudevents+json": { schema: { $ref: "#/components/schemas/ParcelStoredEvent" } },
  });
  assert.equal(rooms["webhooks"], undefined, "nothing is sent anywhere");
});

test("paths that differ in the names of their parameters alone are one", () => {
  assert.deepEqual(Object.keys(at(rooms, "paths", "/shelves/{id}")), ["get", "put", "delete"]);
  assert.deepEqual(names(parametersAt(rooms, "/shelves/{id}", "put"))[0], "id");
});

test("the statuses of each operation", () => {
  const rows = [
    ["/sites", "post", "201 400 401 403 406 408 409 410 413 414 415 417 422 429 431 500 503"],
    ["/sites", "get", "200 304 400 401 403 406 408 410 413 414 417 429 431 500 503"],
    ["/parcels/{id}", "get", "200 304 400 401 403 404 406 408 410 413 414 417 429 431 500 503"],
    ["/parcels/{id}", "patch", "200 400 401 403 404 406 408 410 412 413 414 415 417 422 428 429 431 500 503"],
    ["/parcels/{id}/collect", "post", "200 400 401 403 404 406 408 409 410 412 413 414 415 417 422 429 431 500 503"],
    ["/livez", "get", "200"],
    ["/readyz", "get", "200 503"],
    ["/openapi.json", "get", "200 304"],
  ] as const;
  for (const [path, method, expected] of rows)
    assert.equal(statuses(lockers, path, method), expected, `${method} ${path}`);
  assert.equal(statuses(rooms, "/rooms/{id}", "put").slice(0, 11), "200 201 400");
  assert.equal(statuses(rooms, "/shelves/{id}", "delete").slice(0, 11), "204 400 401");
});

test("each status names the codes it comes with, the document's own among them", () => {
  const rows = [
    [lockers, "/sites", "get", "403", ["https-required"]],
    [lockers, "/sites", "post", "403", ["https-required", "forbidden"]],
    [lockers, "/parcels", "post", "409", ["idempotency-key-in-use", "already-exists", "no-free-locker"]],
    [lockers, "/parcels", "post", "422", ["invalid-request", "idempotency-key-reused", "label-too-heavy"]],
    [lockers, "/parcels/{id}/collect", "post", "403", ["https-required", "wrong-code"]],
    [lockers, "/parcels/{id}/collect", "post", "409", ["state-conflict", "idempotency-key-in-use"]],
    [
      lockers,
      "/parcels/{id}/extend",
      "post",
      "409",
      ["state-conflict", "idempotency-key-in-use", "no-more-extensions"],
    ],
    [rooms, "/shelves/{id}/lend", "post", "409", ["state-conflict", "too-wide"]],
    [rooms, "/rooms/{room}/shelves", "post", "409", ["already-exists", "no-space"]],
    [rooms, "/rooms/{room}/shelves", "get", "403", ["https-required", "forbidden"]],
  ] as const;
  for (const [document, path, method, status, expected] of rows) {
    assert.deepEqual(codes(document, path, method, status), expected, `${method} ${path} ${status}`);
  }
});

test("header fields of answers", () => {
  const headers = (path: string, method: string, status: string): readonly string[] =>
    Object.entries(at(response(lockers, path, method, status), "headers"))
      .filter(([name]) => !name.startsWith("RateLimit"))
      .map(([name, header]) => {
        const { $ref: reference = "", required } = header as { readonly $ref?: string; readonly required?: boolean };
        return required === false || reference.endsWith("-optional") ? `${name}?` : name;
      });
  assert.deepEqual(headers("/parcels", "post", "201"), ["ETag", "Location", "Idempotent-Replayed"]);
  assert.deepEqual(headers("/sites", "post", "201"), ["ETag", "Location", "Idempotent-Replayed"]);
  assert.deepEqual(headers("/parcels", "get", "200"), ["Accept-Ranges", "ETag", "Link"]);
  assert.deepEqual(headers("/parcels", "get", "304"), ["ETag"]);
  assert.deepEqual(headers("/parcels/{id}", "get", "200"), ["Accept-Ranges", "ETag"]);
  assert.deepEqual(headers("/parcels/{id}/collect", "post", "200"), ["ETag", "Idempotent-Replayed"]);
  assert.deepEqual(headers("/parcels/{id}", "get", "304"), ["ETag"]);
  assert.deepEqual(headers("/parcels", "get", "401"), ["WWW-Authenticate"]);
  assert.deepEqual(headers("/parcels", "get", "400"), ["WWW-Authenticate?"]);
  assert.deepEqual(headers("/parcels", "get", "429"), ["Retry-After"]);
  assert.deepEqual(headers("/parcels", "post", "409"), ["Retry-After?", "Idempotent-Replayed"]);
  assert.deepEqual(headers("/parcels/{id}", "patch", "412"), ["ETag?"]);
  assert.deepEqual(headers("/parcels", "post", "415"), ["Accept", "Accept-Patch", "Accept-Encoding"]);
});

test("parameters: page, order, filters with their operators, preconditions, keys", () => {
  const parameters = parametersAt(lockers, "/parcels", "get");
  assert.deepEqual(names(parameters), [
    "limit", "cursor", "sort", "state", "state[in]", "courier", "courier[in]", "site", "site[in]", "trackingNumber",
    "trackingNumber[in]", "createdAt", "createdAt[in]", "createdAt[gt]", "createdAt[gte]", "createdAt[lt]", "createdAt[lte]",
    "If-None-Match", "Lockers-Version",
  ]); // biome-ignore format: a table
  assert.deepEqual(at(parameters, 0, "schema"), { type: "integer", minimum: 1, maximum: 200, default: 50 });
  assert.deepEqual(at(parameters, 2, "schema", "items"), { type: "string", enum: ["createdAt", "-createdAt"] });
  assert.equal(parameters[2]?.["explode"], false);
  assert.deepEqual(names(parametersAt(rooms, "/rooms/{room}/shelves", "get")).slice(0, 4), [
    "room",
    "limit",
    "offset",
    "sort",
  ]);
  const required = (path: string, method: string): readonly string[] =>
    parametersAt(lockers, path, method).flatMap(({ name, in: place, required: must }) =>
      place === "header" ? `${text(name)}${must === true ? "" : "?"}` : [],
    );
  assert.deepEqual(required("/parcels/{id}", "patch"), ["If-Match", "Lockers-Version?"]);
  assert.deepEqual(required("/parcels/{id}", "get"), ["If-None-Match?", "Lockers-Version?"]);
  assert.deepEqual(required("/parcels/{id}/collect", "post"), ["If-Match?", "Idempotency-Key?", "Lockers-Version?"]);
  assert.deepEqual(required("/parcels", "post"), ["Idempotency-Key?", "Lockers-Version?"]);
});

test("bodies come in every media type that is taken", () => {
  assert.deepEqual(Object.keys(at(lockers, "paths", "/parcels/{id}", "patch", "requestBody", "content")), [
    "application/merge-patch+json",
    "application/json",
  ]);
  assert.equal(at(lockers, "paths", "/parcels/{id}/drop-off", "post", "requestBody")["required"], false);
  assert.equal(at(lockers, "paths", "/parcels/{id}", "get")["requestBody"], undefined);
});

test("a record as it is read: what some do not see is optional, and nobody's secrets are there", () => {
  const parcel = at(lockers, "components", "schemas", "Parcel");
  const required = parcel["required"] as readonly string[];
  assert.ok(!required.includes("pickupCode") && !required.includes("labels") && required.includes("locker"));
  assert.equal(at(parcel, "properties", "pickupCode")["description"], "Only for `operator`.");
  assert.deepEqual(at(parcel, "properties", "state"), { $ref: "#/components/schemas/ParcelState", readOnly: true });
  assert.equal(at(parcel, "properties", "site")["readOnly"], undefined);
  const shelf = at(rooms, "components", "schemas", "Shelf");
  assert.deepEqual(
    shelf["required"],
    ["id", "state", "room", "label", "width", "note", "label2"].filter((name) =>
      (shelf["required"] as readonly string[]).includes(name),
    ),
  );
  assert.equal(
    at(shelf, "properties", "secretPlace")["description"],
    "Only for `librarian`, or any signed-in caller if `keeper == caller.id`.",
  );
  assert.deepEqual(at(rooms, "components", "schemas", "Room", "properties", "name"), {
    type: "string",
    minLength: 1,
    maxLength: 60,
    description: "On the door.",
    examples: ["North Wing"],
  });
  assert.deepEqual(at(rooms, "components", "schemas", "ShelfList", "properties", "next")["type"], ["integer", "null"]);
});

test("states are a closed list", () => {
  const state = at(lockers, "components", "schemas", "ParcelState");
  assert.deepEqual(state["enum"], ["announced", "stored", "expired", "collected", "returned", "cancelled"]);
  assert.match(text(state["description"]), /^Starts as `announced`\. Final: `collected`, `returned`, `cancelled`\.$/m);
});

test("security: what anybody may run needs no credential, and a credential that can never pass is not offered", () => {
  const security = (document: JsonObject, path: string, method: string): Json =>
    at(document, "paths", path, method)["security"] as Json;
  assert.deepEqual(security(lockers, "/parcels/{id}/collect", "post"), [{}, { key: [] }, { device: [] }]);
  assert.deepEqual(security(lockers, "/parcels", "post"), [{ key: [] }]);
  assert.deepEqual(security(lockers, "/sites", "get"), [{ key: [] }, { device: [] }]);
  assert.deepEqual(security(rooms, "/rooms/{id}", "put"), [{ token: [] }, { clerk: [] }]);
  const schemes = at(rooms, "components", "securitySchemes");
  assert.equal(at(schemes, "token")["bearerFormat"], "JWT");
  assert.deepEqual([at(schemes, "clerk")["type"], at(schemes, "clerk")["name"]], ["apiKey", "X-Clerk"]);
});

test("an operation says who may run it, what it moves and what that causes", () => {
  assert.deepEqual(text(at(lockers, "paths", "/parcels/{id}/collect", "post")["description"]).split("\n\n"), [
    "May be run by anyone.",
    "Moves a Parcel `stored` → `collected` if `input.code == pickupCode`, else `wrong-code`.",
    "With it, `parcel.collected` (on entering `collected`) moves the Locker in `locker` `occupied` → `free`.",
  ]);
  assert.match(
    text(at(lockers, "paths", "/parcels", "post")["description"]),
    /Uses the first Locker with `site == input\.site && size == input\.size && state == 'free'` as `locker`, else `no-free-locker`\./,
  );
});

test("problems are told apart by their code", () => {
  const schema = at(
    lockers,
    "paths",
    "/parcels/{id}/collect",
    "post",
    "responses",
    "403",
    "content",
    "application/problem+json",
    "schema",
  );
  assert.deepEqual(Object.keys(at(schema, "discriminator", "mapping")), ["https-required", "wrong-code"]);
  assert.deepEqual(at(lockers, "components", "schemas", "WrongCodeProblem", "properties", "code"), {
    const: "wrong-code",
  });
  const all = at(lockers, "components", "schemas", "Problem", "properties", "code")["enum"] as readonly string[];
  assert.ok(all.includes("method-not-allowed") && all.includes("version-gone"));
  assert.ok(!JSON.stringify(rooms).includes("version-gone"), "what is never answered is not offered");
  // A request in a version that is not served is told which are.
  const supportedIn = (description: JsonObject, problem: string): unknown =>
    at(description, "components", "schemas", problem, "properties")["supported"];
  for (const problem of ["InvalidRequestProblem", "VersionGoneProblem"])
    assert.deepEqual((supportedIn(lockers, problem) as JsonObject | undefined)?.["items"], { type: "string" }, problem);
  assert.equal(supportedIn(rooms, "InvalidRequestProblem"), undefined);
});

test("a document's own error body keeps its shape", () => {
  assert.deepEqual(at(rooms, "components", "schemas", "TooWideProblem"), {
    description: "The shelf does not go through the door",
    type: "object",
    properties: {
      errors: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
      kind: { type: "string", enum: ["too-wide"] },
      http: { type: "integer", enum: [409] },
    },
    required: ["errors", "kind", "http"],
    additionalProperties: false,
  });
  assert.deepEqual(Object.keys(at(response(rooms, "/shelves/{id}/lend", "post", "409"), "content")), [
    "application/json",
  ]);
});

test("the path of a fault has an example", () => {
  const reduced = { ...flagship, problemBody: { shape: { faults: [{ path: "{path}", code: "{fault}" }] } } };
  const { properties } = at(openapi(reduced, baseUrl), "components", "schemas", "StateConflictProblem");
  const { faults } = properties as { readonly faults: JsonObject };
  assert.deepEqual((faults["items"] as JsonObject)["properties"], {
    path: { type: "string", examples: ["items.0.price"] },
    code: { type: "string" },
  });
});

const siteTable = flagship.tables[0] as Table;
const listSites = flagship.operations.find(({ name }) => name === "listSites") as Operation;

test("no name of a component is given twice", () => {
  const tables = ["Problem", "Fault", "FaultList"].map((resource) => ({ ...siteTable, resource }));
  const operations = ["Fault", "Problem"].map((resource) => ({ ...listSites, name: `list${resource}s`, resource }));
  const reduced = { ...flagship, tables, operations };
  const schemas = at(openapi(reduced, baseUrl), "components", "schemas");
  assert.deepEqual(
    Object.keys(schemas).filter((name) => /^(?:Problem|Fault)(?:List)?\d?$/.test(name)),
    ["Problem", "Fault", "FaultList", "FaultList2", "ProblemList", "Problem2", "Fault2"],
  );
});

test("the same plan and address give the same document", () => {
  assert.equal(JSON.stringify(openapi(flagship, baseUrl)), JSON.stringify(lockers));
});
