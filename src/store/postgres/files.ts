/**
 * Stores files in the tables `nonet_files` and `nonet_file_pieces`. `loose`: the time of the last upload to a file without a
 * record; null for a file with one. Deleting a file deletes its pieces, even during its upload.
 */
import type { Table } from "../../plan/resources/types.ts";
import { cleared, fileChanges, type FileStore } from "../port/files.ts";
import type { Row } from "../port/store.ts";
import type { Session, PgSession } from "./connection.ts";
import { quoteName } from "./value.ts";

/** The tables of files. EXTERNAL stores pieces out of line and uncompressed, since most uploads are compressed already. */
export const filesSql: readonly string[] = [
  'CREATE TABLE nonet_files (id text COLLATE "C" PRIMARY KEY, loose bigint)',
  "CREATE INDEX nonet_files_by_loose ON nonet_files (loose) WHERE loose IS NOT NULL",
  `CREATE TABLE nonet_file_pieces (
    file text COLLATE "C" NOT NULL REFERENCES nonet_files ON DELETE CASCADE,
    start bigint NOT NULL,
    bytes bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (file, start)
  )`,
];

export function fileStore(session: Session, clock: () => number): FileStore {
  return {
    append: async (id, bytes) => {
      await session.rows(appendSql, [id, clock(), bytes]);
    },
    piece: async (id, at) => {
      const [found] = await session.rows<[number, Buffer]>(pieceSql, [id, at]);
      return found && { start: found[0], bytes: found[1] };
    },
    discard: async (ids) => {
      await session.rows("DELETE FROM nonet_files WHERE loose IS NOT NULL AND id = ANY($1)", [ids]);
    },
  };
}

const appendSql = `
  WITH made AS (
    INSERT INTO nonet_files (id, loose) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET loose = excluded.loose
  )
  INSERT INTO nonet_file_pieces (file, start, bytes)
  SELECT $1, coalesce((SELECT start + length(bytes) FROM nonet_file_pieces WHERE file = $1 ORDER BY start DESC LIMIT 1), 0), $3`;

/** PostgreSQL knows the length of a piece without reading it. */
const pieceSql = `
  SELECT start, bytes FROM (
    SELECT start, bytes FROM nonet_file_pieces WHERE file = $1 AND start <= $2 ORDER BY start DESC LIMIT 1
  ) AS piece WHERE $2 < start + length(bytes)`;

/** Retains and deletes files in the transaction that changes a record. */
export async function followFiles(
  session: PgSession,
  table: Table,
  before: Row | undefined,
  after: Row | undefined,
): Promise<void> {
  const { removed, retained } = fileChanges(table, before, after);
  for (const id of retained) {
    const stored = await session.rows(
      "UPDATE nonet_files SET loose = NULL WHERE id = $1 AND loose IS NOT NULL RETURNING 1",
      [id],
    );
    if (stored.length === 0) throw cleared(id);
  }
  if (removed.length > 0) session.send("DELETE FROM nonet_files WHERE id = ANY($1)", [removed]);
}

/** Deletes the files of records and columns that the migration removed. */
export async function sweepFiles(session: Session, tables: readonly Table[]): Promise<void> {
  const held = tables.flatMap(({ columns, name }) =>
    columns.flatMap((column) =>
      column.file === undefined
        ? []
        : [
            `SELECT ${quoteName(column.name)}::json ->> 'id' FROM ${quoteName(name)} WHERE ${quoteName(column.name)} IS NOT NULL`,
          ],
    ),
  );
  const among = held.length === 0 ? "" : ` AND id NOT IN (${held.join(" UNION ALL ")})`;
  await session.rows(`DELETE FROM nonet_files WHERE loose IS NULL${among}`);
}
