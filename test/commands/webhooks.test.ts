/**
 * The guarantees of webhooks, while the test kills the real command and the receiver: every event arrives at least once, in order
 * for each record, and no event of a rolled-back change (R1.8, R6.1, R6.4). Seeded; `NONET_SEED` runs another seed,
 * `NONET_EVENTS` and `NONET_KILLS` set the numbers.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { join } from "node:path";
import { runs } from "../nightly.ts";
import type { Received, Receiver } from "../serve/receiver.ts";
import { createReceiver } from "../serve/receiver.ts";
import { endpointSecret } from "../../src/runtime/events/webhooks.ts";
import { seeded } from "../random.ts";
import { createClient } from "../serve/client.ts";
import { run } from "../serve/running.ts";
import { documentText } from "../serve/scenario.ts";
import { finishedHere, nonet, root, type Running, temporaryFolder } from "./process.ts";

const seed = Number(process.env["NONET_SEED"] ?? 20261122);
const events = Number(process.env["NONET_EVENTS"] ?? runs(1000, 10_000));
const kills = Number(process.env["NONET_KILLS"] ?? runs(3, 6));

interface Told {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly id: string };
}

const steps = ["order.placed", "order.paid", "order.shipped"];

/** What came of each order, each event counted once, in the order in which it first came. */
function firstOf(received: readonly Received[]): ReadonlyMap<string, readonly string[]> {
  const seen = new Set<string>();
  const orders = new Map<string, string[]>();
  for (const { body } of received) {
    const told = JSON.parse(body) as Told;
    if (seen.has(told.id)) continue;
    seen.add(told.id);
    orders.set(told.data.id, [...(orders.get(told.data.id) ?? []), told.type]);
  }
  return orders;
}

async function untilAll(receiver: Receiver, made: ReadonlyMap<string, number>): Promise<void> {
  const missing = (): readonly string[] => {
    const got = firstOf(receiver.received);
    return [...made].filter(([id, count]) => (got.get(id)?.length ?? 0) < count).map(([id]) => id);
  };
  for (let tries = 0; missing().length > 0; tries += 1) {
    assert.ok(tries < 1200, `${missing().length} orders never came whole`);
    await pass(50);
  }
}

test(`a receiver that dies at random gets each of ${events} events, a record's in order (seed ${seed})`, async () => {
  const next = seeded(seed);
  await using running = await run(documentText("orders").replace("retry: 5s 5m 30m", `retry: ${"50ms ".repeat(200)}`), {
    store: "sqlite",
  });
  using client = createClient(running.port, () => {});
  const receiver = await createReceiver();
  const key = await running.key("sam", "shop");
  const send = async (path: string, body?: object): Promise<{ id: string }> => {
    const reply = await client.send({
      method: "POST",
      path,
      headers: { authorization: `Bearer ${key}` },
      ...(body === undefined ? {} : { body }),
    });
    assert.ok(reply.status < 300, reply.text);
    return reply.json as { id: string };
  };
  await send("/webhooks", { url: receiver.url });
  const made = new Map<string, number>();
  let dying = true;
  const killer = (async () => {
    while (dying) {
      await pass(20 + next() * 80);
      receiver.down();
      await pass(10 + next() * 60);
      await receiver.up();
    }
  })();
  for (let count = 0; count < events; ) {
    const batch = Array.from({ length: 10 }, async () => {
      const { id } = await send("/orders", { email: "a@shop.example", margin: 1 });
      made.set(id, 1);
      if (next() < 0.8) {
        await send(`/orders/${id}/pay`);
        made.set(id, 2);
        if (next() < 0.8) {
          await send(`/orders/${id}/ship`);
          made.set(id, 3);
        }
      }
    });
    await Promise.all(batch);
    count = [...made.values()].reduce((sum, one) => sum + one, 0);
  }
  dying = false;
  await killer;
  await untilAll(receiver, made);
  const got = firstOf(receiver.received);
  assert.equal(got.size, made.size);
  for (const [id, types] of got) assert.deepEqual(types, steps.slice(0, made.get(id)));
  assert.deepEqual(running.failures, []);
  await receiver[Symbol.asyncDispose]();
});

