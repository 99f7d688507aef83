/** Load beyond the capacity is rejected before it costs anything (R8.9), while health requests are still served. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoad } from "../../src/runtime/limits/load-shedding.ts";
import { ApiError } from "../../src/runtime/errors/api-error.ts";
import { StoreError } from "../../src/store/port/error.ts";
import type { Store } from "../../src/store/port/store.ts";
import { serve, stores } from "./scenario.ts";
import { aTool, peopleOf, toolLibrary } from "./tool-library.ts";

const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(Math.floor(Math.random() * 256));

test("two late turns in a row are too much, one is not, and the next that is in time ends it", () => {
  const load = createLoad({ random, now: () => 0 });
  const rows: readonly (readonly [late: number, refused: boolean])[] = [
    [0, false], [9_000, false], [0, false], [1_001, false], [1_001, true], [9_000, true], [1_000, false], [1_001, false], [0, false],
  ]; // biome-ignore format: a table
  for (const [late, refused] of rows) {
    load.late(late);
    if (refused) assert.throws(() => load.assertRoom(), ApiError);
    else load.assertRoom();
  }
});

test("so many may be under way, and when they are done, others", async () => {
  const load = createLoad({ random, now: () => 0 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const all = Array.from({ length: 4096 }, () => {
    load.assertRoom();
    return load.during(() => promise);
  });
  assert.throws(() => load.assertRoom(), { code: "overloaded" });
  resolve();
  await Promise.all(all.map(async (one) => one));
  load.assertRoom();
  await assert.rejects(load.during(() => Promise.reject(new Error("it failed"))));
  load.assertRoom();
});

test("`Retry-After` is not the same for all", () => {
  let next = 0;
  const load = createLoad({ random: () => new Uint8Array([next++ % 256]), now: () => 0 });
  const seconds = new Set(Array.from({ length: 256 }, () => load.retryAfter()[1]));
  assert.deepEqual(seconds, new Set(["1", "2", "3", "4", "5"]));
});

test("a disk that fails is told once a minute, also when the clock goes back", () => {
  let now = 1_000_000;
  const load = createLoad({ random, now: () => now });
  const disk = new StoreError("disk", "the disk is full");
  const told = (): string => load.failed(disk);
  assert.equal(load.failed(new Error("else")), "other");
  assert.equal(load.impaired, false);
  assert.deepEqual([told(), told()], ["lasting, not told", "lasting, told"]);
  assert.equal(load.impaired, true);
  now += 60_000;
  assert.deepEqual([told(), told()], ["lasting, not told", "lasting, told"]);
  now -= 3_600_000;
  assert.deepEqual([told(), told()], ["lasting, not told", "lasting, told"]);
  load.wrote();
  assert.equal(load.impaired, false);
  assert.equal(load.failed(new StoreError("corrupt", "damaged")), "other");
  load.wrote();
  assert.equal(load.impaired, true, "what is damaged stays so");
});

for (const store of stores) {
  test(`R8.9 a loop that does not keep up: 503 with Retry-After, before anybody is asked who they are; health is served (${store})`, async () => {
    let transactions = 0;
    const around = (inner: Store): Store => ({
      ...inner,
      transaction: (work) => {
        transactions += 1;
        return inner.transaction(work);
      },
    });
    await using subject = await serve(toolLibrary, { store, around });
    const who = await peopleOf(subject);
    const send = (method: string, path: string, headers: object = {}) =>
      subject.client.send({ method, path, headers: { ...headers }, ...(method === "POST" ? { body: aTool() } : {}) });
    for (const late of [2_000, 2_000]) await subject.running.tick(late);
    for (const headers of [{}, who.keeper]) {
      for (const method of ["GET", "POST"]) {
        const reply = await send(method, "/tools", headers);
        assert.equal(reply.status, 503, reply.text);
        assert.equal((reply.json as { code: string }).code, "overloaded");
        assert.match(reply.headers["retry-after"] ?? "", /^[1-5]$/);
      }
    }
    assert.equal(transactions, 0);
    for (const path of ["/livez", "/readyz"]) assert.equal((await send("GET", path)).status, 200);
    assert.equal((await send("GET", "/nothing/here")).status, 404, "what is wrong anyway stays wrong (R0.1)");
    await subject.running.tick(0);
    assert.equal((await send("GET", "/tools", who.keeper)).status, 200);
    assert.deepEqual(subject.running.failures, []);
  });
}
