/**
 * Reads a file's data for a backup, and writes a file from one. The read is one transaction on its own connection: a snapshot,
 * while the service continues to write. The file's log cannot restart until it ends.
 */
import { chmodSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { type StoredDocument, storedDocument } from "../migration/migration.ts";
import { defined } from "../../base/defined.ts";
import type { Table } from "../../plan/resources/types.ts";
import { timeInName } from "../backup/file.ts";
import { StoreError } from "../port/error.ts";
import {
  type PortableValue,
  type PortableRow,
  type PortableSource,
  type PortableTarget,
  type BackupTable,
  backupTablesOf,
} from "../backup/portable.ts";
import { hashOf } from "./stored-responses.ts";
import { addIndexes } from "./apply.ts";
import { flush, freeName } from "./backup.ts";
import { Connection, explained, isBusy } from "./connection.ts";
import { syncFolder } from "./durability.ts";
import { assertNoExisting } from "../migration/adoption.ts";
import { createSystemTables, recordTables, stateOf } from "./system-tables.ts";
import { tableSql } from "./schema.ts";
import { checkFile } from "./file-location.ts";
import { quoteName } from "./value.ts";

/** Opens a file for a backup; undefined for an empty file. @throws StoreError, also for a damaged file. */
export function openSqliteSource(file: string, waitMilliseconds = 5_000): PortableSource | undefined {
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, waitMilliseconds);
    connection.exec("PRAGMA query_only = ON; PRAGMA cache_size = -8000");
    connection.exec("BEGIN");
    const state = stateOf(connection, file);
    if (state === undefined) {
      connection.close();
      return undefined;
    }
    assertSound(connection, file);
    const stored = storedDocument(state);
    assertNoExisting(stored.tables, file);
    return sourceOf(connection, file, stored);
  } catch (thrown) {
    connection?.close();
    throw explained(thrown, file);
  }
}

/** Checks the whole file, since people would trust a copy of a damaged one. */
function assertSound({ database }: Connection, file: string): void {
  const found = database.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"];
  if (found !== "ok") throw new StoreError("corrupt", `${file} is damaged: ${String(found)}`);
}

function sourceOf(connection: Connection, file: string, state: StoredDocument): PortableSource {
  return {
    ...state,
    store: "sqlite",
    async *rows(backupTable) {
      try {
        yield* rowsOf(connection, backupTable);
      } catch (thrown) {
        throw explained(thrown, file);
      }
    },
    close: async () => connection.close(),
  };
}

const batch = 500;

/** The number of rows per batch for tables with bytes. */
const bytesBatch = 16;

