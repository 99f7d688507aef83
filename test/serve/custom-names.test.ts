/** Lists with custom names, bare arrays, and records wrapped in a member. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../enforced/document.ts";
import { faultsOf, served } from "./scenario.ts";

const things = {
  resources: {
    Thing: { id: "id(thi)", name: "string(1..9), search", "size?": "integer, sort, filter", "of?": "Thing" },
  },
};

const wrapped = documentOf({
  ...things,
  endpoints: {
    edits: "If-Match optional",
    repeats: "Idempotency-Key on every POST",
    wrap: { one: "{resource}", many: "{resources}" },
    lists: { kind: "page", size: 2, max: 5, names: { limit: "page[size]", page: "page[number]", next: "nextPage" } },
  },
});

served("records in members", wrapped, (subject) => {
  const send = (method: string, path: string, body?: unknown, headers = {}) =>
    subject.client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
  const idOf = (reply: { json: unknown }) => (reply.json as { thing: { id: string } }).thing.id;

  test("a tag of what stands in a member is the record's, by which it is changed", async () => {
    const made = await send("POST", "/things", { thing: { name: "a" } });
    const path = `/things/${idOf(made)}`;
    assert.deepEqual(made.json, { thing: { id: idOf(made), name: "a" } });
    assert.equal(made.headers["location"], path);
    const read = await send("GET", path);
    assert.equal(read.headers["etag"], made.headers["etag"]);
    const known = await send("GET", path, undefined, { "If-None-Match": read.headers["etag"] });
    assert.equal(known.status, 304);
    const changed = await send("PATCH", path, { thing: { size: 1 } }, { "If-Match": read.headers["etag"] });
    assert.deepEqual(changed.json, { thing: { id: idOf(made), name: "a", size: 1 } });
    assert.equal((await send("PATCH", path, { thing: { size: 2 } }, { "If-Match": read.headers["etag"] })).status, 412);
    const put = await send("PUT", path, { thing: { id: idOf(made), name: "b" } });
    assert.deepEqual(put.json, { thing: { id: idOf(made), name: "b" } });
    assert.equal((await send("DELETE", path)).status, 204);
  });

  const wrong: readonly (readonly [method: "POST" | "PATCH", body: unknown, ...faults: string[]])[] = [
    ["POST", {}, "#/thing required"],
    ["POST", { name: "a" }, "#/thing required", "#/name unknown-field"],
    ["POST", { thing: null }, "#/thing wrong-type"],
    ["POST", { thing: [{ name: "a" }] }, "#/thing wrong-type"],
    ["POST", { thing: {} }, "#/thing/name required"],
    ["POST", { thing: { name: "a", nme: "b" } }, "#/thing/nme unknown-field"],
    ["POST", { thing: { name: "a", id: "x" } }, "#/thing/id read-only"],
    ["POST", { thing: { name: "a", size: "1" }, page: 1 }, "#/page unknown-field", "#/thing/size wrong-type"],
    ["POST", { thing: { name: "a", of: "thi_00000000000000000000000000" } }, "#/thing/of reference-not-found"],
    ["POST", { thing: { name: "a", "a/b": 1 } }, "#/thing/a~1b unknown-field"],
    ["POST", [], "# wrong-type"],
    ["PATCH", { name: "b" }, "#/thing required", "#/name unknown-field"],
    ["PATCH", { thing: { name: null } }, "#/thing/name required"],
    ["PATCH", { thing: { id: "other" } }, "#/thing/id read-only"],
    ["PATCH", { thing: { thing: {} } }, "#/thing/thing unknown-field"],
  ];
  for (const [method, body, ...faults] of wrong) {
    test(`R7.2 ${method} ${JSON.stringify(body)} is refused at ${faults.join()}`, async () => {
      const made = await send("POST", "/things", { thing: { name: "a" } });
      const reply = await send(method, method === "POST" ? "/things" : `/things/${idOf(made)}`, body);
      assert.equal(reply.status, 422, reply.text);
      assert.deepEqual(faultsOf(reply).toSorted(), faults.toSorted());
    });
  }

  test("R4.19 a body that stands elsewhere is another request", async () => {
    const key = { "Idempotency-Key": "one" };
    assert.equal((await send("POST", "/things", { thing: { name: "a" } }, key)).status, 201);
    const again = await send("POST", "/things", { thing: { name: "a" } }, key);
    assert.equal(again.headers["idempotent-replayed"], "true");
    const other = await send("POST", "/things", { thing: { name: "a" }, more: 1 }, key);
    assert.equal((other.json as { code: string }).code, "idempotency-key-reused");
  });

  test("a page has the document's names, in the link to the next one too", async () => {
    for (const name of ["a", "b", "c"]) await send("POST", "/things", { thing: { name } });
    const page = await send("GET", "/things?page%5Bsize%5D=1&page%5Bnumber%5D=2");
    const { things: items, nextPage } = page.json as { things: unknown[]; nextPage: number };
    assert.deepEqual([items.length, nextPage], [1, 3]);
    const next = /<http:\/\/[^/]+([^>]*)>; rel="next"/.exec(page.headers["link"] ?? "")?.[1] ?? "";
    assert.match(next, /page%5Bnumber%5D=3/);
    assert.deepEqual(Object.keys((await send("GET", next)).json as object), ["things", "nextPage"]);
    assert.equal((await send("GET", "/things?limit=1")).status, 400);
    const faulty = await send("GET", "/things?page%5Bsize%5D=6");
    assert.deepEqual(faultsOf(faulty), ["page[size] out-of-range"]);
  });
});

const told = documentOf({
  ...things,
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      names: { at: "GET /names", gives: { names: "Thing.map(t, t.name)", sums: { count: "Thing.size()" } } },
      figures: { at: "GET /things/figures", does: "read", gives: { large: "Thing.filter(t, t.size > 1).size()" } },
    },
  },
});

served("what is told of all records", told, (subject) => {
  test("is worked out over the service as a whole, with a tag of its own", async () => {
    const get = (path: string, headers = {}) => subject.client.send({ method: "GET", path, headers });
    assert.deepEqual((await get("/names")).json, { names: [], sums: { count: 0 } });
    for (const size of [1, 2])
      await subject.client.send({ method: "POST", path: "/things", body: { name: "a", size } });
    const reply = await get("/names");
    assert.deepEqual([reply.status, reply.json], [200, { names: ["a", "a"], sums: { count: 2 } }]);
    assert.equal((await get("/names", { "If-None-Match": reply.headers["etag"] })).status, 304);
    assert.deepEqual((await get("/things/figures")).json, { large: 1 });
    assert.equal((await get("/names?limit=1")).status, 400);
  });
});

const guarded = documentOf({
  ...things,
  endpoints: {
    endpoints: {
      addThing: "POST /things",
      figures: {
        at: "GET /figures",
        gives: { count: "Thing.size()", sum: "Thing.map(t, t.size).sum()" },
        if: "Thing.size() > 0",
        else: "not-found",
      },
    },
  },
  authentication: {
    credentials: { key: { kind: "api-key", lasts: "30d", revoked: "at once" } },
    roles: ["clerk", "guest"],
    allow: { addThing: "anyone", figures: ["clerk", "guest if caller.id == 'gil'"] },
    show: { "Thing.size": "clerk" },
  },
});

served("what is told of all records to some", guarded, (subject) => {
  test("is refused by its grants and its guard, and tells nobody of a field that is hidden from them", async () => {
    const as = async (who: string, ...roles: string[]) => {
      const headers = { Authorization: `Bearer ${await subject.running.key(who, ...roles)}` };
      return subject.client.send({ method: "GET", path: "/figures", headers });
    };
    assert.equal((await as("cleo", "clerk")).status, 404);
    await subject.client.send({ method: "POST", path: "/things", body: { name: "a", size: 3 } });
    assert.deepEqual((await as("cleo", "clerk")).json, { count: 1, sum: 3 });
    assert.deepEqual((await as("gil", "guest")).json, { count: 1 });
    assert.equal((await as("gus", "guest")).status, 403);
    assert.equal((await subject.client.send({ method: "GET", path: "/figures" })).status, 401);
  });
});

const bare = documentOf({ ...things, endpoints: { lists: "none, bare array" } });

served("a bare array", bare, (subject) => {
  test("is the whole answer, with a tag of its own", async () => {
    const none = await subject.client.send({ method: "GET", path: "/things" });
    assert.equal(none.text, "[]");
    await subject.client.send({ method: "POST", path: "/things", body: { name: "a" } });
    const reply = await subject.client.send({ method: "GET", path: "/things" });
    assert.partialDeepStrictEqual(reply.json, [{ name: "a" }]);
    const again = { method: "GET", path: "/things", headers: { "If-None-Match": reply.headers["etag"] ?? "" } };
    assert.equal((await subject.client.send(again)).status, 304);
    assert.equal(reply.headers["link"], undefined);
  });
});
