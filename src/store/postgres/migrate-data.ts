/**
 * Migrates data if the migration does more than add (else `migrate-online.ts`). It copies the records to a temporary SQLite file,
 * migrates that with the code of the SQLite store, so that both behave the same, and rebuilds changed tables from it, with the
 * same row numbers. Everything runs in the caller's transaction.
 *
 * If stored data changes or is deleted, the former tables are not dropped: they move unchanged to a schema whose name has the
 * time.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defined } from "../../base/defined.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Table } from "../../plan/resources/types.ts";
import { type Changed, type Differences, isMade } from "../migration/differences.ts";
import { obstructions } from "../migration/expansion.ts";
import {
  changesData,
  type Following,
  type Migrated,
  type MigrationPlan,
  type StoredDocument,
} from "../migration/migration.ts";
import { addTable } from "../sqlite/apply.ts";
import { Connection } from "../sqlite/connection.ts";
import { migrate as migrateFile, planMigration as planFile } from "../sqlite/migrate.ts";
import { createSystemTables, recordTables } from "../sqlite/system-tables.ts";
import { relationFor, typeOf } from "../sql/table-access.ts";
import { relationsOf as fileRelationsOf } from "../sqlite/relations.ts";
import { quoteName as quoteFileName, toStored as toFile } from "../sqlite/value.ts";
import { isTimed, timeColumns } from "../sql/columns.ts";
import type { DatabaseUrl } from "./database-url.ts";
import type { SqlRow, Session } from "./connection.ts";
import { sweepFiles } from "./files.ts";
import { relationsOf } from "./relations.ts";
import { counterNames, referenceName, referencesSql, tableSql } from "./schema.ts";
import { columnTypes, quoteName } from "./value.ts";

export interface Stored extends StoredDocument {
  /** The differences between the stored tables and the wanted ones. */
  readonly differences: Differences;
}

export interface Wanted {
  readonly tables: readonly Table[];
  readonly following: Following;
  readonly clock: () => number;
}

/** The number of records per read and per write. */
const batch = 2000;

/** Returns what `follow` would do. */
export function planFollowing(session: Session, stored: Stored, wanted: Wanted): Promise<MigrationPlan> {
  return inFile(session, stored, async (file) => planFile({ ...wanted, file }, 0));
}

