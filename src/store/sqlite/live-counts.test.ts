/** Tests two stores on one file: a write of one makes the other count again. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tables, tallied, fullView } from "../../../test/store/contract-tables.ts";
import type { Store } from "../port/store.ts";
import { openSqliteStore } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-tallies-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("R8.7 a quota is exact while two processes serve one file", async () => {
  const file = join(folder, "shared.db");
  const stores: Store[] = [];
  for (const _ of [1, 2]) stores.push(await openSqliteStore({ file, tables, clock: () => 1 }));
  const add = (store: Store, resource: string, row: Readonly<Record<string, string | number>>): Promise<number> =>
    store.transaction(async (tx) => {
      await tx.insert(resource, row, 1, fullView(resource), {});
      return resource === "Locker" ? tallied(tx, "s1", ["free"], 99) : 0;
    });
  const [one, other] = stores as [Store, Store];
  await add(one, "Site", { id: "s1", name: "North" });
  const counts: number[] = [];
  for (const [door, store] of [one, one, other, one, other, other, one].entries())
    counts.push(await add(store, "Locker", { id: `l${door}`, site: "s1", door, state: "free" }));
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 6, 7]);
  for (const store of stores) await store.close();
});
