/** Webhooks (R6.4 to R6.13), with receivers that are real servers on this machine. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { SpanKind } from "@opentelemetry/api";
import { Webhook } from "standardwebhooks";
import type { Reply } from "./client.ts";
import type { Received, Receiver } from "./receiver.ts";
import { createReceiver } from "./receiver.ts";
import type { Subject } from "./scenario.ts";
import { documentText, serve, served, stores } from "./scenario.ts";
import { registerSdk } from "./telemetry-sdk.ts";

interface Endpoint {
  readonly id: string;
  readonly secret: string;
  readonly state: string;
  readonly secretNumber: number;
}

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: readonly { readonly status?: number; readonly error?: string; readonly reply?: string }[];
  readonly nextAttemptAt?: string;
}

/** Somebody with a key. */
async function caller({ running, client }: Subject, user: string, ...roles: string[]) {
  const key = await running.key(user, ...roles);
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    client.send({
      method,
      path,
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const ok = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await send(method, path, body);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json as T;
  };
  return {
    send,
    ok,
    subscribe: (receiver: Receiver, more: object = {}) =>
      ok<Endpoint>("POST", "/webhooks", { url: receiver.url, ...more }),
    order: async (note = "x") =>
      (await ok<{ id: string }>("POST", "/orders", { email: "a@shop.example", margin: 7, note })).id,
    pay: (id: string) => ok("POST", `/orders/${id}/pay`),
    ship: (id: string) => ok("POST", `/orders/${id}/ship`),
    endpoint: (id: string) => ok<Endpoint>("GET", `/webhooks/${id}`),
    deliveries: async (id: string) =>
      (await ok<{ items: readonly Delivery[] }>("GET", `/webhooks/${id}/deliveries`)).items.toReversed(),
  };
}

/** What comes to be so, within a minute: a machine that is busy may take its time. */
async function eventually<T>(ask: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 2400; tries += 1) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    await pass(25);
  }
  throw new Error(`it did not come to be so: ${ask.toString()}`);
}

const typeOf = ({ body }: Received): string => (JSON.parse(body) as { type: string }).type;
const orderOf = ({ body }: Received): string => (JSON.parse(body) as { data: { id: string } }).data.id;

/** By the library's own signature, whatever the service's clock says. */
function isSignedBy(secret: string, { headers, body }: Received = { path: "", headers: {}, body: "" }): boolean {
  const sent = new Date(Number(headers["webhook-timestamp"]) * 1000);
  const signature = new Webhook(secret).sign(headers["webhook-id"] ?? "", sent, body);
  return headers["webhook-signature"]?.split(" ").includes(signature) ?? false;
}

