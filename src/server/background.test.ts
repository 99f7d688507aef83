/** Tests that a failing purge is reported if an operator can fix it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../store/port/error.ts";
import { purge } from "./background.ts";

test("a mistake is reported; what passes, and what the store's own failures tell, is left to the next time", async () => {
  for (const [thrown, isReported] of [
    [new TypeError("a mistake"), true],
    [new StoreError("busy", "another process is writing"), false],
    [new StoreError("unreachable", "the server is away"), false],
    [new StoreError("disk", "the disk is full"), false],
    [new StoreError("corrupt", "the file is damaged"), true],
  ] as const) {
    const told: unknown[] = [];
    const journal = { trim: () => assert.fail("nothing is trimmed after that") };
    const store = { acquireLease: () => true, purge: () => Promise.reject(thrown), journal };
    const clock = { now: () => 1 };
    await purge({ store, clock, retentionMilliseconds: 1, report: (failure) => told.push(failure) });
    assert.deepEqual(told, isReported ? [thrown] : [], thrown.message);
  }
});

test("the journal is trimmed by what is kept of it, by the process that leads alone", async () => {
  const done: (readonly [string, number])[] = [];
  const storeOf = (leads: boolean) => ({
    acquireLease: () => leads,
    purge: (now: number) => void done.push(["purge", now]),
    journal: { trim: (before: number) => void done.push(["trim", before]) },
  });
  for (const leads of [false, true])
    await purge({
      store: storeOf(leads),
      clock: { now: () => 100 },
      retentionMilliseconds: 40,
      report: assert.ifError,
    });
  assert.deepEqual(done, [
    ["purge", 100],
    ["trim", 60],
  ]);
});
