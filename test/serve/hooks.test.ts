/** Functions around operations, on events and at intervals: their arguments and rights, and the effects of their failures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import type { ServiceFunctions } from "../../src/runtime/functions/functions.ts";
import { documentOf } from "../enforced/document.ts";
import { documentText, serve, stores, type Subject } from "./scenario.ts";

const kiosk = documentText("kiosk");
const price = { amount: "2.50", currency: "EUR" };

const handlers: ServiceFunctions = Object.fromEntries(
  ["buy", "quote", "refill", "audit", "closeAll", "newest"].map((name) => [name, () => undefined]),
);

async function asking({ running, client }: Subject) {
  const key = await running.key("olga", "owner");
  return async (line: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method = "", path = ""] = line.split(" ");
    const authorization = { Authorization: `Bearer ${key}`, ...headers };
    const reply = await client.send({ method, path, headers: authorization, ...(body === undefined ? {} : { body }) });
    return { ...reply, has: (reply.json ?? {}) as Record<string, unknown> & { id: string; code: string } };
  };
}

const pictures = documentOf({
  resources: { Thing: { id: "id(thi)", name: "string(1..9)", "photo?": "file(..1KB, text/*)" } },
  endpoints: { endpoints: { createThing: "POST /things", getPhoto: "GET /things/{id}/photo" } },
});

for (const store of stores) {
  test(`before an operation a file is given on with what is changed beside it (${store})`, async () => {
    const functions: ServiceFunctions = { before: { createThing: ({ input }) => ({ ...input, name: "changed" }) } };
    await using subject = await serve(pictures, { store, functions });
    const form = new FormData();
    form.set("name", "sent");
    form.set("photo", new File(["bytes"], "a.txt", { type: "text/plain" }));
    const encoded = new Response(form);
    const headers = { "Content-Type": encoded.headers.get("content-type") ?? "" };
    const raw = Buffer.from(await encoded.arrayBuffer());
    const reply = await subject.client.send({ method: "POST", path: "/things", headers, body: raw });
    const { id, name } = (reply.json ?? {}) as { readonly id?: string; readonly name?: string };
    assert.deepEqual([reply.status, name], [201, "changed"], reply.text);
    const photo = await subject.client.send({ method: "GET", path: `/things/${id}/photo` });
    assert.equal(photo.text, "bytes");
  });

  test(`before an operation its input may be changed, and it may be refused (${store})`, async () => {
    const seen: unknown[] = [];
    const functions: ServiceFunctions = {
      ...handlers,
      before: {
        addDrink({ input, fail, record }) {
          seen.push([input["name"], record]);
          if (input["name"] === "gin") fail("too-few", { detail: "no gin" });
          if (input["name"] === "odd") return { ...input, stock: 1000 };
          return input["name"] === "tea" ? { ...input, note: "hot" } : undefined;
        },
        sell: ({ record, fail }) => void (record?.["name"] === "kept" && fail("too-few")),
        removeDrink: ({ record, fail }) => void (record?.["name"] === "kept" && fail("too-few")),
        changeDrink: ({ input, record }) => ({ ...input, note: `was ${record?.["stock"] as number}` }),
        getDrink: ({ record, fail }) => void (record?.["name"] === "secret" && fail("not-found")),
      },
    };
    await using subject = await serve(kiosk, { store, functions });
    const ask = await asking(subject);
    const tea = await ask("POST /drinks", { name: "tea", price });
    assert.deepEqual([tea.status, tea.has["note"]], [201, "hot"], tea.text);
    assert.equal((await ask("POST /drinks", { name: "gin", price })).has.code, "too-few");
    assert.equal((await ask("POST /drinks", { name: 5, price })).status, 422, "what does not fit is refused before");
    assert.deepEqual(seen, [["tea", undefined], ["gin", undefined]]); // biome-ignore format: pairs
    assert.equal((await ask("POST /drinks", { name: "odd", price })).status, 500);
    assert.match(String(subject.running.failures), /the function before `addDrink` gave .*#\/stock/);
    (subject.running.failures as unknown[]).length = 0;

    const kept = await ask("POST /drinks", { name: "kept", price });
    const match = { "If-Match": kept.headers["etag"] ?? "" };
    assert.equal((await ask(`POST /drinks/${kept.has.id}/sell`)).has.code, "too-few");
    assert.equal((await ask(`DELETE /drinks/${kept.has.id}`, undefined, match)).has.code, "too-few");
    const changed = await ask(`PATCH /drinks/${kept.has.id}`, { stock: 3 }, match);
    assert.deepEqual([changed.has["stock"], changed.has["note"]], [3, "was 0"], changed.text);
    const secret = await ask("POST /drinks", { name: "secret", price });
    assert.equal((await ask(`GET /drinks/${secret.has.id}`)).status, 404);
    assert.equal((await ask(`GET /drinks/${kept.has.id}`)).status, 200);
  });

  test(`after an operation more may be written, or all of it undone (${store})`, async () => {
    const functions: ServiceFunctions = {
      ...handlers,
      after: {
        async addDrink({ answer, record, records, caller, fail }) {
          assert.deepEqual(answer, record);
          const { id, name } = record as { id: string; name: string };
          await records.system["Order"]?.create({ drink: id, count: 1, paid: price, by: caller.id });
          if (name === "gin") fail("too-few");
        },
        getDrink: ({ record, records }) => records.system["Drink"]?.update(record?.["id"] as string, { stock: 50 }),
      },
    };
    await using subject = await serve(kiosk, { store, functions });
    const ask = await asking(subject);
    const tea = await ask("POST /drinks", { name: "tea", price });
    assert.equal((await ask("POST /drinks", { name: "gin", price })).has.code, "too-few");
    const orders = (await ask("GET /orders")).has["items"] as { drink: string; by: string }[];
    assert.deepEqual(orders.map(({ drink, by }) => [drink, by]), [[tea.has.id, "olga"]]); // biome-ignore format: short
    assert.equal(((await ask("GET /drinks")).has["items"] as unknown[]).length, 1);
    await ask(`GET /drinks/${tea.has.id}`);
    assert.equal((await ask(`GET /drinks/${tea.has.id}`)).has["stock"], 50);
  });

  test(`on an event, at least once, in the order of each record, again where it fails (${store})`, async () => {
    const ran: string[] = [];
    let broken = true;
    const functions: ServiceFunctions = {
      ...handlers,
      buy: ({ record }) => ({ order: record, left: 1, all: [] }) as unknown,
      on: {
        async "drink.gone"({ record, event, records }) {
          const { name, id } = record as { name: string; id: string };
          ran.push(name);
          assert.equal(event?.type, "drink.gone");
          await records["Drink"]?.update(id, { note: `told ${String(event?.id.slice(0, 4))}` });
          if (name === "bad" && broken) throw new Error("no paper");
        },
      },
    };
    await using subject = await serve(kiosk, { store, functions });
    const { running } = subject;
    const ask = await asking(subject);
    await running.tick();
    const ids: string[] = [];
    for (const name of ["bad", "good"]) {
      const { id } = (await ask("POST /drinks", { name, price })).has;
      ids.push(id);
      assert.equal((await ask(`POST /drinks/${id}/sell`)).status, 200);
    }
    const notes = async () => Promise.all(ids.map(async (id) => (await ask(`GET /drinks/${id}`)).has["note"]));
    assert.equal(await running.tick(), 1);
    assert.deepEqual(await notes(), [undefined, "told evt_"], "one that fails holds up only its own record");
    assert.match(String((running.failures as unknown[]).splice(0)), /no paper/);
    assert.equal(await running.tick(), 0, "it is not tried again at once");
    broken = false;
    running.pass(1100);
    assert.equal(await running.tick(), 1);
    assert.deepEqual(await notes(), ["told evt_", "told evt_"]);
    running.pass(10_000_000);
    assert.equal(await running.tick(), 0);
    assert.deepEqual(ran, ["bad", "good", "bad"]);
  });

  test(`at intervals, once in each, as the system (${store})`, async () => {
    let ran = 0;
    const functions: ServiceFunctions = {
      ...handlers,
      every: {
        "1h": {
          async stock({ records, caller }) {
            ran += 1;
            assert.equal(caller.id, null);
            const found = await records["Drink"]?.list({ where: { stock: 0 } });
            for (const drink of (found?.items ?? []) as (JsonObject & { id: string })[])
              await records["Drink"]?.update(drink.id, { stock: 10, cost: 5 });
          },
        },
      },
    };
    await using subject = await serve(kiosk, { store, functions });
    const { running } = subject;
    const ask = await asking(subject);
    const { id } = (await ask("POST /drinks", { name: "tea", price })).has;
    await running.tick();
    assert.equal(ran, 0, "the first interval is the next one");
    running.pass(3_600_000);
    await running.tick();
    await running.tick();
    assert.equal(ran, 1);
    const { stock, cost } = (await ask(`GET /drinks/${id}`)).has;
    assert.deepEqual([stock, cost], [10, 5]);
    running.pass(5 * 3_600_000);
    await running.tick();
    await running.tick();
    assert.equal(ran, 2, "of those that went by one is made up for");
  });

  test(`a function that waits for something else holds up nobody, and goes on with what it has read (${store})`, async () => {
    const waiting = Promise.withResolvers<void>();
    const further = Promise.withResolvers<void>();
    let waits = 0;
    const functions: ServiceFunctions = {
      ...handlers,
      async refill({ record, input, records }) {
        const { id } = record as { id: string };
        const others = await records["Drink"]?.list({ where: { name: "tea" } });
        const note = await records.system["Drink"]?.create({ name: `twin ${input["to"] as number}`, price });
        waits += 1;
        waiting.resolve();
        await further.promise;
        await records["Drink"]?.update(id, { stock: input["to"], note: String(note?.["id"] as string).slice(0, 4) });
        assert.equal(others?.items.length, 1);
      },
    };
    await using subject = await serve(kiosk, { store, functions });
    const ask = await asking(subject);
    const { id } = (await ask("POST /drinks", { name: "tea", price })).has;
    const slow = ask(`POST /drinks/${id}/refill`, { to: 7 });
    await waiting.promise;
    assert.equal((await ask("POST /drinks", { name: "gin", price })).status, 201, "others write meanwhile");
    assert.equal(
      ((await ask("GET /drinks")).has["items"] as unknown[]).length,
      2,
      "nothing of it is seen before its end",
    );
    further.resolve();
    const refilled = await slow;
    assert.deepEqual([refilled.status, refilled.has["stock"], refilled.has["note"]], [200, 7, "dri_"], refilled.text);
    assert.equal(waits, 1, "the function ran once");
    assert.equal(((await ask("GET /drinks")).has["items"] as unknown[]).length, 3);
  });

  test(`what others changed meanwhile is not overwritten (${store})`, async () => {
    const waiting = Promise.withResolvers<void>();
    const further = Promise.withResolvers<void>();
    const functions: ServiceFunctions = {
      ...handlers,
      async refill({ record, records }) {
        waiting.resolve();
        await further.promise;
        const { id, stock } = record as { id: string; stock: number };
        await records["Drink"]?.update(id, { stock: stock + 1 });
      },
    };
    await using subject = await serve(kiosk, { store, functions });
    const ask = await asking(subject);
    const tea = await ask("POST /drinks", { name: "tea", price });
    const slow = ask(`POST /drinks/${tea.has.id}/refill`, { to: 7 });
    await waiting.promise;
    const match = { "If-Match": tea.headers["etag"] ?? "" };
    assert.equal((await ask(`PATCH /drinks/${tea.has.id}`, { stock: 50 }, match)).status, 200);
    further.resolve();
    const refused = await slow;
    assert.deepEqual([refused.status, refused.has.code], [503, "overloaded"]);
    assert.equal((await ask(`GET /drinks/${tea.has.id}`)).has["stock"], 50);
  });
}

test("what functions have done is remembered across restarts", async () => {
  const { mkdtempSync, rmSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const folder = mkdtempSync(join(tmpdir(), "nonet-hooks-"));
  const file = join(folder, "kiosk.db");
  const told: string[] = [];
  const on = { "drink.gone": ({ record }: { record?: JsonObject }) => void told.push(record?.["name"] as string) };
  try {
    for (const round of [1, 2]) {
      await using subject = await serve(kiosk, { store: "sqlite", file, functions: { ...handlers, on } });
      const ask = await asking(subject);
      await subject.running.tick();
      const { id } = (await ask("POST /drinks", { name: `drink ${round}`, price })).has;
      await ask(`POST /drinks/${id}/sell`);
      if (round === 2) await subject.running.tick();
    }
    assert.deepEqual(told, ["drink 1", "drink 2"]);
    await using subject = await serve(kiosk, { store: "sqlite", file, functions: { ...handlers, on } });
    const { store } = subject.running;
    assert.equal(await store.transaction(async (tx) => tx.offset("functions")), await store.journal.last());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
