/** Webhooks at the version of their subscriber (R9.2, R9.3): payloads keep the format of this version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "./client.ts";
import { createReceiver } from "./receiver.ts";
import { documentText, served } from "./scenario.ts";

const versioned = documentText("orders")
  .replace("scheme: none", "scheme: dated\nsent: header Orders-Version\nabsent: newest\nversions:\n  2026-09-01:\n    - rename Order.remark -> note\n    - event order.paid, was order.settled\n    - add Order.margin, taken as 0 before\n  2026-03-01: first"); // biome-ignore format: one block

served("webhooks of versions", versioned, (subject) => {
  // Not the subject's own, which holds every answer to the newest version's description.
  const send = async (version: string | undefined, key: string, path: string, body?: object) => {
    using client = createClient(subject.running.port, () => {});
    const headers = { authorization: `Bearer ${key}`, ...(version === undefined ? {} : { "orders-version": version }) };
    return await client.send({ method: "POST", path, headers, ...(body === undefined ? {} : { body }) });
  };

  test("an endpoint is sent events as they were in the version it was made in", async () => {
    await using old = await createReceiver();
    await using young = await createReceiver();
    const key = await subject.running.key("sam", "shop", "clerk");
    const ok = async (version: string, path: string, body?: object) => {
      const reply = await send(version, key, path, body);
      assert.ok(reply.status < 300, reply.text);
      return reply.json as { id: string; version: string };
    };
    const first = await ok("2026-03-01", "/webhooks", { url: old.url });
    assert.equal(first.version, "2026-03-01");
    await ok("2026-09-01", "/webhooks", { url: young.url });
    await using chosen = await createReceiver();
    await ok("2026-09-01", "/webhooks", { url: chosen.url, version: "2026-03-01" });
    const { id } = await ok("2026-09-01", "/orders", { email: "a@shop.example", margin: 4, note: "with care" });
    await ok("2026-09-01", `/orders/${id}/pay`);
    const told = async (receiver: typeof old) =>
      (await receiver.until(2)).map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
    for (const receiver of [old, chosen]) {
      const [placed, paid] = await told(receiver);
      assert.deepEqual([placed?.type, paid?.type], ["order.placed", "order.settled"]);
      assert.equal(placed?.data["remark"], "with care");
      assert.ok(!("note" in (placed?.data ?? {})) && !("margin" in (placed?.data ?? {})));
    }
    const [placed, paid] = await told(young);
    assert.deepEqual([placed?.type, paid?.type], ["order.placed", "order.paid"]);
    assert.deepEqual([placed?.data["note"], placed?.data["margin"]], ["with care", 4]);
  });

  test("events are asked for by their names in that version", async () => {
    await using old = await createReceiver();
    const key = await subject.running.key("eve", "shop");
    const subscribe = (events: readonly string[]) => send("2026-03-01", key, "/webhooks", { url: old.url, events });
    assert.equal((await subscribe(["order.paid"])).status, 422);
    assert.equal((await subscribe(["order.settled"])).status, 201);
    const { id } = (await send("2026-03-01", key, "/orders", { email: "a@shop.example" })).json as { id: string };
    assert.equal((await send("2026-03-01", key, `/orders/${id}/pay`)).status, 200);
    const [only] = await old.until(1);
    assert.equal((JSON.parse(only?.body ?? "") as { type: string }).type, "order.settled");
  });

  test("a version that there is none of is refused", async () => {
    const key = await subject.running.key("una", "shop");
    const reply = await send(undefined, key, "/webhooks", { url: "https://hooks.example.com/", version: "2020-01-01" });
    assert.equal(reply.status, 422);
    assert.match(reply.text, /#\/version/);
  });
});