test(`a server that is killed ${kills} times loses no event, and tells of none that did not happen (seed ${seed})`, async (t) => {
  const next = seeded(seed);
  const folder = temporaryFolder(t);
  const document = join(root, "test", "serve", "documents", "orders.md");
  const options = { folder };
  const create = ["key", "create", document, "--user", "sam", "--role", "shop", "--data", "orders.db"];
  const key = await finishedHere(create, options);
  const secret = /or_\w+/.exec(key.output)?.[0] ?? assert.fail(key.output);
  await using receiver = await createReceiver();
  const start = async (port: number): Promise<{ server: Running; port: number }> => {
    const args = ["serve", document, "--data", "orders.db", "--port", String(port), "--webhooks-to-loopback"];
    const server = nonet(t, args, options);
    const [, at] = await server.says(/http:\/\/127\.0\.0\.1:(\d+)/);
    return { server, port: Number(at) };
  };
  const first = await start(0);
  const { port } = first;
  let { server } = first;
  using client = createClient(port, () => {});
  /** Undefined where it was killed before it answered: then it may have happened or not. */
  const send = async (path: string, body?: object): Promise<{ id: string } | undefined> => {
    const sent = { method: "POST", path, headers: { authorization: `Bearer ${secret}` } };
    const reply = await client.send({ ...sent, ...(body === undefined ? {} : { body }) }).catch(() => undefined);
    if (reply === undefined || reply.status >= 500) return undefined;
    assert.ok(reply.status < 300, reply.text);
    return reply.json as { id: string };
  };
  assert.ok(await send("/webhooks", { url: receiver.url }));
  const made = new Map<string, number>();
  for (let round = 0; round < kills; round += 1) {
    let alive = true;
    const writing = Array.from({ length: 4 }, async () => {
      while (alive) {
        const order = await send("/orders", { email: "a@shop.example", margin: 1 });
        if (order === undefined) return;
        made.set(order.id, 1);
        for (const [count, step] of ["pay", "ship"].entries()) {
          if ((await send(`/orders/${order.id}/${step}`)) === undefined) return;
          made.set(order.id, count + 2);
        }
      }
    });
    await pass(50 + next() * 400);
    server.signal("SIGKILL");
    alive = false;
    await Promise.all(writing);
    await server.ended;
    ({ server } = await start(port));
  }
  await untilAll(receiver, made);
  // What was not answered may have happened, and is told then; and nothing that did not.
  const happened = new Map<string, number>();
  for (const id of [...made.keys(), ...firstOf(receiver.received).keys()]) {
    const reply = await client.send({ method: "GET", path: `/orders/${id}`, headers: { authorization: `Bearer ${secret}` } }); // biome-ignore format: short
    happened.set(id, ["placed", "paid", "shipped"].indexOf((reply.json as { state: string }).state) + 1);
  }
  await untilAll(receiver, happened);
  const got = firstOf(receiver.received);
  for (const [id, count] of happened) assert.deepEqual(got.get(id), steps.slice(0, count), id);
  assert.ok(made.size > kills, "something was written between the kills");
  server.signal("SIGTERM");
  assert.equal(await server.ended, 0);
});

test("R6.6 an empty NONET_SECRET_KEY is none: nobody can work out the secrets of endpoints", async (t) => {
  const folder = temporaryFolder(t);
  const document = join(root, "test", "serve", "documents", "orders.md");
  const environment = { NONET_SECRET_KEY: "", HOME: folder };
  const create = ["key", "create", document, "--user", "sam", "--role", "shop", "--data", "orders.db"];
  const key = await finishedHere(create, { folder });
  const bearer = /or_\w+/.exec(key.output)?.[0] ?? assert.fail(key.output);
  const server = nonet(t, ["serve", document, "--data", "orders.db", "--port", "0"], { folder, environment });
  const [, port] = await server.says(/http:\/\/127\.0\.0\.1:(\d+)/);
  using client = createClient(Number(port), () => {});
  const reply = await client.send({
    method: "POST",
    path: "/webhooks",
    headers: { authorization: `Bearer ${bearer}` },
    body: { url: "https://shop.example/hook" },
  });
  const { id, secret } = reply.json as { id: string; secret: string };
  assert.match(secret, /^whsec_/);
  assert.notEqual(secret, endpointSecret("", id, 1));
});
