/** Creates and upgrades Nonet's own tables in a file, and reads which document's tables and version the file has. */
import { stepText } from "../migration/migration.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { VersionStep } from "../../plan/versioning/data-change-types.ts";
import { StoreError } from "../port/error.ts";
import { responsesSql } from "./stored-responses.ts";
import type { Connection } from "./connection.ts";
import { countersSql } from "./counters.ts";
import { countsSql } from "./counts.ts";
import { filePiecesSql, filesSql } from "./files.ts";
import { grantsSql } from "./grants.ts";
import { offsetsSql, journalSql } from "./journal.ts";
import { keysSql } from "./keys.ts";
import { pinsSql } from "./pinned-versions.ts";
import { secretsSql } from "./secrets.ts";
import { sessionsSql } from "./sessions.ts";

/**
 * The version of the layout of Nonet's own tables. A newer release wrote a file with a higher version. Edition 2 added
 * `nonet_schema.step`. A new table needs no new edition: `upgrade` creates missing tables.
 */
const edition = 2;

/** The number that identifies a Nonet file in the SQLite header: "Nont" in ASCII. */
const applicationId = 0x4e6f6e74;

/** `step`: the newest step of `Plan.history` at the last migration, as JSON. */
const schemaSql = `
  CREATE TABLE nonet_schema (
    edition INTEGER NOT NULL,
    tables TEXT NOT NULL CHECK (json_valid(tables)),
    step TEXT CHECK (json_valid(step))
  ) STRICT;
`;

/** Nonet's own tables, created if missing. */
const systemTables: Readonly<Record<string, string>> = {
  nonet_keys: keysSql,
  nonet_answers: responsesSql,
  nonet_counters: countersSql,
  nonet_secrets: secretsSql,
  nonet_journal: journalSql,
  nonet_bookmarks: offsetsSql,
  nonet_counts: countsSql,
  nonet_pins: pinsSql,
  nonet_grants: grantsSql,
  nonet_sessions: sessionsSql,
  nonet_files: filesSql,
  nonet_file_pieces: filePiecesSql,
};

/** Columns that later releases added to a table; they are added if missing. */
const laterColumns: readonly (readonly [table: string, column: string, type: string])[] = [
  ["nonet_journal", "trace", "TEXT"],
];

export interface FileState {
  readonly edition: number;
  /** The tables of the stored document, as JSON. */
  readonly tables: string;
  readonly step: string | null;
  /** Whether Nonet's own tables are those of this release. */
  readonly isCurrent: boolean;
}

/**
 * Reads the state of a file; undefined if it is empty, or has only tables of other programs and `adopts` is set.
 * @throws StoreError `not-ours`, `too-new` or `corrupt`.
 */
export function stateOf(connection: Connection, file: string, adopts = false): FileState | undefined {
  const names = connection.database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map((row) => String(row["name"]));
  if (names.length === 0) return undefined;
  if (!names.includes("nonet_schema")) {
    if (adopts) return undefined;
    const some = names.slice(0, 3).join(", ");
    throw new StoreError("not-ours", `${file} is a database that something else made: it holds ${some}`);
  }
  const row = connection.database.prepare("SELECT * FROM nonet_schema").get() ?? {};
  const { edition: found, tables, step } = row;
  if (typeof found !== "number" || typeof tables !== "string") {
    throw new StoreError("corrupt", `${file} does not say which tables it holds`);
  }
  if (found > edition) throw new StoreError("too-new", `${file} was written by a newer release of nonet`);
  const isComplete =
    Object.keys(systemTables).every((name) => names.includes(name)) &&
    laterColumns.every(([table, column]) => hasColumn(connection, table, column));
  return {
    edition: found,
    tables,
    step: typeof step === "string" ? step : null,
    isCurrent: found === edition && isComplete,
  };
}

/** Creates Nonet's own tables. A file that another program has made keeps its number (`adopts`). */
export function createSystemTables(connection: Connection, adopts = false): void {
  if (!adopts) connection.exec(`PRAGMA application_id = ${applicationId}`);
  for (const sql of [schemaSql, ...Object.values(systemTables)]) connection.exec(sql);
  connection.run("INSERT INTO nonet_schema VALUES (?, '[]', NULL)", edition);
}

/** Upgrades a file of an earlier edition, or one that lacks a table of this release. */
export function upgradeSystemTables(connection: Connection, { edition: found }: FileState): void {
  if (found < 2) connection.exec("ALTER TABLE nonet_schema ADD COLUMN step TEXT CHECK (json_valid(step))");
  for (const [name, sql] of Object.entries(systemTables)) {
    const isThere = connection.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name) !== undefined;
    if (!isThere) connection.exec(sql);
  }
  for (const [table, column, type] of laterColumns) {
    if (!hasColumn(connection, table, column)) connection.exec(`ALTER TABLE ${table} ADD COLUMN ${column} ${type}`);
  }
  connection.run("UPDATE nonet_schema SET edition = ?", edition);
}

function hasColumn({ database }: Connection, table: string, column: string): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, column) !== undefined;
}

export function recordTables(connection: Connection, tables: readonly Table[], step: VersionStep | undefined): void {
  connection.run("UPDATE nonet_schema SET tables = ?, step = ?", JSON.stringify(tables), stepText(step));
}
