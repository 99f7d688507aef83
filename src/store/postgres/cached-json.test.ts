/** Tests that valid cached JSON fragments are used, and invalid ones are not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { Row, Store, View } from "../port/store.ts";
import { openPostgresStore } from "./open.ts";

const { server } = await postgresForFile();
let schemas = 0;
const start = Date.parse("2026-06-01T12:00:00.000Z");

function column(name: string, more: Partial<Column> = {}): Column {
  return { name, type: "text", nullable: false, absent: "left out", marks: [], schema: {}, ...more };
}

function job(...columns: readonly Column[]): Table {
  const none = { virtual: [], uniques: [], conflicts: [], indexes: [], rules: [] };
  return { resource: "Job", name: "jobs", id: { made: "client" }, columns: [column("id"), ...columns], ...none };
}

const size = column("size");
const note = column("note", { nullable: true });
const weight = column("weight", { type: "number", nullable: true, absent: "null" });
const hidden = column("code", { nullable: true, visibleTo: [] });
const [old, next] = [
  job(size, note, weight),
  job(size, note, weight, column("place", { default: { kind: "literal", text: "x", value: "x" } })),
];

function viewOf({ columns, resource }: Table): View {
  const visibleTo = columns.filter(({ visibleTo }) => visibleTo === undefined);
  const members = visibleTo.map(({ absent, name, type }) => ({ name, type, absent, source: { kind: "column" as const, column: name } })); // biome-ignore format: short
  return { resource, members };
}

interface Opened {
  readonly store: Store;
  readonly add: (row: Row) => Promise<void>;
  readonly change: (id: string, changes: Row) => Promise<void>;
  /** Reads a record by `read`, `list`, and `list` in a transaction, and asserts that all are equal. */
  readonly read: (id: string) => Promise<string | undefined>;
}

async function open(schema: string, table: Table): Promise<Opened> {
  const address = `${server.address}?schema=${schema}&connections=3`;
  const following = { history: [], validate: () => () => true, events: [] };
  const store = await openPostgresStore({ address, tables: [table], following, clock: () => start });
  const view = viewOf(table);
  const query = {
    ...{ resource: "Job", view, sort: [], from: "start" as const },
    filters: [{ column: "id", operator: "eq" as const }],
  };
  return {
    store,
    add: async (row) => {
      const written = await store.transaction(async (tx) => tx.insert("Job", row, start, view, {}));
      assert.equal(written.kind, "written");
    },
    change: async (id, changes) => {
      await store.transaction(async (tx) => {
        const row = await tx.get("Job", "id", id);
        assert.ok(row);
        await tx.update("Job", row, changes, view, {});
      });
    },
    read: async (id) => {
      const found = await store.read({ resource: "Job", key: "id", view })(id, {});
      const page = { filters: [id], limit: 2 };
      const listed = await store.list(query)(page, {});
      const inside = await store.transaction(async (tx) => tx.list(query, page, {}));
      assert.deepEqual([listed.text, inside.text], [found?.text ?? "", found?.text ?? ""]);
      return found?.text;
    },
  };
}

async function run(schema: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(server.address);
  await client.connect();
  try {
    await client.query(`SET search_path = ${schema}`);
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

const nextSchema = (): string => `texts_${(schemas += 1)}`;

test("what is kept with each write is what is read, for as long as the row is of its revision", async () => {
  const schema = nextSchema();
  const { add, change, read, store } = await open(schema, old);
  await add({ id: "a", size: 's"', weight: 1e21 });
  await change("a", { note: "n" });
  const text = '{"id":"a","size":"s\\"","note":"n","weight":1e+21}';
  assert.equal(await read("a"), text);
  assert.deepEqual(await run(schema, "SELECT _json || '}' AS text FROM jobs"), [{ text }]);

  await run(schema, `UPDATE jobs SET _json = '{"kept":true'`);
  assert.equal(await read("a"), '{"kept":true}');
  // A manual change, which updates `_rev` but not the cached fragment.
  await run(schema, "UPDATE jobs SET note = NULL, _rev = _rev + 1");
  assert.equal(await read("a"), '{"id":"a","size":"s\\"","weight":1e+21}');
  await change("a", { size: "m" });
  assert.equal(await read("a"), '{"id":"a","size":"m","weight":1e+21}');
  assert.deepEqual(await run(schema, `SELECT _json FROM jobs`), [{ _json: '{"id":"a","size":"m","weight":1e+21' }]);
  await store.close();
});

test("two documents at once: neither reads the other's text", async () => {
  const schema = nextSchema();
  const first = await open(schema, old);
  await first.add({ id: "a", size: "s" });
  const second = await open(schema, next);
  const both = async (...texts: readonly string[]): Promise<void> =>
    assert.deepEqual([await first.read("a"), await second.read("a")], texts);
  await both('{"id":"a","size":"s","weight":null}', '{"id":"a","size":"s","weight":null,"place":"x"}');
  await second.change("a", { place: "y", weight: 2 });
  await both('{"id":"a","size":"s","weight":2}', '{"id":"a","size":"s","weight":2,"place":"y"}');
  await first.change("a", { size: "m" });
  await both('{"id":"a","size":"m","weight":2}', '{"id":"a","size":"m","weight":2,"place":"y"}');
  await first.store.close();
  await second.store.close();
});

test("what a release without texts has made gets their columns while that serves, and goes on being written by it", async () => {
  const schema = nextSchema();
  const made = await open(schema, old);
  await made.add({ id: "a", size: "s" });
  await made.store.close();
  await run(schema, "ALTER TABLE jobs DROP COLUMN _json, DROP COLUMN _made");
  const { change, read, store } = await open(schema, old);
  assert.equal(await read("a"), '{"id":"a","size":"s","weight":null}');
  await change("a", { size: "m" });
  await run(schema, `UPDATE jobs SET size = 'l', _rev = _rev + 1`);
  assert.equal(await read("a"), '{"id":"a","size":"l","weight":null}');
  await store.close();
});

test("what is hidden is in no text, runs of columns have texts of their own, and what is long has none", async () => {
  const schema = nextSchema();
  const { add, read, store } = await open(schema, job(size, hidden, note, weight));
  await add({ id: "a", size: "s", code: "c" });
  await add({ id: "b", size: "s".repeat(900), code: "c", note: "n" });
  assert.deepEqual(await run(schema, `SELECT _json, _json2 FROM jobs ORDER BY id`), [
    { _json: '{"id":"a","size":"s"', _json2: ',"weight":null' },
    { _json: null, _json2: null },
  ]);
  assert.equal(await read("a"), '{"id":"a","size":"s","weight":null}');
  assert.equal(await read("b"), `{"id":"b","size":"${"s".repeat(900)}","note":"n","weight":null}`);
  await store.close();
});
