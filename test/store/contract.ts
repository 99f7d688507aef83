/** The test suite of every store implementation. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Value, Variables } from "../../src/expression/evaluate.ts";
import type { FilterOperator } from "../../src/plan/endpoints/types.ts";
import type { Table } from "../../src/plan/resources/types.ts";
import { fieldEquals } from "../../src/expression/typed.ts";
import { isPassing } from "../../src/store/port/error.ts";
import {
  callersView,
  expectedText,
  expression,
  nestedView,
  oddView,
  tables,
  tallied,
  sampleRow,
  fullView,
} from "./contract-tables.ts";
import type {
  Awaitable,
  JournalEntry,
  ListQuery,
  Page,
  PageArguments,
  Row,
  SortKey,
  Store,
  Transaction,
  Written,
} from "../../src/store/port/store.ts";

export interface ContractOptions {
  readonly tables: readonly Table[];
  readonly clock: () => number;
}

type FilterCase = readonly [column: string, operator: FilterOperator, value: PageArguments["filters"][number]];

const start = Date.parse("2026-06-01T12:00:00.000Z");

export const hostileTexts: readonly string[] = [
  "",
  "null",
  '"',
  "'; DROP TABLE things; --",
  "\\",
  "\\u0041",
  "\u0001\u001f\b\f\n\r\t",
  "\u007f\u0080\u2028\u2029\ufeff\ufffd",
  "日本語 🦊 e\u0301",
  '{"a":1}',
  "[1,2]",
  "1.0",
  "NaN",
  "<script>&amp;</script>",
  "x".repeat(10_000),
];

export const oddNumbers: readonly number[] = [
  0, 5, -5, 0.1, 0.1 + 0.2, 1 / 3, 2 / 3, 1e-7, 1.5e-9, 0.0001, 0.00012345, 1e15, 1e16, 1e21, 1.5e300, 5e-324, 2 ** 53,
  2 ** 53 - 1, 2 ** 60, -(2 ** 53), 123456789012345.6, 72.35, 19.99, 1.7976931348623157e308, 100, 1e-4, 9.999e-5,
]; // biome-ignore format: a table

/** What a store does beyond its port, which the suite then holds it to. */
export interface ContractOf {
  /** Transactions that are begun together are done one after another, in that order. */
  readonly serial: boolean;
}