served("webhooks", documentText("orders"), (subject) => {
  test("R6.5 what is sent is signed as Standard Webhooks says, and told as its receiver may see it", async () => {
    await using atClerk = await createReceiver();
    await using atShop = await createReceiver();
    const clerk = await caller(subject, "signed-clerk", "clerk");
    const shop = await caller(subject, "signed-shop", "shop");
    const ends = [await clerk.subscribe(atClerk), await shop.subscribe(atShop)] as const;
    const id = await shop.order();
    await shop.pay(id);
    await shop.ship(id);
    for (const [index, receiver] of [atClerk, atShop].entries()) {
      const got = await receiver.until(3);
      assert.deepEqual(got.map(typeOf), ["order.placed", "order.paid", "order.shipped"], "in the order of the record");
      for (const one of got) {
        const verifier = new Webhook((ends[index] as Endpoint).secret);
        assert.doesNotThrow(() => verifier.verify(one.body, one.headers));
        assert.throws(() => verifier.verify(one.body.replace("a@shop", "b@shop"), one.headers));
        assert.throws(() => new Webhook((ends[1 - index] as Endpoint).secret).verify(one.body, one.headers));
        assert.equal(one.headers["content-type"], "application/json");
        assert.equal(one.headers["webhook-id"], (JSON.parse(one.body) as { id: string }).id);
        assert.ok(!one.headers["webhook-id"]?.includes("."));
      }
      const [placed, , shipped] = got.map(({ body }) => (JSON.parse(body) as { data: object }).data);
      assert.equal("margin" in (placed as object), index === 0, "a hidden field appears nowhere (R5.9)");
      assert.deepEqual(shipped, { id, email: "a@shop.example" }, "what it carries, to everybody");
    }
  });

  test("R6.13 nobody is told of what they may not see, or did not ask for", async () => {
    await using mine = await createReceiver();
    await using others = await createReceiver();
    const shop = await caller(subject, "own-shop", "shop");
    const rival = await caller(subject, "own-rival", "shop");
    await shop.subscribe(mine, { events: ["order.paid"] });
    await rival.subscribe(others);
    await shop.pay(await shop.order());
    const theirs = await rival.order();
    assert.deepEqual((await mine.until(1)).map(typeOf), ["order.paid"]);
    assert.deepEqual((await others.until(1)).map(orderOf), [theirs]);
    const unknown = await shop.send("POST", "/webhooks", { url: mine.url, events: ["order.lost"] });
    assert.equal(unknown.status, 422);
    assert.deepEqual((unknown.json as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer), ["#/events/0"]); // biome-ignore format: short
  });

  test("R6.13 whose key is revoked is told nothing more", async () => {
    await using receiver = await createReceiver();
    const shop = await caller(subject, "revoked-shop", "shop");
    await shop.subscribe(receiver);
    const id = await shop.order();
    await receiver.until(1);
    const clerk = await caller(subject, "revoking-clerk", "clerk");
    await using seen = await createReceiver();
    await clerk.subscribe(seen);
    const { keys } = subject.running.store;
    for (const key of await keys.list()) if (key.user === "revoked-shop") await keys.revoke(key.id, Date.now());
    await clerk.pay(id);
    await seen.until(1);
    await pass(300);
    assert.equal(receiver.received.length, 1);
  });

  test("an endpoint is its maker's alone; its secret is told when it is made, and when it is asked for", async () => {
    await using receiver = await createReceiver();
    const shop = await caller(subject, "alone-shop", "shop");
    const clerk = await caller(subject, "alone-clerk", "clerk");
    const made = await shop.subscribe(receiver);
    assert.match(made.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.ok(!(await shop.send("GET", `/webhooks/${made.id}`)).text.includes("whsec_"));
    assert.ok(!(await shop.send("GET", "/webhooks")).text.includes("whsec_"));
    const revealed = await shop.send("GET", `/webhooks/${made.id}/secret`);
    assert.equal((revealed.json as Endpoint).secret, made.secret);
    assert.equal(revealed.headers["cache-control"], "no-store");
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/secret"],
      ["PATCH", ""],
      ["DELETE", ""],
      ["POST", "/rotate-secret"],
      ["POST", "/disable"],
      ["GET", "/deliveries"],
    ] as const) {
      const body = method === "PATCH" ? { description: "x" } : undefined;
      const reply = await clerk.send(method, `/webhooks/${made.id}${path}`, body);
      assert.equal(reply.status, 404, `${method} ${path}`);
    }
    const { client } = subject;
    assert.equal((await client.send({ method: "GET", path: "/webhooks" })).status, 401);
    const again = { "idempotency-key": "alone" };
    const first = await shop.send("POST", "/webhooks", { url: receiver.url }, again);
    const second = await shop.send("POST", "/webhooks", { url: receiver.url }, again);
    assert.equal(second.text, first.text, "a repeat tells it too");
    assert.equal(second.headers["idempotent-replayed"], "true");
    assert.equal((await shop.send("DELETE", `/webhooks/${made.id}`)).status, 204);
    assert.equal((await shop.send("GET", `/webhooks/${made.id}`)).status, 404);
  });

  test("R6.11 nothing is sent where it should not be", async () => {
    const shop = await caller(subject, "urls", "shop");
    const bad = [
      "http://example.com/x",
      "https://user:pw@example.com/",
      "https://example.com/#part",
      "https://example.com:8/x",
      "https://10.0.0.1/x",
      "https://169.254.169.254/latest/meta-data",
      "https://2130706433:8443@example.com/",
      "https://0xa000001/",
      "https://[::ffff:10.0.0.1]/",
      "https://[fd00::1]/",
      "https://metadata.google.internal/",
      "https://printer.local/",
      "ftp://example.com/",
      "https://intranet/",
    ];
    for (const url of bad) {
      const reply = await shop.send("POST", "/webhooks", { url });
      assert.equal(reply.status, 422, url);
      assert.deepEqual((reply.json as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer), ["#/url"]); // biome-ignore format: short
    }
    const made = await shop.ok<Endpoint>("POST", "/webhooks", { url: "https://hooks.example.com:8443/x?y=1" });
    assert.equal((await shop.send("PATCH", `/webhooks/${made.id}`, { url: "https://127.0.0.1.nip.internal/" })).status, 422); // biome-ignore format: short
  });

  test("part 8 a caller has as many endpoints as the document says, also when they are made at once", async () => {
    const shop = await caller(subject, "many", "shop");
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => shop.send("POST", "/webhooks", { url: "https://hooks.example.com/" })),
    );
    assert.deepEqual(
      replies.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 201, 201, 403, 403, 403, 403, 403],
    );
  });

  test("R6.7, R6.8 what fails is sent again when the document says, the same but for its time", async () => {
    await using receiver = await createReceiver();
    const shop = await caller(subject, "retry", "shop");
    const { id } = await shop.subscribe(receiver);
    receiver.answer = () => ({ status: 500, body: "no".repeat(2000) });
    await shop.order();
    await receiver.until(1);
    const waiting = await eventually(async () => (await shop.deliveries(id)).find(({ attempts }) => attempts.length === 1)); // biome-ignore format: short
    assert.deepEqual([waiting.state, waiting.attempts[0]?.status], ["pending", 500]);
    assert.equal(waiting.attempts[0]?.reply?.length, 1024);
    const due = Date.parse(waiting.nextAttemptAt ?? "") - subject.running.now();
    assert.ok(due > 2000 && due <= 6000, `in about 5 s, not ${due}`);
    await pass(300);
    assert.equal(receiver.received.length, 1, "and not before");
    receiver.answer = () => ({ status: 302, headers: { location: `${receiver.url}/elsewhere` } });
    subject.running.pass(6000);
    await eventually(async () => (await shop.deliveries(id))[0]?.attempts.length === 2);
    receiver.answer = () => ({ status: 200 });
    subject.running.pass(6 * 60_000);
    const [first, second, third] = await receiver.until(3);
    assert.ok(
      receiver.received.every(({ path }) => path === "/hook"),
      "no redirect is followed",
    );
    assert.equal(second?.body, first?.body);
    assert.equal(third?.headers["webhook-id"], first?.headers["webhook-id"]);
    assert.notEqual(third?.headers["webhook-timestamp"], first?.headers["webhook-timestamp"]);
    const done = await eventually(async () => (await shop.deliveries(id)).find(({ state }) => state === "delivered"));
    assert.deepEqual(done.attempts.map(({ status }) => status), [500, 302, 200]); // biome-ignore format: short
  });

  test("R6.8, R6.9 what is given up disables its endpoint; recovering sends what did not arrive", async () => {
    await using receiver = await createReceiver();
    const shop = await caller(subject, "given-up", "shop");
    const began = new Date(subject.running.now()).toISOString();
    const { id } = await shop.subscribe(receiver);
    receiver.answer = () => ({ status: 503 });
    const order = await shop.order();
    for (const [count, wait] of [0, 6_000, 6 * 60_000, 40 * 60_000].entries()) {
      subject.running.pass(wait);
      await receiver.until(count + 1);
      await eventually(async () => (await shop.deliveries(id))[0]?.attempts.length === count + 1);
    }
    await eventually(async () => (await shop.endpoint(id)).state === "disabled");
    assert.deepEqual((await shop.deliveries(id)).map(({ state }) => state), ["failed"]); // biome-ignore format: short
    receiver.answer = () => ({ status: 200 });
    await shop.pay(order);
    await pass(300);
    assert.equal(receiver.received.length, 4, "nothing is sent while it is disabled");
    await shop.ok("POST", `/webhooks/${id}/recover`, { since: began });
    const got = await receiver.until(6);
    assert.deepEqual(got.slice(4).map(typeOf), ["order.placed", "order.paid"]);
    assert.equal(got[4]?.body, got[0]?.body, "the same event, byte for byte");
    assert.equal((await shop.endpoint(id)).state, "enabled");
    await pass(1300);
    assert.equal(receiver.received.length, 6, "once");
  });

  test("R6.7 a receiver that is gone, or wants no more of it, is believed", async () => {
    await using receiver = await createReceiver();
    const shop = await caller(subject, "gone", "shop");
    const { id } = await shop.subscribe(receiver);
    receiver.answer = () => ({ status: 400, headers: { "webhook-delivery": "abort-message" } });
    await shop.order("aborted");
    await eventually(async () => (await shop.deliveries(id))[0]?.state === "failed");
    assert.equal((await shop.endpoint(id)).state, "enabled");
    receiver.answer = () => ({ status: 410 });
    await shop.order("gone");
    await eventually(async () => (await shop.endpoint(id)).state === "disabled");
    assert.equal(receiver.received.length, 2);
  });

  test("R6.10 one delivery is sent once more, the same bytes with a new signature", async () => {
    await using receiver = await createReceiver();
    const shop = await caller(subject, "resend", "shop");
    const { id, secret } = await shop.subscribe(receiver);
    await shop.order();
    await receiver.until(1);
    const done = await eventually(async () => (await shop.deliveries(id)).find(({ state }) => state === "delivered"));
    subject.running.pass(2000);
    await shop.ok("POST", `/webhooks/${id}/deliveries/${done.id}/resend`);
    const [first, second] = await receiver.until(2);
    assert.equal(second?.body, first?.body);
    assert.equal(second?.headers["webhook-id"], first?.headers["webhook-id"]);
    assert.notEqual(second?.headers["webhook-signature"], first?.headers["webhook-signature"]);
    assert.ok(isSignedBy(secret, second));
  });

  test("R6.10 a delivery that waits for its next attempt is sent at once when it is resent or recovered", async () => {
    for (const how of ["resend", "recover"] as const) {
      await using receiver = await createReceiver();
      const shop = await caller(subject, `waits-${how}`, "shop");
      const began = new Date(subject.running.now()).toISOString();
      const { id } = await shop.subscribe(receiver);
      receiver.answer = () => ({ status: 500 });
      const order = await shop.order();
      await eventually(async () => (await shop.deliveries(id))[0]?.attempts.length === 1);
      subject.running.pass(6000);
      // The next attempt is five minutes away now.
      const waiting = await eventually(async () => (await shop.deliveries(id)).find(({ attempts }) => attempts.length === 2)); // biome-ignore format: short
      await shop.pay(order);
      const later = await eventually(async () => (await shop.deliveries(id)).find((one) => one.id !== waiting.id));
      // What waits for an earlier event of its record goes on waiting for it.
      await shop.ok("POST", `/webhooks/${id}/deliveries/${later.id}/resend`);
      assert.equal((await shop.deliveries(id)).find((one) => one.id === later.id)?.nextAttemptAt ?? null, null);
      if (how === "resend") await shop.ok("POST", `/webhooks/${id}/deliveries/${waiting.id}/resend`);
      else await shop.ok("POST", `/webhooks/${id}/recover`, { since: began });
      await receiver.until(3);
      // The waits between attempts begin anew.
      const again = await eventually(async () => (await shop.deliveries(id)).find(({ attempts }) => attempts.length === 3)); // biome-ignore format: short
      assert.equal(again.id, waiting.id);
      const due = Date.parse(again.nextAttemptAt ?? "") - subject.running.now();
      assert.ok(due > 2000 && due <= 6000, `in about 5 s, not ${due}`);
      receiver.answer = () => ({ status: 200 });
      await shop.ok("POST", `/webhooks/${id}/deliveries/${waiting.id}/resend`);
      const got = await receiver.until(5);
      assert.deepEqual(got.map(typeOf), ["order.placed", "order.placed", "order.placed", "order.placed", "order.paid"]);
    }
  });

  test("R6.6 for a day two secrets sign, unless the old one is to end at once", async () => {
    await using receiver = await createReceiver();
    const shop = await caller(subject, "rotate", "shop");
    const first = await shop.subscribe(receiver);
    const second = await shop.ok<Endpoint>("POST", `/webhooks/${first.id}/rotate-secret`, {});
    assert.equal(second.secretNumber, 2);
    assert.notEqual(second.secret, first.secret);
    await shop.order();
    const [one] = await receiver.until(1);
    assert.equal(one?.headers["webhook-signature"]?.split(" ").length, 2);
    const third = await shop.ok<Endpoint>("POST", `/webhooks/${first.id}/rotate-secret`, { revokeOld: true });
    await shop.order();
    const two = (await receiver.until(2))[1];
    assert.equal(two?.headers["webhook-signature"]?.split(" ").length, 1);
    assert.ok(isSignedBy(third.secret, two));
    assert.ok(!isSignedBy(second.secret, two));
    await shop.ok("POST", `/webhooks/${first.id}/rotate-secret`, {});
    subject.running.pass(86_400_000 + 1000);
    const later = await caller(subject, "rotate", "shop");
    await later.order();
    assert.equal((await receiver.until(3))[2]?.headers["webhook-signature"]?.split(" ").length, 1, "a day is over");
  });

  test("R6.4, R6.8 a record's events wait for one another, and for nobody else's", async () => {
    await using slow = await createReceiver();
    await using quick = await createReceiver();
    const shop = await caller(subject, "order", "shop");
    const { id } = await shop.subscribe(slow);
    await shop.subscribe(quick);
    const [stuck, free] = [await shop.order("stuck"), await shop.order("free")];
    await slow.until(2);
    slow.answer = (received) => ({ status: orderOf(received) === stuck ? 500 : 200 });
    await shop.pay(stuck);
    await shop.pay(free);
    await slow.until(4);
    await shop.ship(stuck);
    await shop.ship(free);
    await slow.until(5);
    await quick.until(6);
    const told = slow.received.slice(4).map((one) => [typeOf(one), orderOf(one)]);
    assert.deepEqual(told, [["order.shipped", free]], "what follows the one that fails has to wait");
    slow.answer = () => ({ status: 200 });
    subject.running.pass(6000);
    await slow.until(7);
    const ofStuck = slow.received.filter((one) => orderOf(one) === stuck).map(typeOf);
    assert.deepEqual(ofStuck, ["order.placed", "order.paid", "order.paid", "order.shipped"]);
    assert.equal((await shop.deliveries(id)).length, 6);
  });

  test("R6.8 a receiver that never answers delays nobody", async () => {
    await using dead = await createReceiver();
    await using alive = await createReceiver();
    const shop = await caller(subject, "dead", "shop");
    const { id } = await shop.subscribe(dead);
    await shop.subscribe(alive);
    dead.answer = () => "hang";
    for (let count = 0; count < 30; count += 1) await shop.order(`n${count}`);
    const got = await alive.until(30);
    assert.equal(new Set(got.map(orderOf)).size, 30);
    assert.ok(dead.received.length <= 8, "no more than its share is under way");
    const timedOut = await eventually(async () =>
      (await shop.deliveries(id)).find(({ attempts }) => attempts.length > 0),
    );
    assert.match(timedOut.attempts[0]?.error ?? "", /no answer within 2000 ms/);
    assert.ok(
      Date.parse(timedOut.nextAttemptAt ?? "") - subject.running.now() > 40_000,
      "at least a minute, less 20 %",
    );
  });
});

