/** Names that change places in one version: requests, responses, filters, sorts, errors and events of older callers. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Json } from "../../../src/base/json.ts";
import { documentOf } from "../../enforced/document.ts";
import { faultsOf, serve } from "../scenario.ts";
import { newest, servedVersions } from "./of-versions.ts";

const endpoints = {
  addThing: "POST /things",
  getThing: "GET /things/{id}",
  changeThing: "PATCH /things/{id}",
  putThing: "PUT /things/{id}",
  listThings: "GET /things",
  getCard: { at: "GET /things/{id}/card", of: "Thing", gives: "Card" },
};

/** `a` and `b` have changed places, and so have `x`, `y` and `z` in a circle. */
const text = documentOf({
  resources: {
    Thing: {
      id: "id(thi)",
      a: "integer(0..9), filter, sort, unique",
      b: "string(1..9), filter, sort",
      x: "integer = 1",
      y: "string(..9) = y",
      z: "boolean = true",
      sum: "string := b + string(a)",
      "at?": "Point",
    },
    types: { Point: { p: "integer", q: "string(..9)" } },
    views: { Card: { of: "Thing", fields: ["id", "a", "b"], both: "string := b + '/' + string(a)" } },
    rules: { Thing: "a != 7 || b == 'seven' else not-seven" },
  },
  errors: { errors: { "not-seven": "409 Not seven" } },
  endpoints: { endpoints },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: {
      "2026-02-01": [
        "rename Thing.a -> b",
        "rename Thing.b -> a",
        "rename Thing.x -> y",
        "rename Thing.y -> z",
        "rename Thing.z -> x",
        "rename Point.p -> q",
        "rename Point.q -> p",
      ],
      "2026-01-01": "first",
    },
  },
});

servedVersions("names that change places", text, (ask) => {
  test("requests, responses, lists and errors have the names of their version", async () => {
    const body = { a: "one", b: 1, x: "why", y: false, z: 5, at: { p: "in", q: 3 } };
    const made = await ask("POST /things", { body });
    assert.equal(made.status, 201, made.text);
    const { id } = made.json as { id: string };
    assert.deepEqual(made.json, { id, ...body, sum: "one1" });
    const now = { id, a: 1, b: "one", x: 5, y: "why", z: false, sum: "one1", at: { p: 3, q: "in" } };
    assert.deepEqual((await ask(`GET /things/${id}`, { version: newest })).json, now);
    assert.deepEqual((await ask(`GET /things/${id}`)).json, made.json);
    assert.deepEqual((await ask(`GET /things/${id}/card`)).json, { id, a: "one", b: 1, both: "one/1" });

    const other = await ask("POST /things", { body: { a: "two", b: 2 } });
    assert.equal((other.json as { z: number }).z, 1);
    const found = async (query: string, version?: string): Promise<readonly Json[]> => {
      const listed = await ask(`GET /things?${query}`, version === undefined ? {} : { version });
      assert.equal(listed.status, 200, listed.text);
      return (listed.json as { items: { id: Json }[] }).items.map((item) => item.id);
    };
    const second = (other.json as { id: string }).id;
    assert.deepEqual(await found("b=1"), [id]);
    assert.deepEqual(await found("a=two"), [second]);
    assert.deepEqual(await found("b[gt]=1"), [second]);
    assert.deepEqual(await found("a=2", newest), [second]);
    assert.deepEqual(await found("sort=-b"), [second, id]);
    assert.deepEqual(await found("sort=a"), [id, second]);
    assert.equal((await ask("GET /things?b=one")).status, 400);

    for (const [sent, ...faults] of [
      [{ a: 1, b: 3 }, "#/a wrong-type"],
      [{ a: "x", b: 10 }, "#/b too-large"],
      [{ a: "x" }, "#/b required"],
      [{ a: "x", b: 4, y: 5 }, "#/y wrong-type"],
      [{ a: "x", b: 4, at: { p: 1, q: 1 } }, "#/at/p wrong-type"],
    ] as const) {
      const reply = await ask("POST /things", { body: sent });
      assert.deepEqual([reply.status, ...faultsOf(reply)], [422, ...faults], reply.text);
    }
    const taken = await ask("POST /things", { body: { a: "x", b: 1 } });
    assert.deepEqual([taken.status, ...faultsOf(taken)], [409, "#/b already-exists"]);
    assert.equal((await ask("POST /things", { body: { a: "x", b: 7 } })).status, 409);

    const patched = await ask(`PATCH /things/${id}`, { body: { a: "uno", at: { q: 4 } } });
    assert.deepEqual(patched.json, { id, ...body, a: "uno", sum: "uno1", at: { p: "in", q: 4 } });
    const put = await ask(`PUT /things/${id}`, { body: { ...(patched.json as object), b: 3 } });
    assert.deepEqual([put.status, (put.json as { b: number }).b], [200, 3], put.text);
    assert.equal((await ask(`GET /things/${id}`, { version: newest, headers: {} })).status, 200);
  });
});

test("stored values keep their fields when the names change places", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "swapped-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const fields = { a: "string(1..9), filter", b: "string(1..9), sort, unique", x: "integer", y: "integer", z: "integer" };
  const first = documentOf({ resources: { Thing: { id: "id(thi)", ...fields } } });
  const changes = ["rename Thing.a -> b", "rename Thing.b -> a", "rename Thing.x -> y", "rename Thing.y -> z", "rename Thing.z -> x"];
  const second = documentOf({
    resources: { Thing: { id: "id(thi)", ...fields, a: "string(1..9), sort, unique", b: "string(1..9), filter" } },
    versioning: { scheme: "dated", sent: "header Version", absent: "newest", versions: { "2026-02-01": changes, "2026-01-01": "first" } },
  });
  const file = join(folder, "data.db");
  let path = "/things";
  const body = { a: "1", b: "2", x: 1, y: 2, z: 3 };
  {
    await using subject = await serve(first, { store: "sqlite", file });
    const made = await subject.client.send({ method: "POST", path, body });
    path = `/things/${(made.json as { id: string }).id}`;
  }
  for (let times = 0; times < 2; times++) {
    await using subject = await serve(second, { store: "sqlite", file });
    const { id: _, ...now } = (await subject.client.send({ method: "GET", path })).json as Record<string, Json>;
    assert.deepEqual(now, { a: "2", b: "1", x: 3, y: 1, z: 2 });
    const found = await subject.client.send({ method: "GET", path: "/things?b=1&sort=a" });
    assert.equal((found.json as { items: unknown[] }).items.length, 1);
  }
}); // biome-ignore format: a table
