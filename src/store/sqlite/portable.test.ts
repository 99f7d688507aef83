/** Tests that a backup restores the same data, a consistent snapshot despite concurrent writes. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { BackupError, readBackup, writeBackup } from "../backup/file.ts";
import { fill, hardText } from "../../../test/store/contract-data.ts";
import { tables, sampleRow, fullView } from "../../../test/store/contract-tables.ts";
import { systemTables } from "../backup/portable.ts";
import type { Row } from "../port/store.ts";
import { openSqliteStore } from "./open.ts";
import { openSqliteSource, openSqliteTarget } from "./portable.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-portable-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (): string => join(folder, `${(files += 1)}.db`);

async function copied(from: string, to: string): Promise<void> {
  const source = openSqliteSource(from) ?? assert.fail("there is nothing");
  const target = openSqliteTarget(to, Date.UTC(2026, 10, 22));
  const summary = await readBackup(bytesOf(writeBackup(source, 1)), {
    head: (head) => target.begin(head),
    rows: (shelf, rows) => target.add(shelf, rows),
  });
  await source.close();
  await target.finish(summary.rows);
  await target.install();
  await target.drop();
}

async function* bytesOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const each of lines) yield Buffer.from(each);
}

/** All values of all tables. */
function contents(file: string): Readonly<Record<string, unknown>> {
  const database = new DatabaseSync(file);
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const all = names.map(({ name }) => [name, database.prepare(`SELECT * FROM "${String(name)}"`).all()]);
  const definitions = database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
  database.close();
  return { definitions, ...Object.fromEntries(all) };
}

test("a file that was restored has every cell, table and index of the one that was backed up", async () => {
  const [from, to] = [newFile(), newFile()];
  const store = await openSqliteStore({ file: from, tables, clock: Date.now });
  await fill(store, `${hardText}\0`);
  await copied(from, to);
  await store.close();
  assert.deepEqual(contents(to), contents(from));
});

test("and so has one of a service that is used, with the positions that it had", async () => {
  const [from, to] = [newFile(), newFile()];
  const first = await openSqliteStore({ file: from, tables, clock: Date.now });
  await fill(first, `${hardText}\0`);
  await first.close();
  await copied(from, to);
  const store = await openSqliteStore({ file: to, tables, clock: Date.now });
  const last = await store.journal.last();
  await store.transaction(async (tx) => {
    assert.deepEqual((await tx.findResponse("ann", "key-1"))?.headers, { etag: '"1"' });
    await tx.record({ at: 6, resource: "Thing", record: "a", by: "ann", cause: "next", event: "thing.next" });
    const row = (await tx.get("Thing", "id", "a")) as Row;
    assert.equal((await tx.update("Thing", row, { name: "new" }, fullView("Thing"), {})).kind, "written");
  });
  assert.deepEqual((await store.journal.events(last, 9)).map(({ cause, position }) => [cause, position]), [["next", last + 1]]); // biome-ignore format: short
  await store.close();
});

test("no table of the store's own is left out of a backup", async () => {
  const file = newFile();
  await (await openSqliteStore({ file, tables, clock: Date.now })).close();
  const present = Object.keys(contents(file)).filter((name) => name.startsWith("nonet_") && name !== "nonet_schema");
  assert.deepEqual(present.toSorted(), systemTables.map(({ name }) => name).toSorted());
  const database = new DatabaseSync(file);
  for (const { columns, name } of systemTables) {
    const stored = database.prepare("SELECT name FROM pragma_table_info(?)").all(name);
    const missed = stored.map((row) => String(row["name"])).filter((column) => !columns.includes(column));
    // Omitted columns: row numbers (for the journal they are positions), and index hashes.
    assert.deepEqual(missed.filter((column) => column !== "_seq" && column !== "hash"), [], name); // biome-ignore format: short
  }
  database.close();
});

