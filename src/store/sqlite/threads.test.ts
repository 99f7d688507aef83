/** Tests that a request ends at its deadline even while its thread is still starting. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { isLate } from "../port/error.ts";
import { openThreads, type Threads } from "./threads.ts";

/** A pragma that keeps SQLite busy for seconds before the thread's first task. */
const slow =
  "cache_size = 10; WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 8000000) SELECT max(n) FROM c";
const deadline = 50;

function slowThreads(t: TestContext): { readonly threads: Threads; readonly file: string } {
  const folder = mkdtempSync(join(tmpdir(), "nonet-threads-"));
  const file = join(folder, "data.db");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL");
  database.close();
  const settings = { file, tables: [], waitMilliseconds: 1000, pragmas: [slow] };
  const threads = openThreads({ reading: settings, writing: settings, readers: 1, clock: () => 0 });
  t.after(async () => {
    await threads.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { threads, file };
}

test("R8.10 a read ends at its deadline while its thread starts", async (t) => {
  const { threads } = slowThreads(t);
  let started = false;
  // Fails once the thread has started: the table does not exist.
  const waiting = threads.read("read", {}, [], undefined).catch(() => (started = true));
  await assert.rejects(threads.read("read", {}, [], deadline), isLate);
  assert.equal(started, false);
  await waiting;
});

test("R8.10 a transaction ends at its deadline while its thread starts, and holds nothing afterwards", async (t) => {
  const { threads, file } = slowThreads(t);
  let started = false;
  const late = threads.begin(deadline);
  const waiting = threads.begin(undefined).then((long) => {
    started = true;
    return long.rollback();
  });
  await assert.rejects(late, isLate);
  assert.equal(started, false);
  await waiting;
  const database = new DatabaseSync(file, { timeout: 0 });
  database.exec("BEGIN IMMEDIATE");
  database.close();
});
