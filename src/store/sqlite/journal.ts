/**
 * Stores the event log in the table `nonet_journal`. Row numbers are positions: there is one writer, which appends in the
 * order of commits.
 */
import { entryColumns, entryOf, entryValues } from "../sql/row-values.ts";
import type { Journal, JournalEntry, JournalRecord } from "../port/store.ts";
import type { Connection } from "./connection.ts";
import type { Writer } from "./write-batches.ts";
import { limitOf } from "./value.ts";
import type { Snapshot } from "./snapshot.ts";

export const journalSql = `
  CREATE TABLE nonet_journal (
    _seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    resource TEXT NOT NULL,
    record TEXT NOT NULL,
    origin TEXT,
    target TEXT,
    by TEXT NOT NULL,
    cause TEXT NOT NULL,
    request TEXT,
    due INTEGER,
    event TEXT,
    received TEXT,
    data TEXT,
    trace TEXT
  ) STRICT;
  CREATE INDEX nonet_journal_by_record ON nonet_journal (record);
  CREATE INDEX nonet_journal_events ON nonet_journal (_seq) WHERE event IS NOT NULL;
  CREATE INDEX nonet_journal_received ON nonet_journal (_seq) WHERE received IS NOT NULL;
`;

export const offsetsSql = "CREATE TABLE nonet_bookmarks (reader TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT";

const columns = `_seq, ${entryColumns}`;
const insertEntry = `INSERT INTO nonet_journal (${entryColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Writes an entry; returns the function that undoes the insert. */
export function record(connection: Connection, entry: JournalEntry): () => void {
  const { lastInsertRowid } = connection.run(insertEntry, ...entryValues(entry));
  return () => connection.run("DELETE FROM nonet_journal WHERE _seq = ?", lastInsertRowid);
}

export function forget(connection: Connection, resource: string, id: string): void {
  connection.run("UPDATE nonet_journal SET data = NULL WHERE record = ? AND resource = ?", id, resource);
}

export function intact(connection: Connection, positions: readonly number[]): ReadonlySet<number> {
  const sql = "SELECT _seq FROM nonet_journal WHERE _seq IN (SELECT value FROM json_each(?)) AND data IS NOT NULL";
  return new Set(connection.all(sql, JSON.stringify(positions)).map(([seq]) => seq as number));
}

export function hasFired(connection: Connection, resource: string, id: string, cause: string, due: number): boolean {
  const found = connection.get(
    "SELECT 1 FROM nonet_journal WHERE record = ? AND resource = ? AND cause = ? AND due = ? LIMIT 1",
    id,
    resource,
    cause,
    due,
  );
  return found !== undefined;
}

export function offset(connection: Connection, reader: string): number | undefined {
  return connection.get("SELECT position FROM nonet_bookmarks WHERE reader = ?", reader)?.[0] as number | undefined;
}

export function setOffset(connection: Connection, reader: string, position: number): void {
  connection.run("INSERT OR REPLACE INTO nonet_bookmarks (reader, position) VALUES (?, ?)", reader, position);
}

export function journalOf(reader: Connection, snapshot: Snapshot, writer: Writer): Journal {
  const all = (rest: string, ...values: (string | number)[]): readonly JournalRecord[] => {
    snapshot.acquire();
    return reader.all(`SELECT ${columns} FROM nonet_journal WHERE ${rest}`, ...values).map(entryOf);
  };
  const number = (what: string): number | undefined => {
    snapshot.acquire();
    return (reader.get(`SELECT ${what}`)?.[0] as number | null | undefined) ?? undefined;
  };
  return {
    events: (after, limit) => all(`_seq > ? AND event IS NOT NULL ORDER BY _seq ${limitOf("?")}`, after, limit),
    at: (position) => all("_seq = ?", position)[0],
    moves: (resource, id, after, limit) =>
      all(
        `record = ? AND resource = ? AND target IS NOT NULL AND _seq > ? ORDER BY _seq ${limitOf("?")}`,
        id,
        resource,
        after,
        limit,
      ),
    last: () => number("max(_seq) FROM nonet_journal") ?? 0,
    first: () => number("_seq FROM nonet_journal WHERE event IS NOT NULL ORDER BY _seq LIMIT 1"),
    trim: async (before) => {
      for (const column of ["event", "received"] as const) {
        for (let more = true; more; )
          more = await writer.write(({ connection }) => trimSome(connection, column, before));
      }
    },
  };
}

/** The number of entries per batch; requests run between batches. */
const batch = 500;

/** Deletes the oldest events. The newest entry always stays, because SQLite would reuse its number. */
function trimSome(connection: Connection, column: "event" | "received", before: number): boolean {
  const over = `${column} IS NOT NULL AND at < ?`;
  const old = `SELECT _seq FROM nonet_journal WHERE ${over} ORDER BY _seq LIMIT ${batch}`;
  const oldest = connection.all(old, before).map(([seq]) => seq as number);
  const [end] = oldest.slice(-1);
  if (end === undefined) return false;
  const start = oldest[0] as number;
  connection.run(
    `DELETE FROM nonet_journal WHERE _seq BETWEEN ? AND ? AND ${over} AND target IS NULL
     AND _seq < (SELECT max(_seq) FROM nonet_journal)`,
    start,
    end,
    before,
  );
  connection.run(
    `UPDATE nonet_journal SET event = NULL, received = NULL, data = NULL WHERE _seq BETWEEN ? AND ? AND ${over}`,
    start,
    end,
    before,
  );
  return oldest.length === batch;
}