/** `open` gives an empty store each time. */
export function contract(
  name: string,
  open: (options: ContractOptions) => Promise<Store>,
  { serial }: ContractOf = { serial: true },
): void {
  /** Where transactions are done in whatever order, only what comes of all of them is compared. */
  const normal = <T>(outcomes: readonly T[]): readonly T[] =>
    serial ? outcomes : outcomes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const it = (what: string, body: (store: Store, clock: { now: number }) => Promise<void>): void => {
    void test(what, async () => {
      const clock = { now: start };
      const store = await open({ tables, clock: () => clock.now });
      try {
        await body(store, clock);
      } finally {
        await store.close();
      }
    });
  };

  void describe(`${name}: records and their texts`, () => {
    it("a record is written and read as the same text", async (store) => {
      await addSite(store, "s1");
      const values = sampleRow("t1", {
        site: "s1",
        parent: null,
        note: "n",
        title: null,
        count: 2 ** 53 - 1,
        ratio: 5,
        maybe: -0.25,
        flag: false,
        at: "2026-01-01T00:00:00.000Z",
        tags: ["a", { deep: [1, null, true] }],
        secret: "hush",
        slug: "one",
        placed: true,
      });
      const written = await add(store, "Thing", values);
      assert.equal(written.text, expectedText("Thing", values));
      assert.equal(written.row["_seq"], 1);
      assert.equal(written.revision, 7);
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      assert.deepEqual(await read("t1", {}), { text: expectedText("Thing", values), revision: 7 });
      assert.equal(await read("t2", {}), undefined);
      assert.equal(await read("T1", {}), undefined);
    });

    it("what is told of all records is of those that are committed, where the condition holds", async (store) => {
      const normal = (source: string) => ({ kind: "expression", expression: expression("Thing", source) }) as const;
      const readAggregate = store.aggregate({
        members: [
          { name: "names", source: normal("Thing.map(t, t.name)"), type: "json", absent: "null" },
          {
            name: "sums",
            source: {
              kind: "object",
              members: [{ name: "small", source: normal("Thing.size()"), type: "integer", absent: "null" }],
            },
            type: "json",
            absent: "null",
          },
          {
            name: "hidden",
            source: normal("Thing.size()"),
            type: "integer",
            absent: "null",
            when: [expression("Thing", "caller.id == 'ann'")],
          },
        ],
        where: { any: [expression("Thing", "caller.id != 'bob'")] },
      });
      assert.equal(await readAggregate({ caller: { id: "cid" } }), '{"names":[],"sums":{"small":0}}');
      await add(store, "Thing", sampleRow("t1"));
      assert.equal(
        await readAggregate({ caller: { id: "ann" } }),
        '{"names":["thing t1"],"sums":{"small":1},"hidden":1}',
      );
      assert.equal(await readAggregate({ caller: { id: "bob" } }), undefined);
    });

    it("absent values are left out or null, as the view says", async (store) => {
      const { text } = await add(store, "Thing", sampleRow("t1"));
      assert.equal(
        text,
        '{"id":"t1","owner":"ann","name":"thing t1","title":null,"size":"small","ratio":0.5,"maybe":null,"flag":null}',
      );
    });

    it("hostile texts come back as they went in, in columns and inside JSON", async (store) => {
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      for (const [index, text] of hostileTexts.entries()) {
        const values = sampleRow(`t${index}`, {
          name: text,
          note: text,
          title: text,
          tags: [text, { [text]: text }],
          slug: text,
        });
        assert.equal((await add(store, "Thing", values)).text, expectedText("Thing", values));
        assert.equal((await read(`t${index}`, {}))?.text, expectedText("Thing", values));
        const bySlug = store.read({ resource: "Thing", key: "slug", view: fullView("Thing") });
        assert.equal((await bySlug(text, {}))?.text, expectedText("Thing", values));
      }
    });

    it("numbers are written as JSON.stringify writes them", async (store) => {
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      const check = async (key: string, ratio: number): Promise<void> => {
        const values = sampleRow(key, { ratio, maybe: ratio });
        assert.equal((await add(store, "Thing", values)).text, expectedText("Thing", values));
        assert.equal((await read(key, {}))?.text, expectedText("Thing", values));
      };
      for (const [index, number] of oddNumbers.entries()) await check(`t${index}`, number);
      const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
      let count = 0;
      await fc.assert(fc.asyncProperty(numbers, (number) => check(`p${count++}`, number === 0 ? 0 : number)));
      const decimals = fc.integer({ min: -(10 ** 12), max: 10 ** 12 });
      await fc.assert(fc.asyncProperty(decimals, (number) => check(`p${count++}`, number / 1000)));
    });

    it("the texts of reads and of writes are one for any record and any view", async (store) => {
      await addSite(store, "s1");
      await add(store, "Locker", { id: "l1", site: "s1", door: 1, state: "free" });
      const variables = { caller: { id: "ann", roles: ["x"] }, now: "2026-06-01T00:00:00.000Z", input: null };
      let count = 0;
      const views = [fullView("Thing"), callersView, oddView];
      const reads = views.map((view) => store.read({ resource: "Thing", key: "id", view }));
      await fc.assert(
        fc.asyncProperty(rowArbitrary(), async (values) => {
          const key = `t${count++}`;
          await store.transaction(async (tx) => {
            const written = await tx.insert(
              "Thing",
              { ...values, id: key, slug: null },
              1,
              fullView("Thing"),
              variables,
            );
            assert.ok(written.kind === "written");
          });
          const written = await store.transaction(async (tx) => {
            const row = await present(tx, "Thing", key);
            return Promise.all(views.map(async (view) => tx.view(row, view, variables)));
          });
          for (const [index, read] of reads.entries()) {
            assert.equal((await read(key, variables))?.text, written[index]);
          }
        }),
      );
    });

    it("a member with conditions is there for whom one of them is true", async (store) => {
      await add(store, "Thing", sampleRow("t1", { secret: "hush" }));
      const read = store.read({ resource: "Thing", key: "id", view: callersView });
      const isVisibleTo = async (id: string, roles: readonly string[]): Promise<boolean> =>
        (await read("t1", { caller: { id, roles } }))?.text.includes("hush") ?? false;
      assert.equal(await isVisibleTo("ann", []), true);
      assert.equal(await isVisibleTo("bob", ["courier", "operator"]), true);
      assert.equal(await isVisibleTo("bob", ["courier"]), false);
      assert.equal((await read("t1", { caller: null }))?.text.includes("hush"), false);
    });

    it("computed members", async (store) => {
      await addSite(store, "s1");
      for (const door of [1, 2]) await add(store, "Locker", { id: `l${door}`, site: "s1", door, state: "free" });
      const at = "2026-01-01T00:00:00.000Z";
      const values = sampleRow("t1", { site: "s1", ratio: 3, at, tags: ["x"] });
      const variables = { now: "2026-06-01T00:00:00.000Z", caller: null };
      const expected =
        '"label":"thing t1/small","siteName":"site s1","lockers":2,"half":1.5,"late":true,"labels":["x"],"until":"2026-01-01T01:00:00.000Z"}';
      const written = await store.transaction((tx) => put(tx.insert("Thing", values, 1, callersView, variables)));
      assert.ok(written.text.endsWith(expected), written.text);
      const read = store.read({ resource: "Thing", key: "id", view: callersView });
      assert.equal((await read("t1", variables))?.text, written.text);
    });
  });

  void describe(`${name}: nested records`, () => {
    const ann = { caller: { id: "ann", roles: [] } };
    const eve = { caller: { id: "eve", roles: [] } };

    async function addFamily(store: Store): Promise<void> {
      for (const site of ["s1", "s2"]) await addSite(store, site);
      // Not in the order of their ids: the order is that of creation.
      for (const [key, site, door] of [
        ["l9", "s1", 1],
        ["l1", "s1", 2],
        ["l5", "s2", 3],
      ] as const) {
        await add(store, "Locker", { id: key, site, door, state: "free" });
      }
      await add(store, "Thing", sampleRow("t1", { secret: "hush", ratio: 3 }));
      await add(store, "Thing", sampleRow("t2", { parent: "t1", site: "s1", secret: "psst" }));
      await add(store, "Thing", sampleRow("t3", { parent: "t2", site: "s2", owner: "bob" }));
      await add(store, "Thing", sampleRow("t4", { parent: "t2", owner: "bob" }));
      await add(store, "Thing", sampleRow("t5", { parent: "t2", site: "s1" }));
    }

    const about = (key: string, where: string, more: string): string =>
      `"about":{"name":"thing ${key}","title":null,"size":"small","where":${where},"label":"thing ${key}/small",${more}}`;
    const s1 = '{"name":"site s1"}';
    const s2 = '{"name":"site s2"}';
    const cases: readonly [id: string, who: Variables, text: string][] = [
      ["t1", ann, `{"id":"t1","owner":"ann",${about("t1", "null", '"siteName":null,"lockers":0')},"lockers":[],"sites":[${s1}],"latest":[{"id":"t2"}],"owners":[{"id":"t2"}]}`],
      ["t2", ann, `{"id":"t2","owner":"ann",${about("t2", s1, '"siteName":"site s1","lockers":2')},"site":${s1},"parent":{"id":"t1","secret":"hush","parent":null},"lockers":[{"door":1,"state":"free","at":${s1}},{"door":2,"state":"free","at":${s1},"mine":true}],"sites":[${s2},${s1}],"latest":[{"id":"t5"},{"id":"t4"},{"id":"t3"}],"owners":[{"id":"t1"}]}`],
      ["t3", eve, `{"id":"t3","owner":"bob",${about("t3", s2, '"siteName":"site s2","lockers":1')},"site":${s2},"parent":{"id":"t2","parent":{}},"lockers":[{"door":3,"state":"free","at":${s2}}],"sites":[],"latest":[],"owners":[{"id":"t1"},{"id":"t2"}],"hidden":[${s1},${s2}]}`],
    ]; // biome-ignore format: a table

    it("a record in it, lists of records, records in those; with what each caller sees", async (store) => {
      await addFamily(store);
      const read = store.read({ resource: "Thing", key: "id", view: nestedView });
      for (const [key, who, expected] of cases) {
        assert.equal((await read(key, who))?.text, expected);
        const written = await store.transaction(async (tx) =>
          tx.view(await present(tx, "Thing", key), nestedView, who),
        );
        assert.equal(written, expected);
      }
      const page = await store.list(listOf({ view: nestedView }))({ limit: 9, filters: [] }, ann);
      assert.equal(page.text.split(',{"id":"t1",')[1], cases[0]?.[2].slice('{"id":"t1",'.length));
      assert.equal(page.count, 5);
    });

    it("writes answer with what the transaction has made of the others so far", async (store) => {
      await addFamily(store);
      await store.transaction(async (tx) => {
        await put(tx.insert("Locker", { id: "l7", site: "s2", door: 1, state: "held" }, 1, fullView("Locker"), {}));
        const site = await present(tx, "Site", "s2");
        await put(tx.update("Site", site, { name: "moved" }, fullView("Site"), {}));
        const made = await put(tx.insert("Thing", sampleRow("t6", { site: "s2", parent: "t1" }), 1, nestedView, ann));
        assert.match(made.text, /"site":\{"name":"moved"\}.*"lockers":\[\{"door":3,.*"door":1,"state":"held"/);
        const changed = await put(tx.update("Thing", made.row, { site: "s1" }, nestedView, ann));
        assert.match(changed.text, /"site":\{"name":"site s1"\}/);
        await tx.delete("Locker", await present(tx, "Locker", "l9"));
        const after = await tx.view(changed.row, nestedView, ann);
        assert.match(after, /"lockers":\[\{"door":2,/);
      });
      const read = store.read({ resource: "Thing", key: "id", view: nestedView });
      assert.match((await read("t3", eve))?.text ?? "", /"site":\{"name":"moved"\}/);
    });

    it("the total is of all that fits, whatever the page", async (store) => {
      for (const key of ["t1", "t2", "t3", "t4", "t5"]) {
        await add(store, "Thing", sampleRow(key, { owner: key === "t3" ? "bob" : "ann", count: Number(key.slice(1)) }));
      }
      const where = { all: [expression("Thing", "owner == caller.id")] };
      const query = listOf({ counted: true, where, filters: [{ column: "count", operator: "gt" }] });
      const pages: readonly [PageArguments, Variables, count: number, total: number][] = [
        [{ limit: 2, filters: [0] }, ann, 2, 4],
        [{ limit: 2, filters: [1] }, ann, 2, 3],
        [{ limit: 2, filters: [9] }, ann, 0, 0],
        [{ limit: 2, filters: [0] }, eve, 0, 0],
      ];
      for (const [page, who, count, total] of pages) {
        const got = await store.list(query)(page, who);
        assert.deepEqual([got.count, got.total], [count, total]);
        const skipping = await store.list({ ...query, from: "skip" })({ ...page, skip: 3 }, who);
        assert.equal(skipping.total, total);
      }
      const after = await store.list({ ...query, from: "after" })({ limit: 2, filters: [0], after: [2] }, ann);
      assert.deepEqual([after.count, after.total], [1, 4]);
      const searched = await store.list(listOf({ counted: true, search: ["name"] }))(
        { limit: 1, filters: [], search: ["t4"] },
        ann,
      );
      assert.deepEqual([searched.count, searched.total], [1, 1]);
      assert.equal((await store.list(listOf({}))({ limit: 1, filters: [] }, ann)).total, undefined);
    });
  });

  void describe(`${name}: who sees what`, () => {
    const visible = {
      any: [
        expression("Thing", "owner == caller.id"),
        expression("Thing", "'operator' in caller.roles"),
        expression("Thing", "site.name == 'open'"),
        expression("Thing", "Locker.exists(l, l.site == site && l.state == 'held' && l.door == input.door)"),
      ],
    };
    const cases: readonly [who: Variables, isVisibleTo: readonly string[]][] = [
      [{ caller: { id: "ann", roles: [] } }, ["t1", "t3"]],
      [{ caller: { id: "bob", roles: [] } }, ["t2", "t3"]],
      [{ caller: { id: "eve", roles: ["operator"] } }, ["t1", "t2", "t3", "t4"]],
      [{ caller: { id: "eve", roles: [] } }, ["t3"]],
      [{ caller: null }, ["t3"]],
      [{ caller: { id: null, roles: null } }, ["t3"]],
      [{ caller: { id: "eve", roles: [] }, input: { door: 4 } }, ["t3", "t4"]],
      [{ caller: { id: "' OR 1=1 --", roles: [] } }, ["t3"]],
    ];
    it("a condition decides in reads and in lists alike", async (store) => {
      await store.transaction((tx) => put(tx.insert("Site", { id: "s1", name: "open" }, 1, fullView("Site"), {})));
      await addSite(store, "s2");
      await add(store, "Locker", { id: "l4", site: "s2", door: 4, state: "held" });
      const owners: Readonly<Record<string, Row>> = { t1: {}, t2: { owner: "bob" }, t3: { owner: "cat", site: "s1" } };
      for (const [key, more] of Object.entries(owners)) await add(store, "Thing", sampleRow(key, more));
      await add(store, "Thing", sampleRow("t4", { owner: "dan", site: "s2" }));
      const read = store.read({ resource: "Thing", key: "id", where: visible, view: fullView("Thing") });
      const list = store.list(listOf({ where: visible }));
      for (const [variables, isVisibleTo] of cases) {
        for (const key of ["t1", "t2", "t3", "t4"]) {
          assert.equal(
            (await read(key, variables)) !== undefined,
            isVisibleTo.includes(key),
            `${key} ${JSON.stringify(variables)}`,
          );
        }
        const page = await list({ limit: 10, filters: [] }, variables);
        assert.deepEqual(idsOf(page), isVisibleTo.toReversed());
        assert.equal(page.count, isVisibleTo.length);
      }
    });

    it("nobody sees what no condition allows", async (store) => {
      await add(store, "Thing", sampleRow("t1"));
      const read = store.read({ resource: "Thing", key: "id", where: { any: [] }, view: fullView("Thing") });
      assert.equal(await read("t1", {}), undefined);
      const list = store.list(listOf({ where: { any: [] } }));
      assert.deepEqual(await list({ limit: 1, filters: [] }, {}), { text: "", count: 0 });
    });

    it("all and any are both asked", async (store) => {
      for (const [key, more] of [
        ["t1", {}],
        ["t2", { size: "large" }],
        ["t3", { owner: "bob" }],
      ] as const) {
        await add(store, "Thing", sampleRow(key, more));
      }
      const where = { all: [expression("Thing", "size == 'small'")], any: [expression("Thing", "owner == caller.id")] };
      const list = store.list(listOf({ where }));
      assert.deepEqual(idsOf(await list({ limit: 9, filters: [] }, { caller: { id: "ann" } })), ["t1"]);
    });
  });

  void describe(`${name}: lists`, () => {
    it("newest first, and the last page says so even when it is full", async (store) => {
      for (const key of ["t1", "t2", "t3", "t4"]) await add(store, "Thing", sampleRow(key));
      const first = await store.list(listOf({}))({ limit: 2, filters: [] }, {});
      assert.deepEqual(idsOf(first), ["t4", "t3"]);
      assert.deepEqual(first.next, [3]);
      const after = store.list(listOf({ from: "after" }));
      const second = await after({ limit: 2, filters: [], after: first.next ?? [] }, {});
      assert.deepEqual(idsOf(second), ["t2", "t1"]);
      assert.equal(second.next, undefined);
    });

    it("inside a transaction what it has written is there, and what it has deleted is not", async (store) => {
      for (const key of ["t1", "t2"]) await add(store, "Thing", sampleRow(key));
      const query = listOf({ filters: [{ column: "owner", operator: "eq" }] });
      const owner = sampleRow("t1")["owner"] ?? null;
      const observed = await store.transaction(async (tx) => {
        const row = await tx.get("Thing", "id", "t1");
        assert(row !== undefined);
        await tx.delete("Thing", row);
        await tx.insert("Thing", sampleRow("t3"), 1, fullView("Thing"), {});
        return idsOf(await tx.list(query, { limit: 9, filters: [owner] }, {}));
      });
      assert.deepEqual(observed, ["t3", "t2"]);
    });

    it("skipping", async (store) => {
      for (const key of ["t1", "t2", "t3", "t4"]) await add(store, "Thing", sampleRow(key));
      const list = store.list(listOf({ from: "skip" }));
      assert.deepEqual(idsOf(await list({ limit: 2, filters: [], skip: 1 }, {})), ["t3", "t2"]);
      assert.equal((await list({ limit: 2, filters: [], skip: 1 }, {})).next !== undefined, true);
      assert.deepEqual(await list({ limit: 2, filters: [], skip: 4 }, {}), { text: "", count: 0 });
    });

    it("filters compare values of their type and never match what is absent", async (store) => {
      const values: readonly Row[] = [
        sampleRow("t1", { count: 1, flag: true, at: "2026-01-01T00:00:00.000Z" }),
        sampleRow("t2", { count: 2, flag: false, at: "2026-01-02T00:00:00.000Z", ratio: 2 }),
        sampleRow("t3", { count: 10, name: "10" }),
        sampleRow("t4", { name: "2", note: "" }),
      ];
      for (const row of values) await add(store, "Thing", row);
      const cases: readonly [filters: readonly FilterCase[], ids: readonly string[]][] = [
        [[["count", "eq", 2]], ["t2"]],
        [[["count", "gt", 1]], ["t2", "t3"]],
        [[["count", "gte", 2], ["count", "lt", 10]], ["t2"]],
        [[["count", "lte", 2]], ["t1", "t2"]],
        [[["count", "in", [1, 10, 11]]], ["t1", "t3"]],
        [[["count", "in", []]], []],
        [[["count", "eq", null]], []],
        [[["name", "gt", "2"]], ["t1", "t2"]],
        [[["name", "in", ["10", "2", "'"]]], ["t3", "t4"]],
        [[["flag", "eq", true]], ["t1"]],
        [[["flag", "eq", false]], ["t2"]],
        [[["flag", "in", [true, false]]], ["t1", "t2"]],
        [[["ratio", "eq", 0.5]], ["t1", "t3", "t4"]],
        [[["ratio", "in", [2, 7.5]]], ["t2"]],
        [[["at", "gte", "2026-01-02T00:00:00.000Z"]], ["t2"]],
        [[["note", "eq", ""]], ["t4"]],
        [[["name", "eq", "%"]], []],
      ]; // biome-ignore format: a table
      for (const [filters, ids] of cases) {
        const query = listOf({ filters: filters.map(([column, operator]) => ({ column, operator })) });
        const page = await store.list(query)({ limit: 10, filters: filters.map(([, , value]) => value) }, {});
        assert.deepEqual(idsOf(page), ids.toReversed(), JSON.stringify(filters));
      }
    });

    const sorts: readonly (readonly SortKey[])[] = [
      [],
      ...["count", "maybe", "flag", "at", "name", "size"].flatMap((column) => [
        [{ column, descending: false }],
        [{ column, descending: true }],
      ]),
      [{ column: "count", descending: true }, { column: "title", descending: false }],
      [{ column: "flag", descending: false }, { column: "count", descending: true }],
    ]; // biome-ignore format: a table

    it("a walk gives every record once, in a total order, nulls too", async (store) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(sortableArbitrary(), { maxLength: 14 }),
          fc.integer({ min: 1, max: 5 }),
          async (rows, limit) => {
            await clearSampleRows(store);
            for (const [index, row] of rows.entries()) await add(store, "Thing", { ...row, id: `t${index}` });
            for (const sort of sorts) {
              const aggregate = idsOf(await store.list(listOf({ sort }))({ limit: 100, filters: [] }, {}));
              assert.equal(new Set(aggregate).size, rows.length);
              assert.deepEqual(await walk(store, sort, limit), aggregate, JSON.stringify(sort));
            }
          },
        ),
        { numRuns: 25 },
      );
    });

    it("a walk while others add and delete gives what was there throughout exactly once", async (store) => {
      const change = fc.record({ add: sortableArbitrary(), remove: fc.nat(), removeCursor: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(
          fc.array(sortableArbitrary(), { minLength: 3, maxLength: 14 }),
          fc.array(change, { maxLength: 6 }),
          fc.constantFrom(...sorts),
          async (rows, changes, sort) => {
            await clearSampleRows(store);
            for (const [index, row] of rows.entries()) await add(store, "Thing", { ...row, id: `t${index}` });
            const throughout = new Set(rows.map((_, index) => `t${index}`));
            let step = 0;
            const observed = await walk(store, sort, 2, async (last) => {
              const next = changes[step];
              step += 1;
              if (!next) return;
              await add(store, "Thing", { ...next.add, id: `new${step}` });
              const key = next.removeCursor && last ? last : `t${next.remove % rows.length}`;
              const deletedRecords = await remove(store, "Thing", key);
              if (deletedRecords) throughout.delete(key);
            });
            assert.equal(new Set(observed).size, observed.length, "nothing twice");
            for (const key of throughout) assert.ok(observed.includes(key), `${key} of ${observed.join(" ")}`);
          },
        ),
        { numRuns: 40 },
      );
    });
  });

  void describe(`${name}: transactions`, () => {
    it("of fifty that move one record, one wins", async (store) => {
      await addSite(store, "s1");
      await add(store, "Locker", { id: "l1", site: "s1", door: 1, state: "free" });
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, () =>
          store.transaction(async (tx) => {
            const row = await present(tx, "Locker", "l1");
            await Promise.resolve();
            if (row["state"] !== "free") return "late";
            await tx.update("Locker", row, { state: "held" }, fullView("Locker"), {});
            return "won";
          }),
        ),
      );
      assert.equal(outcomes.filter((one) => one === "won").length, 1);
    });

    it("of fifty that choose a free locker, none get the same", async (store) => {
      await addSite(store, "s1");
      for (let door = 1; door <= 30; door += 1) {
        await add(store, "Locker", { id: `l${door}`, site: "s1", door, state: "free" });
      }
      const free = expression("Locker", "site == input.site && state == 'free'");
      const chosen = await Promise.all(
        Array.from({ length: 50 }, () =>
          store.transaction(async (tx) => {
            const row = await tx.first("Locker", free, { input: { site: "s1" } });
            if (row) await tx.update("Locker", row, { state: "held" }, fullView("Locker"), {});
            return row?.["id"];
          }),
        ),
      );
      const got = chosen.filter((one) => one !== undefined);
      const doors = Array.from({ length: 30 }, (_, index) => `l${index + 1}`);
      assert.deepEqual(normal(got), normal(doors), "the oldest first");
    });

    it("a selection has an order and a number, and is of what this transaction wrote too", async (store) => {
      await addSite(store, "s1");
      for (const [index, door] of [3, 1, 2].entries())
        await add(store, "Locker", { id: `l${index}`, site: "s1", door, state: "free" });
      const where = { all: [expression("Locker", "site == input.site && state == 'free'")] };
      const selected = (sort: { column: string; descending: boolean } | undefined, isPartial: boolean, limit: number) =>
        store.transaction(async (tx) => {
          const query = { resource: "Locker", where, isPartial, ...(sort === undefined ? {} : { sort }) };
          const rows = await tx.select(query, limit, { input: { site: "s1" } });
          return rows.map((row) => row["door"]);
        });
      assert.deepEqual(await selected(undefined, false, 9), [3, 1, 2]);
      assert.deepEqual(await selected({ column: "door", descending: false }, false, 9), [1, 2, 3]);
      assert.deepEqual(await selected({ column: "door", descending: true }, true, 2), [3, 2]);
      await store.transaction(async (tx) => {
        const query = { resource: "Locker", where, isPartial: false };
        const [first] = await tx.select(query, 1, { input: { site: "s1" } });
        await tx.update("Locker", first ?? {}, { state: "held" }, fullView("Locker"), {});
        const rest = await tx.select(query, 9, { input: { site: "s1" } });
        assert.deepEqual(
          rest.map((row) => row["door"]),
          [1, 2],
        );
      });
    });

    it("of many that select the first, none get the same", async (store) => {
      await addSite(store, "s1");
      for (let door = 1; door <= 20; door += 1)
        await add(store, "Locker", { id: `l${door}`, site: "s1", door, state: "free" });
      const where = { all: [expression("Locker", "state == 'free'")] };
      const query = { resource: "Locker", where, sort: { column: "door", descending: true }, isPartial: true };
      const chosen = await Promise.all(
        Array.from({ length: 30 }, () =>
          store.transaction(async (tx) => {
            const [row] = await tx.select(query, 1, {});
            if (row) await tx.update("Locker", row, { state: "held" }, fullView("Locker"), {});
            return row?.["id"];
          }),
        ),
      );
      const got = chosen.filter((one) => one !== undefined);
      assert.deepEqual([got.length, new Set(got).size], [20, 20]);
    });

    it("a record is claimed by its id; one that is not there is not", async (store) => {
      await addSite(store, "s1");
      await add(store, "Locker", { id: "l1", site: "s1", door: 1, state: "free" });
      const locked = await store.transaction(async (tx) => {
        const row = await tx.lock("Locker", "l1");
        assert.equal(await tx.lock("Locker", "l2"), undefined);
        assert.deepEqual((await tx.lock("Locker", "l1"))?.["id"], "l1", "nobody stands in their own way");
        await tx.update("Locker", row ?? {}, { state: "held" }, fullView("Locker"), {});
        return row;
      });
      assert.deepEqual(locked?.["state"], "free");
      assert.deepEqual((await store.transaction((tx) => present(tx, "Locker", "l1")))["state"], "held");
    });

    it("a record is referred to as it is within the transaction; one that is not there is not", async (store) => {
      await addSite(store, "s1");
      await store.transaction(async (tx) => {
        assert.equal((await tx.lockShared("Site", "id", "s1"))?.["id"], "s1");
        assert.equal(await tx.lockShared("Site", "id", "s2"), undefined);
        const free = { id: "l1", site: "s1", door: 1, state: "free" };
        await tx.insert("Locker", free, 1, fullView("Locker"), {});
        const row = await tx.lockShared("Locker", "id", "l1");
        await tx.update("Locker", row ?? {}, { state: "held" }, fullView("Locker"), {});
        assert.equal((await tx.lockShared("Locker", "id", "l1"))?.["state"], "held");
      });
    });

    it("a record is referred to by any column that is unique", async (store) => {
      await add(store, "Thing", { ...sampleRow("t1"), slug: "first" });
      await store.transaction(async (tx) => {
        assert.equal((await tx.lockShared("Thing", "slug", "first"))?.["id"], "t1");
        assert.equal(await tx.lockShared("Thing", "slug", "second"), undefined);
      });
    });

    it("of many that refer to a record and change it then, each finds what the one before has made of it", async (store) => {
      await addSite(store, "s1");
      await Promise.all(
        Array.from({ length: 24 }, () =>
          store.transaction(async (tx) => {
            await tx.declareWrites(["Site"]);
            const row = (await tx.lockShared("Site", "id", "s1")) as Row;
            const name = `${String(row["name"] as string)}+`;
            await tx.update("Site", row, { name }, fullView("Site"), {});
          }),
        ),
      );
      const { name } = await store.transaction((tx) => present(tx, "Site", "s1"));
      assert.equal(name, `site s1${"+".repeat(24)}`);
    });

    it("a record is found by a condition and referred to as it is within the transaction", async (store) => {
      await addSite(store, "s1");
      await store.transaction(async (tx) => {
        const where = fieldEquals("name", ["like", "name"], { kind: "string" });
        const found = async (name: string) => (await tx.firstShared("Site", where, { like: { name } }))?.["id"];
        assert.equal(await found("site s1"), "s1");
        assert.equal(await found("site s2"), undefined);
        const row = await tx.get("Site", "id", "s1");
        await tx.update("Site", row ?? {}, { name: "site s2" }, fullView("Site"), {});
        assert.deepEqual([await found("site s1"), await found("site s2")], [undefined, "s1"]);
      });
    });

    if (!serial)
      it("any number refer to a record by a condition at the same time", async (store) => {
        await addSite(store, "s1");
        const where = fieldEquals("name", ["like", "name"], { kind: "string" });
        const refer = (tx: Transaction) => tx.firstShared("Site", where, { like: { name: "site s1" } });
        await store.transaction(async (tx) => {
          assert.equal((await refer(tx))?.["id"], "s1");
          // A lock that excludes others would make the inner transaction wait for the outer one for ever.
          assert.equal(await store.transaction(async (other) => (await refer(other))?.["id"]), "s1");
        });
      });

    if (!serial)
      it("any number refer to a record at the same time, and who changes it waits for them", async (store) => {
        await addSite(store, "s1");
        for (let door = 1; door <= 2; door += 1)
          await add(store, "Locker", { id: `l${door}`, site: "s1", door, state: "free" });
        const first = Promise.withResolvers<void>();
        const referred = Promise.withResolvers<void>();
        const order: string[] = [];
        // A choice holds what was relied on, so that both hold the site at once.
        const lockShared = async (tx: Transaction, name: string): Promise<void> => {
          await tx.lockShared("Site", "id", "s1");
          await tx.first("Locker", undefined, {});
          order.push(name);
        };
        const one = store.transaction(async (tx) => {
          await lockShared(tx, "one");
          referred.resolve();
          await first.promise;
          order.push("one ends");
        });
        await referred.promise;
        await store.transaction((tx) => lockShared(tx, "two")).catch(first.reject);
        const change = store.transaction(async (tx) => {
          const row = await tx.get("Site", "id", "s1");
          await tx.first("Locker", undefined, {});
          order.push("changes");
          await tx.update("Site", row ?? {}, { name: "Elsewhere" }, fullView("Site"), {});
        });
        first.resolve();
        await Promise.all([one, change]);
        assert.deepEqual(order.slice(0, 2), ["one", "two"]);
        assert.ok(order.indexOf("one ends") < order.lastIndexOf("changes"));
      });

    it("of many that claim what is to be done, each finds it to do once", async (store) => {
      await addSite(store, "s1");
      for (let door = 1; door <= 5; door += 1) {
        await add(store, "Locker", { id: `l${door}`, site: "s1", door, state: "free" });
      }
      const rounds = Array.from({ length: 60 }, (_, index) => `l${(index % 5) + 1}`);
      const took = await Promise.all(
        rounds.map((id) =>
          store.transaction(async (tx) => {
            const row = await tx.lock("Locker", id);
            if (row?.["state"] !== "free") return undefined;
            await Promise.resolve();
            await tx.update("Locker", row, { state: "held" }, fullView("Locker"), {});
            return id;
          }),
        ),
      );
      assert.deepEqual(took.filter((id) => id !== undefined).toSorted(), ["l1", "l2", "l3", "l4", "l5"]);
    });

    it("a process that is alone leads in whatever it asks for, again and again", async (store) => {
      for (const task of ["webhooks", "functions", "webhooks"]) assert.equal(await store.acquireLease(task), true);
    });

    it("who listens for changes may stop to, and is no reason to wait", async (store) => {
      const stop = store.changes(() => {});
      await store.transaction(async (tx) => tx.record({ at: start, resource: "Ticket", record: "a", by: "ann", cause: "addTicket", event: "e" })); // biome-ignore format: short
      stop();
    });

    it("one that fails among many undoes itself alone", async (store) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          store.transaction(async (tx) => {
            await put(tx.insert("Thing", sampleRow(`a${index}`), 1, fullView("Thing"), {}));
            await put(tx.insert("Thing", sampleRow(`b${index}`), 1, fullView("Thing"), {}));
            if (index % 3 === 0) throw new RangeError(`no ${index}`);
            return index;
          }),
        ),
      );
      for (const [index, outcome] of outcomes.entries()) {
        const fails = index % 3 === 0;
        assert.equal(outcome.status, fails ? "rejected" : "fulfilled");
        if (outcome.status === "rejected") assert.ok(outcome.reason instanceof RangeError);
      }
      const page = await store.list(listOf({}))({ limit: 100, filters: [] }, {});
      const expected = outcomes.flatMap((_, index) => (index % 3 === 0 ? [] : [`a${index}`, `b${index}`]));
      assert.deepEqual(normal(idsOf(page)), normal(expected.toReversed()));
    });

    it("they run one after another, also when they wait", async (store) => {
      const trace: string[] = [];
      await Promise.all(
        ["a", "b", "c"].map((key) =>
          store.transaction(async (tx) => {
            trace.push(`${key} in`);
            await new Promise((resolve) => setImmediate(resolve));
            await tx.get("Thing", "id", key);
            await Promise.resolve();
            trace.push(`${key} out`);
          }),
        ),
      );
      assert.deepEqual(normal(trace), normal(["a in", "a out", "b in", "b out", "c in", "c out"]));
    });

    it("reads see what is committed and nothing else", async (store) => {
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      const observed: unknown[] = [];
      await store.transaction(async (tx) => {
        await put(tx.insert("Thing", sampleRow("t1"), 1, fullView("Thing"), {}));
        observed.push(await read("t1", {}));
        await new Promise((resolve) => setImmediate(resolve));
        observed.push(await read("t1", {}));
        assert.ok(await tx.get("Thing", "id", "t1"), "its own writes it sees");
      });
      assert.deepEqual(observed, [undefined, undefined]);
      assert.ok(await read("t1", {}));
    });

    it("a transaction is not usable after its end", async (store) => {
      let ended: Transaction | undefined;
      await store.transaction(async (tx) => {
        ended = tx;
      });
      await assert.rejects(async () => ended?.get("Thing", "id", "t1"));
      await assert.rejects(async () => ended?.insert("Thing", sampleRow("t1"), 1, fullView("Thing"), {}));
    });

    it("one that throws at once is rejected", async (store) => {
      await assert.rejects(
        store.transaction(() => Promise.reject(new RangeError("no"))),
        RangeError,
      );
      await assert.rejects(
        store.transaction(() => {
          throw new RangeError("no");
        }),
        RangeError,
      );
      assert.equal(await store.ready(), true);
    });

    it("one started by the answer of another runs", async (store) => {
      const first = await add(store, "Thing", sampleRow("t1"));
      const second = await add(store, "Thing", sampleRow("t2"));
      assert.deepEqual([first.row["_seq"], second.row["_seq"]], [1, 2]);
    });

    it("an expression over a row that is not stored", async (store) => {
      await addSite(store, "s1");
      await add(store, "Locker", { id: "l1", site: "s1", door: 7, state: "free" });
      const cases: readonly [source: string, value: Value][] = [
        ["ratio * 2.0", 9],
        ["site.name", "site s1"],
        ["Locker.filter(l, l.site == site).size()", 1],
        ["Locker.exists(l, l.site == site && l.door == input.door)", true],
        ["Locker.exists(l, l.site == site && flag && 'x' in tags)", true],
        ["Locker.exists(l, l.site == site && l.door == 8)", false],
        ["Locker.map(l, l.door).sum() + count", 10],
        ["tags", ["x", "y"]],
      ];
      const row = sampleRow("none", { site: "s1", ratio: 4.5, flag: true, tags: ["x", "y"], count: 3 });
      await store.transaction(async (tx) => {
        for (const [source, value] of cases) {
          assert.deepEqual(await tx.evaluate(expression("Thing", source), row, { input: { door: 7 } }), value, source);
        }
      });
    });
  });

  void describe(`${name}: what many decide at once comes out as if one had decided after another`, () => {
    const many = 24;
    const lockers = { resource: "Locker", view: fullView("Locker"), sort: [], filters: [], from: "start" } as const;

    it("that there is room for another, among those with a value", async (store) => {
      await addSite(store, "s1");
      await Promise.all(
        Array.from({ length: many }, (_, door) =>
          store.transaction(async (tx) => {
            if (!(await tx.hasRoom({ resource: "Locker", column: "site", value: "s1" }, 4))) return;
            await put(
              tx.insert("Locker", { id: `l${door}`, site: "s1", door, state: "free" }, 1, fullView("Locker"), {}),
            );
          }),
        ),
      );
      const page = await store.list(lockers)({ limit: 100, filters: [] }, {});
      assert.equal(page.count, 5);
    });

    it("that there is room, by an expression over all records", async (store) => {
      await addSite(store, "s1");
      const hasRoom = expression("Locker", "Locker.filter(l, l.site == site).size() < 5");
      await Promise.all(
        Array.from({ length: many }, (_, door) =>
          store.transaction(async (tx) => {
            const row = { id: `l${door}`, site: "s1", door, state: "free" };
            if ((await tx.evaluate(hasRoom, row, {})) !== true) return;
            await put(tx.insert("Locker", row, 1, fullView("Locker"), {}));
          }),
        ),
      );
      const page = await store.list(lockers)({ limit: 100, filters: [] }, {});
      assert.equal(page.count, 5);
    });

    it("that there is room, by what a list says", async (store) => {
      await addSite(store, "s1");
      await Promise.all(
        Array.from({ length: many }, (_, door) =>
          store.transaction(async (tx) => {
            if ((await tx.list(lockers, { limit: 100, filters: [] }, {})).count >= 5) return;
            await put(
              tx.insert("Locker", { id: `l${door}`, site: "s1", door, state: "free" }, 1, fullView("Locker"), {}),
            );
          }),
        ),
      );
      const page = await store.list(lockers)({ limit: 100, filters: [] }, {});
      assert.equal(page.count, 5);
    });

    it("that a record which is referred to allows it", async (store) => {
      await addSite(store, "s1");
      const isOpen = expression("Locker", "site.name == 'site s1'");
      let counted = -1;
      const adding = Array.from({ length: many }, (_, door) =>
        store.transaction(async (tx) => {
          const row = { id: `l${door}`, site: "s1", door, state: "free" };
          if ((await tx.evaluate(isOpen, row, {})) !== true) return;
          await put(tx.insert("Locker", row, 1, fullView("Locker"), {}));
        }),
      );
      const closing = store.transaction(async (tx) => {
        const site = await tx.get("Site", "id", "s1");
        assert.ok(site);
        await put(tx.update("Site", site, { name: "closed" }, fullView("Site"), {}));
        counted = await tallied(tx, "s1", undefined, 100);
      });
      await Promise.all([...adding, closing]);
      const page = await store.list(lockers)({ limit: 100, filters: [] }, {});
      assert.equal(page.count, counted, "none was added after it was closed");
    });
  });

  void describe(`${name}: changes`, () => {
    it("the revision is the time, and always one that it never had", async (store, clock) => {
      const { row } = await add(store, "Thing", sampleRow("t1"));
      const revisions: number[] = [];
      const change = (count: number) =>
        store.transaction(async (tx) => put(tx.update("Thing", row, { count }, fullView("Thing"), {})));
      revisions.push((await change(1)).revision, (await change(2)).revision);
      clock.now -= 1000;
      revisions.push((await change(3)).revision);
      clock.now += 5000;
      const last = await change(4);
      revisions.push(last.revision);
      assert.deepEqual(revisions, [start, start + 1, start + 2, start + 4000]);
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      assert.deepEqual(await read("t1", {}), { text: last.text, revision: start + 4000 });
      assert.equal(last.text, expectedText("Thing", sampleRow("t1", { count: 4 })));
    });

    it("a row read before an earlier change loses nothing of it", async (store) => {
      const { row } = await add(store, "Thing", sampleRow("t1"));
      const { text } = await store.transaction(async (tx) => {
        await tx.update("Thing", row, { note: "first" }, fullView("Thing"), {});
        return put(tx.update("Thing", row, { name: "second", tags: [] }, fullView("Thing"), {}));
      });
      assert.equal(text, expectedText("Thing", sampleRow("t1", { name: "second", note: "first", tags: [] })));
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      assert.equal((await read("t1", {}))?.text, text);
    });

    it("what another record has is a duplicate, by its columns, and the transaction goes on", async (store) => {
      await addSite(store, "s1");
      await add(store, "Thing", sampleRow("t1", { slug: "one" }));
      await add(store, "Locker", { id: "l1", site: "s1", door: 1, state: "free" });
      await store.transaction(async (tx) => {
        const view = fullView("Thing");
        const tries: readonly [Awaited<Written>, readonly string[]][] = [
          [await tx.insert("Thing", sampleRow("t1"), 1, view, {}), ["id"]],
          [await tx.insert("Thing", sampleRow("t2", { slug: "one" }), 1, view, {}), ["slug"]],
          [await tx.insert("Thing", sampleRow("t1", { slug: "one" }), 1, view, {}), ["id"]],
          [
            await tx.insert("Locker", { id: "l2", site: "s1", door: 1, state: "free" }, 1, fullView("Locker"), {}),
            ["site", "door"],
          ],
        ];
        for (const [written, columns] of tries) assert.deepEqual(written, { kind: "duplicate", columns });
        const { row } = await put(tx.insert("Thing", sampleRow("t3", { slug: "two" }), 1, view, {}));
        assert.deepEqual(await tx.update("Thing", row, { slug: "one" }, view, {}), {
          kind: "duplicate",
          columns: ["slug"],
        });
        // Absent values are not the same.
        await put(tx.insert("Thing", sampleRow("t4"), 1, view, {}));
        await put(tx.insert("Thing", sampleRow("t5"), 1, view, {}));
        // Its own value is not another's.
        await put(tx.update("Thing", row, { slug: "two" }, view, {}));
      });
      assert.equal(idsOf(await store.list(listOf({}))({ limit: 9, filters: [] }, {})).length, 4);
    });

    it("absent values are equal where the table says so, and no value is like an absent one", async (store) => {
      const view = fullView("Folder");
      const folders = { resource: "Folder", view, sort: [], filters: [], from: "start" } as const;
      let last = 0;
      await store.transaction(async (tx) => {
        const insert = async (values: Row): Promise<Written> =>
          tx.insert("Folder", { id: `f${(last += 1)}`, rank: last, ...values }, 1, view, {});
        const made = async (values: Row): Promise<Row> => (await put(insert(values))).row;
        const expectConflict = async (written: Awaitable<Written>, columns: readonly string[]): Promise<void> =>
          assert.deepEqual(await written, { kind: "duplicate", columns });
        const first = await made({ name: "a" });
        await expectConflict(insert({ name: "a" }), ["parent", "name"]);
        const second = await made({ name: "b" });
        await expectConflict(tx.update("Folder", second, { name: "a" }, view, {}), ["parent", "name"]);
        const below = await made({ name: "a", parent: first["id"] ?? null });
        await expectConflict(insert({ name: "a", parent: first["id"] ?? null }), ["parent", "name"]);
        await expectConflict(tx.update("Folder", below, { parent: null }, view, {}), ["parent", "name"]);
        await put(tx.update("Folder", first, { note: "its own values are not another's" }, view, {}));
        await put(tx.update("Folder", below, { parent: null, name: "c" }, view, {}));

        const four = ["rank", "flag", "ratio", "note"];
        await made({ name: "none", rank: null });
        await expectConflict(insert({ name: "none again", rank: null }), four);
        // A value that an index could put in the place of an absent one.
        for (const [index, values] of [
          { rank: 0 },
          { rank: null, flag: false },
          { rank: null, ratio: 0 },
          { rank: null, note: "" },
          { rank: null, note: "null" },
        ].entries()) {
          await made({ name: `like none ${index}`, ...values });
          await expectConflict(insert({ name: `like none again ${index}`, ...values }), four);
        }
      });
      const { count } = await store.list(folders)({ limit: 99, filters: [] }, {});
      assert.equal(count, 9);
    });

    it("of fifty that take one name at once where an absent value counts, one gets it", async (store) => {
      const kinds = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          store.transaction(
            async (tx) =>
              (await tx.insert("Folder", { id: `f${index}`, name: "a", rank: index }, 1, fullView("Folder"), {})).kind,
          ),
        ),
      );
      assert.equal(kinds.filter((kind) => kind === "written").length, 1);
    });

    it("of twenty that take one name at once, one gets it", async (store) => {
      const kinds = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.transaction(
            async (tx) =>
              (await tx.insert("Thing", sampleRow(`t${index}`, { slug: "one" }), 1, fullView("Thing"), {})).kind,
          ),
        ),
      );
      assert.equal(kinds.filter((kind) => kind === "written").length, 1);
    });

    it("what counts is counted by the store, and no number is given twice", async (store) => {
      const numbers = async (values: Row): Promise<readonly [unknown, unknown]> => {
        const { row } = await add(store, "Order", values);
        return [row["id"], row["number"]];
      };
      assert.deepEqual(await numbers({}), [1, 1]);
      assert.deepEqual(await numbers({ number: 7 }), [2, 7], "unless one is given");
      assert.equal(await remove(store, "Order", 2), true);
      assert.deepEqual(await numbers({ note: "x" }), [3, 2]);
      const all = await Promise.all(Array.from({ length: 4 }, () => numbers({})));
      // One of two at the same time may have the lower id and the higher number.
      assert.deepEqual(normal(all.map(([id]) => id)), [4, 5, 6, 7]);
      assert.deepEqual(normal(all.map(([, number]) => number)), [3, 4, 5, 6]);
      const read = store.read({ resource: "Order", key: "id", view: fullView("Order") });
      assert.equal((await read(3, {}))?.text, '{"id":3,"number":2,"note":"x"}');
      assert.equal(await read(2, {}), undefined);
    });

    it("what no column may hold fails, and changes nothing", async (store) => {
      const bad: readonly Row[] = [
        sampleRow("t1", { size: "huge" }),
        sampleRow("t1", { name: null }),
        sampleRow("t1", { site: "nowhere" }),
        sampleRow("t1", { parent: "nobody" }),
      ];
      for (const values of bad) await assert.rejects(add(store, "Thing", values));
      assert.equal((await store.list(listOf({}))({ limit: 1, filters: [] }, {})).count, 0);
    });
  });

  void describe(`${name}: time`, () => {
    const hour = 3_600_000;
    const dues = async (store: Store, now: number, limit = 9): Promise<unknown> =>
      (await store.due(now, limit)).map(({ resource, id, due }) => [resource, id, due - start]);
    const change = (store: Store, id: string, changes: Row): Promise<unknown> =>
      store.transaction(async (tx) =>
        put(tx.update("Ticket", await present(tx, "Ticket", id), changes, ticketView, {})),
      );
    const ticketView = fullView("Ticket");

    it("a record is due when the first act of its state is, and not before", async (store, clock) => {
      await add(store, "Ticket", { id: "a", state: "open" });
      clock.now += 10;
      await add(store, "Ticket", { id: "b", state: "open", until: new Date(start + 30).toISOString() });
      await add(store, "Ticket", { id: "c", state: "closed", until: new Date(start + 30).toISOString() });
      await add(store, "Ticket", { id: "d", state: "late" });
      assert.deepEqual(await dues(store, start + 29), []);
      assert.deepEqual(await dues(store, start + 30), [["Ticket", "b", 30]]);
      assert.deepEqual(await dues(store, start + hour - 1), [["Ticket", "b", 30]]);
      assert.deepEqual(await dues(store, start + 9 * hour), [["Ticket", "b", 30], ["Ticket", "a", hour]]); // biome-ignore format: a table
      assert.deepEqual(await dues(store, start + 9 * hour, 1), [["Ticket", "b", 30]], "longest due first");
    });

    it("a change says it anew; only entering a state starts its time again", async (store, clock) => {
      await add(store, "Ticket", { id: "a", state: "open" });
      clock.now += 100;
      await change(store, "a", { note: "x", state: "open" });
      assert.deepEqual(await dues(store, start + 9 * hour), [["Ticket", "a", hour]]);
      await change(store, "a", { until: new Date(start + 500).toISOString() });
      assert.deepEqual(await dues(store, start + 9 * hour), [["Ticket", "a", 500]]);
      await change(store, "a", { state: "closed" });
      assert.deepEqual(await dues(store, start + 9 * hour), []);
      await change(store, "a", { state: "open", until: null });
      assert.deepEqual(await dues(store, start + 9 * hour), [["Ticket", "a", hour + 100]]);
      await removed(store, "Ticket", "a");
      assert.deepEqual(await dues(store, start + 9 * hour), []);
    });

    it("what is put off is due then, until it changes; an undone change changes nothing", async (store) => {
      await add(store, "Ticket", { id: "a", state: "open" });
      const defer = (due: number | null): Promise<void> =>
        store.transaction(async (tx) => tx.defer("Ticket", await present(tx, "Ticket", "a"), due));
      await defer(start + 7 * hour);
      assert.deepEqual(await dues(store, start + 9 * hour), [["Ticket", "a", 7 * hour]]);
      await defer(null);
      assert.deepEqual(await dues(store, start + 9 * hour), []);
      const undone = store.transaction(async (tx) => {
        await put(tx.update("Ticket", await present(tx, "Ticket", "a"), { note: "x" }, ticketView, {}));
        throw new Error("undo");
      });
      await assert.rejects(undone);
      assert.deepEqual(await dues(store, start + 9 * hour), []);
      await change(store, "a", { note: "y" });
      assert.deepEqual(await dues(store, start + 9 * hour), [["Ticket", "a", hour]]);
    });

    it("the hidden columns are read with the record, and are in no view", async (store) => {
      const { row, text } = await add(store, "Ticket", { id: "a", state: "open" });
      assert.deepEqual([row["_entered"], row["_due"]], [start, start + hour]);
      assert.equal(text, '{"id":"a","state":"open"}');
      const read = await store.transaction((tx) => present(tx, "Ticket", "a"));
      assert.deepEqual([read["_entered"], read["_due"]], [start, start + hour]);
    });
  });

  void describe(`${name}: the journal`, () => {
    const entry = { at: start, resource: "Ticket", record: "a", by: "ann", cause: "addTicket" };
    const append = (store: Store, ...entries: readonly JournalEntry[]): Promise<void> =>
      store.transaction(async (tx) => {
        for (const one of entries) await tx.record(one);
      });

    it("keeps events and moves in the order of their commits", async (store) => {
      const data = { id: "a", note: 'a "quoted" text', tags: ["x"], _rev: 7 };
      await append(store, { ...entry, to: "open", event: "ticket.opened", data, request: "req_1", trace: "00-1" });
      await append(store, { ...entry, from: "open", to: "late", by: "system", cause: "after 1h" });
      await append(store, { ...entry, record: "b", event: "ticket.noted", data: { id: "b" } }, { ...entry, record: "b", to: "open" }); // biome-ignore format: short
      const events = await store.journal.events(0, 9);
      assert.deepEqual(events.map(({ event, record }) => [event, record]), [["ticket.opened", "a"], ["ticket.noted", "b"]]); // biome-ignore format: a table
      const [first, second] = events;
      assert.ok(first && second);
      const { position, ...rest } = first;
      assert.deepEqual(rest, { ...entry, to: "open", event: "ticket.opened", data, request: "req_1", trace: "00-1" });
      assert.deepEqual(await store.journal.events(position, 9), [second]);
      assert.deepEqual(await store.journal.events(0, 1), [first]);
      assert.deepEqual(await store.journal.at(position), first);
      assert.equal(await store.journal.at(99), undefined);
      assert.ok((await store.journal.last()) > second.position);
      assert.equal(await store.journal.first(), position);
      const moves = await store.journal.moves("Ticket", "a", 0, 9);
      assert.deepEqual(moves.map(({ from, to, by }) => [from, to, by]), [[undefined, "open", "ann"], ["open", "late", "system"]]); // biome-ignore format: a table
      assert.deepEqual((await store.journal.moves("Ticket", "a", position, 9)).length, 1);
      assert.deepEqual(await store.journal.moves("Thing", "a", 0, 9), []);
    });

    it("an entry is there exactly when its transaction is", async (store) => {
      const undone = store.transaction(async (tx) => {
        await tx.record({ ...entry, to: "open", event: "ticket.opened", data: {} });
        throw new Error("undo");
      });
      await assert.rejects(undone);
      assert.deepEqual(await store.journal.events(0, 9), []);
      assert.equal(await store.journal.last(), 0);
    });

    it("forgets what it is told to, and no position is given twice", async (store) => {
      const data = { id: "a" };
      await append(store, { ...entry, to: "open", event: "e.1", data }, { ...entry, event: "e.2", data });
      await append(store, { ...entry, at: start + 10, record: "b", event: "e.3", data: { id: "b" } });
      const last = await store.journal.last();
      await store.transaction(async (tx) => tx.forget("Ticket", "a"));
      assert.deepEqual((await store.journal.events(0, 9)).map((one) => one.data), [undefined, undefined, { id: "b" }]); // biome-ignore format: short
      await store.journal.trim(start + 10);
      assert.deepEqual(
        (await store.journal.events(0, 9)).map(({ event }) => event),
        ["e.3"],
      );
      assert.equal((await store.journal.moves("Ticket", "a", 0, 9)).length, 1, "that it moved stays");
      await store.journal.trim(start + 99);
      assert.deepEqual(await store.journal.events(0, 9), []);
      assert.equal(await store.journal.first(), undefined);
      await append(store, { ...entry, event: "e.4", data });
      assert.ok(((await store.journal.events(0, 9))[0]?.position ?? 0) > last);
    });

    it("what is relied on is not forgotten until the transaction ends", async (store) => {
      await append(store, { ...entry, event: "e.1", data: { id: "a" } }, { ...entry, record: "b", event: "e.2", data: {} }, { ...entry, record: "c", to: "open" }); // biome-ignore format: short
      const all = (await store.journal.events(0, 9)).map(({ position }) => position);
      const [first, second] = all as [number, number];
      const ended: string[] = [];
      const forget = async (record: string): Promise<void> => {
        await store.transaction(async (tx) => tx.forget("Ticket", record));
        ended.push(`forgets ${record}`);
      };
      let forgotten: Promise<void> | undefined;
      const observed = await store.transaction(async (tx) => {
        const intact = await tx.intact([...all, 999]);
        forgotten = forget("a");
        for (let count = 0; count < 20; count += 1) assert.deepEqual(await tx.intact(all), intact);
        ended.push("relies");
        return intact;
      });
      await forgotten;
      assert.deepEqual(
        [...observed].toSorted((a, b) => a - b),
        [first, second],
      );
      assert.deepEqual(ended, ["relies", "forgets a"]);
      const left = await store.transaction(async (tx) => tx.intact(all));
      assert.deepEqual([...left], [second]);
      assert.deepEqual([...(await store.transaction(async (tx) => tx.intact([])))], []);
    });

    it("keeps what came in, which is no event of its own, as long as events", async (store) => {
      const came = { ...entry, received: "door.faulted", data: { fault: "jammed" } };
      const bare = { ...entry, resource: "", record: "", received: "door.faulted", data: {} };
      await append(store, came, { ...entry, to: "open" }, bare, { ...entry, to: "late", received: "x", data: {} });
      assert.deepEqual(await store.journal.events(0, 9), []);
      const position = (await store.journal.moves("Ticket", "a", 0, 9))[0]?.position ?? 0;
      assert.deepEqual(await store.journal.at(position - 1), { ...came, position: position - 1 });
      await store.journal.trim(start + 1);
      assert.equal(await store.journal.at(position - 1), undefined);
      const left = await store.journal.moves("Ticket", "a", 0, 9);
      assert.deepEqual(left.map(({ to, received, data }) => [to, received, data]), [["open", undefined, undefined], ["late", undefined, undefined]]); // biome-ignore format: short
    });

    it("keeps for ever what is neither event nor move", async (store) => {
      await append(store, entry, { ...entry, event: "e", data: {} }, { ...entry, event: "f", data: {} });
      const position = (await store.journal.events(0, 1))[0]?.position ?? 0;
      await store.journal.trim(start + 1);
      assert.deepEqual(await store.journal.at(position - 1), { ...entry, position: position - 1 });
    });

    it("knows which moments of a record have been answered, those of the transaction included", async (store) => {
      const fired = (id: string, cause: string, due: number): Promise<boolean> =>
        store.transaction(async (tx) => tx.hasFired("Ticket", id, cause, due));
      const late = { ...entry, cause: "after 1h", due: start + 1 };
      const inside = await store.transaction(async (tx) => {
        const before = await tx.hasFired("Ticket", "a", "after 1h", start + 1);
        await tx.record(late);
        return [before, await tx.hasFired("Ticket", "a", "after 1h", start + 1)];
      });
      assert.deepEqual(inside, [false, true]);
      assert.equal(await fired("a", "after 1h", start + 1), true);
      assert.equal(await fired("a", "after 1h", start + 2), false);
      assert.equal(await fired("a", "at until", start + 1), false);
      assert.equal(await fired("b", "after 1h", start + 1), false);
      assert.equal((await store.journal.at(await store.journal.last()))?.due, start + 1);
    });
  });

  void describe(`${name}: deleting`, () => {
    it("refuses, deletes with it, or clears, as each reference says, all the way", async (store, clock) => {
      for (const key of ["s1", "s2"]) await addSite(store, key);
      await add(store, "Locker", { id: "l1", site: "s1", door: 1, state: "free" });
      await add(store, "Thing", sampleRow("a", { site: "s1", placed: true }));
      await add(store, "Thing", sampleRow("b", { parent: "a", site: "s2", placed: true }));
      await add(store, "Thing", sampleRow("c", { parent: "b", site: "s2", placed: true }));
      assert.deepEqual(await removed(store, "Site", "s1"), { kind: "referenced", resource: "Locker", field: "site" });
      assert.deepEqual(await removed(store, "Locker", "l1"), deletedRecords(["Locker", "l1"]));
      clock.now += 50;
      assert.deepEqual(await removed(store, "Site", "s1"), deletedRecords(["Site", "s1"]));
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      const cleared = await read("a", {});
      assert.equal(
        cleared?.text,
        expectedText("Thing", sampleRow("a", { placed: false })),
        "and what is computed from it",
      );
      assert.equal(cleared?.revision, clock.now);
      assert.equal((await read("b", {}))?.revision, 7, "what did not refer to it is untouched");
      assert.deepEqual(await removed(store, "Thing", "b"), deletedRecords(["Thing", "b"], ["Thing", "c"]));
      const page = await store.list(listOf({}))({ limit: 9, filters: [] }, {});
      assert.deepEqual(idsOf(page), ["a"]);
    });

    it("a circle of references goes as a whole", async (store) => {
      await add(store, "Thing", sampleRow("a"));
      await add(store, "Thing", sampleRow("b", { parent: "a" }));
      await store.transaction(async (tx) => {
        await put(tx.update("Thing", await present(tx, "Thing", "a"), { parent: "b" }, fullView("Thing"), {}));
      });
      assert.deepEqual(await removed(store, "Thing", "a"), deletedRecords(["Thing", "a"], ["Thing", "b"]));
      assert.equal((await store.list(listOf({}))({ limit: 9, filters: [] }, {})).count, 0);
      await assert.rejects(add(store, "Thing", sampleRow("d", { parent: "a" })), "references are still watched");
    });

    it("an id may be had again", async (store) => {
      await add(store, "Thing", sampleRow("a", { slug: "one" }));
      assert.ok(await remove(store, "Thing", "a"));
      await add(store, "Thing", sampleRow("a", { slug: "one", name: "again" }));
      const read = store.read({ resource: "Thing", key: "id", view: fullView("Thing") });
      assert.match((await read("a", {}))?.text ?? "", /again/);
    });

    it("what is undone is there again", async (store) => {
      await add(store, "Thing", sampleRow("a"));
      await add(store, "Thing", sampleRow("b", { parent: "a" }));
      const failing = store.transaction(async (tx) => {
        await tx.delete("Thing", await present(tx, "Thing", "a"));
        assert.equal(await tx.get("Thing", "id", "b"), undefined);
        throw new RangeError("no");
      });
      await assert.rejects(failing, RangeError);
      assert.deepEqual(idsOf(await store.list(listOf({}))({ limit: 9, filters: [] }, {})), ["b", "a"]);
    });
  });

  void describe(`${name}: remembered answers`, () => {
    const response = (body: string, expires: number) => ({
      fingerprint: "f",
      status: 201,
      headers: { Location: "/x" },
      body,
      expires,
    });
    it("are found by scope and key, with what they answered", async (store) => {
      await store.transaction(async (tx) => {
        await tx.saveResponse("ann", "k", response("1", 10));
        await tx.saveResponse("bob", "k", response("2", 10));
        assert.deepEqual(await tx.findResponse("ann", "k"), response("1", 10), "in the same transaction");
      });
      await store.transaction(async (tx) => {
        assert.deepEqual(await tx.findResponse("ann", "k"), response("1", 10));
        assert.deepEqual(await tx.findResponse("bob", "k"), response("2", 10));
        assert.equal(await tx.findResponse("an", "nk"), undefined);
        assert.equal(await tx.findResponse("cat", "k"), undefined);
        await tx.saveResponse("ann", "k", response("3", 20));
        assert.deepEqual(await tx.findResponse("ann", "k"), response("3", 20), "the newest counts");
      });
    });

    it("are undone with their transaction", async (store) => {
      const failing = store.transaction(async (tx) => {
        await tx.saveResponse("ann", "k", response("1", 10));
        throw new RangeError("no");
      });
      await assert.rejects(failing, RangeError);
      assert.equal(await store.transaction(async (tx) => tx.findResponse("ann", "k")), undefined);
    });

    it("go when their time is past", async (store) => {
      await store.transaction(async (tx) => {
        for (let index = 0; index < 1200; index += 1) await tx.saveResponse("ann", `k${index}`, response("1", index));
      });
      await store.purge(1100);
      await store.transaction(async (tx) => {
        assert.equal(await tx.findResponse("ann", "k0"), undefined);
        assert.equal(await tx.findResponse("ann", "k1100"), undefined);
        assert.ok(await tx.findResponse("ann", "k1101"));
      });
    });
  });

  void describe(`${name}: grants`, () => {
    const grant = { kind: "access-token", id: "a", group: "g", text: "{}", expires: 10 };

    it("what is given is kept under its kind and id, ends alone or with its group, and is purged when it is over", async (store) => {
      const { grants } = store;
      assert.equal(await grants.find("access-token", "a"), undefined);
      await grants.put(grant);
      assert.deepEqual(await grants.find("access-token", "a"), grant);
      assert.equal(await grants.find("code", "a"), undefined);
      await grants.put({ ...grant, text: "again" });
      assert.equal((await grants.find("access-token", "a"))?.text, "again");
      const again = { ...grant, text: "again" };
      const both = await Promise.all([1, 2].map(async () => grants.replace(again, { text: "used", expires: 15 })));
      assert.equal(both.filter(Boolean).length, 1, "of two at once one learns that it was too late");
      assert.deepEqual(await grants.find("access-token", "a"), { ...grant, text: "used", expires: 15 });
      assert.equal(await grants.replace({ ...grant, id: "none" }, grant), false);
      assert.equal(await grants.find("access-token", "none"), undefined);
      assert.equal(await grants.end("access-token", "a"), true);
      assert.equal(await grants.end("access-token", "a"), false);
      for (const id of ["b", "c"]) await grants.put({ ...grant, id });
      await grants.put({ ...grant, id: "d", group: "other", expires: 20 });
      await grants.endGroup("g");
      assert.equal(await grants.find("access-token", "b"), undefined);
      assert.equal((await grants.find("access-token", "d"))?.group, "other");
      await store.purge(20);
      assert.equal(await grants.find("access-token", "d"), undefined);
      for (const text of hostileTexts) await grants.put({ kind: text, id: text, group: text, text, expires: 1e15 });
      for (const text of hostileTexts) assert.equal((await grants.find(text, text))?.text, text);
    });
  });

  void describe(`${name}: pins`, () => {
    it("R9.2 a caller is pinned once, whoever pins it again, and no two callers share a pin", async (store) => {
      assert.equal(await store.pins.find("key", "ann"), undefined);
      assert.equal(await store.pins.pin("key", "ann", "1"), "1");
      assert.equal(await store.pins.pin("key", "ann", "2"), "1");
      assert.deepEqual(await Promise.all([store.pins.pin("key", "bob", "2"), store.pins.pin("key", "bob", "2")]), [
        "2",
        "2",
      ]);
      assert.equal(await store.pins.find("key", "ann"), "1");
      assert.equal(await store.pins.find("key", "bob"), "2");
      assert.equal(await store.pins.find("device", "ann"), undefined);
      for (const text of hostileTexts) await store.pins.pin(text, text, text);
      for (const text of hostileTexts) assert.equal(await store.pins.find(text, text), text);
    });
  });

  void describe(`${name}: files`, () => {
    const bytes = (text: string): Uint8Array => Buffer.from(text);
    const aggregate = async (store: Store, id: string): Promise<string | undefined> => {
      let text = "";
      for (let at = 0; ; ) {
        const piece = await store.files.piece(id, at);
        if (piece === undefined) return at === 0 ? undefined : text;
        assert.equal(piece.start, at);
        text += Buffer.from(piece.bytes).toString();
        at += piece.bytes.length;
      }
    };
    const photo = (id: string): Row => ({ photo: { id, type: "text/plain" } });

    it("are read in the pieces that they came in", async (store) => {
      for (const piece of ["ab", "cde", "f"]) await store.files.append("f1", bytes(piece));
      assert.equal(await aggregate(store, "f1"), "abcdef");
      const piece = await store.files.piece("f1", 3);
      assert.deepEqual([piece?.start, Buffer.from(piece?.bytes ?? []).toString()], [2, "cde"]);
      assert.equal(await store.files.piece("f1", 6), undefined);
      assert.equal(await store.files.piece("f2", 0), undefined);
    });

    it("are kept with a record, and go when it has another, none, or is deleted", async (store) => {
      for (const id of ["f1", "f2", "f3"]) await store.files.append(id, bytes(id));
      await add(store, "Thing", sampleRow("t1", photo("f1")));
      await add(store, "Thing", sampleRow("t2", { parent: "t1", ...photo("f3") }));
      const change = (changes: Row): Promise<void> =>
        store.transaction(async (tx) => {
          await tx.update("Thing", await present(tx, "Thing", "t1"), changes, fullView("Thing"), {});
        });
      await change({ note: "same" });
      assert.equal(await aggregate(store, "f1"), "f1");
      await change(photo("f2"));
      assert.deepEqual([await aggregate(store, "f1"), await aggregate(store, "f2")], [undefined, "f2"]);
      await change({ photo: null });
      assert.equal(await aggregate(store, "f2"), undefined);
      await store.transaction(async (tx) => {
        await tx.delete("Thing", await present(tx, "Thing", "t1"));
      });
      assert.equal(await aggregate(store, "f3"), undefined, "deleted with what it belongs to");
    });

    it("a transaction that fails leaves the record its file, and the other one to be discarded", async (store) => {
      for (const id of ["f1", "f2"]) await store.files.append(id, bytes(id));
      await add(store, "Thing", sampleRow("t1", photo("f1")));
      const failing = store.transaction(async (tx) => {
        await tx.update("Thing", await present(tx, "Thing", "t1"), photo("f2"), fullView("Thing"), {});
        throw new Error("no");
      });
      await assert.rejects(failing, /no/);
      assert.deepEqual([await aggregate(store, "f1"), await aggregate(store, "f2")], ["f1", "f2"]);
      await store.files.discard(["f1", "f2", "f9"]);
      assert.deepEqual([await aggregate(store, "f1"), await aggregate(store, "f2")], ["f1", undefined]);
    });

    it("what no record was given goes by itself, and cannot be given after", async (store, clock) => {
      for (const id of ["f1", "f2"]) await store.files.append(id, bytes(id));
      await add(store, "Thing", sampleRow("t1", photo("f1")));
      await store.purge(clock.now);
      assert.equal(await aggregate(store, "f2"), "f2");
      clock.now += 3_600_001;
      await store.purge(clock.now);
      assert.deepEqual([await aggregate(store, "f1"), await aggregate(store, "f2")], ["f1", undefined]);
      // Whoever brought it was too slow, and may bring it again (R7.4).
      await assert.rejects(add(store, "Thing", sampleRow("t2", photo("f2"))), (thrown) => isPassing(thrown));
      assert.equal(await store.transaction((tx) => Promise.resolve(tx.get("Thing", "id", "t2"))), undefined);
    });

    it("what a record is being given is not cleared meanwhile", async (store, clock) => {
      await store.files.append("f1", bytes("f1"));
      clock.now += 3_600_001;
      const clearing: Promise<void>[] = [];
      await store.transaction(async (tx) => {
        await tx.insert("Thing", sampleRow("t1", photo("f1")), 1, fullView("Thing"), {});
        clearing.push(Promise.resolve(store.purge(clock.now)));
      });
      await Promise.all(clearing);
      assert.equal(await aggregate(store, "f1"), "f1");
    });
  });

  void describe(`${name}: counts`, () => {
    const increment = (store: Store, key: string, now: number): Promise<readonly number[]> =>
      store.transaction(async (tx) => {
        const { used, until } = await tx.count("posts", key, now, now + 100);
        return [used, until];
      });

    it("go up by one until they are over, and then begin anew", async (store) => {
      assert.deepEqual(await increment(store, "ann", 1000), [1, 1100]);
      assert.deepEqual(await increment(store, "ann", 1050), [2, 1100], "the window is that of the first");
      assert.deepEqual(await increment(store, "bob", 1060), [1, 1160], "each key has its own");
      assert.deepEqual(await increment(store, "ann", 1099), [3, 1100]);
      assert.deepEqual(await increment(store, "ann", 1100), [1, 1200]);
      const alive = (await store.counts.all(1160)).map(({ name, key, used, until }) => [name, key, used, until]);
      assert.deepEqual(alive, [["posts", "ann", 1, 1200]]);
    });

    it("go up by more at once, and are undone by as many", async (store) => {
      const count = (more: number, now: number, isUndone = false): Promise<readonly number[]> =>
        store.transaction(async (tx) => {
          const { used, until } = await tx.count("posts", "ann", now, now + 100, more);
          if (isUndone) throw new RangeError("no");
          return [used, until];
        });
      assert.deepEqual(await count(7, 1000), [7, 1100]);
      assert.deepEqual(await count(3, 1050), [10, 1100]);
      await assert.rejects(count(5, 1060, true), RangeError);
      assert.deepEqual(await count(1, 1070), [11, 1100]);
      assert.deepEqual(await count(4, 1100), [4, 1200]);
    });

    it("of fifty that count at once, each gets a number of its own", async (store) => {
      const counted = await Promise.all(Array.from({ length: 50 }, () => increment(store, "ann", 1000)));
      const numbers = counted.map(([used]) => used as number).toSorted((a, b) => a - b);
      assert.deepEqual(
        numbers,
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
    });

    it("are undone with their transaction", async (store) => {
      await increment(store, "ann", 1000);
      const failing = store.transaction(async (tx) => {
        assert.deepEqual(await tx.count("posts", "ann", 1000, 1100), { used: 2, until: 1100 });
        assert.deepEqual(await tx.count("posts", "ann", 1000, 1100), { used: 3, until: 1100 });
        await tx.count("posts", "bob", 1000, 1100);
        throw new RangeError("no");
      });
      await assert.rejects(failing, RangeError);
      assert.deepEqual(await increment(store, "ann", 1000), [2, 1100]);
      assert.deepEqual(await increment(store, "bob", 1000), [1, 1100]);
    });

    it("are saved in place of what was kept, and go when they are over", async (store) => {
      const many = Array.from({ length: 1200 }, (_, index) => ({
        name: "rate",
        key: `k${index}`,
        used: 1,
        until: 1000 + index,
      }));
      await store.counts.save(many);
      await store.counts.save([
        { name: "rate", key: "k1199", used: 7, until: 3000 },
        { name: "other", key: "k1199", used: 2, until: 3000 },
      ]);
      await store.counts.save([]);
      await store.purge(2197);
      const left = (await store.counts.all(0)).map(({ name, key, used }) => `${name} ${key} ${used}`).toSorted();
      assert.deepEqual(left, ["other k1199 2", "rate k1198 1", "rate k1199 7"]);
    });

    it("records are tallied by a column and their states, no further than asked", async (store) => {
      for (const key of ["s1", "s2"]) await addSite(store, key);
      for (const [index, state] of ["free", "free", "held"].entries())
        await add(store, "Locker", { id: `l${index}`, site: "s1", door: index, state });
      const liveCount = (site: string, states: readonly string[] | undefined, most: number): Promise<number> =>
        store.transaction(async (tx) => tallied(tx, site, states, most));
      assert.equal(await liveCount("s1", undefined, 9), 3);
      assert.equal(await liveCount("s1", ["free"], 9), 2);
      assert.equal(await liveCount("s1", ["free", "held"], 9), 3);
      assert.equal(await liveCount("s1", ["free", "held"], 2), 2);
      assert.equal(await liveCount("s1", [], 9), 0);
      assert.equal(await liveCount("s2", undefined, 9), 0);
      const countInside = await store.transaction(async (tx) => {
        await tx.insert("Locker", { id: "l9", site: "s2", door: 1, state: "held" }, 1, fullView("Locker"), {});
        return tallied(tx, "s2", ["held"], 9);
      });
      assert.equal(countInside, 1, "what the transaction itself did counts");
    });

    it("what is tallied follows each write, and what is undone", async (store) => {
      for (const key of ["s1", "s2"]) await addSite(store, key);
      for (const door of [1, 2, 3]) await add(store, "Locker", { id: `l${door}`, site: "s1", door, state: "free" });
      const free = (tx: Transaction, site: string, most = 9): Awaitable<number> => tallied(tx, site, ["free"], most);
      const now = (): Promise<readonly number[]> =>
        store.transaction(async (tx) => [await free(tx, "s1"), await free(tx, "s2"), await free(tx, "s1", 2)]);
      const change = (id: string, changes: Row): Promise<void> =>
        store.transaction(async (tx) => {
          const row = (await tx.get("Locker", "id", id)) as Row;
          await tx.update("Locker", row, changes, fullView("Locker"), {});
        });
      assert.deepEqual(await now(), [3, 0, 2]);
      await change("l1", { state: "held" });
      assert.deepEqual(await now(), [2, 0, 2]);
      await change("l2", { site: "s2" });
      assert.deepEqual(await now(), [1, 1, 1]);
      await change("l1", { state: "free" });
      await add(store, "Locker", { id: "l4", site: "s2", door: 4, state: "free" });
      assert.deepEqual(await now(), [2, 2, 2]);
      const undone = store.transaction(async (tx) => {
        await tx.insert("Locker", { id: "l9", site: "s2", door: 9, state: "free" }, 1, fullView("Locker"), {});
        await tx.delete("Locker", (await tx.get("Locker", "id", "l1")) as Row);
        assert.deepEqual([await free(tx, "s1"), await free(tx, "s2")], [1, 3]);
        throw new Error("not so");
      });
      await assert.rejects(undone, /not so/);
      assert.deepEqual(await now(), [2, 2, 2]);
      await store.transaction(async (tx) => {
        const row = (await tx.get("Locker", "id", "l4")) as Row;
        await tx.update("Locker", row, { state: "held" }, fullView("Locker"), {});
        // The row as it was read before it changed.
        await tx.delete("Locker", row);
        assert.deepEqual([await free(tx, "s1"), await free(tx, "s2")], [2, 1]);
      });
      assert.deepEqual(await now(), [2, 1, 2]);
      // Asked for the first time by what is undone then.
      const first = store.transaction(async (tx) => {
        await tx.insert("Locker", { id: "l9", site: "s2", door: 9, state: "held" }, 1, fullView("Locker"), {});
        assert.equal(await tallied(tx, "s2", ["held"], 9), 1);
        throw new Error("not so");
      });
      await assert.rejects(first, /not so/);
      assert.equal(await store.transaction(async (tx) => tallied(tx, "s2", ["held"], 9)), 0);
    });
  });

  void describe(`${name}: keys`, () => {
    it("are made, found by their hash, listed and revoked", async (store) => {
      const key = {
        id: "k1",
        credential: "key",
        hash: "00ff",
        hint: "pl_…abcd",
        user: "ann",
        roles: ["courier"],
        created: 5,
      };
      await store.keys.create(key);
      await store.keys.create({ ...key, id: "k2", hash: "11", expires: 99 });
      assert.deepEqual(await store.keys.find("00ff"), key);
      assert.equal(await store.keys.find("00FF"), undefined);
      assert.deepEqual(await store.keys.list(), [key, { ...key, id: "k2", hash: "11", expires: 99 }]);
      assert.equal(await store.keys.revoke("k1", 50), true);
      assert.equal(await store.keys.revoke("k1", 60), true);
      assert.deepEqual(await store.keys.find("00ff"), { ...key, revoked: 50 });
      assert.equal(await store.keys.revoke("k3", 60), false);
    });
  });

  void describe(`${name}: sessions`, () => {
    const token = {
      hash: "aa",
      session: "ses_1",
      credential: "session",
      resource: "Thing",
      user: "t1",
      use: "access" as const,
      hint: "s_…abcd",
      created: 5,
      expires: 100,
    };
    const renewing = { ...token, hash: "bb", use: "renew" as const, expires: 900 };
    const opened = (store: Store): Promise<void> =>
      store.transaction(async (tx) => {
        await tx.insert("Thing", { ...sampleRow("t1"), id: "t1" }, 1, fullView("Thing"), {});
        await tx.addSession(token);
        await tx.addSession(renewing);
        await tx.addSession({ ...token, hash: "cc", session: "ses_2" });
        assert.deepEqual(await tx.session("aa"), token, "within the transaction as well");
      });

    it("are found by the hash of a token, and those of requests are listed", async (store) => {
      await opened(store);
      assert.deepEqual(await store.sessions.find("aa"), token);
      assert.equal(await store.sessions.find("AA"), undefined);
      assert.deepEqual(
        (await store.sessions.list()).map(({ hash }) => hash),
        ["aa", "cc"],
      );
      await store.transaction(async (tx) => {
        await tx.replaceSession("bb", 50);
      });
      assert.deepEqual(await store.sessions.find("bb"), { ...renewing, replaced: 50 });
    });

    it("are undone with their transaction", async (store) => {
      const undone = store.transaction(async (tx) => {
        await tx.addSession(token);
        throw new Error("undone");
      });
      await assert.rejects(undone, /undone/);
      assert.equal(await store.sessions.find("aa"), undefined);
    });

    it("end one by one, or all of a record but one; never later than before", async (store) => {
      await opened(store);
      assert.equal(await store.sessions.end("ses_1", 60), true);
      assert.equal(await store.sessions.end("ses_3", 60), false);
      assert.equal((await store.sessions.find("bb"))?.expires, 60);
      await store.transaction(async (tx) => {
        await tx.endSessions({ session: "ses_1" }, 70);
      });
      assert.equal((await store.sessions.find("aa"))?.expires, 60);
      const which = { credential: "session", user: "t1", except: "ses_2" };
      await store.transaction(async (tx) => {
        await tx.endSessions(which, 40);
      });
      assert.equal((await store.sessions.find("aa"))?.expires, 40);
      assert.equal((await store.sessions.find("cc"))?.expires, 100);
      await store.transaction(async (tx) => {
        await tx.endSessions({ credential: "other", user: "t1" }, 10);
      });
      assert.equal((await store.sessions.find("cc"))?.expires, 100);
    });

    it("that are ended while they are renewed have ended", async (store) => {
      await opened(store);
      let ended: Promise<boolean> | undefined;
      await store.transaction(async (tx) => {
        await tx.session("bb");
        await tx.replaceSession("bb", 50);
        ended ??= Promise.resolve(store.sessions.end("ses_1", 60));
        await tx.addSession({ ...renewing, hash: "dd" });
      });
      assert.equal(await ended, true);
      assert.equal((await store.sessions.find("dd"))?.expires, 60);
    });

    it("go with their record, and when they are over", async (store) => {
      await opened(store);
      await store.purge(100);
      assert.equal(await store.sessions.find("aa"), undefined);
      assert.deepEqual(await store.sessions.find("bb"), renewing);
      await store.transaction(async (tx) => {
        const row = await tx.get("Thing", "id", "t1");
        assert(row !== undefined);
        await tx.delete("Thing", row);
      });
      assert.equal(await store.sessions.find("bb"), undefined);
    });
  });

  void describe(`${name}: closing`, () => {
    void test("finishes what was accepted, and accepts no more", async () => {
      const store = await open({ tables, clock: () => start });
      const accepted = Array.from({ length: 20 }, (_, index) => add(store, "Thing", sampleRow(`t${index}`)));
      const closing = store.close();
      await assert.rejects(add(store, "Thing", sampleRow("late")), { name: "StoreError", kind: "closed" });
      for (const one of accepted) assert.equal((await one).kind, "written");
      await closing;
      assert.equal(await store.ready(), false);
    });
  });
}

