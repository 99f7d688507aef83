/**
 * Event sinks: every event reaches a real broker (`test/brokers/servers.ts`), in order for each record, while the test kills the
 * broker and the service, which is the real command.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type Kept, kafkaServer, natsServer, without } from "../brokers/servers.ts";
import { UsageError } from "../../src/server/errors.ts";
import { openSinks } from "../../src/server/sinks.ts";
import { createClient } from "../serve/client.ts";
import { until } from "../until.ts";
import { planOf } from "../serve/running.ts";
import { documentText } from "../serve/scenario.ts";
import { finishedHere, nonet, root, type Running, temporaryFolder } from "./process.ts";

const document = join(root, "test", "serve", "documents", "orders.md");
const steps = ["order.placed", "order.paid", "order.shipped"];

interface CloudEvent {
  readonly specversion: string;
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly datacontenttype: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Service {
  /** The command itself; anew after it was killed. */
  readonly start: () => Promise<Running>;
  /** Places so many orders, pays and ships them; their ids. What a killed server did not answer is asked again under its key. */
  readonly work: (count: number) => Promise<readonly string[]>;
}

async function service(t: TestContext, sink: string): Promise<Service> {
  const folder = temporaryFolder(t);
  const create = ["key", "create", document, "--user", "sam", "--role", "shop", "--data", "orders.db"];
  const made = await finishedHere(create, { folder });
  const secret = /or_\w+/.exec(made.output)?.[0] ?? assert.fail(made.output);
  let port = 0;
  let keys = 0;
  async function send(path: string, body?: object): Promise<{ id: string }> {
    keys += 1;
    const headers = { authorization: `Bearer ${secret}`, "idempotency-key": `key-${keys}-of-this-test` };
    const request = { method: "POST", path, headers, ...(body === undefined ? {} : { body }) };
    let answer: { id: string } | undefined;
    await until(async () => {
      using client = createClient(port, () => {});
      const reply = await client.send(request).catch(() => undefined);
      if (reply === undefined || reply.status >= 500) return false;
      assert.ok(reply.status < 300, reply.text);
      answer = reply.json as { id: string };
      return true;
    }, path);
    return answer ?? assert.fail();
  }
  return {
    async start() {
      const args = ["serve", document, "--data", "orders.db", "--port", String(port), "--sink", sink];
      const server = nonet(t, args, { folder });
      port = Number((await server.says(/http:\/\/127\.0\.0\.1:(\d+)/))[1]);
      return server;
    },
    work: (count) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const { id } = await send("/orders", { email: "a@shop.example", margin: 1 });
          await send(`/orders/${id}/pay`);
          await send(`/orders/${id}/ship`);
          return id;
        }),
      ),
  };
}

/** Every order's events, each at least once, first ones in order; and each as CloudEvents says. */
function assertIntact(kept: readonly Kept[], orders: readonly string[]): void {
  const seen = new Set<string>();
  const types = new Map<string, string[]>();
  for (const { id, media, body } of kept) {
    const event = JSON.parse(body) as CloudEvent;
    assert.equal(media, "application/cloudevents+json; charset=UTF-8");
    assert.equal(event.id, id);
    assert.equal(event.specversion, "1.0");
    assert.equal(event.datacontenttype, "application/json");
    assert.equal(event.subject, event.data["id"]);
    assert.equal(event.data["email"], "a@shop.example", "a clerk sees the address");
    if (seen.has(id)) continue;
    seen.add(id);
    types.set(event.subject, [...(types.get(event.subject) ?? []), event.type]);
  }
  assert.deepEqual(new Set(types.keys()), new Set(orders));
  for (const [order, got] of types) assert.deepEqual(got, steps, order);
}

test("a stream of NATS gets every event once, whichever side is killed", {
  skip: without("nats-server"),
}, async (t) => {
  await using nats = await natsServer();
  const { start, work } = await service(t, `nats://${nats.host}/shop?as=clerk`);
  // Nobody is there to take events: the service serves, and says once that they wait.
  const first = await start();
  const before = await work(5);
  await first.says(/CONNECTION_REFUSED|connection refused|ECONNREFUSED/i);
  await nats.start();
  await first.says(/no responders|was not kept by a stream/);
  await nats.addStream("SHOP", ["shop.>"]);
  await until(async () => (await nats.messages("SHOP")).length >= 15, "what waited has come");
  const working = work(40);
  await nats.kill();
  first.signal("SIGKILL");
  await first.ended;
  await start();
  await nats.start();
  const second = await working;
  await until(async () => (await nats.messages("SHOP")).length >= 135, "the rest has come");
  const kept = await nats.messages("SHOP");
  assertIntact(kept, [...before, ...second]);
  assert.equal(new Set(kept.map(({ id }) => id)).size, kept.length, "the stream knows repeats by their id");
  for (const { address, body } of kept) assert.equal(address, `shop.${(JSON.parse(body) as CloudEvent).type}`);
});

test("a topic of Kafka gets every event, a record's in one partition and in order, while the service is killed", {
  skip: without("kcat"),
}, async (t) => {
  await using kafka = await kafkaServer("shop");
  const { start, work } = await service(t, `kafka://${kafka.host}/shop?as=clerk`);
  const first = await start();
  const before = await work(10);
  await until(() => kafka.messages.length >= 30, "the first have come");
  const working = work(40);
  first.signal("SIGKILL");
  await first.ended;
  const next = await start();
  const orders = [...before, ...(await working)];
  await until(() => new Set(kafka.messages.map(({ id }) => id)).size >= 150, "the rest has come");
  assertIntact(kafka.messages, orders);
  for (const { address, body } of kafka.messages) {
    assert.equal(address, `Order ${(JSON.parse(body) as CloudEvent).subject}`);
  }
  next.signal("SIGTERM");
  assert.equal(await next.ended, 0);
});

test("what a sink may not be is said before anything is served", async () => {
  const plan = planOf(readFileSync(document, "utf8"));
  const form = "is written nats://HOST/SUBJECT or kafka://HOST,HOST/TOPIC, and ?as=ROLE after it";
  const table: readonly (readonly [sink: string, said: string])[] = [
    ["amqp://host/x", `--sink ${form}`],
    ["nats://host/", `--sink ${form}`],
    ["nats://host/a..b?as=clerk", "--sink needs a subject such as events or shop.events after its host"],
    ["kafka://host/a b?as=clerk", "--sink needs a topic such as events after its host"],
    ["kafka://a:b/t?as=clerk", "--sink names the server a:b:9092, which is no host with a port"],
    ["kafka://a/t?as=clerk&acks=0", '--sink knows "as" and "tls" after its question mark, not "acks"'],
    ["kafka://a/t?as=clerk&tls=yes", "--sink says tls=true or tls=false"],
    // No secret is said.
    [
      "nats://u:secret@a/t",
      "--sink nats://a/t needs a role, since that decides what it may know: ?as= one of shop and clerk",
    ],
    [
      "nats://a/t?as=boss",
      '--sink nats://a/t sends as "boss", which is not a role of the document: it has shop and clerk',
    ],
  ];
  for (const [sink, message] of table) await assert.rejects(openSinks([sink], plan), new UsageError(message), sink);
  const nobody = planOf(documentText("tally"));
  await assert.rejects(openSinks(["nats://a/t"], nobody), /gets nothing: the document tells nobody of its events/);
  const none = planOf(documentText("pantries"));
  await assert.rejects(openSinks(["nats://a/t"], none), /gets nothing: the document has no events/);
});
