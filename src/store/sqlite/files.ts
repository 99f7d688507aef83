/**
 * Stores files in the tables `nonet_files` and `nonet_file_pieces`. `loose`: the time of the last upload to a file without a
 * record; null for a file with one.
 */
import type { Table } from "../../plan/resources/types.ts";
import { cleared, fileChanges, type FileStore, orphanMilliseconds } from "../port/files.ts";
import type { Row } from "../port/store.ts";
import type { Connection } from "./connection.ts";
import type { Writer } from "./write-batches.ts";
import type { Snapshot } from "./snapshot.ts";
import { quoteName } from "./value.ts";

export const filesSql = `
  CREATE TABLE nonet_files (
    id TEXT PRIMARY KEY,
    loose INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX nonet_files_by_loose ON nonet_files (loose) WHERE loose IS NOT NULL;
`;

export const filePiecesSql = `
  CREATE TABLE nonet_file_pieces (
    _seq INTEGER PRIMARY KEY,
    file TEXT NOT NULL,
    start INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX nonet_file_pieces_by_file ON nonet_file_pieces (file, start);
`;

export function fileStore(reader: Connection, snapshot: Snapshot, writer: Writer, clock: () => number): FileStore {
  const piece = reader.getter(
    "SELECT start, bytes FROM nonet_file_pieces WHERE file = ? AND start <= ? ORDER BY start DESC LIMIT 1",
  );
  return {
    append: (id, bytes) => writer.write(({ connection }) => append(connection, id, bytes, clock())),
    piece: (id, at) => {
      snapshot.acquire();
      const [start, bytes] = (piece(id, at) ?? []) as [number?, Uint8Array?];
      if (start === undefined || bytes === undefined || at >= start + bytes.length) return undefined;
      return { start, bytes };
    },
    discard: (ids) =>
      writer.write(({ connection }) => {
        const orphaned =
          "SELECT id FROM nonet_files WHERE loose IS NOT NULL AND id IN (SELECT value FROM json_each(?))";
        forget(
          connection,
          connection.all(orphaned, JSON.stringify(ids)).map(([id]) => id as string),
        );
      }),
  };
}

function append(connection: Connection, id: string, bytes: Uint8Array, now: number): void {
  connection.run("INSERT INTO nonet_files VALUES (?, ?) ON CONFLICT DO UPDATE SET loose = excluded.loose", id, now);
  connection.run(
    `INSERT INTO nonet_file_pieces (file, start, bytes)
     SELECT ?1, coalesce((SELECT start + length(bytes) FROM nonet_file_pieces WHERE file = ?1 ORDER BY start DESC LIMIT 1), 0), ?2`,
    id,
    bytes,
  );
}

/** Retains and deletes files in the transaction that changes a record. */
export function followFiles(
  connection: Connection,
  table: Table,
  before: Row | undefined,
  after: Row | undefined,
): void {
  const { removed, retained } = fileChanges(table, before, after);
  for (const id of retained) {
    const changed = connection.change("UPDATE nonet_files SET loose = NULL WHERE id = ? AND loose IS NOT NULL", id);
    if (changed === 0) throw cleared(id);
  }
  forget(connection, removed);
}

function forget(connection: Connection, ids: readonly string[]): void {
  for (const id of ids) {
    connection.run("DELETE FROM nonet_file_pieces WHERE file = ?", id);
    connection.run("DELETE FROM nonet_files WHERE id = ?", id);
  }
}

/** Deletes one orphaned file; returns whether there was one. */
export function purgeFiles(connection: Connection, now: number): boolean {
  const [id] = connection.get("SELECT id FROM nonet_files WHERE loose < ? LIMIT 1", now - orphanMilliseconds) ?? [];
  if (typeof id === "string") forget(connection, [id]);
  return id !== undefined;
}

/** Deletes the files of records and columns that the migration removed. */
export function sweepFiles(connection: Connection, tables: readonly Table[]): void {
  const held = tables.flatMap(({ columns, name }) =>
    columns.flatMap((column) =>
      column.file === undefined
        ? []
        : [
            `SELECT json_extract(${quoteName(column.name)}, '$.id') FROM ${quoteName(name)} WHERE ${quoteName(column.name)} IS NOT NULL`,
          ],
    ),
  );
  const among = held.length === 0 ? "" : `AND id NOT IN (${held.join(" UNION ALL ")})`;
  const lost = connection.all(`SELECT id FROM nonet_files WHERE loose IS NULL ${among}`);
  forget(
    connection,
    lost.map(([id]) => id as string),
  );
}
