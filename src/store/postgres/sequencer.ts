/**
 * Gives entries of the journal their positions, in the order of their commits. While somebody does it, under a lock, others
 * wait; so whoever sees a position sees all that are lower, and none is ever given
 * below one that was seen. Entries that become visible together get theirs in the order of `seq`, in which those of one record
 * are always: a transaction that changes a record begins after the one before has committed (it would fail otherwise).
 *
 * A position is given after the commit and not in it, because then all commits of a service would wait for one another. A
 * process does it for its own, a moment later; what one that was killed left, whoever next reads the journal places.
 */
import { defined } from "../../base/defined.ts";
import type { Session } from "./connection.ts";

/** Who waits for entries listens to it, one channel for each schema, since a database may hold many. */
const channelOf =
  "'nonet_journal_' || (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = pg_catalog.current_schema())";

/** Among locks of other purposes: "nont". */
const lockClass = 0x6e6f6e74;

/**
 * All entries up to `floor` have their position or were undone, so that nobody looks below it. Without it, while some long
 * transaction such as a backup could still want to see the journal as it was, whoever looks for an entry without a position
 * would go through all that had none since, because its index must keep them.
 *
 * The floor rises in three steps, at calls of their own, each time that `stride` entries have been written: `next_floor` is how
 * far they go. Then `awaits` is the number (`xid`) of the transaction that is placing some, and so later than that of each that
 * has written one up to there: it has its own before the entry gets its `seq`. Once all before it are over and placed,
 * the floor is there.
 */
const floorSql: readonly string[] = [
  "CREATE TABLE nonet_journal_floor (floor bigint NOT NULL, next_floor bigint NOT NULL, awaits xid8)",
  "INSERT INTO nonet_journal_floor VALUES (0, 0, NULL)",
];

const stride = 2000;

/**
 * One statement for the client, so that no process which stops in between holds the lock. It is an advisory one, since to lock
 * a row may give the transaction its number before it has waited. Each statement in the function has to see what was committed
 * when the lock was had: it is for READ COMMITTED. A batch is notified once; a NOTIFY with each entry would make commits wait
 * for one another. Entries are updated one by one: how two sets are joined the planner decides at the first use, mostly of an
 * empty table, and would keep to it when there are thousands.
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
  /** Entries were committed: they get their positions soon. */
  written(): void;
  /** Resolves when all that was committed before has its position. */
  flush(): Promise<void>;
  /** Resolves when what was written has its positions, as far as the database answers. */
  close(): Promise<void>;
}

/** How long entries are gathered, in milliseconds: at most that much later is one told of. */
const gathering = 10;
/** Entries that are placed in one statement, for the whole of which others wait. */
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

  /** A run that has begun may have passed over what was committed since: who comes now waits for the one after it, all together. */
  function flush(): Promise<void> {
    if (running === undefined) return start();
    next ??= running.then(start, start);
    return next;
  }

  return {
    flush,
    written: () => {
      // A run that is to come takes it along.
      if (next !== undefined) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        // Whoever next reads the journal does it, if this fails.
        flush().catch(report);
      }, gathering);
    },
    close: async () => {
      if (soon !== undefined) await flush().catch(report);
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
