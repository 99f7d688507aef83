/** The store's metrics while transactions run on a real PostgreSQL, compared with the server's own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import pg from "pg";
import { createMetrics } from "../../src/observability/metrics.ts";
import { metricsText } from "../../src/observability/metrics-prometheus.ts";
import { createBacklog, watchService } from "../../src/observability/service-metrics.ts";
import { timedStore } from "../../src/observability/timed-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { documentOf } from "../enforced/document.ts";
import { startPostgres } from "../postgres/server.ts";
import { planOf } from "../serve/running.ts";
import { readExposition, valueOf } from "./exposition.ts";

test("connections in use, what waits for one, and what is begun again are told as they are", async () => {
  await using server = await startPostgres();
  const observer = new pg.Client({ connectionString: server.address });
  await observer.connect();
  const plan = planOf(documentOf({}));
  const failed: string[] = [];
  const store = timedStore(
    await openPostgresStore({ address: `${server.address}?connections=6`, tables: plan.tables, clock: Date.now }),
    { done: () => {}, failed: (kind) => failed.push(kind) },
  );
  const figures = createMetrics();
  const seen = { plan, store, service: { streams: () => 0 }, background: { lag: () => Promise.resolve(0) } };
  watchService(figures, () => seen, createBacklog(Date.now), Date.now);
  const told = async (): Promise<readonly (number | undefined)[]> => {
    const families = readExposition(metricsText(await figures.read()));
    const value = (name: string, labels = {}) => valueOf(families, `nonet_store_${name}`, labels);
    const [used, idle] = [value("connections", { state: "used" }), value("connections", { state: "idle" })];
    const sql = "SELECT count(*)::int AS open FROM pg_stat_activity WHERE application_name = 'nonet'";
    // A server lists a connection for a moment after its end.
    if ((used ?? 0) + (idle ?? 0) !== (await observer.query<{ open: number }>(sql)).rows[0]?.open) return told();
    return [used, value("waiting"), value("retries_total")];
  };
  assert.deepEqual(await told(), [0, 0, 0]);

  // Of six connections four are for transactions.
  let inHand = 0;
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  const running = Array.from({ length: 6 }, () => {
    return store.transaction(async (tx) => {
      await tx.get("Thing", "id", "thi_1");
      inHand += 1;
      await gate;
      return tx.get("Thing", "id", "thi_1");
    });
  });
  while (inHand < 4) await pass(5);
  assert.deepEqual(await told(), [4, 2, 0]);

  const cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'nonet' AND state = 'idle in transaction' LIMIT 1"; // biome-ignore format: a statement
  assert.equal((await observer.query(cut)).rowCount, 1);
  open();
  assert.deepEqual(await Promise.all(running), Array.from({ length: 6 }));
  assert.deepEqual(await told(), [0, 0, 1]);
  assert.deepEqual(failed, [], "what was begun again has not failed");
  await store.close();
  await observer.end();
});
