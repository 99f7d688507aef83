/** Tests migrations on a real server. The SQLite tests cover the conversion of values, which has the same code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import { createValidators } from "../../runtime/validation/validator.ts";
import { type Following, type Migrated, MigrationRejected } from "../migration/migration.ts";
import type { Row, Store, View } from "../port/store.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { openSingle } from "./connection.ts";
import { planMigration } from "./migrate.ts";
import { openPostgresStore } from "./open.ts";

const { server } = await postgresForFile();
let schemas = 0;

const clock = (): number => Date.parse("2026-06-01T12:00:00.000Z");
const judges = createValidators();

interface Opened extends AsyncDisposable {
  readonly store: Store;
  readonly migrated: Migrated | undefined;
}

async function open(address: string, table: Table, allowLoss = false): Promise<Opened> {
  let migrated: Migrated | undefined;
  const following: Following = {
    history: [],
    validate: (schema) => (value) => judges(schema)(value).length === 0,
    allowLoss,
    followed: (done: Migrated) => void (migrated = done),
  };
  const store = await openPostgresStore({ address, tables: [table], following, clock });
  return { store, migrated, [Symbol.asyncDispose]: () => store.close() };
}

function addressOf(): string {
  schemas += 1;
  return `${server.address}?schema=follow_${schemas}&connections=2`;
}

function column(name: string, more: Partial<Column> = {}): Column {
  return { name, type: "text", nullable: false, absent: "left out", marks: [], schema: {}, ...more };
}

const number = column("number", { type: "integer", default: { kind: "counter" } });
const size = column("size", { values: ["s", "l"] });
const n = column("n", { type: "integer", nullable: true });

function notes(...columns: readonly Column[]): Table {
  const none = { virtual: [], uniques: [], conflicts: [], indexes: [], rules: [] };
  return { resource: "Note", name: "notes", id: { made: "client" }, columns: [column("id"), ...columns], ...none };
}

function viewOf({ columns, resource }: Table): View {
  const members = columns.map(({ absent, name, type }) => {
    return { name, type, absent, source: { kind: "column", column: name } } as const;
  });
  return { resource, members };
}

async function add({ store }: Opened, table: Table, row: Row): Promise<void> {
  const written = await store.transaction(async (tx) => tx.insert("Note", row, 7, viewOf(table), {}));
  assert.equal(written.kind, "written");
}

async function texts({ store }: Opened, table: Table): Promise<readonly unknown[]> {
  const list = store.list({ resource: "Note", view: viewOf(table), sort: [], filters: [], from: "start" });
  return JSON.parse(`[${(await list({ limit: 9, filters: [] }, {})).text}]`) as unknown[];
}

/** The notes in the backup schema of a migration. */
async function leftBehind(address: string): Promise<readonly unknown[]> {
  const place = parseDatabaseUrl(address);
  const single = await openSingle(place);
  const schemas = await single.rows<[string]>("SELECT nspname FROM pg_namespace WHERE nspname LIKE $1", [
    `${place.schema} before %`,
  ]);
  const [name] = schemas[0] ?? [];
  const rows = name === undefined ? [] : await single.rows(`SELECT id, n FROM "${name}".notes ORDER BY _seq`);
  await single.end();
  return rows;
}

test("what is only added is added while another process serves, which goes on", async () => {
  const address = addressOf();
  const old = notes(number, size);
  await using serving = await open(address, old);
  await add(serving, old, { id: "a", size: "s" });
  const literal = { kind: "literal", text: "x", value: "it's" } as const;
  const next = {
    ...notes(number, column("size", { values: ["s", "l", "xl"] }), n, column("note", { default: literal })),
    indexes: [["n"]],
  };
  await using newer = await open(address, next);
  assert.deepEqual(newer.migrated?.steps.map(({ kind }) => kind).toSorted(), ["add column", "add column"]);
  assert.equal(newer.migrated?.backup, undefined);
  await add(serving, old, { id: "b", size: "l" });
  await add(newer, next, { id: "c", size: "xl", n: 5, note: "new" });
  assert.deepEqual(await texts(newer, next), [
    { id: "c", number: 3, size: "xl", n: 5, note: "new" },
    { id: "b", number: 2, size: "l", note: "it's" },
    { id: "a", number: 1, size: "s", note: "it's" },
  ]);
  assert.equal((await texts(serving, old)).length, 3);
});

test("what changes is brought along, counts on, and is left as it was in a schema of its own", async () => {
  const address = addressOf();
  const old = notes(number, n);
  const next = notes(number, column("n", { nullable: true }));
  {
    await using first = await open(address, old);
    for (const id of ["b", "a"]) await add(first, old, { id, n: id === "a" ? 1 : null });
    await assert.rejects(open(address, next), { kind: "busy", message: /another process serves/ });
  }
  const wanted = { tables: [next], following: { history: [], validate: () => () => true }, clock };
  const plan = await planMigration(address, wanted);
  assert.deepEqual(plan.steps.map(({ kind, records }) => [kind, records]), [["retype", 1]]); // biome-ignore format: short
  await using second = await open(address, next);
  assert.match(second.migrated?.backup ?? "", /the schema "follow_\d+ before 20260601T120000000Z"/);
  await add(second, next, { id: "c", n: "x" });
  assert.deepEqual(await texts(second, next), [
    { id: "c", number: 3, n: "x" },
    { id: "a", number: 2, n: "1" },
    { id: "b", number: 1 },
  ]);
  assert.deepEqual(await leftBehind(address), [["b", null], ["a", 1]]); // biome-ignore format: short
});

test("what would be lost or does not fit stands in the way, and nothing is changed", async () => {
  const address = addressOf();
  const old = notes(size, n);
  {
    await using first = await open(address, old);
    await add(first, old, { id: "a", size: "s", n: 1 });
  }
  const cases: readonly [wanted: Table, sentence: RegExp][] = [
    [notes(size), /Note\.n is gone from the document, and 1 record would lose it: a/],
    [notes(column("size", { values: ["l"] }), n), /Note\.size is now l, and 1 record has another value: a/],
    [notes(size, n, column("name")), /Note\.name is new and required/],
  ];
  for (const [wanted, sentence] of cases) {
    const failure = await open(address, wanted).then(String, (thrown: unknown) => thrown);
    assert(failure instanceof MigrationRejected);
    assert.match(failure.message, sentence);
  }
  {
    await using same = await open(address, old);
    assert.deepEqual(await texts(same, old), [{ id: "a", size: "s", n: 1 }]);
  }
  await using without = await open(address, notes(size), true);
  assert.deepEqual(await texts(without, notes(size)), [{ id: "a", size: "s" }]);
  assert.deepEqual(await leftBehind(address), [["a", 1]]);
});

test("a schema that something else made is left alone", async () => {
  const single = await openSingle(parseDatabaseUrl(server.address));
  await single.rows("CREATE SCHEMA others");
  await single.rows("CREATE TABLE others.theirs (id integer)");
  await single.end();
  await assert.rejects(open(`${server.address}?schema=others`, notes(n)), { kind: "not-ours", message: /theirs/ });
});
