/**
 * Stores counts with an expiry in the table `nonet_counts`: quotas per window, which the transaction of the operation counts, and
 * rates of long windows, which the service saves from memory.
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

/** The number of rows per batch; requests run between batches. */
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

/** An increment of a counter by `more`. */
interface Increment {
  readonly name: string;
  readonly key: string;
  readonly more: number;
}

/** Increments a count in one statement; an expired one starts again at 1. */
export function countUp(connection: Connection, { name, key, more }: Increment, now: number, until: number): Counted {
  const row = connection.get(
    `INSERT INTO nonet_counts VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       used = iif(until > ?, used + excluded.used, excluded.used),
       until = iif(until > ?, until, excluded.until)
     RETURNING used, until`,
    name,
    key,
    more,
    until,
    now,
    now,
  ) as [number, number];
  return { used: row[0], until: row[1] };
}

/** Undoes `countUp`. Deletes the first count of a window: the expired one that it replaced needs no restoring. */
export function countDown(connection: Connection, { name, key, more }: Increment): void {
  connection.run("UPDATE nonet_counts SET used = used - ? WHERE name = ? AND key = ?", more, name, key);
  connection.run("DELETE FROM nonet_counts WHERE name = ? AND key = ? AND used = 0", name, key);
}
