/** examples/print-shop.md: records whose transitions trigger one another, over a real socket. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { run } from "../serve/running.ts";
import { clientOf } from "./client.ts";

const text = readFileSync(new URL("../../examples/print-shop.md", import.meta.url), "utf8");

for (const store of ["sqlite", "memory"] as const) {
  test(`an order goes from the counter to the door by what happens to its job and its box (${store})`, async () => {
    await using shop = await run(text, { store });
    const as = async (user: string, role: string) => clientOf(shop, { "Print-Key": await shop.key(user, role) });
    const [carla, other, press, packer] = [
      await as("carla", "customer"),
      await as("otto", "customer"),
      await as("pia", "printer"),
      await as("paul", "packer"),
    ];

    const placed = await carla("POST /orders", 201, { paper: "matt", sheets: 40 });
    assert.equal(placed.body["state"], "placed");
    assert.equal(placed.body["number"], 1);
    assert.equal(placed.headers.get("location"), "/orders/1");
    assert.equal((await other("POST /orders", 201, { paper: "plain", sheets: 1 })).body["number"], 2);
    await other("GET /orders/1", 404);

    const order = placed.body["id"];
    const job = (await press("POST /jobs", 201, { order, press: "A3" })).body;
    assert.equal(job["sheetsToPrint"], 40);
    await press(`POST /jobs/${String(job["id"])}/finish`, 409);
    await press(`POST /jobs/${String(job["id"])}/start`, 200);
    assert.equal((await carla("GET /orders/1", 200)).body["state"], "printing");

    const withdrawn = await carla("POST /orders/1/withdraw", 409);
    assert.deepEqual(
      [withdrawn.body["code"], withdrawn.body["state"], withdrawn.body["moves"]],
      ["state-conflict", "printing", []],
    );
    const second = (await press("POST /jobs", 201, { order, press: "A4" })).body;
    assert.equal((await press(`POST /jobs/${String(second["id"])}/start`, 409)).body["code"], "order-not-open");

    await press(`POST /jobs/${String(job["id"])}/spoil`, 422, { sheets: 501 });
    assert.equal(
      (await press(`POST /jobs/${String(job["id"])}/spoil`, 200, { sheets: 500 })).body["sheetsToPrint"],
      540,
    );
    assert.equal(
      (await press(`POST /jobs/${String(job["id"])}/spoil`, 409, { sheets: 1 })).body["code"],
      "too-much-waste",
    );
    await press(`POST /jobs/${String(job["id"])}/finish`, 200);
    assert.equal((await carla("GET /orders/1", 200)).body["state"], "printed");

    const box = (await packer("POST /boxes", 201, { size: "small" })).body;
    await packer(`POST /boxes/${String(box["id"])}/pack`, 422, { order: "ord_00000000000000000000000000" });
    assert.equal((await packer(`POST /boxes/${String(box["id"])}/pack`, 200, { order })).body["order"], order);
    assert.equal((await carla("GET /orders/1", 200)).body["state"], "packed");
    await packer(`POST /boxes/${String(box["id"])}/send`, 200);
    assert.equal((await carla("GET /orders/1", 200)).body["state"], "sent");
    assert.equal((await other("GET /orders/2", 200)).body["state"], "placed", "the other order went nowhere");
    assert.deepEqual(shop.failures, []);
  });
}