test("it is of one moment, while a service goes on writing", async () => {
  const file = newFile();
  const store = await openSqliteStore({ file, tables, clock: Date.now, logBytes: 64 * 1024 });
  const add = async (id: string): Promise<void> => {
    await store.transaction(async (tx) => {
      await tx.insert("Thing", sampleRow(id, { note: "x".repeat(200) }), 1, fullView("Thing"), {});
      await tx.record({ at: 1, resource: "Thing", record: id, by: "ann", cause: "add" });
    });
  };
  await Promise.all(Array.from({ length: 1200 }, (_, index) => add(`before-${index}`)));
  const source = openSqliteSource(file) ?? assert.fail("there is nothing");
  const records: string[] = [];
  const journal: string[] = [];
  let pieces = 0;
  const summary = await readBackup(
    (async function* () {
      for await (const text of writeBackup(source, 1)) {
        await add(`while-${(pieces += 1)}`);
        yield Buffer.from(text);
      }
    })(),
    {
      head: () => undefined,
      rows: ({ columns, name }, rows) => {
        const take = (into: string[], column: string): unknown =>
          into.push(...rows.map((row) => String(row[columns.indexOf(column)])));
        if (name === "things") take(records, "id");
        if (name === "nonet_journal") take(journal, "record");
      },
    },
  );
  await source.close();
  assert.ok(pieces > 10);
  assert.equal(records.length, 1200);
  assert.deepEqual(journal.toSorted(), records.toSorted());
  assert.equal(summary.journal, 1200);
  assert.equal(await store.journal.last(), 1200 + pieces);
  await store.close();
});

test("what was changed, cut off or made by something else is refused, at whatever byte", async () => {
  const file = newFile();
  const store = await openSqliteStore({ file, tables, clock: Date.now });
  await fill(store, `${hardText}\0`);
  await store.close();
  const source = openSqliteSource(file) ?? assert.fail("there is nothing");
  const whole: string[] = [];
  for await (const text of writeBackup(source, 1)) whole.push(text);
  await source.close();
  const bytes = Buffer.from(whole.join(""));
  const read = (piece: Uint8Array) =>
    readBackup((async function* () { yield piece; })(), { head: () => undefined, rows: () => undefined }); // biome-ignore format: short
  const { rows } = await read(bytes);
  assert.deepEqual([rows["things"], rows["nonet_keys"], rows["nonet_file_pieces"]], [2, 1, 2]);
  for (let at = 0; at < bytes.length; at += 97) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    await assert.rejects(read(changed), `byte ${at} was changed`);
    await assert.rejects(read(bytes.subarray(0, at)), BackupError, `cut off at ${at}`);
  }
  const rejected: readonly (readonly [text: string, message: RegExp])[] = [
    ["", /cut off/],
    ["{}\n", /no backup of nonet/],
    ["null\n", /no backup of nonet/],
    ["# Notes\n", /not JSON/],
    ['{"nonet":"backup","form":2}\n', /newer release/],
    ['{"nonet":"backup","form":1}\n', /which tables/],
    [`${bytes.toString("utf8")}[]\n`, /follows its end/],
    [bytes.toString("utf8").replace('"table":"nonet_pins"', '"table":"nonet_pens"'), /nonet_pens, which this release/],
    [bytes.toString("utf8").replace('"credential","user","version"', '"credential","user","verse"'), /column verse/],
  ];
  for (const [text, message] of rejected) await assert.rejects(read(Buffer.from(text)), { name: "Error", message });
});

test("nothing takes a file's place while another process uses it, or that something else made", async () => {
  const [from, to] = [newFile(), newFile()];
  const store = await openSqliteStore({ file: from, tables, clock: Date.now });
  await fill(store, `${hardText}\0`);
  await store.close();
  const used = await openSqliteStore({ file: to, tables, clock: Date.now });
  await assert.rejects(copied(from, to), { name: "StoreError", kind: "busy" });
  await used.close();
  const foreign = newFile();
  new DatabaseSync(foreign).exec("CREATE TABLE customers (id)");
  await assert.rejects(copied(from, foreign), { name: "StoreError", kind: "not-ours" });
});
