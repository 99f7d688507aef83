/**
 * The format of data in a backup, which is between two stores: the tables of the document and Nonet's own tables, as rows of
 * plain values. It omits what depends on one store (row numbers of Nonet's tables, index hashes, generated texts, free pages),
 * so that a backup of one store can be restored to another.
 */
import type { Table } from "../../plan/resources/types.ts";
import type { StoredDocument } from "../migration/migration.ts";
import type { Awaitable } from "../port/store.ts";
import { isTimed, timeColumns } from "../sql/columns.ts";

/** Texts, numbers, booleans; structures as JSON text. Bytes are only in columns listed in `bytes`. */
export type PortableValue = string | number | boolean | null | Uint8Array;
export type PortableRow = readonly PortableValue[];

/** A table of a backup and its columns. */
export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns with bytes. */
  readonly bytes?: readonly string[];
  /** The columns with booleans. */
  readonly truths?: readonly string[];
}

/** A consistent snapshot of a store, unaffected by concurrent writes. */
export interface PortableSource extends StoredDocument {
  readonly store: "sqlite" | "postgres";
  /** Yields rows in a meaningful order: records by creation, the event log by position. */
  rows(backupTable: BackupTable): AsyncIterable<readonly PortableRow[]>;
  close(): Promise<void>;
}

/** Receives a restored state, which replaces the existing data only after it is complete and checked. */
export interface PortableTarget {
  begin(state: StoredDocument): Awaitable<void>;
  add(backupTable: BackupTable, rows: readonly PortableRow[]): Awaitable<void>;
  /** Creates the indexes and checks everything. @throws StoreError `corrupt` if a check fails. */
  finish(rows: Readonly<Record<string, number>>): Awaitable<void>;
  /**
   * Replaces the existing data, and returns where the former data is stored. @throws StoreError `busy` if the data is in use.
   */
  install(): Awaitable<string | undefined>;
  /** Deletes a state that was not installed. */
  drop(): Awaitable<void>;
}

/**
 * Nonet's own tables, whose rows are in order of insertion. The event log's `position` is stored because clients know it
 * (cursors of streams, `since`).
 */
export const systemTables: readonly BackupTable[] = [
  systemTable("nonet_keys", "id credential hash hint user roles created expires revoked"),
  systemTable("nonet_sessions", "hash session credential resource user use hint created expires replaced"),
  systemTable("nonet_grants", "kind id family text expires"),
  systemTable("nonet_secrets", "name value"),
  systemTable("nonet_pins", "credential user version"),
  systemTable("nonet_counters", "resource field value"),
  systemTable("nonet_counts", "name key used until"),
  systemTable("nonet_answers", "scope key fingerprint status headers body expires"),
  systemTable(
    "nonet_journal",
    "position at resource record origin target by cause request due event received data trace",
  ),
  systemTable("nonet_bookmarks", "reader position"),
  systemTable("nonet_files", "id loose"),
  { ...systemTable("nonet_file_pieces", "file start bytes"), bytes: ["bytes"] },
];

function systemTable(name: string, columns: string): BackupTable {
  return { name, columns: columns.split(" ") };
}

/** Returns the backup table of a resource: the store's hidden columns and all stored columns. */
export function backupTableOf(table: Table): BackupTable {
  const truths = table.columns.filter(({ type }) => type === "boolean").map(({ name }) => name);
  return {
    name: table.name,
    columns: ["_seq", "_rev", ...(isTimed(table) ? timeColumns : []), ...table.columns.map(({ name }) => name)],
    ...(truths.length === 0 ? {} : { truths }),
  };
}

/** Returns every table of a backup. Records come first, for a person who reads the file. */
export function backupTablesOf(tables: readonly Table[]): readonly BackupTable[] {
  return [...tables.map(backupTableOf), ...systemTables];
}