function* rowsOf(connection: Connection, backupTable: BackupTable): Generator<readonly PortableRow[]> {
  const there = connection
    .all("SELECT name FROM pragma_table_xinfo(?)", backupTable.name)
    .map(([name]) => name as string);
  if (there.length === 0) return;
  const columns = backupTable.columns.map((column) => sourceColumn(backupTable, column, there));
  const order = there.includes("_seq") ? "ORDER BY _seq" : "";
  const statement = connection.prepare(`SELECT ${columns.join(", ")} FROM ${quoteName(backupTable.name)} ${order}`);
  const truths = backupTable.columns.flatMap((column, at) =>
    backupTable.truths?.includes(column) === true ? [at] : [],
  );
  const most = backupTable.bytes === undefined ? batch : bytesBatch;
  let rows: PortableRow[] = [];
  for (const sqlValues of statement.iterate() as unknown as Iterable<PortableValue[]>) {
    for (const at of truths) sqlValues[at] = sqlValues[at] === null ? null : sqlValues[at] === 1;
    rows.push(sqlValues);
    if (rows.length < most) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

/** Returns the column; NULL for a column that an earlier release did not have. */
function sourceColumn({ name }: BackupTable, column: string, there: readonly string[]): string {
  const stored = name === "nonet_journal" && column === "position" ? "_seq" : column;
  return there.includes(stored) ? quoteName(stored) : "NULL";
}

/** A new file next to its destination, unused until it is installed. */
export interface SqliteTarget extends PortableTarget {
  readonly file: string;
}

/** Creates the file of a restore. @throws StoreError if no file can be created, or the destination is not a Nonet database. */
export function openSqliteTarget(place: string, now: number): SqliteTarget {
  checkFile(place);
  const file = `${place}.restoring-${process.pid}`;
  let connection: Connection | undefined;
  try {
    rmSync(file, { force: true });
    connection = new Connection(file, 0);
    chmodSync(file, statSync(place, { throwIfNoEntry: false })?.mode ?? 0o600);
    // If the process ends early, the file is discarded, so it needs neither rollback nor durability.
    connection.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF");
  } catch (thrown) {
    connection?.close();
    rmSync(file, { force: true });
    throw explained(thrown, file);
  }
  return targetOf(connection, file, place, now);
}

function targetOf(connection: Connection, file: string, place: string, now: number): SqliteTarget {
  let tables: readonly Table[] = [];
  let isOpen = true;
  const close = (): void => {
    if (isOpen) connection.close();
    isOpen = false;
  };
  return {
    file,
    begin: (state) => {
      tables = state.tables;
      connection.exec("BEGIN");
      createSystemTables(connection);
      for (const table of tables) connection.exec(tableSql(table, tables));
      recordTables(connection, tables, state.step);
    },
    add: (backupTable, rows) => insertAll(connection, backupTable, rows),
    finish: (rows) => {
      for (const table of tables) addIndexes(connection, table);
      connection.exec("COMMIT");
      const problems = problemsOf(connection, tables, rows);
      if (problems.length > 0) throw new StoreError("corrupt", "what was restored is not sound:", problems);
      close();
    },
    install: () => {
      flush(file);
      return setAside(file, place, now);
    },
    drop: () => {
      close();
      rmSync(file, { force: true });
    },
  };
}

function insertAll(connection: Connection, backupTable: BackupTable, rows: readonly PortableRow[]): void {
  const insert = connection.prepare(insertSql(backupTable));
  const hashed =
    backupTable.name === "nonet_answers" ? ["scope", "key"].map((name) => backupTable.columns.indexOf(name)) : [];
  for (const row of rows) {
    const values = row.map((value): SQLInputValue => (typeof value === "boolean" ? Number(value) : value));
    const [scope, key] = hashed.map((at) => String(row[at]));
    if (scope !== undefined && key !== undefined) values.push(hashOf(scope, key));
    insert.run(...values);
  }
}

function insertSql({ columns, name }: BackupTable): string {
  const stored = columns.map((column) => (name === "nonet_journal" && column === "position" ? "_seq" : column));
  const all = (name === "nonet_answers" ? [...stored, "hash"] : stored).map(quoteName);
  return `INSERT INTO ${quoteName(name)} (${all.join(", ")}) VALUES (${all.map(() => "?").join(", ")})`;
}

function problemsOf(
  connection: Connection,
  tables: readonly Table[],
  rows: Readonly<Record<string, number>>,
): readonly string[] {
  const unsound = connection
    .all("PRAGMA integrity_check(3)")
    .flatMap(([text]) => (text === "ok" ? [] : [String(text)]));
  const dangling = connection.all("PRAGMA foreign_key_check").slice(0, 3);
  const counted = backupTablesOf(tables).flatMap(({ name }) => {
    const [found] = defined(connection.get(`SELECT count(*) FROM ${quoteName(name)}`), `the count of ${name}`);
    const wanted = rows[name] ?? 0;
    return found === wanted ? [] : [`${name} has ${String(found)} rows, not ${wanted}`];
  });
  return [
    ...unsound,
    ...dangling.map(
      ([table, row, target]) => `row ${String(row)} of ${String(table)} refers to nothing in ${String(target)}`,
    ),
    ...counted,
  ];
}

/**
 * Checkpoints the former file (fails if another process uses it), gives it a second name, and renames the new file over it, so
 * that the destination always has a complete file. A remaining log moves too, because SQLite would apply it to the new file.
 */
function setAside(file: string, place: string, now: number): string | undefined {
  if (!existsSync(place)) {
    for (const rest of ["-wal", "-shm"]) rmSync(`${place}${rest}`, { force: true });
    renameSync(file, place);
    syncFolder(dirname(place));
    return undefined;
  }
  const previous = freeName(`${place}.before-restore-${timeInName(now)}`);
  const log = hasLeftLog(place);
  if (log) renameSync(`${place}-wal`, `${previous}-wal`);
  rmSync(`${place}-shm`, { force: true });
  linkSync(place, previous);
  renameSync(file, place);
  syncFolder(dirname(place));
  return previous;
}

/** Whether a log remains, because the file is too damaged for a checkpoint. */
function hasLeftLog(place: string): boolean {
  let connection: Connection | undefined;
  try {
    connection = new Connection(place, 0);
    stateOf(connection, place);
    connection.exec("PRAGMA journal_mode = DELETE");
  } catch (thrown) {
    const reason = explained(thrown, place);
    if (isBusy(thrown))
      throw new StoreError("busy", `another process is using ${place}; stop the service before its data is replaced`);
    // A backup may replace a damaged file. A database of another program is probably a mistyped path.
    if (!(reason instanceof StoreError) || reason.kind !== "corrupt") throw reason;
  } finally {
    connection?.close();
  }
  return existsSync(`${place}-wal`);
}
