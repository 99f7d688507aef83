/**
 * An imported API served by functions: its HTTP contract validates requests and responses, and every response matches `nonet
 * export openapi`.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../src/base/json.ts";
import { openapi } from "../../src/export/openapi/openapi.ts";
import { importDocument } from "../../src/import/import.ts";
import type { FunctionContext, ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { mismatches } from "../../src/runtime/functions/validate.ts";
import { at } from "../export/documents.ts";
import { createClient, type Reply, type Sent } from "./client.ts";
import { planOf, run } from "./running.ts";
import { stores } from "./scenario.ts";

const source = readFileSync(new URL("./documents/petstore.yaml", import.meta.url), "utf8");

/** As it is imported, with a resource for the functions to keep pets in. */
function imported(): string {
  const result = importDocument("petstore.yaml", source, { contractsOnly: true });
  assert(result.kind === "imported");
  const animal = "Animal:\n  id: id(counter)\n  name: string(1..30), unique\n  tag?: string(1..30)\n";
  return result.document
    .replace("schemas:\n", `${animal}schemas:\n`)
    .replace("errors: { ", "errors: { stolen: 409 It was taken away, ");
}

type Input = Readonly<Record<string, JsonObject>>;

const inputs: unknown[] = [];

function inputOf({ input }: FunctionContext): Input {
  inputs.push(input);
  return input as Input;
}

const functions: ServiceFunctions = {
  async listPets(context) {
    const { query = {} } = inputOf(context);
    const limit = query["limit"] as number;
    const { items, next } = (await context.records.system["Animal"]?.list({ limit, sort: "id" })) ?? { items: [] };
    return { status: 200, body: items, headers: next === null ? {} : { "x-next": "/pets?after=1" } };
  },
  async createPets(context) {
    const { id: _, ...values } = inputOf(context)["body"] as JsonObject;
    await context.records.system["Animal"]?.create(values);
    if (values["name"] === "Tiger") return { status: 451, body: { code: 451, message: "no tigers" } };
    if (values["name"] === "Dodo") context.fail("stolen", { detail: "there are none left" });
    return { status: 201 };
  },
  async showPetById(context) {
    const { path = {} } = inputOf(context);
    const found = await context.records.system["Animal"]?.get(path["petId"] as number);
    return found === undefined ? { status: 404 } : { status: 200, body: found };
  },
  putNote(context) {
    const { body, path } = inputOf(context) as unknown as { body?: string; path: { petId?: number } };
    if (body === undefined) return { status: 202, headers: { "X-Job": 5 } };
    return { status: 200, body: `${path.petId}: ${body}` };
  },
};

/** What the exported description says of the answer: its status or class, its body, the headers it has to have. */
function differences(document: JsonObject, sent: Sent, reply: Reply): readonly string[] {
  const ajv = new Ajv2020({ strict: false, logger: false });
  ajv.addSchema({ $id: "document", components: document["components"] });
  const path = (sent.path.split("?")[0] ?? "").replace("/v1", "").replace(/\/\d+$/, "/{petId}");
  const paths = document["paths"] as Readonly<Record<string, JsonObject>>;
  const operation = paths[path]?.[sent.method.toLowerCase()];
  const { responses } = operation as unknown as { responses: Record<string, JsonObject> };
  const status = [`${reply.status}`, `${Math.floor(reply.status / 100)}XX`, "default"].find((one) => one in responses);
  if (status === undefined) return [`${reply.status} is not described`];
  const described = at(document, "paths", path, sent.method.toLowerCase(), "responses", status);
  const content = described["content"] as Record<string, JsonObject> | undefined;
  if (content === undefined) return reply.text === "" ? [] : ["there is a body"];
  const media = (reply.headers["content-type"] ?? "").split(";")[0] ?? "";
  const schema = content[media]?.["schema"];
  if (schema === undefined) return [`${media} is not described`];
  const judge = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as JsonObject);
  return judge(media === "application/json" ? reply.json : reply.text) ? [] : (judge.errors ?? []).map(String);
}

interface Asked extends Sent {
  readonly status: number;
  readonly has?: Json;
  /** What the function is given. */
  readonly input?: unknown;
  /** Statuses that the description does not have are told as every service tells them. */
  readonly beside?: string;
}

const form = { "Content-Type": "application/x-www-form-urlencoded" };

