/**
 * Data as it is between two stores, in a backup: the tables of the document, and Nonet's own beside them, each as rows of
 * plain values. No store's own layout is in it (row numbers of Nonet's tables, hashes that only an index needs, generated
 * texts, free pages), so that what one store gave another one takes.
 */
import type { Table } from "../../plan/resources/types.ts";
import type { VersionStep } from "../../plan/versioning/types.ts";
import type { Awaitable } from "../port/store.ts";
import { isTimed, timeColumns } from "../sql/columns.ts";

/** Texts, numbers, truth; structures as their JSON text. Bytes only in columns that are said to have them. */
export type PortableValue = string | number | boolean | null | Uint8Array;
export type PortableRow = readonly PortableValue[];

/** A table of a backup, and what its rows consist of. */
export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Those that hold bytes. */
  readonly bytes?: readonly string[];
  /** Those that hold truth. */
  readonly truths?: readonly string[];
}

/** What is said before any row. */
export interface PortableState {
  /** The tables as the data last followed a document, and the newest version it has followed. */
  readonly tables: readonly Table[];
  readonly step: VersionStep | undefined;
}

/** One state of a store, of a single moment, whatever is written meanwhile. */
export interface PortableSource extends PortableState {
  readonly store: "sqlite" | "postgres";
  /** In an order that is kept where it says something: records by creation, the journal by position. */
  rows(backupTable: BackupTable): AsyncIterable<readonly PortableRow[]>;
  close(): Promise<void>;
}

/** Where a state is written that takes the place of what is there only when all of it has come and been looked through. */
export interface PortableTarget {
  begin(state: PortableState): Awaitable<void>;
  add(backupTable: BackupTable, rows: readonly PortableRow[]): Awaitable<void>;
  /** Makes what rows are found by, and looks through it all. @throws StoreError `corrupt` when it is not as it should be. */
  finish(rows: Readonly<Record<string, number>>): Awaitable<void>;
  /** Puts it in its place, and says where what was there is kept. @throws StoreError `busy`: it is in use. */
  install(): Awaitable<string | undefined>;
  /** Leaves nothing of what was not put in its place. */
  drop(): Awaitable<void>;
}

/**
 * Nonet's own tables. The order of rows is that in which they came. Of the journal `position` is what callers have been
 * told (cursors of streams, `since`), and it is kept.
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

/** The table of a resource: every stored column, and what the store keeps beside them. */
export function backupTableOf(table: Table): BackupTable {
  const truths = table.columns.filter(({ type }) => type === "boolean").map(({ name }) => name);
  return {
    name: table.name,
    columns: ["_seq", "_rev", ...(isTimed(table) ? timeColumns : []), ...table.columns.map(({ name }) => name)],
    ...(truths.length === 0 ? {} : { truths }),
  };
}

/** Every table of a backup. Records come first, so that a person who looks into one sees them. */
export function backupTablesOf(tables: readonly Table[]): readonly BackupTable[] {
  return [...tables.map(backupTableOf), ...systemTables];
}
