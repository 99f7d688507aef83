/** A third-party client follows the stream: across a restart, a changed document, and from another process. */
import assert from "node:assert/strict";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { TestContext } from "node:test";
import { EventSource } from "eventsource";
import { startPostgres } from "../postgres/server.ts";
import { finishedHere, nonet, root, temporaryFolder } from "./process.ts";
import type { Running } from "./process.ts";

interface Served {
  readonly running: Running;
  readonly url: string;
  readonly port: string;
}

/** `more` may name other data. */
async function serve(t: TestContext, folder: string, port = "0", ...more: string[]): Promise<Served> {
  const data = more.includes("--data") ? [] : ["--data", "orders.db"];
  const running = nonet(t, ["serve", "orders.md", ...data, "--port", port, ...more], { folder });
  const [, url = "", given = ""] = await running.says(/(http:\/\/127\.0\.0\.1:(\d+))/);
  return { running, url, port: given };
}

async function ordersIn(
  t: TestContext,
  data = "orders.db",
): Promise<{ readonly folder: string; readonly key: string }> {
  const folder = temporaryFolder(t);
  copyFileSync(join(root, "test/serve/documents/orders.md"), join(folder, "orders.md"));
  const made = ["key", "create", "orders.md", "--data", data, "--user", "ann", "--role", "shop"];
  const { output } = await finishedHere(made, { folder });
  const [key] = /or_\w+/.exec(output) ?? assert.fail(output);
  return { folder, key };
}

interface Followed {
  readonly source: EventSource;
  readonly notes: readonly string[];
  until(count: number): Promise<void>;
  /** When it is open again, after it was not. */
  reopened(): Promise<void>;
}

function followOrders(t: TestContext, url: string, key: string): Followed {
  const notes: string[] = [];
  const source = new EventSource(`${url}/events`, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } }),
  });
  t.after(() => source.close());
  const waiting = new Set<() => void>();
  source.addEventListener("order.placed", ({ data, lastEventId }) => {
    const event = JSON.parse(data as string) as { id: string; data: { note: string } };
    assert.equal(event.id, lastEventId);
    notes.push(event.data.note);
    for (const look of waiting) look();
  });
  return {
    source,
    notes,
    until(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (notes.length >= count) resolve();
      };
      waiting.add(look);
      look();
      return promise;
    },
    reopened: () => new Promise((resolve) => source.addEventListener("open", () => resolve(), { once: true })),
  };
}

async function order(url: string, key: string, note: string): Promise<void> {
  const reply = await fetch(`${url}/orders`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ email: "x@example.com", margin: 1, note }),
  });
  assert.equal(reply.status, 201, await reply.text());
}

test("R6.16 over a restart with the same data nothing is missed and nothing comes twice", async (t) => {
  const { folder, key } = await ordersIn(t);
  const first = await serve(t, folder);
  const followed = followOrders(t, first.url, key);
  await followed.reopened();
  for (const note of ["one", "two"]) await order(first.url, key, note);
  await followed.until(2);
  first.running.signal("SIGKILL");
  await first.running.ended;
  const back = followed.reopened();
  const second = await serve(t, folder, first.port);
  // Before the client is back, and after.
  await order(second.url, key, "three");
  await back;
  await order(second.url, key, "four");
  await followed.until(4);
  second.running.signal("SIGTERM");
  assert.equal(await second.running.ended, 0);
  const third = await serve(t, folder, first.port);
  await order(third.url, key, "five");
  await followed.until(5);
  assert.deepEqual(followed.notes, ["one", "two", "three", "four", "five"]);
});

test("a document that has changed ends streams, and their clients go on with the new one", async (t) => {
  const { folder, key } = await ordersIn(t);
  const served = await serve(t, folder, "0", "--watch");
  const followed = followOrders(t, served.url, key);
  await followed.reopened();
  await order(served.url, key, "before");
  await followed.until(1);
  const file = join(folder, "orders.md");
  const back = followed.reopened();
  writeFileSync(file, readFileSync(file, "utf8").replace("string(1..80)", "string(1..90)"));
  await back;
  await order(served.url, key, "a".repeat(85));
  await followed.until(2);
  assert.deepEqual(followed.notes, ["before", "a".repeat(85)]);
});

test("what another process writes comes too", async (t) => {
  await using server = await startPostgres();
  const { folder, key } = await ordersIn(t, server.address);
  const one = await serve(t, folder, "0", "--data", server.address);
  const other = await serve(t, folder, "0", "--data", server.address);
  const followed = followOrders(t, one.url, key);
  await followed.reopened();
  for (const [served, note] of [
    [other, "there"],
    [one, "here"],
    [other, "there again"],
  ] as const) {
    await order(served.url, key, note);
  }
  await followed.until(3);
  assert.deepEqual(followed.notes, ["there", "here", "there again"]);
});

test("a client whose key is revoked stops", async (t) => {
  const { folder, key } = await ordersIn(t);
  const served = await serve(t, folder);
  const followed = followOrders(t, served.url, key);
  await followed.reopened();
  const revoking = ["key", "revoke", "orders.md", "--data", "orders.db", "--user", "ann"];
  assert.equal((await finishedHere(revoking, { folder })).code, 0);
  const code = await new Promise((resolve) => {
    followed.source.addEventListener("error", (event) => {
      if (event.code !== undefined) resolve(event.code);
    });
  });
  assert.equal(code, 401);
  assert.equal(followed.source.readyState, EventSource.CLOSED);
});
