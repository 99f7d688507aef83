/** Deletes expired rows in batches, so that no statement locks many rows for long. */
import { orphanMilliseconds } from "../port/files.ts";
import { aheadMilliseconds } from "../port/rates.ts";
import type { Session } from "./connection.ts";
import { overRates } from "./rates.ts";

interface RetentionRule {
  readonly table: string;
  /** The condition of expired rows; `$1` is the time in epoch milliseconds. */
  readonly over: string;
  readonly batch: number;
  /** How much longer than its expiry a row is stored, in milliseconds. */
  readonly longer?: number;
}

const retentionRules: readonly RetentionRule[] = [
  // Reserved keys without a response are deleted too; a transaction that is about to use such a key has to restart.
  { table: "nonet_answers", over: "(expires <= $1 OR expires IS NULL)", batch: 500 },
  { table: "nonet_counts", over: "until <= $1", batch: 500 },
  { table: "nonet_sessions", over: "expires <= $1", batch: 500 },
  { table: "nonet_grants", over: "expires <= $1", batch: 500 },
  // A process whose clock is behind still counts in a window that is over for this one.
  { table: "nonet_rates", over: overRates, batch: 500, longer: aheadMilliseconds },
  { table: "nonet_long_rates", over: overRates, batch: 500, longer: aheadMilliseconds },
  // One file per batch, because a file may have many pieces.
  { table: "nonet_files", over: "loose < $1", batch: 1, longer: orphanMilliseconds },
];

export async function purge(session: Session, now: number): Promise<void> {
  for (const { table, over, batch, longer = 0 } of retentionRules) {
    // Several processes may purge concurrently; each skips rows that another has locked.
    const sql = `
      WITH old AS (SELECT ctid FROM ${table} WHERE ${over} LIMIT ${batch} FOR UPDATE SKIP LOCKED)
      DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM old) RETURNING 1`;
    while ((await session.rows(sql, [now - longer])).length === batch);
  }
}
