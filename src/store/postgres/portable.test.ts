/** Tests that a backup of one store restores to the other, value by value, and is a consistent snapshot. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../../test/postgres/server.ts";
import { readBackup, writeBackup } from "../backup/file.ts";
import { fill, hardText } from "../../../test/store/contract-data.ts";
import { tables, sampleRow, fullView } from "../../../test/store/contract-tables.ts";
import { systemTables, type PortableSource, type PortableTarget } from "../backup/portable.ts";
import { openSqliteStore } from "../sqlite/open.ts";
import { openSqliteSource, openSqliteTarget } from "../sqlite/portable.ts";
import type { RateRequest } from "../port/rates.ts";
import type { Row, Store } from "../port/store.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { openSingle } from "./connection.ts";
import { openPostgresStore } from "./open.ts";
import { openPostgresSource, openPostgresTarget } from "./portable.ts";

const folder = mkdtempSync(join(tmpdir(), "nonet-portable-"));
const given = process.env["NONET_TEST_POSTGRES"];
const own: PostgresServer | undefined = given === undefined ? await startPostgres() : undefined;
after(async () => {
  await own?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const now = Date.UTC(2026, 10, 22, 6, 45);
let count = 0;
const newSchema = (): string => `${given ?? own?.address}?schema=portable_${process.pid}_${(count += 1)}&connections=4`;
const newFile = (): string => join(folder, `${(count += 1)}.db`);

async function linesOf(source: PortableSource | undefined): Promise<readonly string[]> {
  if (source === undefined) return assert.fail("there is nothing");
  const lines: string[] = [];
  for await (const text of writeBackup(source, now)) lines.push(text);
  await source.close();
  return lines.join("").split("\n");
}

async function bring(lines: readonly string[], target: PortableTarget): Promise<string | undefined> {
  try {
    const bytes = (async function* () {
      yield Buffer.from(lines.join("\n"));
    })();
    const { rows } = await readBackup(bytes, {
      head: (head) => target.begin(head),
      rows: (shelf, some) => target.add(shelf, some),
    });
    await target.finish(rows);
    return await target.install();
  } finally {
    await target.drop();
  }
}

/** Without the header and the checksum. */
const rowsOf = (lines: readonly string[]): readonly string[] => lines.slice(1, -2);

async function filled(store: Store): Promise<void> {
  await fill(store, hardText);
  await store.close();
}

test("from SQLite to PostgreSQL and back, and the other way round, every cell is the same", async () => {
  const [file, back, schema, other] = [newFile(), newFile(), newSchema(), newSchema()];
  await filled(await openSqliteStore({ file, tables, clock: Date.now }));
  const lines = await linesOf(openSqliteSource(file));
  assert.equal(await bring(lines, await openPostgresTarget(schema, now)), undefined);
  const inPostgres = await linesOf(await openPostgresSource(schema));
  assert.deepEqual(rowsOf(inPostgres), rowsOf(lines));
  await bring(inPostgres, openSqliteTarget(back, now));
  assert.deepEqual(rowsOf(await linesOf(openSqliteSource(back))), rowsOf(lines));

  await filled(await openPostgresStore({ address: other, tables, clock: Date.now }));
  const again = newFile();
  const fromPostgres = await linesOf(await openPostgresSource(other));
  await bring(fromPostgres, openSqliteTarget(again, now));
  assert.deepEqual(rowsOf(await linesOf(openSqliteSource(again))), rowsOf(fromPostgres));
});

test("what was restored is used: positions, numbers and answers go on from where they were", async () => {
  const [file, schema] = [newFile(), newSchema()];
  await filled(await openSqliteStore({ file, tables, clock: Date.now }));
  await bring(await linesOf(openSqliteSource(file)), await openPostgresTarget(schema, now));
  const store = await openPostgresStore({ address: schema, tables, clock: Date.now });
  const last = await store.journal.last();
  assert.equal(last, 2);
  await store.transaction(async (tx) => {
    assert.deepEqual((await tx.findResponse("ann", "key-1"))?.headers, { etag: '"1"' });
    await tx.record({ at: 6, resource: "Thing", record: "a", by: "ann", cause: "next", event: "thing.next" });
    const row = (await tx.get("Thing", "id", "a")) as Row;
    assert.equal((await tx.update("Thing", row, { name: "new" }, fullView("Thing"), {})).kind, "written");
    assert.equal((await tx.insert("Thing", sampleRow("c"), 1, fullView("Thing"), {})).kind, "written");
  });
  const entries = await store.journal.events(last, 9);
  assert.deepEqual(entries.map(({ cause, position }) => [cause, position]), [["next", 3]]); // biome-ignore format: short
  assert.deepEqual((await store.files.piece("fil_1", 4))?.bytes.at(-1), 13);
  await store.close();
});

