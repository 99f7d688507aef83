/** Paths that identify a record by several of its fields, which together are unique: `/prices/{product}/{currency}`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { documentText, served } from "./scenario.ts";

served("records named by several fields", documentText("prices"), (subject) => {
  const send = async (method: string, path: string, body?: object, more: Readonly<Record<string, string>> = {}) => {
    const headers = { ...more, ...(body === undefined ? {} : { "Content-Type": "application/json" }) };
    const reply = await subject.client.send({
      ...{ method, path, headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const json = reply.json as Record<string, unknown>;
    return { status: reply.status, location: reply.headers["location"], etag: reply.headers["etag"], json };
  };

  test("R4.3 all parameters name the record, and none of them alone", async () => {
    for (const [product, currency, amount] of [
      ["tea", "EUR", 3],
      ["tea", "USD", 4],
      ["jam", "EUR", 5],
    ]) {
      const made = await send("POST", "/prices", { product, currency, amount });
      assert.deepEqual([made.status, made.location], [201, `/prices/${product}/${currency}`]);
    }
    assert.equal((await send("POST", "/prices", { product: "tea", currency: "USD", amount: 1 })).status, 409);
    const amountAt = async (path: string) => (await send("GET", path)).json["amount"];
    assert.deepEqual([await amountAt("/prices/tea/EUR"), await amountAt("/prices/tea/USD")], [3, 4]);
    assert.equal((await send("PATCH", "/prices/tea/USD", { amount: 6 })).status, 200);
    assert.deepEqual([await amountAt("/prices/tea/EUR"), await amountAt("/prices/tea/USD")], [3, 6]);
    // No price, no value of the closed list, and no operation.
    for (const path of ["/prices/jam/USD", "/prices/jam/GBP", "/prices/EUR/tea", "/prices/jam"])
      assert.equal((await send("GET", path)).status, 404, path);
    assert.equal((await send("PATCH", "/prices/jam/GBP", { amount: 6 })).status, 404);
    assert.equal((await send("POST", "/prices/tea/USD/retire")).json["state"], "retired");
    assert.equal((await send("GET", "/prices/tea/EUR")).json["state"], "current");
    assert.equal(((await send("GET", "/prices/tea/USD/history")).json["items"] as unknown[]).length, 2);
    assert.equal(((await send("GET", "/prices/tea/EUR/history")).json["items"] as unknown[]).length, 1);
    assert.equal((await send("DELETE", "/prices/tea/USD")).status, 204);
    assert.equal((await send("DELETE", "/prices/tea/USD")).status, 404);
    assert.equal((await send("GET", "/prices/tea/EUR")).status, 200);
  });

  test("R4.7 a PUT of an unused name creates the record; a second one replaces it", async () => {
    const made = await send("PUT", "/prices/oil/USD", { amount: 7 });
    assert.deepEqual([made.status, made.location], [201, "/prices/oil/USD"]);
    assert.deepEqual([made.json["product"], made.json["currency"], made.json["amount"]], ["oil", "USD", 7]);
    const again = await send("PUT", "/prices/oil/USD", { product: "oil", currency: "USD", amount: 8 });
    assert.deepEqual([again.status, again.json["id"], again.json["amount"]], [200, made.json["id"], 8]);
    const other = await send("PUT", "/prices/oil/USD", { product: "oil", currency: "EUR", amount: 9 });
    assert.equal(other.status, 422);
    assert.equal((await send("PUT", "/prices/oil/EUR", { currency: "USD", amount: 9 })).status, 422);
    assert.equal((await send("PUT", "/prices/oil/GBP", { amount: 9 })).status, 422);
    assert.equal((await send("GET", "/prices/oil/EUR")).status, 404);
    assert.equal((await send("PUT", "/prices/oil/USD", { amount: 1 }, { "If-Match": '"old"' })).status, 412);
    const many = await Promise.all(Array.from({ length: 8 }, () => send("PUT", "/prices/fig/EUR", { amount: 2 })));
    assert.deepEqual(
      [200, 201].map((code) => many.filter(({ status }) => status === code).length),
      [7, 1],
    );
  });

  test("a field of the name can change to values that a path can have, and the record moves", async () => {
    await send("PUT", "/prices/egg/EUR", { amount: 1 });
    assert.equal((await send("PATCH", "/prices/egg/EUR", { product: ".." })).status, 422);
    assert.equal((await send("PATCH", "/prices/egg/EUR", { product: "a\u0007" })).status, 422);
    assert.equal((await send("PATCH", "/prices/egg/EUR", { product: "eggs", currency: "USD" })).status, 200);
    assert.equal((await send("GET", "/prices/egg/EUR")).status, 404);
    assert.equal((await send("GET", "/prices/eggs/USD")).json["amount"], 1);
  });

  test("records below one that is named by several fields", async () => {
    for (const currency of ["EUR", "USD"]) await send("PUT", `/prices/rye/${currency}`, { amount: 1 });
    const made = await send("POST", "/prices/rye/USD/notes", { number: 1, text: "a" });
    assert.deepEqual([made.status, made.location], [201, "/prices/rye/USD/notes/1"]);
    assert.equal((await send("POST", "/prices/rye/EUR/notes", { number: 1, text: "b" })).status, 201);
    assert.equal((await send("POST", "/prices/rye/GBP/notes", { number: 1, text: "b" })).status, 404);
    assert.equal((await send("GET", "/prices/rye/USD/notes/1")).json["text"], "a");
    assert.equal((await send("GET", "/prices/rye/EUR/notes/1")).json["text"], "b");
    assert.equal((await send("GET", "/prices/rye/EUR/notes/2")).status, 404);
    assert.equal(((await send("GET", "/prices/rye/EUR/notes")).json["items"] as unknown[]).length, 1);
    assert.equal((await send("GET", "/prices/rye/GBP/notes")).status, 404);
  });

  test("an integer, a date and a boolean below a parent name a record together", async () => {
    const [one, two] = await Promise.all(
      ["a", "b"].map(async (name) => (await send("POST", "/shops", { name })).json["id"]),
    );
    for (const [shop, label] of [
      [one, "of one"],
      [two, "of two"],
    ]) {
      const path = `/shops/${String(shop)}/shelves`;
      const made = await send("POST", path, { row: 2, day: "2026-05-01", isOpen: true, label });
      assert.deepEqual([made.status, made.location], [201, `${path}/2/2026-05-01/true`]);
    }
    const base = `/shops/${String(two)}/shelves`;
    assert.equal((await send("GET", `${base}/2/2026-05-01/true`)).json["label"], "of two");
    for (const name of ["02/2026-05-01/true", "2/2026-05-02/true", "2/2026-05-01/false", "2/2026-05-01/1", "x/y/z"])
      assert.equal((await send("GET", `${base}/${name}`)).status, 404, name);
    const put = await send("PUT", `${base}/3/2026-05-01/false`, { label: "new" });
    assert.deepEqual([put.status, put.json["row"], put.json["isOpen"]], [201, 3, false]);
    assert.equal((await send("PUT", `${base}/x/2026-05-01/false`, { label: "new" })).status, 404);
    assert.equal((await send("PUT", `${base}/3/yesterday/false`, { label: "new" })).status, 422);
    assert.equal((await send("PUT", `/shops/sho_none/shelves/3/2026-05-01/false`, { label: "new" })).status, 404);
  });
});