function listOf(query: Partial<ListQuery>): ListQuery {
  return { resource: "Thing", view: fullView("Thing"), sort: [], filters: [], from: "start", ...query };
}

export function idsOf({ text }: Page): readonly string[] {
  return (JSON.parse(`[${text}]`) as { id: string }[]).map(({ id }) => id);
}

async function put(written: Written | Promise<Written>): Promise<Extract<Written, { kind: "written" }>> {
  const result = await written;
  assert.equal(result.kind, "written");
  return result as Extract<Written, { kind: "written" }>;
}

function add(store: Store, resource: string, values: Row): Promise<Extract<Written, { kind: "written" }>> {
  return store.transaction((tx) => put(tx.insert(resource, values, 7, fullView(resource), {})));
}

function addSite(store: Store, id: string): Promise<unknown> {
  return add(store, "Site", { id, name: `site ${id}` });
}

async function present(tx: Transaction, resource: string, id: string): Promise<Row> {
  const row = await tx.get(resource, "id", id);
  assert.ok(row, `${resource} ${id} is there`);
  return row;
}

function deletedRecords(...records: readonly (readonly [resource: string, id: string])[]): unknown {
  return { kind: "deleted", records: records.map(([resource, id]) => ({ resource, id })) };
}

function removed(store: Store, resource: string, id: string): Promise<Awaited<ReturnType<Transaction["delete"]>>> {
  return store.transaction(async (tx) => tx.delete(resource, await present(tx, resource, id)));
}

