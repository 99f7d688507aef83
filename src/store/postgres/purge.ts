/** Removes what is kept only for a time and is past it, in batches, so that no statement holds many rows for long. */
import { orphanMilliseconds } from "../port/files.ts";
import type { Session } from "./connection.ts";
import { overRates } from "./rates.ts";

interface RetentionRule {
  readonly table: string;
  /** What is over at `$1`, epoch milliseconds. */
  readonly over: string;
  readonly batch: number;
  /** How much longer it is kept, in milliseconds. */
  readonly longer?: number;
}

const retentionRules: readonly RetentionRule[] = [
  // And what a transaction claimed and did not use. One that is about to use it has to begin anew.
  { table: "nonet_answers", over: "(expires <= $1 OR expires IS NULL)", batch: 500 },
  { table: "nonet_counts", over: "until <= $1", batch: 500 },
  { table: "nonet_sessions", over: "expires <= $1", batch: 500 },
  { table: "nonet_grants", over: "expires <= $1", batch: 500 },
  { table: "nonet_rates", over: overRates, batch: 500 },
  { table: "nonet_long_rates", over: overRates, batch: 500 },
  // A file may have many pieces.
  { table: "nonet_files", over: "loose < $1", batch: 1, longer: orphanMilliseconds },
];

export async function purge(session: Session, now: number): Promise<void> {
  for (const { table, over, batch, longer = 0 } of retentionRules) {
    // Several processes may do this at once: each leaves to the others what they have in hand.
    const sql = `
      WITH old AS (SELECT ctid FROM ${table} WHERE ${over} LIMIT ${batch} FOR UPDATE SKIP LOCKED)
      DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM old) RETURNING 1`;
    while ((await session.rows(sql, [now - longer])).length === batch);
  }
}
