/** Tests that the SQLite and the memory store return the same results for any sequence of operations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Value } from "../../expression/evaluate.ts";
import { rowArbitrary } from "../../../test/store/contract.ts";
import { callersView, expression, oddView, tables, fullView } from "../../../test/store/contract-tables.ts";
import { openMemoryStore } from "../memory/open.ts";
import type { ListQuery, Row, Store, Transaction } from "../port/store.ts";
import { openSqliteStore } from "./open.ts";

type Step =
  | { readonly kind: "insert"; readonly key: string; readonly values: Row }
  | { readonly kind: "update"; readonly key: string; readonly changes: Row }
  | { readonly kind: "link"; readonly key: string; readonly parent: string }
  | { readonly kind: "delete"; readonly key: string }
  | { readonly kind: "delete-site" | "choose" };

interface Batch {
  readonly steps: readonly Step[];
  readonly fails: boolean;
}

const variables = { caller: { id: "ann", roles: ["x"] }, now: "2026-06-01T00:00:00.000Z", input: { count: 1 } };
const keys = fc.constantFrom("a", "b", "c", "d", "e");
const maybe = fc.option(fc.constantFrom(-1, 0, 1, 2), { nil: null });

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("insert"), key: keys, values: rowArbitrary() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("update"),
      key: keys,
      changes: fc.record({ count: maybe, maybe, slug: fc.constantFrom("a", "b", null) }, { requiredKeys: [] }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("link"), key: keys, parent: keys }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), key: keys }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: "delete-site" }, { kind: "choose" }) },
) as fc.Arbitrary<Step>;

const batches: fc.Arbitrary<readonly Batch[]> = fc.array(
  fc.record({ steps: fc.array(steps, { maxLength: 5 }), fails: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);

const chosen = expression("Thing", "size == 'small' && (count == null || count < input.count)");

/** The result of a step as plain data. */
async function run(tx: Transaction, step: Step): Promise<unknown> {
  const view = fullView("Thing");
  switch (step.kind) {
    case "insert":
      if (step.values["site"] !== null && !(await tx.get("Site", "id", "s1"))) return "no site";
      return tx.insert("Thing", { ...step.values, id: step.key }, 1, view, variables);
    case "delete-site": {
      const site = await tx.get("Site", "id", "s1");
      return site && tx.delete("Site", site);
    }
    case "choose": {
      const row = await tx.first("Thing", chosen, variables);
      return row && tx.update("Thing", row, { count: 5 }, callersView, variables);
    }
    case "update":
    case "link":
    case "delete": {
      const row = await tx.get("Thing", "id", step.key);
      if (!row) return "nothing";
      if (step.kind === "delete") return tx.delete("Thing", row);
      if (step.kind === "update") return tx.update("Thing", row, step.changes, view, variables);
      const parent = await tx.get("Thing", "id", step.parent);
      return tx.update("Thing", row, { parent: parent ? step.parent : null }, view, variables);
    }
  }
}

async function runAll(store: Store, all: readonly Batch[]): Promise<unknown> {
  await store.transaction(async (tx) => tx.insert("Site", { id: "s1", name: "x" }, 1, fullView("Site"), {}));
  const settled = await Promise.allSettled(
    all.map((batch) =>
      store.transaction(async (tx) => {
        const outcomes: unknown[] = [];
        for (const step of batch.steps) outcomes.push(await run(tx, step));
        if (batch.fails) throw new RangeError(JSON.stringify(outcomes));
        return outcomes;
      }),
    ),
  );
  return settled.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)));
}

const queries: readonly ListQuery[] = [
  { resource: "Thing", view: callersView, sort: [], filters: [], from: "start" },
  { resource: "Thing", view: oddView, sort: [{ column: "count", descending: true }], filters: [], from: "start" },
  {
    resource: "Thing",
    view: fullView("Thing"),
    where: { any: [expression("Thing", "owner == caller.id"), expression("Thing", "site.name == 'x' && flag != true")] },
    sort: [{ column: "name", descending: false }, { column: "at", descending: true }],
    filters: [{ column: "ratio", operator: "gte" }],
    from: "start",
  },
]; // biome-ignore format: a table

async function everything(store: Store): Promise<unknown> {
  const seen: unknown[] = [];
  for (const query of queries) {
    const filters: readonly Value[] = query.filters.map(() => 0.1);
    let page = await store.list(query)({ limit: 2, filters }, variables);
    const after = store.list({ ...query, from: "after" });
    for (; page.next; page = await after({ limit: 2, filters, after: page.next }, variables)) seen.push(page);
    seen.push(page);
  }
  return seen;
}

test("sqlite and memory agree", async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (all) => {
      // Each clock advances when read, so the stores must read it equally often.
      const options = () => {
        let time = 1000;
        return { tables, clock: () => time++ };
      };
      // No slices: a statement that runs again on a thread would read the clock again.
      const sliceMilliseconds = Number.POSITIVE_INFINITY;
      const stores = [
        await openMemoryStore(options()),
        await openSqliteStore({ file: ":memory:", sliceMilliseconds, ...options() }),
      ];
      const [memory, sqlite] = await Promise.all(
        stores.map(async (store) => [await runAll(store, all), await everything(store)]),
      );
      await Promise.all(stores.map((store) => store.close()));
      assert.deepEqual(sqlite, memory);
    }),
    { numRuns: 60 },
  );
});
