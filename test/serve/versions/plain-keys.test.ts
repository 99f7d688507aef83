/** A field by which paths name a record together with another one, and that has another name in an older version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentOf } from "../../enforced/document.ts";
import { newest, oldest as older, servedVersions } from "./of-versions.ts";

const text = documentOf({
  resources: {
    Price: { id: "id(pri)", product: "string(1..9)", money: "EUR | USD", amount: "integer" },
    Note: { id: "id(not)", price: "Price, read-only", text: "string(..9)" },
    rules: { Price: "unique product + money" },
  },
  endpoints: {
    endpoints: {
      addPrice: "POST /prices",
      getPrice: "GET /prices/{product}/{money}",
      changePrice: "PATCH /prices/{product}/{money}",
      putPrice: { at: "PUT /prices/{product}/{money}", status: { created: 201 } },
      addNote: "POST /prices/{product}/{money}/notes",
      listNotes: "GET /prices/{product}/{money}/notes",
    },
  },
  versioning: {
    scheme: "dated",
    sent: "header Version",
    absent: "newest",
    versions: { "2026-02-01": ["rename Price.currency -> money"], "2026-01-01": "first" },
  },
});

servedVersions("a renamed part of a name", text, (send) => {
  const ask = (version: string, method: string, path: `/${string}`, body?: object) =>
    send(`${method} ${path}`, { version, ...(body === undefined ? {} : { body }) });

  test("older callers create, read and change by the older name, newer ones by the newer", async () => {
    const made = await ask(older, "POST", "/prices", { product: "tea", currency: "EUR", amount: 1 });
    assert.deepEqual([made.status, made.headers["location"]], [201, "/prices/tea/EUR"]);
    await ask(newest, "POST", "/prices", { product: "tea", money: "USD", amount: 2 });
    const read = async (version: string, path: `/${string}`) => (await ask(version, "GET", path)).json as object;
    const { id: _, ...found } = (await read(older, "/prices/tea/USD")) as { readonly id: string };
    assert.deepEqual(found, { product: "tea", currency: "USD", amount: 2 });
    assert.equal((await ask(older, "PATCH", "/prices/tea/USD", { currency: "EUR" })).status, 409);
    const put = await ask(older, "PUT", "/prices/oil/USD", { amount: 3 });
    assert.deepEqual([put.status, (put.json as { readonly currency: string }).currency], [201, "USD"]);
    const wrong = await ask(older, "PUT", "/prices/fig/USD", { currency: "EUR", amount: 3 });
    assert.equal(wrong.status, 422);
    assert.ok(JSON.stringify(wrong.json).includes("#/currency"));
    assert.equal((await ask(newest, "GET", "/prices/oil/USD")).status, 200);
    for (const version of [older, newest]) {
      assert.equal((await ask(version, "POST", "/prices/tea/USD/notes", { text: "hello" })).status, 201);
      assert.equal((await ask(version, "GET", "/prices/tea/GBP/notes")).status, 404);
    }
    assert.equal(((await read(older, "/prices/tea/USD/notes")) as { items: unknown[] }).items.length, 2);
    assert.equal(((await read(newest, "/prices/tea/EUR/notes")) as { items: unknown[] }).items.length, 0);
  });
});
