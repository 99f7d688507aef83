/**
 * Counts that are over at some moment, in the table `nonet_counts`: quotas in a window, which a transaction counts together
 * with what it does, and rates of long windows, which are brought here from memory.
 */
import type { Count, CountStore, Counted } from "../port/store.ts";
import type { SqlRow, Connection } from "./connection.ts";
import type { Writer } from "./write-batches.ts";

export const countsSql = `
  CREATE TABLE nonet_counts (
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    used INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (name, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX nonet_counts_by_until ON nonet_counts (until);
`;

/** In batches, so that requests have their turn between them. */
const batch = 500;

export function countStore(writer: Writer): CountStore {
  return {
    all: (now) => writer.enqueue((slot) => slot.connection.all(aliveSql, now).map(countOf)),
    save: async (counts) => {
      for (let start = 0; start < counts.length; start += batch) {
        await writer.write((slot) => saveAll(slot.connection, counts.slice(start, start + batch)));
      }
    },
  };
}

const aliveSql = "SELECT name, key, used, until FROM nonet_counts WHERE until > ?";

function countOf(row: SqlRow): Count {
  const [name, key, used, until] = row as [string, string, number, number];
  return { name, key, used, until };
}

function saveAll(connection: Connection, counts: readonly Count[]): void {
  for (const { name, key, used, until } of counts) {
    connection.run(
      "INSERT INTO nonet_counts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET used = excluded.used, until = excluded.until",
      name,
      key,
      used,
      until,
    );
  }
}

/** One more, in one statement; a count that is over begins anew. */
export function countUp(connection: Connection, name: string, key: string, now: number, until: number): Counted {
  const row = connection.get(
    `INSERT INTO nonet_counts VALUES (?, ?, 1, ?)
     ON CONFLICT DO UPDATE SET
       used = iif(until > ?, used + 1, 1),
       until = iif(until > ?, until, excluded.until)
     RETURNING used, until`,
    name,
    key,
    until,
    now,
    now,
  ) as [number, number];
  return { used: row[0], until: row[1] };
}

/** Takes back the newest count. The first of a window goes as a whole: what was over before it is as if it had never been. */
export function countDown(connection: Connection, name: string, key: string): void {
  connection.run("UPDATE nonet_counts SET used = used - 1 WHERE name = ? AND key = ?", name, key);
  connection.run("DELETE FROM nonet_counts WHERE name = ? AND key = ? AND used = 0", name, key);
}

/** Removes some of those that are over; whether there may be more. */
export function purgeCounts(connection: Connection, now: number): boolean {
  const { changes } = connection.run(
    "DELETE FROM nonet_counts WHERE (name, key) IN (SELECT name, key FROM nonet_counts WHERE until <= ? LIMIT ?)",
    now,
    batch,
  );
  return Number(changes) === batch;
}