async function remove(store: Store, resource: string, id: Value): Promise<boolean> {
  return store.transaction(async (tx) => {
    const row = await tx.get(resource, "id", id);
    return row ? (await tx.delete(resource, row)).kind === "deleted" : false;
  });
}

async function clearSampleRows(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    for (let row = await tx.first("Thing", undefined, {}); row; row = await tx.first("Thing", undefined, {})) {
      await tx.delete("Thing", row);
    }
  });
}

async function walk(
  store: Store,
  sort: readonly SortKey[],
  limit: number,
  between: (last: string | undefined) => Promise<void> = async () => undefined,
): Promise<readonly string[]> {
  const observed: string[] = [];
  let page = await store.list(listOf({ sort }))({ limit, filters: [] }, {});
  const after = store.list(listOf({ sort, from: "after" }));
  for (;;) {
    observed.push(...idsOf(page));
    if (!page.next) return observed;
    assert.equal(page.count, limit, "only the last page is short");
    await between(observed.at(-1));
    // As a cursor would: through JSON.
    page = await after({ limit, filters: [], after: JSON.parse(JSON.stringify(page.next)) as Value[] }, {});
  }
}

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });

function sortableArbitrary(): fc.Arbitrary<Row> {
  const timestamps = fc.constantFrom(
    "2026-01-01T00:00:00.000Z",
    "2026-01-01T00:00:00.001Z",
    "2027-01-01T00:00:00.000Z",
  );
  return fc
    .record({
      name: fc.constantFrom("a", "B", "b", "é", "\u{1F98A}", "\uffee"),
      size: fc.constantFrom("small", "large"),
      title: optional(fc.constantFrom("a", "b")),
      count: optional(fc.integer({ min: -2, max: 2 })),
      maybe: optional(fc.constantFrom(-1.5, 0, 0.1, 2)),
      flag: optional(fc.boolean()),
      at: optional(timestamps),
    })
    .map((row) => ({ owner: "ann", ratio: 1, ...row }));
}

export function rowArbitrary(): fc.Arbitrary<Row> {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }).map((text) => text.replaceAll("\0", "")),
    fc.constantFrom(...hostileTexts),
  );
  const numbers = fc
    .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(...oddNumbers))
    .map((n) => n + 0);
  return fc
    .record({
      owner: fc.constantFrom("ann", "bob"),
      site: optional(fc.constant("s1")),
      name: texts,
      note: optional(texts),
      title: optional(texts),
      size: fc.constantFrom("small", "large"),
      count: optional(fc.maxSafeInteger()),
      ratio: numbers,
      maybe: optional(numbers),
      flag: optional(fc.boolean()),
      at: optional(fc.date({ min: new Date("0100-01-01"), max: new Date("9000-01-01"), noInvalidDate: true })),
      tags: optional(fc.array(texts)),
      secret: optional(texts),
      slug: optional(fc.constantFrom("a", "b", "c")),
    })
    .map(({ at, ...row }) => ({ ...row, at: at && at.toISOString(), placed: row.site !== null }));
}
