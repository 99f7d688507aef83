/**
 * Applies a migration to the tables. SQLite can alter little beyond indexes and new tables, so changed tables are created anew
 * and filled by copying, with the same row numbers. Must run in a transaction, with foreign keys off.
 */
import type { Table } from "../../plan/resources/types.ts";
import { countedColumns, isTimed, timeColumns } from "../sql/columns.ts";
import { type Changed, type Differences, isMade } from "../migration/differences.ts";
import type { Following } from "../migration/migration.ts";
import type { Connection } from "./connection.ts";
import { sweepFiles } from "./files.ts";
import { followJournal } from "./migrate-journal.ts";
import { openMigrationPreview } from "./migration-preview.ts";
import { indexesOf, tableSql } from "./schema.ts";
import { quoteName } from "./value.ts";

/** Whether tables must change, and not only indexes. */
export function rebuilds(connection: Connection, differences: Differences, tables: readonly Table[]): boolean {
  const { added, changed, dropped } = differences;
  return added.length + dropped.length > 0 || changed.some((one) => isRebuilt(connection, one, tables));
}

export function isRebuilt(connection: Connection, change: Changed, tables: readonly Table[]): boolean {
  const { after, before, columns, timed } = change;
  return (
    timed ||
    before.name !== after.name ||
    columns.some((one) => isMade(one) || one.source?.name !== one.column.name) ||
    definitionOf(connection, before.name) !== tableSql(after, tables)
  );
}

export function addTable(connection: Connection, table: Table, tables: readonly Table[]): void {
  connection.exec(tableSql(table, tables));
  addIndexes(connection, table);
}

export function addIndexes(connection: Connection, table: Table): void {
  for (const index of indexesOf(table).values()) connection.exec(index);
}

export function apply(
  connection: Connection,
  differences: Differences,
  tables: readonly Table[],
  following: Following,
  clock: () => number,
): void {
  const { added, changed, dropped } = differences;
  const rebuilt = changed.filter((one) => isRebuilt(connection, one, tables));
  const counts = rebuilt.map(({ before }) => countOf(connection, before.name));
  copy(connection, differences, rebuilt, tables, following, clock);
  for (const { name } of [...dropped, ...rebuilt.map(({ before }) => before)])
    connection.exec(`DROP TABLE ${quoteName(name)}`);
  for (const { after } of rebuilt) {
    connection.exec(`ALTER TABLE ${quoteName(making(after))} RENAME TO ${quoteName(after.name)}`);
  }
  for (const one of changed) if (!rebuilt.includes(one)) renewIndexes(connection, one.after);
  for (const { after } of rebuilt) addIndexes(connection, after);
  for (const table of added) addTable(connection, table, tables);
  for (const one of changed) followCounters(connection, one);
  // Entries of the event log are found by the current resource name.
  for (const one of changed) {
    const { before, after } = one;
    followJournal(connection, one);
    if (before.resource === after.resource) continue;
    connection.run("UPDATE nonet_journal SET resource = ? WHERE resource = ?", after.resource, before.resource);
  }
  sweepFiles(connection, tables);
  verify(connection, rebuilt, counts);
}

function making({ name }: Table): string {
  return `nonet_new_${name}`;
}

/** Copies from the preview views into new tables, while the former tables still exist. */
function copy(
  connection: Connection,
  differences: Differences,
  rebuilt: readonly Changed[],
  tables: readonly Table[],
  { validate, progress }: Following,
  clock: () => number,
): void {
  const preview = openMigrationPreview(connection, differences, tables, { validate }, clock);
  try {
    for (const { after } of rebuilt) {
      progress?.(`writing ${after.name}`);
      connection.exec(tableSql(after, tables, making(after)));
      const hidden = ["_seq", "_rev", ...(isTimed(after) ? timeColumns : [])];
      const names = [...hidden, ...after.columns.map(({ name }) => quoteName(name))].join(", ");
      connection.exec(
        `INSERT INTO main.${quoteName(making(after))} (${names}) SELECT ${names} FROM temp.${quoteName(after.name)} ORDER BY _seq`,
      );
    }
  } finally {
    preview.close();
  }
}

function renewIndexes(connection: Connection, table: Table): void {
  const wanted = indexesOf(table);
  const present = new Set(indexNames(connection, table.name));
  for (const name of present) if (!wanted.has(name)) connection.exec(`DROP INDEX ${quoteName(name)}`);
  for (const [name, sql] of wanted) if (!present.has(name)) connection.exec(sql);
}

export function hasOtherIndexes(connection: Connection, table: Table): boolean {
  const wanted = indexesOf(table);
  const present = indexNames(connection, table.name);
  return present.length !== wanted.size || present.some((name) => !wanted.has(name));
}

/** Sets the counters. A renamed column continues its counter; a new counter starts above the existing values. */
function followCounters(connection: Connection, { after, before, columns }: Changed): void {
  const counted = countedColumns(after);
  for (const { column, source } of columns) {
    if (!counted.includes(column.name)) continue;
    const current = connection.get(
      "SELECT value FROM nonet_counters WHERE resource = ? AND field = ?",
      before.resource,
      source?.name ?? column.name,
    );
    const [most] = connection.get(`SELECT max(${quoteName(column.name)}) FROM ${quoteName(after.name)}`) ?? [];
    const value = Math.max(Number(current?.[0] ?? 0), Number(most ?? 0));
    if (value === 0) continue;
    connection.run(
      "INSERT INTO nonet_counters VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
      after.resource,
      column.name,
      value,
    );
  }
}

/** Throws before the commit if a record is missing or a reference dangling. */
function verify(connection: Connection, rebuilt: readonly Changed[], counts: readonly number[]): void {
  for (const [index, { after }] of rebuilt.entries()) {
    const [before, now] = [counts[index], countOf(connection, after.name)];
    if (before !== now) throw new Error(`the migration made ${now} records of ${after.resource} from ${before}`);
  }
  const [broken] = connection.all("PRAGMA foreign_key_check");
  if (broken) throw new Error(`the migration left a reference in ${String(broken[0])} that leads nowhere`);
}

/** Returns the CREATE TABLE statement of a table, as SQLite stores it. */
function definitionOf(connection: Connection, table: string): unknown {
  return connection.get("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table)?.[0];
}

function indexNames(connection: Connection, table: string): readonly string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL";
  return connection.all(sql, table).map(([name]) => name as string);
}

function countOf(connection: Connection, table: string): number {
  const statement = connection.database.prepare(`SELECT count(*) FROM main.${quoteName(table)}`);
  statement.setReturnArrays(true);
  return Number((statement.get() as unknown as readonly unknown[])[0]);
}
