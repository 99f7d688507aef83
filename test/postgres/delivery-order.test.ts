/** Which delivery waits while another process has locked the one before it (R6.4). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createRows } from "../../src/webhooks/tables.ts";
import type { WebhookPlan } from "../../src/plan/events/types.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { planOf } from "../serve/running.ts";
import { documentText } from "../serve/scenario.ts";
import { startPostgres } from "./server.ts";

test("R6.4 what waits for a delivery that somebody has in hand goes on waiting", async () => {
  await using server = await startPostgres();
  const plan = planOf(documentText("orders"));
  const store = await openPostgresStore({
    address: `${server.address}?schema=delivery_order&connections=4`,
    tables: plan.tables,
    clock: Date.now,
  });
  const rows = createRows(plan, store, plan.events.webhook as WebhookPlan);
  const now = new Date().toISOString();
  const nothing = { resource: "WebhookDelivery", members: [] };
  const row = { state: "pending", leased: false, webhook: "whk_1", event: "evt_1", type: "order.placed", record: "Order ord_1", body: "{}", media: "application/json", tries: 0, attempts: [], createdAt: now }; // biome-ignore format: one record
  try {
    await store.transaction(async (tx) => {
      const endpoint = { id: "whk_1", state: "enabled", owner: "c", url: "https://shop.example/", roles: ["clerk"], oldSecrets: [], secretNumber: 1, createdAt: now }; // biome-ignore format: one record
      await tx.insert("Webhook", endpoint, 1, { resource: "Webhook", members: [] }, {});
      await tx.insert("WebhookDelivery", { ...row, id: "dlv_1", nextAttemptAt: now }, 1, nothing, {});
      await tx.insert("WebhookDelivery", { ...row, id: "dlv_2", nextAttemptAt: null }, 1, nothing, {});
    });
    let other: Promise<boolean> | undefined;
    await store.transaction(async (tx) => {
      await tx.lock("WebhookDelivery", "dlv_1");
      other ??= store.transaction((its) => rows.letNextGo(its, "whk_1", "Order ord_1", Date.now()));
      // Long enough for one that does not wait.
      for (let count = 0; count < 20; count += 1) await tx.intact([]);
    });
    assert.equal(await other, false);
    const second = await store.transaction(async (tx) => tx.get("WebhookDelivery", "id", "dlv_2"));
    assert.equal(second?.["nextAttemptAt"], null);
  } finally {
    await store.close();
  }
});
