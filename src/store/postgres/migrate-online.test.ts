/** Tests a migration that only adds, while a process with the former document serves the data. */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import { startPostgres } from "../../../test/postgres/server.ts";
import { until } from "../../../test/until.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { Following } from "../migration/migration.ts";
import type { Row, Store, View } from "../port/store.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { withoutBlocking } from "./online-ddl.ts";
import { openSingle, type Session } from "./connection.ts";
import { openPostgresStore } from "./open.ts";

const { server } = await postgresForFile();
let schemas = 0;

const start = Date.parse("2026-06-01T12:00:00.000Z");

function column(name: string, more: Partial<Column> = {}): Column {
  return { name, type: "text", nullable: false, absent: "left out", marks: [], schema: {}, ...more };
}

function table(resource: string, columns: readonly Column[], more: Partial<Table> = {}): Table {
  const none = { virtual: [], uniques: [], conflicts: [], indexes: [], rules: [] };
  return { resource, name: `${resource.toLowerCase()}s`, id: { made: "client" }, columns: [column("id"), ...columns], ...none, ...more }; // biome-ignore format: short
}

const old = [table("Job", [column("size", { values: ["s", "m"] }), column("note", { nullable: true })])];
const [before_] = old;
const next = [
  table(
    "Job",
    [
      column("size", { values: ["s", "m", "l"] }),
      column("note", { nullable: true }),
      column("place", { nullable: true }),
      column("count", { type: "integer", default: { kind: "literal", text: "3", value: 3 } }),
      column("word", { default: { kind: "literal", text: "it's", value: "it's" } }),
      column("at", { type: "timestamp", default: { kind: "now" } }),
      column("list", { type: "json", default: { kind: "literal", text: "[]", value: [] } }),
    ],
    { indexes: [["place"]] },
  ),
  table("Tool", [column("job", { references: { resource: "Job", onDelete: "refuse" } })]),
];
const following = (...events: readonly string[]): Following => ({ history: [], validate: () => () => true, events });

function viewOf({ columns, resource }: Table): View {
  const members = columns.map(({ absent, name, type }) => ({ name, type, absent, source: { kind: "column" as const, column: name } })); // biome-ignore format: short
  return { resource, members };
}

async function add(store: Store, of: Table, values: Row): Promise<void> {
  await store.transaction(async (tx) => {
    const written = await tx.insert(of.resource, values, 1, viewOf(of), {});
    assert.equal(written.kind, "written");
  });
}

async function read(store: Store, of: Table, id: string): Promise<unknown> {
  const found = await store.read({ resource: of.resource, key: "id", view: viewOf(of) })(id, {});
  return found && JSON.parse(found.text);
}

test("both documents are served, each with what it knows, and only the newer one leads", async () => {
  const address = `${server.address}?schema=expand_${(schemas += 1)}&connections=3`;
  const open = (tables: readonly Table[], ...events: readonly string[]): Promise<Store> =>
    openPostgresStore({ address, tables, following: following(...events), clock: () => start });
  const [job, tool] = next as [Table, Table];
  const [oldJob] = [before_ as Table];

  const first = await open(old, "made");
  assert.equal(await first.acquireLease("webhooks"), true);
  await add(first, oldJob, { id: "a", size: "s" });
  await first.transaction(
    async (tx) =>
    tx.record({ at: start, resource: "Job", record: "a", by: "ann", cause: "addJob", event: "made", data: { id: "a", size: "s" } }), // biome-ignore format: short
  );
  const second = await open(next, "made", "moved");
  const filled = { count: 3, word: "it's", list: [] };
  assert.partialDeepStrictEqual(await read(second, job, "a"), { id: "a", size: "s", ...filled });
  assert.deepEqual((await second.journal.at(1))?.data, { id: "a", size: "s", ...filled });

  // The older process writes and reads only the columns that it knows.
  await add(first, oldJob, { id: "b", size: "m", note: "n" });
  assert.partialDeepStrictEqual(await read(second, job, "b"), { id: "b", size: "m", note: "n", ...filled });
  await add(second, job, { id: "c", size: "l", place: "p", ...filled, at: new Date(start).toISOString() });
  await add(second, tool, { id: "t", job: "c" });
  assert.deepEqual(await read(first, oldJob, "c"), { id: "c", size: "l" });
  assert.equal(await second.acquireLease("webhooks"), true);

  // An older process that restarts leaves the data unchanged.
  await first.close();
  const third = await open(old, "made");
  assert.deepEqual(await read(third, oldJob, "c"), { id: "c", size: "l" });
  assert.equal(await third.acquireLease("webhooks"), false);
  assert.partialDeepStrictEqual(await read(second, job, "c"), { place: "p" });

  // A rollback: the newer process ends.
  await second.close();
  for (let tries = 0; !(await third.acquireLease("webhooks")); tries += 1) {
    assert.ok(tries < 200, "nobody leads");
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  await third.close();
});

test("what does not only add is refused while others serve, and says what", async () => {
  const address = `${server.address}?schema=expand_${(schemas += 1)}&connections=3`;
  const open = (tables: readonly Table[]): Promise<Store> =>
    openPostgresStore({ address, tables, following: following(), clock: () => start });
  const first = await open(old);
  const shorter = [table("Job", [column("size", { values: ["s", "m"] }), column("name")])];
  await assert.rejects(open(shorter), /another process serves .*\n {2}Job\.note is gone\n {2}Job\.name is changed/s);
  assert.equal(await first.ready(), true);
  await first.close();
});

test("processes that begin at once bring the data to one document once", async () => {
  const address = `${server.address}?schema=expand_${(schemas += 1)}&connections=3`;
  const open = (tables: readonly Table[]): Promise<Store> =>
    openPostgresStore({ address, tables, following: following(), clock: () => start });
  for (const tables of [old, next]) {
    const stores = await Promise.all([open(tables), open(tables), open(tables)]);
    await add(stores[0] as Store, tables[0] as Table, { id: `${tables.length}`, size: "s", count: 1, word: "x", at: new Date(start).toISOString(), list: [] }); // biome-ignore format: short
    for (const store of stores) await store.close();
  }
});

async function connected(address: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: address });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Locks the table as a migration does. */
function locking(single: Session): (lockMilliseconds: number) => Promise<void> {
  return async (lockMilliseconds) => {
    await single.rows("BEGIN");
    try {
      await single.rows(`SET LOCAL lock_timeout = ${lockMilliseconds}`);
      await single.rows("LOCK TABLE jobs");
    } finally {
      await single.rows("ROLLBACK");
    }
  };
}