/** Migrates the data. @throws MigrationRejected */
export async function follow(
  session: Session,
  databaseUrl: DatabaseUrl,
  stored: Stored,
  wanted: Wanted,
): Promise<Migrated> {
  const names = stored.tables.map(({ name }) => quoteName(name)).join(", ");
  // All tables are locked now, so that no later statement waits.
  if (names !== "") await session.rows(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE`);
  return inFile(session, stored, async (file) => {
    const connection = new Connection(file, 0);
    try {
      let migrated: Migrated = { steps: [] };
      const followed = (done: Migrated): void => {
        migrated = done;
      };
      await migrateFile(connection, { ...wanted, file, following: { ...wanted.following, followed } });
      const backup = changesData(migrated) ? `${databaseUrl.schema} before ${stampOf(wanted.clock())}` : undefined;
      await apply(session, connection, stored, wanted, backup);
      return { steps: migrated.steps, ...(backup === undefined ? {} : { backup: `the schema ${quoteName(backup)}` }) };
    } finally {
      connection.close();
    }
  });
}

function isRebuilt({ after, before, columns, timed }: Changed): boolean {
  return (
    timed ||
    columns.some((one) => isMade(one) || one.source?.name !== one.column.name) ||
    JSON.stringify(tableSql(before)) !== JSON.stringify(tableSql(after))
  );
}

function stampOf(now: number): string {
  return new Date(now).toISOString().replaceAll(/[-:.]/g, "");
}

/** Runs `task` with a SQLite file that contains the stored data, as far as the migration needs it. */
async function inFile<T>(session: Session, stored: Stored, task: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "nonet-follow-"));
  try {
    const file = join(folder, "data.db");
    const connection = new Connection(file, 0);
    try {
      connection.exec("PRAGMA synchronous = OFF");
      connection.exec("BEGIN");
      createSystemTables(connection);
      for (const table of stored.tables) addTable(connection, table, stored.tables);
      // A migration that only adds tables or columns does not read stored data.
      if (obstructions(stored.differences).length > 0) await copyToFile(session, connection, stored.tables);
      recordTables(connection, stored.tables, stored.step);
      connection.exec("COMMIT");
    } finally {
      connection.close();
    }
    return await task(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function copyToFile(session: Session, connection: Connection, tables: readonly Table[]): Promise<void> {
  connection.exec("PRAGMA defer_foreign_keys = ON");
  const relations = relationsOf(tables);
  const files = fileRelationsOf(tables);
  for (const { decode, everything, name, table } of relations.values()) {
    const columns = columnsOf(table);
    const placeholders = columns.map(() => "?").join(", ");
    const insert = `INSERT INTO ${quoteFileName(table.name)} (${columns.map(quoteFileName).join(", ")}) VALUES (${placeholders})`;
    const select = `SELECT ${everything} FROM ${name} AS t WHERE t._seq > $1 ORDER BY t._seq LIMIT ${batch}`;
    const stored = relationFor(files, table.resource);
    for (let last = 0, rows: readonly SqlRow[]; (rows = await session.rows(select, [last])).length > 0; ) {
      for (const row of rows.map(decode)) {
        connection.run(insert, ...columns.map((column) => toFile(row[column], typeOf(stored, column))));
        last = row["_seq"] as number;
      }
    }
    for (const [column, counter] of counterNames(table)) {
      const [found] = await session.rows<[number, boolean]>(`SELECT last_value, is_called FROM ${counter}`);
      const [value, isCalled] = defined(found, `the sequence ${counter}`);
      if (isCalled) connection.run("INSERT INTO nonet_counters VALUES (?, ?, ?)", table.resource, column, value);
    }
  }
  const journal =
    "SELECT seq, resource, record, data FROM nonet_journal WHERE data IS NOT NULL AND seq > $1 ORDER BY seq";
  for (
    let last = 0, rows: readonly SqlRow[];
    (rows = await session.rows(`${journal} LIMIT ${batch}`, [last])).length > 0;
  ) {
    for (const row of rows) {
      const [seq, resource, record, data] = row as unknown as [number, string, string, string];
      connection.run(
        "INSERT INTO nonet_journal (_seq, at, resource, record, by, cause, data) VALUES (?, 0, ?, ?, '', '', ?)",
        seq,
        resource,
        record,
        data,
      );
      last = seq;
    }
  }
}

function columnsOf(table: Table): readonly string[] {
  return ["_seq", "_rev", ...(isTimed(table) ? timeColumns : []), ...table.columns.map(({ name }) => name)];
}

async function apply(
  session: Session,
  connection: Connection,
  stored: Stored,
  { tables }: Wanted,
  backup: string | undefined,
): Promise<void> {
  const { added, changed, dropped } = stored.differences;
  const all = async (statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await session.rows(statement);
  };
  for (const table of stored.tables) {
    for (const { name, references } of table.columns) {
      if (references === undefined) continue;
      const constraint = quoteName(referenceName(table, name));
      await session.rows(`ALTER TABLE ${quoteName(table.name)} DROP CONSTRAINT IF EXISTS ${constraint}`);
    }
  }
  if (backup !== undefined) await session.rows(`CREATE SCHEMA ${quoteName(backup)}`);
  const rebuilt = changed.filter(isRebuilt);
  const numbers = new Map<Changed, number>();
  for (const one of rebuilt) numbers.set(one, await lastNumber(session, one.before));
  for (const table of [...rebuilt.map(({ before }) => before), ...dropped]) {
    await all([...counterNames(table).values()].map((counter) => `DROP SEQUENCE IF EXISTS ${counter}`));
    const name = quoteName(table.name);
    await session.rows(
      backup === undefined ? `DROP TABLE ${name}` : `ALTER TABLE ${name} SET SCHEMA ${quoteName(backup)}`,
    );
  }
  for (const table of [...rebuilt.map(({ after }) => after), ...added]) await all(tableSql(table));
  for (const one of rebuilt) {
    await copyFromFile(session, connection, one.after);
    const most = numbers.get(one) ?? 0;
    if (most > 0)
      await session.rows(`SELECT setval(pg_get_serial_sequence($1, '_seq'), $2)`, [quoteName(one.after.name), most]);
  }
  for (const { after } of rebuilt) await followCounters(session, connection, after);
  for (const table of tables) await all(referencesSql(table, tables));
  for (const { after, before } of changed) {
    if (after.resource === before.resource) continue;
    await session.rows("UPDATE nonet_journal SET resource = $1 WHERE resource = $2", [after.resource, before.resource]);
  }
  for (const [seq, data] of connection.all("SELECT _seq, data FROM nonet_journal")) {
    await session.rows("UPDATE nonet_journal SET data = $1 WHERE seq = $2 AND data <> $1", [String(data), Number(seq)]);
  }
  await sweepFiles(session, tables);
}

/** Returns the last row number of a table, since numbers are never reused, even after deletions. */
async function lastNumber(session: Session, { name }: Table): Promise<number> {
  const [found] = await session.rows<[number | null]>(
    "SELECT pg_sequence_last_value(pg_get_serial_sequence($1, '_seq')::regclass)",
    [quoteName(name)],
  );
  return defined(found, `the sequence of ${name}`)[0] ?? 0;
}

async function copyFromFile(session: Session, connection: Connection, table: Table): Promise<void> {
  const relation = relationFor(fileRelationsOf([table]), table.resource);
  const columns = columnsOf(table);
  const types = columns.map((column) => columnTypes[typeOf(relation, column)]);
  const names = columns.map(quoteName).join(", ");
  const typed = columns.map((column, index) => `${quoteName(column)} ${types[index]}`).join(", ");
  const insert = `INSERT INTO ${quoteName(table.name)} (${names}) SELECT ${names} FROM json_to_recordset($1) AS rows(${typed})`;
  const select = `SELECT ${relation.everything} FROM ${relation.name} AS t WHERE t._seq > ? ORDER BY t._seq LIMIT ${batch}`;
  for (let last = 0, rows: readonly SqlRow[]; ; ) {
    rows = connection.all(select, last) as unknown as readonly SqlRow[];
    if (rows.length === 0) return;
    const records = rows.map((row) => nameMembers(relation.decode(row as never)));
    await session.rows(insert, [JSON.stringify(records)]);
    last = Number(rows.at(-1)?.[0]);
  }
}

/** Renames members to PostgreSQL's column names where `quoteName` changed them. */
function nameMembers(row: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [quoteName(name).slice(1, -1).replaceAll('""', '"'), value]),
  );
}

async function followCounters(session: Session, connection: Connection, table: Table): Promise<void> {
  for (const [column, counter] of counterNames(table)) {
    const current = connection.get(
      "SELECT value FROM nonet_counters WHERE resource = ? AND field = ?",
      table.resource,
      column,
    );
    if (current !== undefined) await session.rows("SELECT setval($1::regclass, $2)", [counter, Number(current[0])]);
  }
}
