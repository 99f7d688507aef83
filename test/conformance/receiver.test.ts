/** The receiver of webhooks: what it stores, and how it replies. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test, type TestContext } from "node:test";
import { createReceiver, type Receiver } from "../../src/conformance/receiver.ts";

async function receiver(t: TestContext): Promise<Receiver> {
  const created = await createReceiver();
  t.after(() => created.close());
  return created;
}

const post = (url: string, body: string | Uint8Array<ArrayBuffer> = "{}", headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers });

test("a request is stored as it came, with its time", async (t) => {
  const hooks = await receiver(t);
  const began = Date.now();
  const response = await post(`${hooks.url("/a")}?x=1`, new Uint8Array([0, 255, 10]), { "Webhook-Id": "evt_1" });
  assert.equal(response.status, 204);
  const [received, ...others] = hooks.received("/a");
  assert(received !== undefined);
  const { headers, arrivedAt, body, ...rest } = received;
  assert.deepEqual(rest, { method: "POST", target: "/a?x=1", isCut: false });
  assert.deepEqual([...body], [0, 255, 10]);
  assert.equal(headers["webhook-id"], "evt_1");
  assert(arrivedAt >= began && arrivedAt <= Date.now());
  assert.deepEqual([others, hooks.received("/b")], [[], []]);
});

test("each path has its own requests and replies, of which the last one stays", async (t) => {
  const hooks = await receiver(t);
  hooks.reply("/a", { status: 500, headers: { "Retry-After": "1" }, body: "no" }, { status: 200 });
  hooks.reply("/b", { status: 410 });
  const responses = [];
  for (const path of ["/a", "/b", "/a", "/a", "/b"]) responses.push(await post(hooks.url(path)));
  assert.deepEqual(
    responses.map(({ status }) => status),
    [500, 410, 200, 200, 410],
  );
  assert.deepEqual([responses[0]?.headers.get("retry-after"), await responses[0]?.text()], ["1", "no"]);
  assert.deepEqual([hooks.received("/a").length, hooks.received("/b").length], [3, 2]);
  hooks.reply("/b");
  assert.equal((await post(hooks.url("/b"))).status, 204, "no replies are those of the start");
});

test("a reply may be late, nothing, or a reset", async (t) => {
  const hooks = await receiver(t);
  hooks.reply("/a", { status: 200, delayMilliseconds: 100 }, "reset", "nothing");
  const began = performance.now();
  assert.equal((await post(hooks.url("/a"))).status, 200);
  assert(performance.now() - began >= 99);
  await assert.rejects(post(hooks.url("/a")));
  await assert.rejects(fetch(hooks.url("/a"), { signal: AbortSignal.timeout(200) }), { name: "TimeoutError" });
  assert.equal(hooks.received("/a").length, 3);
});

test("waits for requests, and no longer than it should", async (t) => {
  const hooks = await receiver(t);
  const two = hooks.until("/a", 2, 20_000);
  const one = hooks.until("/b", 1, 50);
  await Promise.all([post(hooks.url("/a"), "1"), post(hooks.url("/a"), "2")]);
  assert.equal((await two).length, 2);
  assert.equal((await one).length, 0);
  assert.equal((await hooks.until("/a", 1, 20_000)).length, 2);
});

test("a body is stored up to its limit, and half a request is none", async (t) => {
  const hooks = await receiver(t);
  assert.equal((await post(hooks.url("/a"), new Uint8Array(1_048_577))).status, 204);
  const [received] = hooks.received("/a");
  assert.deepEqual([received?.body.length, received?.isCut], [1_048_576, true]);
  const socket = connect(Number(new URL(hooks.url("/")).port), "127.0.0.1");
  socket.end("POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345");
  await new Promise((resolve) => socket.resume().once("close", resolve));
  assert.deepEqual(hooks.received("/half"), []);
});

test("two receivers have two ports, and an occupied one is an error", async (t) => {
  const one = await receiver(t);
  const { port } = new URL(one.url("/"));
  await assert.rejects(createReceiver({ port: Number(port) }), { code: "EADDRINUSE" });
  const other = await receiver(t);
  assert.notEqual(new URL(other.url("/")).port, port);
});