const asked: readonly Asked[] = [
  { method: "POST", path: "/v1/pets", body: { id: 1, name: "Rex", tag: "dog" }, status: 201, input: { body: { id: 1, name: "Rex", tag: "dog" } } },
  { method: "POST", path: "/v1/pets", headers: form, body: "id=2&name=Tom+Cat&tag=50%25", status: 201, input: { body: { id: 2, name: "Tom Cat", tag: "50%" } } },
  { method: "GET", path: "/v1/pets", status: 200, has: [{ id: 1, name: "Rex", tag: "dog" }, { id: 2, name: "Tom Cat", tag: "50%" }], input: { query: { limit: 20 }, header: {}, cookie: {} } },
  { method: "GET", path: "/v1/pets?limit=1&tags=a&tags=b&utm=1", headers: { "X-Trace": "abc", Cookie: "a=1; seen=true" }, status: 200, input: { query: { limit: 1, tags: ["a", "b"] }, header: { "X-Trace": "abc" }, cookie: { seen: true } } },
  { method: "GET", path: "/v1/pets/1", status: 200, has: { id: 1, name: "Rex", tag: "dog" }, input: { path: { petId: 1 } } },
  { method: "GET", path: "/v1/pets/77", status: 404 },
  // What Nonet refuses has the status and the words of the description.
  { method: "GET", path: "/v1/pets?limit=101", status: 400, has: { code: 400 } },
  { method: "GET", path: "/v1/pets?limit=many", status: 400, has: { code: 400 } },
  { method: "GET", path: "/v1/pets?limit=1&limit=2", status: 400, has: { code: 400 } },
  { method: "GET", path: "/v1/pets", headers: { "X-Trace": "abcdef" }, status: 400, has: { code: 400 } },
  { method: "GET", path: "/v1/pets/0", status: 400, has: { code: 400 } },
  { method: "POST", path: "/v1/pets", body: { name: "Rex" }, status: 400 },
  { method: "POST", path: "/v1/pets", body: "{", headers: { "Content-Type": "application/json" }, status: 400 },
  { method: "POST", path: "/v1/pets", status: 415, has: { code: 415 } },
  { method: "POST", path: "/v1/pets", body: "<pet/>", headers: { "Content-Type": "application/xml" }, status: 415, has: { code: 415 } },
  { method: "GET", path: "/v1/pets", headers: { Accept: "text/csv" }, status: 406, has: { code: 406 } },
  // Errors undo what was written, the function's own and those of the document.
  { method: "POST", path: "/v1/pets", body: { id: 9, name: "Tiger" }, status: 451, has: { code: 451, message: "no tigers" } },
  { method: "POST", path: "/v1/pets", body: { id: 9, name: "Dodo" }, status: 409, has: { code: 409, message: "there are none left" } },
  { method: "GET", path: "/v1/pets/3", status: 404 },
  // Texts, and bodies that may be left out.
  { method: "PUT", path: "/v1/pets/1", status: 202 },
  { method: "PUT", path: "/v1/pets/1", headers: { "Content-Type": "text/plain" }, body: "fed", status: 200, input: { path: { petId: 1 }, body: "fed" } },
  { method: "PUT", path: "/v1/pets/1", headers: { "Content-Type": "text/plain" }, body: "fed twice and still hungry", status: 422, beside: "invalid-request" },
  { method: "PUT", path: "/v1/pets/x", status: 400, beside: "invalid-request" },
]; // biome-ignore format: a table

for (const store of stores) {
  test(`an imported API is served by functions (${store})`, async () => {
    const text = imported();
    await using running = await run(text, { store, functions });
    const document = openapi(running.plan, running.url);
    using client = createClient(running.port, () => {});
    for (const { status, has, input, beside, ...sent } of asked) {
      const what = `${sent.method} ${sent.path} ${JSON.stringify(sent.body ?? "")}`;
      inputs.length = 0;
      const reply = await client.send(sent);
      assert.equal(reply.status, status, `${what}: ${reply.text}`);
      if (has !== undefined) assert.partialDeepStrictEqual(reply.json, has, what);
      if (input !== undefined) assert.deepEqual(inputs, [input], what);
      if (beside === undefined) assert.deepEqual(differences(document, sent, reply), [], `${what}: ${reply.text}`);
      else assert.equal((reply.json as { code: string }).code, beside, what);
    }
    assert.deepEqual(running.failures, []);
    assert.deepEqual(running.plan.unenforced, []);
  });

  test(`what a function says that the description does not is ours (${store})`, async () => {
    const wrong: readonly (readonly [answer: unknown, failure: RegExp])[] = [
      [undefined, /an answer is/],
      [{ body: [] }, /an answer is/],
      [{ status: 99, body: [] }, /an answer is/],
      [{ status: 200 }, /200 has a body/],
      [{ status: 200, body: [{ id: 1 }] }, /#\/body\/0\/name/],
      [{ status: 200, body: [], headers: { "X-Other": "1" } }, /200 has no header X-Other/],
      [{ status: 200, body: [], headers: { "x-next": "a\r\nb: c" } }, /one line/],
      [{ status: 200, body: "[]", headers: { "content-type": "text/csv" } }, /no content of text\/csv/],
      [{ status: 500, body: { code: "x", message: "y" } }, /#\/body\/code/],
    ];
    for (const [answer, failure] of wrong) {
      await using running = await run(imported(), { store, functions: { ...functions, listPets: () => answer } });
      using client = createClient(running.port, () => {});
      const reply = await client.send({ method: "GET", path: "/v1/pets" });
      assert.equal(reply.status, 500, JSON.stringify(answer));
      const [told] = (running.failures as Error[]).splice(0);
      assert.match(String(told?.message), failure);
    }
  });
}

test("functions that are missing are named, where there are any; without them each operation is 501", async () => {
  const plan = planOf(imported());
  const { listPets: _, ...others } = functions;
  assert.deepEqual(mismatches(plan, others as ServiceFunctions), [
    "there is no function `listPets`, which the document says that a handler does",
  ]);
  assert.deepEqual(mismatches(plan, functions), []);
  await using running = await run(imported());
  using client = createClient(running.port, () => {});
  assert.equal((await client.send({ method: "GET", path: "/v1/pets" })).status, 501);
  assert.equal((await client.send({ method: "DELETE", path: "/v1/pets" })).status, 405);
  assert.equal(running.plan.unenforced.length, 4);
});
