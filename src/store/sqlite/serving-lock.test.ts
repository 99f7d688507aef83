/** Tests that one store at a time serves a file, and that the end of its process releases the lock. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tablesOf } from "../../../test/migrate/jobs.ts";
import type { Store } from "../port/store.ts";
import { openSqliteStore } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-serving-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const tables = tablesOf({});

function open(name: string, serving = true): Promise<Store> {
  const file = join(folder, name);
  return openSqliteStore({ file, tables, serving, clock: Date.now, waitMilliseconds: 100 });
}

test("a second store that serves a file is refused, by whatever path, until the first is closed", async () => {
  const first = await open("one.db");
  symlinkSync(join(folder, "one.db"), join(folder, "link.db"));
  for (const name of ["one.db", "link.db"]) {
    await assert.rejects(open(name), {
      kind: "busy",
      message: `another process serves ${realpathSync(join(folder, name))}, and only one can: stop that one first, or have several serve one PostgreSQL database (--data postgres://…)`,
    });
  }
  const beside = await open("one.db", false);
  assert.equal(await beside.ready(), true);
  await beside.close();
  await (await open("other.db")).close();
  await first.close();
  assert.equal(existsSync(join(folder, "one.db-serving")), false);
  await (await open("link.db")).close();
});

test("of stores that follow one another at once one serves at a time", async () => {
  let serving = 0;
  let served = 0;
  const one = async (): Promise<void> => {
    const store = await openSqliteStore({
      file: join(folder, "queue.db"),
      tables,
      serving: true,
      clock: Date.now,
      waitMilliseconds: 60_000,
    });
    serving += 1;
    served += 1;
    assert.equal(serving, 1);
    await store.ready();
    serving -= 1;
    await store.close();
  };
  await Promise.all(Array.from({ length: 12 }, one));
  assert.equal(served, 12);
});

test("a store that could not be opened serves nothing", async () => {
  const first = await open("fits.db");
  await first.close();
  const file = join(folder, "fits.db");
  const others = tablesOf({ fields: ["id: id(job)", "ref: text"] });
  await assert.rejects(openSqliteStore({ file, tables: others, serving: true, clock: Date.now }), { kind: "incompatible" }); // biome-ignore format: short
  await (await open("fits.db")).close();
});
