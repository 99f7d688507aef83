/** Which operations of a description become actions of the language, and which stay handlers, with the reason. */
import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { printModel } from "../../src/language/print.ts";
import { carried } from "./round-trip.ts";

const text: JsonObject = { type: "string" };
const cat: JsonObject = {
  type: "object",
  required: ["name"],
  properties: { id: { type: "integer", readOnly: true }, name: { type: "string", maxLength: 40 }, kind: { enum: ["house", "wild"], type: "string" } },
}; // biome-ignore format: a table
const kinds: JsonObject = { ...text, enum: ["house", "wild"] };
const reference: JsonObject = { $ref: "#/components/schemas/Cat" };
const cats: JsonObject = { type: "array", items: reference };
const create = operation("addCat", { body: reference, answers: { 201: reference } });
const read = operation("getCat", { answers: { 200: reference } });
const list = operation("listCats", { answers: { 200: cats } });

const named: JsonObject = { $ref: "#/components/schemas/Named" };
const namedCat: JsonObject = { type: "object", required: ["id", "name"], properties: { id: text, name: text } };
const readNamed = operation("getNamed", { answers: { 200: named } });

/** A `PUT` with the key that clients choose. */
function setNamed(...statuses: readonly number[]): JsonObject {
  const answers = statuses.map((status) => [status, status < 300 ? named : undefined] as const);
  return operation("set", { body: named, answers: Object.fromEntries(answers) });
}

interface Written {
  readonly body?: JsonObject;
  readonly answers: Readonly<Record<number, JsonObject | undefined>>;
  readonly parameters?: readonly JsonObject[];
}

function operation(operationId: string, { body, answers, parameters = [] }: Written): JsonObject {
  return {
    operationId,
    parameters,
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: body } } } }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, schema]) => [
        status,
        { description: "", ...(schema === undefined ? {} : { content: { "application/json": { schema } } }) },
      ]),
    ),
  };
}

function described(paths: JsonObject, schemas: JsonObject = { Cat: cat }): JsonObject {
  return { openapi: "3.0.3", info: { title: "Cats", version: "1" }, paths, components: { schemas } };
}

function ofCats(of: {
  readonly all?: JsonObject;
  readonly one?: JsonObject;
  readonly schema?: JsonObject;
}): JsonObject {
  const paths = { "/cats": { post: create, ...of.all }, "/cats/{catId}": { get: read, ...of.one } };
  return described(paths, { Cat: of.schema ?? cat });
}

/** `toy`: the schema of the records below a cat. */
function below(toy: JsonObject): JsonObject {
  const reference: JsonObject = { $ref: "#/components/schemas/Toy" };
  return described(
    {
      "/cats/{catId}/toys": { post: operation("addToy", { body: reference, answers: { 201: reference } }) },
      "/cats/{catId}/toys/{toyId}": { get: operation("getToy", { answers: { 200: reference } }) },
      "/cats": { post: create },
      "/cats/{catId}": { get: read },
    },
    { Cat: cat, Toy: toy },
  );
}

function query(name: string, schema: JsonObject, required = false): JsonObject {
  return { in: "query", name, required, schema };
}

