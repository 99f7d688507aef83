/** When a record's retention ends, its sent webhook payloads are deleted, and pending ones are not sent (part 8, `keep`). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReceiver } from "./receiver.ts";
import { documentText, served } from "./scenario.ts";

const day = 86_400_000;
const snapshots = documentText("orders")
  .replace("quota: { webhook: 3 per user }", "quota: { webhook: 3 per user }\nkeep: { Order: 1d after final }")
  .replace("then: disable and keep 30d", "then: keep 30d")
  .replace("retry: 5s 5m 30m", "retry: 3d");

served("deliveries of what is not kept", snapshots, (subject) => {
  test("a record that is deleted by time leaves nothing of it in any delivery", async () => {
    await using receiver = await createReceiver();
    const { running, client } = subject;
    const key = await running.key("sam", "shop");
    const send = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}` };
      const reply = await client.send({ method, path, headers, ...(body === undefined ? {} : { body }) });
      assert.ok(reply.status < 300, reply.text);
      return reply.json as { id: string };
    };
    const webhook = await send("POST", "/webhooks", { url: receiver.url });
    const { id } = await send("POST", "/orders", { email: "a@shop.example", margin: 1 });
    await receiver.until(1);
    receiver.answer = () => ({ status: 500 });
    await send("POST", `/orders/${id}/cancel`);
    const other = await send("POST", "/orders", { email: "b@shop.example", margin: 1 });
    await receiver.until(2);
    const rows = async () => {
      const found: unknown[] = [];
      const { items } = (await send("GET", `/webhooks/${webhook.id}/deliveries`)) as unknown as {
        items: { id: string }[];
      };
      for (const one of items.toReversed()) {
        const row = await running.store.transaction(async (tx) => tx.get("WebhookDelivery", "id", one.id));
        found.push([row?.["record"], row?.["state"], row?.["body"] === "" ? "nothing" : "a body"]);
      }
      return found;
    };
    const [first, second] = [`Order ${id}`, `Order ${other.id}`];
    while ((await rows()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    running.pass(day + 1000);
    await running.tick();
    assert.deepEqual(await rows(), [[first, "delivered", "nothing"], [second, "pending", "a body"]]); // biome-ignore format: a table
    assert.equal(
      (await running.store.journal.events(0, 99)).filter(({ resource }) => resource.startsWith("Webhook")).length,
      0,
    );
  });
});