test("beside a long transaction requests are answered, and the tables are changed once it is over", async () => {
  const schema = `expand_${(schemas += 1)}`;
  const address = `${server.address}?schema=${schema}&connections=3`;
  const open = (tables: readonly Table[]): Promise<Store> =>
    openPostgresStore({ address, tables, following: following(), clock: () => start });
  const [oldJob, job] = [before_ as Table, next[0] as Table];
  const first = await open(old);
  await add(first, oldJob, { id: "a", size: "s" });
  const [long, looking] = [await connected(server.address), await connected(server.address)];
  await long.query(`BEGIN; UPDATE ${schema}.jobs SET note = 'by hand'`);
  const opening = open(next);
  opening.catch(() => undefined);
  const isWaitedFor = async (): Promise<boolean> => {
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock' AND relation = '${schema}.jobs'::regclass`;
    return (await looking.query(waiting)).rowCount === 1;
  };
  for (const id of ["b", "c", "d", "e"]) {
    await until(isWaitedFor, "nobody waits for the table");
    // Later statements queue behind the waiting lock.
    assert.deepEqual(await read(first, oldJob, "a"), { id: "a", size: "s" });
    await add(first, oldJob, { id, size: "m" });
  }
  await long.query("COMMIT");
  const second = await opening;
  assert.partialDeepStrictEqual(await read(second, job, "a"), { id: "a", size: "s", note: "by hand", count: 3 });
  assert.deepEqual(await read(first, oldJob, "e"), { id: "e", size: "m" });
  for (const one of [first, second]) await one.close();
  for (const one of [long, looking]) await one.end();
});

test("who writes goes on while data that does not only add waits for a long transaction", async () => {
  const schema = `expand_${(schemas += 1)}`;
  const address = `${server.address}?schema=${schema}&connections=3`;
  const open = (tables: readonly Table[]): Promise<Store> =>
    openPostgresStore({ address, tables, following: { ...following(), allowLoss: true }, clock: () => start });
  const first = await open(old);
  for (const id of ["a", "b"]) await add(first, before_ as Table, { id, size: "s" });
  await first.close();
  const [long, other] = [await connected(server.address), await connected(server.address)];
  await long.query(`BEGIN; UPDATE ${schema}.jobs SET note = 'by hand' WHERE id = 'a'`);
  const shorter = table("Job", [column("size", { values: ["s", "m"] })]);
  const opening = open([shorter]);
  opening.catch(() => undefined);
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${schema}.jobs'::regclass`;
  await until(async () => (await other.query(waiting)).rowCount === 1, "nobody waits for the table");
  await other.query(`SET statement_timeout = 5000; UPDATE ${schema}.jobs SET note = 'by hand, too' WHERE id = 'b'`);
  await long.query("COMMIT");
  const second = await opening;
  assert.deepEqual(await read(second, shorter, "a"), { id: "a", size: "s" });
  await second.close();
  for (const one of [long, other]) await one.end();
});

test("who is in the way for too long is named, with since when and what it does", async () => {
  const schema = `expand_${(schemas += 1)}`;
  const address = `${server.address}?schema=${schema}&connections=3`;
  await (await openPostgresStore({ address, tables: old, following: following(), clock: () => start })).close();
  const long = await connected(server.address);
  const { rows } = await long.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await long.query(`BEGIN; SELECT 'not to be told' FROM ${schema}.jobs`);
  const single = await openSingle(parseDatabaseUrl(address));
  const change = locking(single);
  const named = `\n  jobs: pid ${rows[0]?.pid} of postgres since \\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z: BEGIN, idle in transaction$`;
  await assert.rejects(withoutBlocking(single, parseDatabaseUrl(address), change, 200), {
    kind: "busy",
    message: new RegExp(`^the tables in ${schema} of postgres on \\S+ could not be changed .*${named}`),
  });
  await long.query("COMMIT");
  await withoutBlocking(single, parseDatabaseUrl(address), change, 0);
  await single.end();
  await long.end();
});

test("an autovacuum that takes its time is in nobody's way", async () => {
  const slow = ["autovacuum_naptime=1", "autovacuum_vacuum_cost_delay=100ms", "autovacuum_vacuum_cost_limit=1"];
  await using own = await startPostgres({ settings: [...slow, "autovacuum_vacuum_threshold=0"] });
  const client = await connected(own.address);
  await client.query("CREATE TABLE jobs AS SELECT n, repeat('x', 500) AS text FROM generate_series(1, 20000) AS n");
  await client.query("DELETE FROM jobs WHERE n % 2 = 0");
  const vacuums = "SELECT 1 FROM pg_stat_progress_vacuum WHERE relid = 'jobs'::regclass";
  await until(async () => (await client.query(vacuums)).rowCount === 1, "there is no autovacuum");
  const place = parseDatabaseUrl(own.address);
  const single = await openSingle(place);
  await withoutBlocking(single, place, locking(single), 10_000);
  await single.end();
  await client.end();
});
