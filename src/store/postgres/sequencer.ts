/**
 * Gives entries of the journal their positions, in the order of their commits. While somebody does it, under a lock on the
 * one row of `nonet_journal_head`, others wait; so whoever sees a position sees all that are lower, and none is ever given
 * below one that was seen. Entries that become visible together get theirs in the order of `seq`, in which those of one record
 * are always: a transaction that changes a record begins after the one before has committed (it would fail otherwise).
 *
 * A position is given after the commit and not in it, because then all commits of a service would wait for one another. A
 * process does it for its own, a moment later; what one that was killed left, whoever next reads the journal places.
 */
import type { Session } from "./connection.ts";

/** Who waits for entries listens to it, one channel for each schema, since a database may hold many. */
const channelOf =
  "'nonet_journal_' || (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = pg_catalog.current_schema())";

/**
 * One statement for the client, so that no process which stops in between holds the lock. Each statement in it has to see what
 * was committed when the lock was had: it is for READ COMMITTED. A batch is notified once; a NOTIFY with each entry would
 * make commits wait for one another. Entries are updated one by one: how two sets are joined the planner decides
 * at the first use, mostly of an empty table, and would keep to it when there are thousands.
 */
export const sequencerSql: readonly string[] = [
  "CREATE TABLE nonet_journal_head (position bigint NOT NULL)",
  "INSERT INTO nonet_journal_head VALUES (0)",
  `CREATE FUNCTION nonet_sequence(most integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off AS $$
   DECLARE
     head bigint;
     entry bigint;
     placed integer := 0;
   BEGIN
     IF pg_catalog.current_setting('transaction_isolation') <> 'read committed' THEN
       RAISE EXCEPTION 'positions are given in READ COMMITTED';
     END IF;
     SELECT position INTO head FROM nonet_journal_head FOR UPDATE;
     FOR entry IN SELECT seq FROM nonet_journal WHERE position IS NULL ORDER BY seq LIMIT most LOOP
       placed := placed + 1;
       UPDATE nonet_journal SET position = head + placed WHERE seq = entry;
     END LOOP;
     IF placed > 0 THEN
       UPDATE nonet_journal_head SET position = head + placed;
       PERFORM pg_catalog.pg_notify(${channelOf}, '');
     END IF;
     RETURN placed;
   END $$`,
];

export interface Sequencer {
  /** Entries were committed: they get their positions soon. */
  written(): void;
  /** Resolves when all that was committed before has its position. */
  settle(): Promise<void>;
  /** Resolves when what was written has its positions, as far as the database answers. */
  close(): Promise<void>;
}

/** How long entries are gathered, in milliseconds: at most that much later is one told of. */
const gathering = 2;
/** Entries that are placed in one statement, for the whole of which others wait. */
const batch = 1000;

export function openSequencer(session: Session, report: (failure: unknown) => void): Sequencer {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let soon: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    for (let placed = batch; placed === batch; ) {
      const [row] = await session.rows<[number]>("SELECT nonet_sequence($1)", [batch]);
      placed = row?.[0] ?? 0;
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

  /** A run that has begun may have passed over what was committed since: who comes now waits for the one after it, all together. */
  function settle(): Promise<void> {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  }

  return {
    settle,
    written: () => {
      // A run that is to come takes it along.
      if (next !== undefined) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        // Whoever next reads the journal does it, if this fails.
        settle().catch(report);
      }, gathering);
    },
    close: async () => {
      if (soon !== undefined) await settle().catch(report);
      await Promise.allSettled([running, next]);
    },
  };
}

/** The channel on which the journal of this session's schema tells that it has grown. */
export async function journalChannel(session: Session): Promise<string> {
  const [found] = await session.rows<[string]>(`SELECT ${channelOf}`);
  if (found === undefined) throw new Error("there is no schema to listen for");
  return found[0];
}