/** What a source says, and parts of the document, without the imported contracts, quotes, braces, commas and line ends. */
const declared: readonly (readonly [what: string, source: JsonObject, ...parts: readonly string[]])[] = [
  ["a creation and a read", ofCats({}), "addCat: at: POST /cats of: Cat getCat: at: GET /cats/ catId of: Cat", "id: integer = counter name: string(..40) kind?: house | wild"],
  ["a key that clients choose", ofCats({ schema: { ...cat, required: ["id", "name"], properties: { ...(cat["properties"] as JsonObject), id: { type: "integer" } } } }), "Cat: id: integer name:"],
  ["a key by another name", ofCats({ schema: { type: "object", properties: { catId: { type: "string", format: "uuid" }, name: text } } }), "Cat: id: id catId: uuid = uuid unique name?: string", "gives: CatView", "CatView: of: Cat fields: [catId name]"],
  ["a key that only the service sets", ofCats({ schema: { type: "object", properties: { cat_id: { type: "string", readOnly: true } } } }), "cat_id: string = uuid unique read-only", "GET /cats/ cat_id"],
  ["the statuses of the source", described({ "/cats": { post: operation("addCat", { body: reference, answers: { 200: undefined } }) }, "/cats/{id}": { get: read, delete: operation("dropCat", { answers: { 202: undefined } }) } }), "POST /cats of: Cat gives: none status: 200", "DELETE /cats/ id of: Cat status: 202"],
  ["a replacement without an answer", ofCats({ one: { put: operation("set", { body: reference, answers: { 200: undefined } }) } }), "set: at: PUT /cats/ catId of: Cat gives: none status: 200"],
  ["a change of some fields", ofCats({ one: { patch: operation("edit", { body: { type: "object", properties: { name: { type: "string", maxLength: 40 } } }, answers: { 200: reference } }) } }), "edit: at: PATCH /cats/ catId of: Cat base", "kind?: house | wild create-only"],
  ["changes of different fields", ofCats({ one: { patch: operation("edit", { body: { type: "object", properties: { kind: text } }, answers: { 200: reference } }), put: operation("set", { body: reference, answers: { 200: reference } }) }, schema: { type: "object", properties: { id: { type: "integer" }, name: text, kind: text } } }), "takes: kind?: string set: at: PUT"],
  ["a body with a secret that no answer has", described({ "/cats": { post: operation("addCat", { body: { type: "object", required: ["pin"], properties: { pin: text, name: text } }, answers: { 201: reference } }) }, "/cats/{id}": { get: read } }, { Cat: { type: "object", properties: { id: { type: "string" }, name: text } } }), "pin: string write-only"],
  ["records in an object", described({ "/cats": { post: operation("addCat", { body: { type: "object", properties: { cat: reference } }, answers: { 201: { type: "object", properties: { cat: reference } } } }), get: operation("listCats", { answers: { 200: { type: "object", required: ["data", "total"], properties: { data: cats, total: { type: "integer" } } } } }) }, "/cats/{id}": { get: operation("getCat", { answers: { 200: { type: "object", properties: { cat: reference, links: { type: "object" } } } } }) } }), "takes: cat: name: string(..40) kind?: house | wild gives: cat: Cat", "gives: data: Cat[] total: count", "getCat: at: GET /cats/ id of: Cat gives: cat: Cat"],
  ["a list of all records", ofCats({ all: { get: list } }), "gives: Cat[] lists: none"],
  ["pages", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("page", { type: "integer", default: 1 }), query("per_page", { type: "integer", default: 10, maximum: 50 })] }) } }), "kind: page size: 10 max: 50 clamped: true names: limit: per_page"],
  ["a filter by a field", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { type: "string", enum: ["house", "wild"] })] }) } }), "kind?: house | wild filter"],
  ["a filter with a default", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { ...kinds, default: "wild" })] }) } }), "kind: house | wild = wild", "where: kind == input.kind"],
  ["a filter that a list requires", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { ...text, enum: ["wild"] }, true)] }) } }), "query: kind: \\ wild\\", "where: kind == input.kind"],
  ["a filter with a value for all records", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { ...text, enum: ["house", "wild", "all"], default: "house" })] }) } }), "kind: house | wild | all = house", "where: input.kind == 'all' || kind == input.kind"],
  ["a filter with several values", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { type: "array", items: kinds }), { ...query("name", { type: "array", items: { ...text, maxLength: 40 } }), explode: false }] }) } }), "kind?: (house | wild)[] repeated", "name?: string(..40)[]", "where: (input.kind == null || kind in input.kind) && (input.name == null || name in input.name)"],
  ["a filter with brackets", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("name[]", { type: "array", items: { ...text, maxLength: 40 } })] }) } }), "name?: string(..40)[] brackets", "where: input.name == null || name in input.name"],
  ["a filter by any text", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("name", text)] }) } }), "name?: string", "where: input.name == null || name == input.name"],
  ["a part of the collection that a filter selects", described({ "/cats": { post: create }, "/cats/{id}": { get: read }, "/cats/byKind": { get: operation("byKind", { answers: { 200: cats }, parameters: [query("kind", { type: "string", enum: ["wild"] })] }) } }), "byKind: at: GET /cats/byKind of: Cat does: list"],
  ["an answer with fewer members", ofCats({ all: { get: operation("listCats", { answers: { 200: { type: "array", items: { type: "object", properties: { id: { type: "integer" } } } } } }) } }), "gives: CatView[]", "fields: [id]"],
  ["a member that may be null", ofCats({ schema: { type: "object", required: ["id", "name"], properties: { id: { type: "string", format: "uuid", readOnly: true }, name: { ...text, nullable: true }, note: { ...text, nullable: true } } } }), "id: uuid = uuid name: string | null note: string | null = null"],
  ["defaults", ofCats({ schema: { type: "object", properties: { id: { type: "string" }, name: { ...text, default: "now" }, lives: { type: "integer", default: 9, minimum: 0, maximum: 9 } } } }), "name: string = now lives: integer(0..9) = 9"],
  ["the time of a creation", ofCats({ schema: { type: "object", required: ["created_at"], properties: { id: { type: "string" }, name: text, created_at: { ...text, format: "date-time", readOnly: true } } } }), "created_at: datetime = now read-only"],
  ["an optional member that no request sets", ofCats({ schema: { type: "object", properties: { id: { type: "string" }, name: text, links: { type: "object", readOnly: true } } } }), "Cat: id: string = uuid name?: string schemas"],
  ["objects and lists", ofCats({ schema: { type: "object", properties: { id: { type: "string" }, tags: { type: "array", items: text, maxItems: 3 }, home: { type: "object", properties: { street: text } } } } }), "tags?: string[](..3) home?: schema: type: object"],
  ["several schemas of one record", described({ "/cats": { post: operation("addCat", { body: { $ref: "#/components/schemas/NewCat" }, answers: { 201: reference } }) }, "/cats/{id}": { get: read } }, { NewCat: { type: "object", required: ["name"], properties: { name: text } }, Cat: { allOf: [{ $ref: "#/components/schemas/NewCat" }, { type: "object", required: ["id"], properties: { id: { type: "integer" } } }] } }), "Cat: id: integer = counter name: string schemas"],
  ["records below another one", below({ type: "object", required: ["toyId", "catId"], properties: { toyId: { type: "string", format: "uuid", readOnly: true }, catId: { type: "integer", readOnly: true }, sound: text } }), "Toy: cat: Cat create-only id: id toyId: uuid = uuid read-only sound?: string", "rules: Toy: unique cat + toyId", "ToyView: of: Toy fields: [toyId sound] catId: Cat := cat", "addToy: at: POST /cats/ catId /toys of: Toy gives: ToyView", "getToy: at: GET /cats/ catId /toys/ toyId of: Toy gives: ToyView"],
  ["errors of one shape", ofCats({ one: { delete: { operationId: "dropCat", responses: { 204: { description: "" }, 400: { description: "No", content: { "application/json": { schema: { type: "object", required: ["code", "message"], properties: { code: { type: "integer" }, message: text } } } } } } } } }), "body: code: status message: message status: invalid-request: 400"],
  ["parameters that shape an answer", ofCats({ one: { get: operation("getCat", { answers: { 200: reference }, parameters: [query("pretty", { type: "boolean" }), query("fields", { type: "array", items: text }), query("include[]", { type: "array", items: { ...text, enum: ["owner"] } })] }) } }), "query: pretty?: boolean fields?: string[] repeated include?: string[] brackets"],
  ["pages by a token", ofCats({ all: { get: operation("listCats", { answers: { 200: { type: "object", required: ["type", "cats", "next_page_token"], properties: { type: { ...text, enum: ["list"] }, cats, next_page_token: text } } }, parameters: [query("page_token", text), query("max_results", { type: "integer" })] }) } }), "kind: cursor", "cursor: page_token", "limit: max_results", "gives: type: 'list' cats: Cat[] next_page_token: next == null ? '' : next"],
  ["sorting by fields", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("sort", { ...text, enum: ["name", "kind"], default: "name" }), query("direction", { ...text, enum: ["asc", "desc"] })] }) } }), "direction: direction", "order: name", "name: string(..40) sort"],
  ["a member with only one value", ofCats({ schema: { ...cat, required: ["type", "name"], properties: { ...(cat["properties"] as JsonObject), type: { ...text, enum: ["cat"], readOnly: true } } } }), "type: \\ cat\\ = cat read-only"],
  ["a list that a creation may leave out and an answer requires", described({ "/cats": { post: operation("addCat", { body: { type: "object", properties: { toys: { type: "array", items: text } } }, answers: { 201: { type: "object", required: ["toys"], properties: { id: { type: "integer" }, toys: { type: "array", items: text } } } } }) }, "/cats/{id}": { get: operation("getCat", { answers: { 200: { type: "object", properties: { id: { type: "integer" }, toys: { type: "array", items: text } } } } }) } }), "toys: string[] = []"],
  ["a PUT that creates, with the key in the path", described({ "/cats/{name}": { put: operation("putCat", { body: { type: "object", required: ["pin"], properties: { pin: text } }, answers: { 201: { type: "object", properties: {} }, 204: undefined } }), get: read } }), "at: PUT /cats/ name of: Cat gives: status: given: 204 created: 201", "name: string(1..40) unique create-only"],
  ["a PUT that creates or changes", described({ "/cats/{name}": { put: operation("putCat", { body: reference, answers: { 200: reference, 201: reference } }), get: read } }), "at: PUT /cats/ name of: Cat", "status: created: 201"],
  ["a POST of a record that changes it", ofCats({ one: { post: operation("editCat", { body: { type: "object", properties: { name: { type: "string", maxLength: 40 } } }, answers: { 200: reference } }) } }), "editCat: at: POST /cats/ catId of: Cat does: update"],
  ["a PUT that need not contain what a record needs", ofCats({ one: { put: operation("set", { body: { type: "object", properties: { name: { type: "string", maxLength: 40 } } }, answers: { 200: reference } }) } }), "set: at: PUT /cats/ catId of: Cat does: update"],
  ["a PUT of records whose creation stays a handler, with a key that clients choose", described({ "/cats": { post: operation("addCat", { body: text, answers: { 201: named } }) }, "/cats/{id}": { get: readNamed, put: setNamed(200) } }, { Named: namedCat }), "set: at: PUT /cats/ id of: Named does: update"],
  ["a PUT without a POST, of a record that may be missing", described({ "/cats/{id}": { get: readNamed, put: setNamed(200, 404) } }, { Named: namedCat }), "set: at: PUT /cats/ id of: Named does: update"],
  ["records below one that has not the name of its collection", described({ "/pets": { post: operation("addPet", { body: named, answers: { 201: named } }) }, "/pets/{id}": { get: readNamed }, "/pets/{id}/kittens": { post: create }, "/pets/{id}/kittens/{catId}": { get: read } }, { Named: namedCat, Cat: cat }), "addCat: at: POST /pets/ namedId /kittens of: Cat", "getCat: at: GET /pets/ namedId /kittens/ catId of: Cat"],
  ["a deletion with an answer", ofCats({ one: { delete: operation("dropCat", { answers: { 200: { type: "object", properties: { id: { type: "integer" }, object: { ...text, enum: ["cat"] }, deleted: { type: "boolean" } } } } }) } }), "gives: id: id object: 'cat' deleted: true"],
  ["records below what no operation creates", described({ "/orgs/{org}/cats": { post: create, get: list }, "/orgs/{org}/cats/{cat_name}": { get: read } }), "addCat: at: POST /orgs/ org /cats of: Cat gives: CatView", "at: GET /orgs/ org /cats/ name of: Cat", "org: string(1..255) create-only", "Cat: unique org + name"],
  ["records below several parameters, one of which answers have", described({ "/homes/{home_id}/rooms/{id}/cats": { post: create }, "/homes/{home_id}/rooms/{id}/cats/{catId}": { get: read } }, { Cat: { ...cat, properties: { ...(cat["properties"] as JsonObject), homeId: { ...text, readOnly: true } } } }), "POST /homes/ homeId /rooms/ roomId /cats", "homeId: string(1..255) create-only roomId: string(1..255) create-only"],
  ["records that no operation creates", described({ "/cats": { get: list }, "/cats/{id}": { get: read, patch: operation("edit", { body: { type: "object", properties: { name: text, mood: text } }, answers: { 200: reference } }), delete: operation("dropCat", { answers: { 204: undefined } }) } }, { Cat: { type: "object", required: ["id", "name", "url", "born"], properties: { id: { type: "integer" }, name: text, url: { ...text, format: "uri" }, born: { ...text, format: "date" }, owner: { type: "object", properties: { name: text } }, gone: { ...text, nullable: true } } } }), "Cat: id: integer = counter", "url: url read-only born: date read-only", "name: string", "mood?: string write-only", "gone: string | null = null read-only", "at: GET /cats of: Cat", "edit: at: PATCH /cats/ id of: Cat", "dropCat: at: DELETE /cats/ id of: Cat"],
  ["records whose creation stays a handler", described({ "/cats": { post: operation("addCat", { body: text, answers: { 201: reference } }), get: list }, "/cats/{id}": { get: read } }), "addCat: at: POST /cats does: handler", "getCat: at: GET /cats/ id of: Cat"],
  ["records of a list that stays a handler", described({ "/cats": { get: operation("listCats", { answers: { 200: cats }, parameters: [query("q", text)] }) }, "/cats/{id}": { get: read } }), "listCats: at: GET /cats does: handler", "getCat: at: GET /cats/ id of: Cat"],
  ["a key of text that whoever creates the records chooses", described({ "/cats": { get: list }, "/cats/{cat_name}": { get: read } }, { Cat: { type: "object", required: ["name"], properties: { name: text, kind: text } } }), "id: id name: string unique read-only kind?: string read-only"],
  ["records below others, which they refer to", described({ "/orgs/{org}/cats": { get: list }, "/orgs/{org}/cats/{cat_id}": { get: read }, "/orgs/{org}/cats/{cat_id}/toys": { get: operation("listToys", { answers: { 200: { type: "array", items: { $ref: "#/components/schemas/Toy" } } } }) }, "/orgs/{org}/cats/{cat_id}/toys/{toy_id}": { get: operation("getToy", { answers: { 200: { $ref: "#/components/schemas/Toy" } } }) } }, { Cat: cat, Toy: { type: "object", required: ["id"], properties: { id: { type: "integer" }, sound: text } } }), "Toy: cat: Cat create-only id: integer = counter", "getToy: at: GET /orgs/ org /cats/ cat_id /toys/ toy_id of: Toy"],
  ["resources whose collections are in the paths of others", described({ "/teams/{team}/repos": { get: operation("listRepos", { answers: { 200: { type: "array", items: { $ref: "#/components/schemas/Repo" } } } }) }, "/teams/{team}/repos/{id}": { get: operation("getRepo", { answers: { 200: { $ref: "#/components/schemas/Repo" } } }) }, "/repos/{repo}/cats": { get: list }, "/repos/{repo}/cats/{id}": { get: read } }, { Cat: cat, Repo: { type: "object", required: ["id"], properties: { id: { type: "integer" }, label: text } } }), "TeamRepo:", "listCats: at: GET /repos/ repo /cats of: Cat"],
  ["a deletion with an empty object in its answer", ofCats({ one: { delete: operation("dropCat", { answers: { 200: { type: "object", properties: { data: { type: "object" } } } } }) } }), "gives: data:"],
  ["paths that name their format", described({ "/cats.json": { post: create, get: list }, "/cats/{id}.json": { get: read }, "/cats/{id}/toys.json": { post: operation("addToy", { body: namedCat, answers: { 201: namedCat } }) }, "/cats/{id}/toys/{toyId}.json": { get: operation("getToy", { answers: { 200: namedCat } }) } }, { Cat: cat }), "addCat: at: POST /cats.json of: Cat", "getCat: at: GET /cats/ id .json of: Cat", "listCats: at: GET /cats.json of: Cat"],
  ["a header field with only one value", ofCats({ one: { get: operation("getCat", { answers: { 200: reference }, parameters: [{ in: "header", name: "X-Early", required: true, schema: { ...text, enum: ["cats"] } }] }) } }), "getCat: at: GET /cats/ catId of: Cat"],
  ["a change that may answer without a record", ofCats({ one: { patch: operation("edit", { body: reference, answers: { 200: reference, 204: undefined } }) } }), "edit: at: PATCH /cats/ catId of: Cat base"],
  ["a key that a PUT has only in its answer", described({ "/cats/{gid}": { get: operation("getCat", { answers: { 200: reference } }), put: operation("set", { body: reference, answers: { 200: reference, 404: undefined } }) } }, { Cat: { type: "object", properties: { gid: { ...text, readOnly: true }, name: text } } }), "gid: string unique read-only name?: string", "set: at: PUT /cats/ gid of: Cat gives: CatView"],
  ["no credentials", ofCats({}), "allow: addCat getCat : anyone"],
]; // biome-ignore format: a table

