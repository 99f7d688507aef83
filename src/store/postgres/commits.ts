/**
 * Commits several optimistic transactions at once: those that arrive during a commit form the next batch, with one round trip,
 * one database transaction and one flush. A commit on its own costs the server several times as much. At most two batches run at
 * once, so that the service and the server work while the other's log is flushed.
 *
 * Each transaction's statements check that what it read is unchanged. One that finds a change fails the whole batch; it is not
 * known which one did, so all of them run again separately.
 */
import pg from "pg";
import { StoreError } from "../port/error.ts";
import { isConsequence, isElsewhere, Overtaken, remedyFor } from "./failure.ts";
import type { BoundStatement } from "./query-batch.ts";
import type { PgConnection } from "./protocol.ts";

/** Thrown if a read seems outdated: nothing was written, and the task can run again. */
export class StaleRead extends Error {}

export interface Commits {
  /** Commits a transaction. @throws StaleRead, or StoreError `unreachable` if it is unknown whether the commit succeeded. */
  readonly commit: (
    held: readonly Held[],
    statements: readonly BoundStatement[],
    isLate?: () => boolean,
  ) => Promise<void>;
}

/** The name of a table and a name in it, which at most one transaction may lock. */
export type Held = readonly [table: string, name: string];

export function holding(all: readonly Held[]): BoundStatement {
  return {
    text: `SELECT pg_advisory_xact_lock(held.of::regclass::oid::integer, hashtext(held.name))
      FROM unnest($1::text[], $2::text[]) AS held (of, name)`,
    values: [all.map(([table]) => table), all.map(([, name]) => name)],
  };
}

interface Waiting {
  readonly held: readonly Held[];
  readonly statements: readonly BoundStatement[];
  /** Called before the commit; if it returns true, the transaction is not committed. */
  readonly isLate: (() => boolean) | undefined;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

const largestBatch = 32;
const mostAtOnce = 2;

/**
 * After how many milliseconds of waiting for a lock the transactions of a batch run one by one: a locked row would block the
 * whole batch, and two batches could deadlock.
 */
const lockMilliseconds = 100;

/**
 * The settings of a batch. Every statement must use an index: one planned for an empty table would scan the table until the
 * server has statistics.
 */
const settingSql = "SELECT set_config('lock_timeout', $1, true), set_config('enable_seqscan', 'off', true)";

/**
 * Creates the commits. @param held passes a connection to `use`, which returns whether the connection is unusable afterwards.
 */
export function openCommits(held: (use: (connection: PgConnection) => Promise<boolean>) => Promise<void>): Commits {
  let waiting: Waiting[] = [];
  let active = 0;
  let isSoon = false;

  const soon = (): void => {
    if (isSoon || active >= mostAtOnce || waiting.length === 0) return;
    isSoon = true;
    setImmediate(() => void commitSome());
  };

  async function commitSome(): Promise<void> {
    isSoon = false;
    active += 1;
    const some = waiting.slice(0, largestBatch);
    waiting = waiting.slice(some.length);
    soon();
    try {
      await held(async (connection) => {
        const timely = some.filter(({ isLate, reject }) => {
          if (isLate?.() !== true) return true;
          reject(new Overtaken("it came too late"));
          return false;
        });
        return timely.length > 0 && commitAll(connection, timely);
      });
    } catch (thrown) {
      for (const { reject } of some) reject(thrown);
    } finally {
      active -= 1;
      soon();
    }
  }

  return {
    commit: (held, statements, isLate) =>
      new Promise((resolve, reject) => {
        waiting.push({ held, statements, isLate, resolve, reject });
        soon();
      }),
  };
}

/** Commits a batch; returns whether the connection is unusable afterwards. */
async function commitAll(connection: PgConnection, all: readonly Waiting[]): Promise<boolean> {
  let failure: unknown;
  let isAtEnd = false;
  const isUnsent = connection.isLost;
  const failed = (thrown: unknown): void => {
    if (!isConsequence(thrown)) failure ??= thrown;
  };
  connection.execute(settingSql, [`${lockMilliseconds}ms`]).catch(failed);
  const held = all.flatMap((one) => one.held);
  if (held.length > 0) {
    // All batches take their locks in one order, so that two cannot deadlock.
    const { text, values } = holding(held.toSorted(byName));
    connection.execute(text, values).catch(failed);
  }
  for (const { statements } of all) {
    for (const { text, values } of statements) connection.execute(text, values).catch(failed);
  }
  await connection.end().catch((thrown: unknown) => {
    isAtEnd = failure === undefined;
    failed(thrown);
  });
  if (failure === undefined) {
    for (const { resolve } of all) resolve();
    return false;
  }
  const isLost = remedyFor(failure) === "reconnect";
  // An error before the end means that nothing was committed; if the connection is lost after that, the outcome is unknown.
  const isUnknown = isLost && !isUnsent && (isAtEnd || !(failure instanceof pg.DatabaseError));
  const outcome = isUnknown
    ? new StoreError("unreachable", "whether it was committed is not known", [], failure)
    : new StaleRead("what was seen is not so any more", { cause: failure });
  for (const { reject } of all) reject(outcome);
  return isLost || isElsewhere(failure);
}

function byName(one: Held, other: Held): number {
  const [a, b] = [one.join(" "), other.join(" ")];
  return a === b ? 0 : a < b ? -1 : 1;
}