for (const store of stores) {
  test(`R1.4 what is sent belongs to the trace of the request that caused it (${store})`, async () => {
    const { createTelemetry, startSending } = await import("../../src/runtime/telemetry.ts");
    const recorded = registerSdk();
    await using receiver = await createReceiver();
    await using subject = await serve(documentText("orders"), { store, observe: createTelemetry, startSending });
    const shop = await caller(subject, "traced-shop", "shop");
    await shop.subscribe(receiver);
    const traced = "4bf92f3577b34da6a3ce929d0e0e4736";
    const order = { email: "a@shop.example", margin: 7, note: "x" };
    await shop.send("POST", "/orders", order, { traceparent: `00-${traced}-00f067aa0ba902b7-01` });
    await shop.send("POST", "/orders", order);
    const [first, second] = await receiver.until(2);
    const causing = recorded.spans.find(({ context, kind }) => context.traceId === traced && kind === SpanKind.SERVER);
    const sent = recorded.spans.find(({ context, kind }) => context.traceId === traced && kind === SpanKind.CLIENT);
    assert.ok(causing !== undefined && sent !== undefined);
    assert.equal(sent.parent?.spanId, causing.context.spanId, "a child of the request, not of its caller");
    assert.equal(first?.headers["traceparent"], `00-${traced}-${sent.context.spanId}-01`);
    assert.match(second?.headers["traceparent"] ?? "", /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    assert.ok(!second?.headers["traceparent"]?.includes(traced), "another request's trace is another one");
    recorded.forget();
  });

  test(`R1.4 where nobody traces nothing is said of traces (${store})`, async () => {
    await using receiver = await createReceiver();
    await using subject = await serve(documentText("orders"), { store });
    const shop = await caller(subject, "untraced-shop", "shop");
    await shop.subscribe(receiver);
    await shop.order();
    const [sent] = await receiver.until(1);
    assert.equal(sent?.headers["traceparent"], undefined);
    const [entry] = await subject.running.store.journal.events(0, 1);
    assert.equal(entry?.trace, undefined);
  });
}

const lasting = documentText("orders").replace("revoked: at once", "revoked: 1h");

served("webhooks of keys that end later", lasting, (subject) => {
  test("R6.13 a key that is good for another hour is told for another hour", async () => {
    await using receiver = await createReceiver();
    await using seen = await createReceiver();
    const shop = await caller(subject, "lasting-shop", "shop");
    const clerk = await caller(subject, "lasting-clerk", "clerk");
    await shop.subscribe(receiver);
    await clerk.subscribe(seen);
    const id = await shop.order();
    await receiver.until(1);
    const { keys } = subject.running.store;
    const revokedAt = subject.running.now();
    for (const key of await keys.list()) if (key.user === "lasting-shop") await keys.revoke(key.id, revokedAt);
    await clerk.pay(id);
    assert.deepEqual((await receiver.until(2)).map(typeOf), ["order.placed", "order.paid"]);
    subject.running.pass(3_600_000);
    await clerk.ship(id);
    await seen.until(3);
    await pass(300);
    // What came just before the clock was put forward may come twice: its lease was over before it was settled.
    assert(!receiver.received.map(typeOf).includes("order.shipped"), "the hour is over");
  });
});
