/** Tests that the number of prepared statements is bounded, although callers choose the changed members and the filters. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { StatementSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { queryObjects } from "node:v8";
import { expression, tables, sampleRow, fullView } from "../../../test/store/contract-tables.ts";
import type { Row, Store } from "../port/store.ts";
import { openSqliteStore } from "./open.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-statements-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const times = 4000;
const atOnce = 100;
const most = 2500;
/** A change of all members. */
const values: Row = {
  ...{ owner: "bo", name: "other", note: "n", title: "t", size: "large", count: 1, ratio: 0.25, maybe: 0.5 },
  ...{ flag: true, tags: ["a"], photo: { bytes: 1 }, secret: "s", placed: true },
};

/** The members whose bits are set. */
const subset = (bits: number): Row =>
  Object.fromEntries(Object.entries(values).filter((_, at) => ((bits >> at) & 1) === 1));

const askedFor: Readonly<Record<string, (store: Store, index: number) => Promise<unknown>>> = {
  "changes, each of other members": (store, index) =>
    store.transaction(async (tx) => {
      const row = await tx.get("Thing", "id", "t1");
      assert.ok(row);
      await tx.update("Thing", row, subset(index), { resource: "Thing", members: [] }, {});
    }),
  "lists, each with another condition": async (store, index) => {
    const where = { all: [expression("Thing", `count == ${index}`)] };
    const list = store.list({
      resource: "Thing",
      view: fullView("Thing"),
      where,
      sort: [],
      filters: [],
      from: "start",
    });
    await list({ limit: 1, filters: [] }, {});
  },
};

for (const [name, ask] of Object.entries(askedFor)) {
  test(name, async () => {
    const store = await openSqliteStore({ file: join(folder, `${name}.db`), tables, clock: () => 1 });
    await store.transaction(async (tx) => tx.insert("Thing", sampleRow("t1"), 1, fullView("Thing"), {}));
    const before = queryObjects(StatementSync, { format: "count" });
    for (let asked = 0; asked < times; asked += atOnce)
      await Promise.all(Array.from({ length: atOnce }, (_, at) => ask(store, asked + at + 1)));
    const kept = queryObjects(StatementSync, { format: "count" }) - before;
    assert.ok(kept < most, `${kept} of ${times}`);
    await store.close();
  });
}