test("rates of long windows are the same after a restore into either store, and those of short ones begin anew", async () => {
  const window = { count: 5, windowMilliseconds: 86_400_000 };
  const bucket = { count: 7, windowMilliseconds: 3_600_000, burst: 9 };
  const short = { count: 3, windowMilliseconds: 60_000 };
  const ask = (wanted: number): readonly RateRequest[] =>
    Object.entries({ window, bucket, short }).map(([name, limit]) => ({
      name,
      key: "ann",
      limit,
      consumed: 0,
      wanted,
    }));
  const [first, second, file] = [newSchema(), newSchema(), newFile()];
  const store = await openPostgresStore({ address: first, tables, clock: Date.now });
  const used = await store.rates?.count(ask(3), now);
  assert.deepEqual(used?.map(({ granted }) => granted), [3, 3, 3]); // biome-ignore format: short
  await store.close();
  const lines = await linesOf(await openPostgresSource(first));
  await bring(lines, openSqliteTarget(file, now));
  // In the form of a single process: requests used and end of the window; for a bucket, when it is full again.
  const inFile = await openSqliteStore({ file, tables, clock: () => now });
  const until = now + Math.ceil((3 * bucket.windowMilliseconds) / bucket.count);
  assert.deepEqual(await inFile.counts.all(now), [
    { name: "rate bucket", key: "ann", used: 0, until },
    { name: "rate window", key: "ann", used: 3, until: now + window.windowMilliseconds },
  ]);
  await inFile.close();
  await bring(await linesOf(openSqliteSource(file)), await openPostgresTarget(second, now));
  // A second backup equals the first, before any request.
  assert.deepEqual(rowsOf(await linesOf(await openPostgresSource(second))), rowsOf(lines));
  const again = await openPostgresStore({ address: second, tables, clock: Date.now });
  const left = await again.rates?.count(ask(9), now + 1);
  assert.deepEqual(left?.map(({ granted }) => granted), [2, 6, 3]); // biome-ignore format: short
  const later = await again.rates?.count(ask(9), now + 2 * bucket.windowMilliseconds);
  assert.deepEqual(later?.map(({ granted }) => granted), [0, 9, 3]); // biome-ignore format: short
  await again.close();
});

test("nothing takes the place of what is used; what is not is kept, and what is not whole changes nothing", async () => {
  const [file, schema] = [newFile(), newSchema()];
  await filled(await openSqliteStore({ file, tables, clock: Date.now }));
  const lines = await linesOf(openSqliteSource(file));
  const used = await openPostgresStore({ address: schema, tables, clock: Date.now });
  await assert.rejects(async () => bring(lines, await openPostgresTarget(schema, now)), { name: "StoreError", kind: "busy" }); // biome-ignore format: short
  await used.transaction(async (tx) => tx.insert("Site", { id: "before", name: "x" }, 1, fullView("Site"), {}));
  await used.close();
  const cut = [...lines.slice(0, -2), lines.at(-2)?.replace('"journal":2', '"journal":3') ?? "", ""];
  await assert.rejects(async () => bring(cut, await openPostgresTarget(schema, now)), /changed or damaged/);
  const sites = async (address: string): Promise<readonly string[]> =>
    (await linesOf(await openPostgresSource(address))).filter((line) => /^\[1,1,"(?:before|s1)"/.test(line));
  assert.match((await sites(schema)).join(), /"before"/);
  const kept = await bring(lines, await openPostgresTarget(schema, now));
  const name = /^the schema (\w+_before_restore_20261122t064500z)$/.exec(kept ?? "")?.[1] ?? assert.fail(kept);
  assert.match((await sites(schema)).join(), /"s1"/);
  assert.match((await sites(schema.replace(/schema=\w+/, `schema=${name}`))).join(), /"before"/);
});

test("it is of one moment, while services go on writing", async () => {
  const address = newSchema();
  const store = await openPostgresStore({ address, tables, clock: Date.now });
  const add = async (id: string): Promise<void> => {
    await store.transaction(async (tx) => {
      await tx.insert("Thing", sampleRow(id), 1, fullView("Thing"), {});
      await tx.record({ at: 1, resource: "Thing", record: id, by: "ann", cause: "add" });
    });
  };
  for (let number = 0; number < 40; number += 1) await add(`before-${number}`);
  const source = (await openPostgresSource(address)) ?? assert.fail("there is nothing");
  let during = 0;
  const counted: Record<string, number> = {};
  const positions: number[] = [];
  await readBackup(
    (async function* () {
      for await (const text of writeBackup(source, now)) {
        await add(`during-${(during += 1)}`);
        yield Buffer.from(text);
      }
    })(),
    {
      head: () => undefined,
      rows: ({ name }, rows) => {
        counted[name] = (counted[name] ?? 0) + rows.length;
        if (name === "nonet_journal") positions.push(...rows.map(([position]) => Number(position)));
      },
    },
  );
  await source.close();
  await store.close();
  assert.ok(during > 10);
  assert.deepEqual([counted["things"], counted["nonet_journal"]], [40, 40]);
  assert.deepEqual(
    positions,
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
});

test("there is nothing where nothing was, and what something else made is not touched", async () => {
  assert.equal(await openPostgresSource(newSchema()), undefined);
  await assert.rejects(openPostgresSource("postgres://postgres@127.0.0.1:1/none"), { name: "StoreError", kind: "unreachable" }); // biome-ignore format: short
});

test("no table of the store's own is left out of a backup, but for what processes say of themselves, and short rates", async () => {
  const address = newSchema();
  await (await openPostgresStore({ address, tables, clock: Date.now })).close();
  const place = parseDatabaseUrl(address);
  const single = await openSingle(place);
  const found = await single.rows<[string]>("SELECT tablename FROM pg_tables WHERE schemaname = $1", [place.schema]);
  await single.end();
  const passing = [
    "nonet_schema",
    "nonet_journal_floor",
    "nonet_documents",
    "nonet_leads",
    "nonet_processes",
    "nonet_rates",
    // In a backup they are counts.
    "nonet_long_rates",
  ];
  const ours = found.map(([name]) => name).filter((name) => name.startsWith("nonet_") && !passing.includes(name));
  // On PostgreSQL counters are sequences.
  const told = systemTables.map(({ name }) => name).filter((name) => name !== "nonet_counters");
  assert.deepEqual(ours.toSorted(), told.toSorted());
});
