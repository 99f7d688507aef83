/** examples/courier-rates: a document with functions, over a real socket, compiled with its generated types. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import handlers from "../../examples/courier-rates/handlers.ts";
import { functionTypes } from "../../src/export/typescript/functions.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { type Running, run } from "../serve/running.ts";
import { clientOf } from "./client.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../../examples/courier-rates/${name}`, import.meta.url), "utf8");
const text = read("courier-rates.md");
// As the command has them, which knows no types of theirs.
const functions = handlers as unknown as ServiceFunctions;
const euros = (amount: string) => ({ amount, currency: "EUR" });

// That handlers.ts compiles by these types is seen with all else that `npm run check` compiles.
test("types.ts is what `nonet types` gives", async () => {
  await using service = await run(text, { store: "memory", functions });
  assert.equal(read("types.ts"), functionTypes(service.plan));
});

async function people(service: Running) {
  const as = async (user: string, ...roles: string[]) =>
    clientOf(service, { Authorization: `Bearer ${await service.key(user, ...roles)}` });
  const [ann, bob, olga] = [await as("ann"), await as("bob"), await as("olga", "operator")];
  await olga("PUT /rates/near", 201, { start: euros("3.50"), perKg: euros("0.35") });
  await olga("PUT /rates/abroad", 201, { start: euros("12.00"), perKg: euros("4.10") });
  const items = async (path: string, client = olga) =>
    (await client(`GET ${path}`, 200)).body["items"] as readonly Record<string, unknown>[];
  return { ann, bob, olga, items };
}

for (const store of ["sqlite", "memory"] as const) {
  const served = () => run(text, { store, functions });

  test(`a price is worked out, kept to, and asked for on delivery (${store})`, async () => {
    await using service = await served();
    // Not just before midnight, when the first day would end in the middle of it.
    service.pass(90_000_000 - (service.now() % 86_400_000));
    const { ann, bob, olga, items } = await people(service);
    await service.tick();

    const quote = (await ann("POST /quotes", 201, { zone: "near", weightKg: 2.2 })).body;
    assert.deepEqual([quote["price"], quote["customer"]], [euros("4.55"), "ann"]);
    assert.deepEqual(await items("/quotes", ann), [quote]);
    assert.deepEqual(await items("/quotes", bob), [], "the prices of others are not there");

    const order = (await ann("POST /orders", 201, { quote: quote["id"], address: "Nygata 1, Bergen" })).body;
    assert.equal(order["label"], "near, 2.2 kg");
    const [invoice = {}, ...more] = await items("/invoices", ann);
    assert.deepEqual(more, []);
    assert.deepEqual([invoice["order"], invoice["amount"], invoice["state"]], [order["id"], euros("4.55"), "draft"]);
    assert.deepEqual(await items("/invoices", bob), []);

    await olga(`POST /orders/${String(order["id"])}/deliver`, 200);
    await service.tick();
    assert.deepEqual(await items("/invoices", ann), [{ ...invoice, state: "sent" }]);

    const second = (await bob("POST /quotes", 201, { zone: "abroad", weightKg: 1 })).body;
    const named = { quote: second["id"], address: "Storgata 9, Oslo", label: "for the desk" };
    assert.equal((await bob("POST /orders", 201, named)).body["label"], "for the desk");

    service.pass(86_400_000);
    await service.tick();
    await service.tick();
    const days = (await items("/days")).map(({ invoices, amount }) => ({ invoices, amount }));
    assert.deepEqual(days, [{ invoices: 2, amount: euros("20.65") }]);
    service.pass(86_400_000);
    await service.tick();
    const counted = new Set((await items("/days")).map(({ invoices }) => invoices));
    assert.deepEqual(counted, new Set([0, 2]), "none is counted twice");
    assert.deepEqual(service.failures, []);
  });

  test(`what is refused leaves nothing behind (${store})`, async () => {
    await using service = await served();
    const { ann, bob, items } = await people(service);
    const address = "Nygata 1, Bergen";
    await ann("POST /quotes", 422, { zone: "near", weightKg: 31 });
    await ann("POST /quotes", 422, { zone: "far", weightKg: 1 });
    await clientOf(service)("POST /quotes", 401, { zone: "near", weightKg: 1 });
    const quote = (await ann("POST /quotes", 201, { zone: "near", weightKg: 1 })).body["id"];
    assert.equal((await items("/quotes")).length, 1);

    const box = await ann("POST /orders", 422, { quote, address: "P.O. Box 12, Bergen" });
    assert.deepEqual([box.body["code"], box.body["detail"]], ["not-delivered-there", "P.O. Box 12, Bergen"]);
    await bob("POST /orders", 404, { quote, address });
    service.pass(15 * 60_000 + 1000);
    assert.equal((await ann("POST /orders", 409, { quote, address })).body["code"], "quote-over");
    assert.deepEqual(await items("/invoices"), []);
    assert.deepEqual(service.failures, []);
  });
}