for (const [what, source, ...parts] of declared) {
  test(`is declared: ${what}`, () => {
    const document = withoutContracts(source).replaceAll(/["{},\s]+/g, " ");
    for (const part of parts) assert(document.includes(part), `${part}\n${document}`);
  });
}

/** Prints the imported document without schemas and the contracts beside declared operations. */
function withoutContracts(source: JsonObject): string {
  const { model } = carried(source);
  const endpoints = Object.fromEntries(
    Object.entries(model.endpoints.endpoints).map(([name, { knownContract: _, ...rest }]) => [name, rest]),
  );
  return printModel({ ...model, endpoints: { ...model.endpoints, endpoints } }, {});
}

test("the report names what an action does without", () => {
  const content = { "application/json": { schema: reference }, "application/xml": { schema: reference } };
  const responses = { 201: { description: "", content, headers: { "X-Mood": { schema: text } } } };
  const { notes } = carried(ofCats({ all: { post: { ...create, responses } } }));
  assert.deepEqual(
    notes.filter(({ kind }) => kind === "lost").map(({ what, detail }) => `${what}: ${detail}`),
    ["a header field of an answer: addCat: X-Mood", "a media type of a body or an answer: addCat: application/xml"],
  );
});

test("the report says which resources are empty, and why", () => {
  const reason = (source: JsonObject) =>
    carried(source).notes.flatMap(({ kind, what, detail }) => (kind === "empty" ? [`${what}: ${detail}`] : []));
  assert.deepEqual(reason(described({ "/cats": { get: list }, "/cats/{id}": { get: read } })), [
    "no operation creates its records: a function does, or the data has them: Cat",
  ]);
  const made = operation("addCat", { body: text, answers: { 201: reference } });
  assert.deepEqual(reason(described({ "/cats": { post: made, get: list }, "/cats/{id}": { get: read } })), [
    "the creation of its records stays a handler: they exist when it has a function: Cat",
  ]);
  assert.deepEqual(reason(ofCats({})), []);
});

test("an operation below a record with a status is proposed as a transition", () => {
  const source = ofCats({ schema: { ...cat, properties: { ...(cat["properties"] as JsonObject), status: { type: "string", enum: ["free", "adopted"] } } } }); // biome-ignore format: one line
  const adopt = operation("adopt", { answers: { 204: undefined } });
  const { notes } = carried({
    ...source,
    paths: { ...(source["paths"] as JsonObject), "/cats/{catId}/adopt": { post: adopt } },
  });
  assert.deepEqual(
    notes.filter(({ kind }) => kind === "hint").map(({ detail }) => detail),
    ["Cat.status (free | adopted) by adopt, POST /cats/{catId}/adopt"],
  );
});

/** The operation that stays a handler, the reason and what it is about. */
const handlers: readonly (readonly [operation: string, reason: string, source: JsonObject])[] = [
  ["getCat", "no operation creates, lists or changes its records", described({ "/cats/{id}": { get: read }, "/cats": { get: operation("stats", { answers: { 200: { type: "object", properties: { total: { type: "integer" } } } } }) } })],
  ["listCats", "no operation creates its records", described({ "/cats": { get: list } })],
  ["putCat", "it would create a record whose key clients choose, which the source does not say", described({ "/cats": { get: list, post: operation("addCat", { body: text, answers: { 201: reference } }) }, "/cats/{id}": { get: read, put: operation("putCat", { body: reference, answers: { 200: reference, 201: reference } }) } }, { Cat: { type: "object", required: ["id", "name"], properties: { id: text, name: text } } })],
  ["getCat", "its path names a record in several ways: catId", ofCats({ one: { get: { ...read, parameters: [{ in: "path", name: "catId", required: true, schema: { oneOf: [{ type: "integer" }, text] } }] } } })],
  ["addCat", "no operation reads its records", described({ "/cats": { post: create } })],
  ["getCat", "the creation of its records stays a handler: addCat", described({ "/cats": { post: operation("addCat", { body: text, answers: { 201: reference } }) }, "/cats/{id}": { get: read } })],
  ["addCat", "its body is no record", described({ "/cats": { post: operation("addCat", { body: text, answers: { 201: reference } }) }, "/cats/{id}": { get: read } })],
  ["addCat", "no member of its record is the parameter of its path", described({ "/cats": { post: create }, "/cats/{code}": { get: read } })],
  ["listCats", "its answer requires a member that no record and no page has: score", ofCats({ all: { get: operation("listCats", { answers: { 200: { type: "object", required: ["score"], properties: { score: { type: "integer" }, items: cats } } } }) } })],
  ["listCats", "it has a parameter that is no field of the record: q", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("q", text)] }) } })],
  ["listCats", "it filters by values of another type than the field: kind", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { type: "array", items: text })] }) } })],
  ["listCats", "it filters by a default: kind", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { ...text, enum: ["wild", "mine"], default: "wild" })] }) } })],
  ["listCats", "it filters by values of another type than the field: kind", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", text)] }) } })],
  ["listCats", "it filters by a default: kind", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", { type: "array", items: kinds, default: ["wild"] })] }) } })],
  ["listCats", "it has a parameter that is no field of the record: name[]", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("name[]", text)] }) } })],
  ["listCats", "it requires a filter: kind", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("kind", text, true)] }) } })],
  ["listCats", "it requires a filter: package", ofCats({ schema: { ...cat, properties: { ...(cat["properties"] as JsonObject), package: text } }, all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("package", text, true)] }) } })],
  ["listCats", "its pages count from 0: page", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("page", { type: "integer", default: 0 })] }) } })],
  ["edit", "its body has a member that no record has: cat-name", ofCats({ one: { patch: operation("edit", { body: { type: "object", properties: { "cat-name": text } }, answers: { 200: reference } }) } })],
  ["edit", "a member of its body has another type than in the record: kind", ofCats({ one: { patch: operation("edit", { body: { type: "object", properties: { kind: text } }, answers: { 200: reference } }) } })],
  ["set", "its body may lack a member that a record needs: name", ofCats({ one: { put: operation("set", { body: { type: "object", properties: { name: { type: "string", maxLength: 40 } } }, answers: { 200: reference, 201: reference } }) } })],
  ["set", "its body may lack a member that a record needs: name", ofCats({ one: { put: operation("set", { body: { type: "object", properties: { name: { type: "string", maxLength: 40 }, kind: { ...kinds, default: "wild" } } }, answers: { 200: reference } }) } })],
  ["set", "it would create a record whose key clients choose, which the source does not say", described({ "/cats/{id}": { get: readNamed, put: setNamed(200) } }, { Named: namedCat })],
  ["dropCat", "its answer is no record", ofCats({ one: { delete: operation("dropCat", { answers: { 200: { type: "object", properties: { message: text } } } }) } })],
  ["dropCat", "its answer is no record", ofCats({ one: { delete: operation("dropCat", { answers: { 200: { type: "object", properties: { data: { type: "object", required: ["at"], properties: { at: text } } } } } }) } })],
  ["getCat", "no operation creates, lists or changes its records", described({ "/cats.xml": { post: create }, "/cats/{id}.json": { get: read } })],
  ["dropCat", "it has a parameter that is no field of the record: force", ofCats({ one: { delete: operation("dropCat", { answers: { 204: undefined }, parameters: [query("force", { type: "boolean" })] }) } })],
  ["dropCat", "it has several successful answers: 200, 202", ofCats({ one: { delete: operation("dropCat", { answers: { 200: undefined, 202: undefined } }) } })],
  ["dropCat", "it has several successful answers: 200, 204", ofCats({ one: { delete: operation("dropCat", { answers: { 200: reference, 204: undefined } }) } })],
  ["feedCat", "its body has no member that it could change", ofCats({ one: { post: operation("feedCat", { answers: { 200: reference } }) } })],
  ["getToy", "no operation reads its records", described({ "/cats/{catId}/toys": { post: operation("getToy", { body: reference, answers: { 201: reference } }) } })],
  ["listCats", "it sorts by values that are no fields: sort", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("sort", { ...text, enum: ["name", "age"] })] }) } })],
  ["listCats", "it sorts by values that are no fields: order", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("sort", { ...text, enum: ["name"] }), query("order", { ...text, enum: ["asc", "desc"], default: "desc" })] }) } })],
  ["listCats", "its pages are unclear: cursor", ofCats({ all: { get: operation("listCats", { answers: { 200: cats }, parameters: [query("page", { type: "integer" }), query("cursor", text)] }) } })],
  ["getCat", "it has a parameter that is no field of the record: X-Mode", ofCats({ one: { get: operation("getCat", { answers: { 200: reference }, parameters: [{ in: "header", name: "X-Mode", schema: text }, { in: "header", name: "Cat-Version", schema: text }] }) } })],
  ["getCat", "it has a parameter that is no field of the record: Prefer", ofCats({ one: { get: operation("getCat", { answers: { 200: reference }, parameters: [{ in: "header", name: "Prefer", schema: { ...text, enum: ["minimal"] } }] }) } })],
  ["getCat", "it has a parameter that is no field of the record: total", ofCats({ one: { get: operation("getCat", { answers: { 200: reference }, parameters: [query("include", text), query("total", text)] }) } })],
  ["set", "it has several successful answers: 200, 201", ofCats({ one: { put: operation("set", { body: reference, answers: { 200: reference, 201: { type: "object", properties: {} } } }) } })],
  ["addToy", "clients choose its key, which may be unique only below another record: id", below({ type: "object", required: ["id"], properties: { id: text } })],
  ["addCat", "its body may lack a member that a record needs: id", described({ "/cats": { post: operation("addCat", { body: { type: "object", properties: { cat: reference } }, answers: {} }) }, "/cats/{id}": { get: read } }, { Cat: { type: "object", required: ["id"], properties: { id: text, cat: { type: "integer", readOnly: true, default: 0 } } } })],
  ["addCat", "its answers have no member that its creation takes", described({ "/cats": { post: operation("addCat", { body: { type: "object", properties: { pin: text } }, answers: { 201: reference } }) }, "/cats/{id}": { get: read } })],
  ["wild", "which records it selects is not said", described({ "/cats": { post: create }, "/cats/{id}": { get: read }, "/cats/wild": { get: operation("wild", { answers: { 200: cats } }) } })],
]; // biome-ignore format: a table

for (const [name, reason, source] of handlers) {
  test(`stays a handler: ${name}, since ${reason}`, () => {
    const { model, notes } = carried(source);
    assert.equal(model.endpoints.endpoints[name]?.does, "handler");
    const [what, detail] = reason.split(": ");
    const found = notes.find((note) => note.kind === "handler" && note.detail?.split(": ")[0] === name);
    assert.equal(found?.what, what);
    if (detail !== undefined) assert.equal(found?.detail, `${name}: ${detail}`);
  });
}
