/** Log lines about an unavailable store: the reason, once, and its recovery. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, type Line } from "../../src/observability/log.ts";
import { createRedact } from "../../src/observability/redact.ts";
import { createStoreTrouble } from "../../src/observability/store-failures.ts";
import { timedStore } from "../../src/observability/timed-store.ts";
import { openMemoryStore } from "../../src/store/memory/open.ts";
import { openConnections } from "../../src/store/postgres/connection.ts";
import { parseDatabaseUrl } from "../../src/store/postgres/database-url.ts";
import { StoreError } from "../../src/store/port/error.ts";

const redact = createRedact([]);

test("why a store is away is told once, and that it is back; what comes and goes fills no log", () => {
  let now = 0;
  const lines: Line[] = [];
  const log = createLog({ write: (line) => void lines.push(line), close: () => Promise.resolve() }, { level: "warn", now: () => now, redact }); // biome-ignore format: short
  const trouble = createStoreTrouble(log, redact, () => now);
  const away = new StoreError("unreachable", "x of y on db: the server cannot be reached", [], new Error("connect ECONNREFUSED 10.0.0.7:5432")); // biome-ignore format: short
  const told = (): readonly unknown[] => lines.splice(0).map(({ message, members }) => [message, members]);
  trouble.recovered();
  assert.deepEqual(told(), []);
  for (now = 1000; now < 4000; now += 1000) trouble.failed(away);
  assert.deepEqual(told(), [
    ["store unreachable", { why: "x of y on db: the server cannot be reached: connect ECONNREFUSED 10.0.0.7:5432" }],
  ]);
  trouble.recovered();
  trouble.recovered();
  assert.deepEqual(told(), [["store works again", { seconds: 3, failures: 3 }]]);
  // Every other request: one line in ten seconds, and the same of what ends it.
  for (; now < 31_000; now += 100) {
    trouble.failed(new StoreError("busy", "no connection was free in time"));
    trouble.recovered();
  }
  assert.deepEqual(lines.splice(0).map(({ message }) => message), ["store busy", "store works again", "store busy", "store works again"]); // biome-ignore format: short
  now += 60_000;
  for (const kind of ["disk", "closed", "corrupt"] as const) trouble.failed(new StoreError(kind, "told elsewhere"));
  assert.deepEqual(told(), []);
});

test("what a real driver says of a server that is not there has its address, and no password", async () => {
  const lines: Line[] = [];
  const log = createLog({ write: (line) => void lines.push(line), close: () => Promise.resolve() }, { level: "warn", now: Date.now, redact }); // biome-ignore format: short
  const trouble = createStoreTrouble(log, redact, () => 0);
  const connections = openConnections(parseDatabaseUrl("postgres://ann:hunter22@127.0.0.1:1/shop"));
  await assert.rejects(connections.rows("SELECT 1"), (thrown) => {
    trouble.failed(thrown as StoreError);
    return true;
  });
  await connections.close();
  const [line] = lines;
  assert.match(String(line?.members["why"]), /cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1$/);
  assert.doesNotMatch(JSON.stringify(lines), /hunter22/);
});

test("who cannot be told who calls is a failure of the store, too, although no other work is begun", async () => {
  const memory = await openMemoryStore({ tables: [], clock: Date.now });
  const away = (): Promise<never> => Promise.reject(new StoreError("unreachable", "the server cannot be reached"));
  const failed: string[] = [];
  const store = timedStore(
    { ...memory, keys: { ...memory.keys, find: away }, sessions: { ...memory.sessions, find: away } },
    { done: () => {}, failed: (kind) => failed.push(kind) },
  );
  await assert.rejects(async () => store.keys.find("a"), { name: "StoreError" });
  await assert.rejects(async () => store.sessions.find("a"), { name: "StoreError" });
  assert.deepEqual(failed, ["unreachable", "unreachable"]);
  assert.deepEqual(await store.keys.list(), []);
  await store.close();
});
