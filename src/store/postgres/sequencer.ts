/**
 * Assigns positions to entries of the event log in commit order, under a lock: so a reader that sees a position sees all lower
 * ones, and no position is ever assigned below a visible one. Entries that become visible together are ordered by `seq`. For
 * the entries of one record this is the commit order: the second of two transactions that change a record gets its `seq` after
 * the first has committed, or it fails.
 *
 * Positions are assigned after the commit, because assigning them inside would make all commits wait for one another. Each
 * process does it for its own entries a moment later; the next reader of the event log does it for a killed process.
 */
import { defined } from "../../base/defined.ts";
import type { Session } from "./connection.ts";

/** Returns the channel on which listeners of the event log listen; one per schema, since a database may have many schemas. */
const channelOf =
  "'nonet_journal_' || (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = pg_catalog.current_schema())";

/** The class that separates these advisory locks from those of others: "nont" in ASCII. */
const lockClass = 0x6e6f6e74;

/**
 * All entries up to `floor` have a position or were rolled back, so no query looks below it. Without it, while a long
 * transaction such as a backup needs the former state of the event log, the index of entries without a position would keep all
 * those assigned since, and each search would scan them.
 *
 * The floor rises in three steps, in separate calls, each time `stride` entries have been written. First `next_floor` is set
 * to the newest `seq`. Then `awaits` is set to the `xid` of the assigning transaction, which is later than that of every
 * writer up to there: a writer gets its xid before its entry's `seq`. When all transactions before `awaits` have ended and
 * their entries have positions, the floor becomes `next_floor`.
 */
const floorSql: readonly string[] = [
  "CREATE TABLE nonet_journal_floor (floor bigint NOT NULL, next_floor bigint NOT NULL, awaits xid8)",
  "INSERT INTO nonet_journal_floor VALUES (0, 0, NULL)",
];

const stride = 2000;

/**
 * One statement for the client, so that a process that stops in between cannot hold the lock. The lock is advisory, because a row
 * lock might assign the transaction its xid before it has waited. Each statement in the function must see what was committed when
 * the lock was acquired: hence READ COMMITTED. One NOTIFY per batch: one per entry would make commits wait for one another.
 * Entries are updated one by one: the planner would choose a join at the first use, mostly for an empty table, and keep it for
 * thousands of rows.
 */
const functionSql = `
  CREATE FUNCTION nonet_sequence(most integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$
  DECLARE
    known nonet_journal_floor%ROWTYPE;
    is_over boolean;
    head bigint;
    reached bigint;
    entry bigint;
    placed integer := 0;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'positions are given in READ COMMITTED';
    END IF;
    PERFORM pg_advisory_xact_lock(${lockClass}, 'nonet_journal'::regclass::oid::integer);
    SELECT * INTO known FROM nonet_journal_floor;
    is_over := pg_snapshot_xmin(pg_current_snapshot()) >= known.awaits;
    head := coalesce((SELECT position FROM nonet_journal WHERE position IS NOT NULL ORDER BY position DESC LIMIT 1), 0);
    FOR entry IN SELECT seq FROM nonet_journal WHERE position IS NULL AND seq > known.floor ORDER BY seq LIMIT most LOOP
      placed := placed + 1;
      UPDATE nonet_journal SET position = head + placed WHERE seq = entry;
    END LOOP;
    IF placed = 0 THEN
      RETURN 0;
    END IF;
    PERFORM pg_notify(${channelOf}, '');
    SELECT last_value INTO reached FROM nonet_journal_seq;
    IF is_over AND placed < most THEN
      UPDATE nonet_journal_floor SET floor = next_floor, awaits = NULL;
    -- The second: numbers are lower than what is awaited where all was brought from another server.
    ELSIF known.next_floor > known.floor AND (known.awaits IS NULL OR known.awaits > pg_current_xact_id()) THEN
      UPDATE nonet_journal_floor SET awaits = pg_current_xact_id();
    ELSIF known.next_floor = known.floor AND reached >= known.floor + ${stride} THEN
      UPDATE nonet_journal_floor SET next_floor = reached;
    END IF;
    RETURN placed;
  END $$`;

export const sequencerSql: readonly string[] = [...floorSql, functionSql];

export interface Sequencer {
  /** Schedules positions for committed entries. */
  written(): void;
  /** Resolves when all earlier commits have positions. */
  flush(): Promise<void>;
  /** Resolves when the written entries have positions, if the database responds. */
  close(): Promise<void>;
}

/** For how many milliseconds entries are gathered: the maximum delay of a notification. */
const gathering = 10;
/** The maximum number of entries of one statement, during which other processes wait. */
const batch = 1000;

export function openSequencer(session: Session, report: (failure: unknown) => void): Sequencer {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    for (let sequenced = batch; sequenced === batch; ) {
      const [row] = await session.rows<[number]>("SELECT nonet_sequence($1)", [batch]);
      [sequenced] = defined(row, "the count of what was placed");
    }
  }

  function start(): Promise<void> {
    clearTimeout(soon);
    soon = undefined;
    next = undefined;
    running = run().finally(() => {
      running = undefined;
    });
    return running;
  }

  /** Assigns positions. A run in progress may miss recent commits, so later callers share the run after it. */
  function flush(): Promise<void> {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  }

  return {
    flush,
    written: () => {
      // The run that is already scheduled will include the new entries.
      if (next !== undefined) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        // If it fails, the next reader of the event log assigns the positions.
        flush().catch(report);
      }, gathering);
    },
    close: async () => {
      if (soon !== undefined) await flush().catch(report);
      await Promise.allSettled([running, next]);
    },
  };
}

/** Returns the notification channel of this schema's event log. */
export async function journalChannel(session: Session): Promise<string> {
  const [found] = await session.rows<[string]>(`SELECT ${channelOf}`);
  if (found === undefined) throw new Error("there is no schema to listen for");
  return found[0];
}
