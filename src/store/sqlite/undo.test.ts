/** Tests that a failed task in a group leaves every table as if it had never run, whatever it wrote and however it is undone. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tables, sampleRow, fullView } from "../../../test/store/contract-tables.ts";
import type { JournalEntry, StoredResponse, Row, Transaction } from "../port/store.ts";
import { openSqliteStore } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-undo-"));
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

type Step = (tx: Transaction) => Promise<unknown>;

const insert =
  (resource: string, row: Row): Step =>
  async (tx) =>
    tx.insert(resource, row, 5, fullView(resource), {});
const update =
  (id: string, changes: Row): Step =>
  async (tx) => {
    const row = await tx.get("Thing", "id", id);
    assert.ok(row);
    return tx.update("Thing", row, changes, fullView("Thing"), {});
  };
const entry: JournalEntry = { at: 1, resource: "Thing", record: "t1", by: "u", cause: "c", event: "e", data: { a: 1 } };
const answer: StoredResponse = { fingerprint: "f", status: 200, headers: {}, body: "{}", expires: 99 };

const steps: Readonly<Record<string, Step>> = {
  "a new record": insert("Thing", sampleRow("new")),
  "a new record that others refer to": insert("Site", { id: "s9", name: "Other" }),
  "a change": update("t1", { name: "other", count: 7, tags: ["a", "b"] }),
  "a change to nothing": update("t1", { note: null, flag: null }),
  "two changes": async (tx) => {
    await update("t1", { name: "one" })(tx);
    await update("t1", { name: "two", count: 3 })(tx);
  },
  "a record that time moves": insert("Ticket", { id: "k1", state: "open", until: "2026-06-01T00:00:00.000Z" }),
  "an entry": async (tx) => tx.record(entry),
  "an answer": async (tx) => tx.saveResponse("scope", "key", answer),
  "a count that is there": async (tx) => tx.count("quota", "there", 1, 50),
  "a count that is over": async (tx) => tx.count("quota", "over", 60, 90),
  "a new count": async (tx) => tx.count("quota", "new", 1, 50),
  "two counts": async (tx) => {
    await tx.count("quota", "two", 1, 50);
    await tx.count("quota", "two", 1, 50);
  },
  "a record deleted": async (tx) => {
    const row = await tx.get("Thing", "id", "t2");
    assert.ok(row);
    return tx.delete("Thing", row);
  },
  "a place in the journal": async (tx) => tx.setOffset("reader", 4),
};

const file = join(folder, "store.db");
const store = await openSqliteStore({ file, tables, clock: () => 1 });
await store.transaction(async (tx) => {
  await insert("Site", { id: "s1", name: "North" })(tx);
  for (const id of ["t1", "t2"]) await insert("Thing", sampleRow(id, { note: "n", flag: true }))(tx);
  await tx.count("quota", "there", 1, 50);
  await tx.count("quota", "over", 1, 50);
});

/** The contents of all tables, without expired counts. */
function everything(): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const held = names.map(({ name }) => {
    const alive = name === "nonet_counts" ? "WHERE key <> 'over'" : "";
    return [name, database.prepare(`SELECT * FROM "${String(name)}" ${alive}`).all()];
  });
  database.close();
  return held;
}

/** Runs the steps between two other tasks in one group, which write existing values. */
async function fail(...failing: readonly Step[]): Promise<void> {
  const [before, failed, behind] = await Promise.allSettled([
    store.transaction(async (tx) => tx.setOffset("beside", 1)),
    store.transaction(async (tx) => {
      for (const step of failing) await step(tx);
      throw new RangeError("meant to fail");
    }),
    store.transaction(async (tx) => tx.setOffset("beside", 1)),
  ]);
  assert.deepEqual([before.status, behind.status], ["fulfilled", "fulfilled"]);
  assert.equal(failed.status === "rejected" && String(failed.reason), "RangeError: meant to fail");
}

await fail();
const untouched = everything();

for (const [first, one] of Object.entries(steps)) {
  test(`${first}, by itself and before each of the others`, async () => {
    await fail(one);
    assert.deepEqual(everything(), untouched, first);
    for (const [second, other] of Object.entries(steps)) {
      if (other === one) continue;
      await fail(one, other);
      assert.deepEqual(everything(), untouched, `${first}, then ${second}`);
    }
  });
}
