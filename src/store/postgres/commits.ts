/**
 * Transactions that know all that they write without waiting for the server, committed several at once: those that come while
 * others are being committed are the next ones, in one round trip, one transaction and one flush of the log. Alone a commit costs
 * the server several times what it does among others. Two such groups are under way at most, so that the service thinks and the
 * server works while the log of the other is being flushed.
 *
 * Each of them says by its statements what has to be so still: one that finds it is not fails, and all of them with it. Nobody
 * knows whose fault it was then, so each is to be done again by itself.
 */
import pg from "pg";
import { StoreError } from "../port/error.ts";
import { isConsequence, isElsewhere, Overtaken, remedyFor } from "./failure.ts";
import type { BoundStatement } from "./query-batch.ts";
import type { PgConnection } from "./protocol.ts";

/** What was seen is so no more, or seems to be: nothing was written, and the work can be done again. */
export class StaleRead extends Error {}

export interface Commits {
  /** @throws SeenAnew, or StoreError `unreachable` where it is not known whether it was committed. */
  readonly commit: (
    held: readonly Held[],
    statements: readonly BoundStatement[],
    isLate?: () => boolean,
  ) => Promise<void>;
}

/** What at most one transaction holds. */
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
  /** Asked when it would be committed: it is not, then. */
  readonly isLate: (() => boolean) | undefined;
  readonly resolve: () => void;
  readonly reject: (thrown: unknown) => void;
}

const largestBatch = 32;
const mostAtOnce = 2;

/**
 * They may be held up by who holds one of their rows, all of them by one, and two groups in a circle: so they rather are
 * done one by one.
 */
const lockMilliseconds = 100;

/**
 * Each statement finds what an index leads to. One that is planned while its table is empty would go through all of the table until
 * the server has statistics of it.
 */
const settingSql = "SELECT set_config('lock_timeout', $1, true), set_config('enable_seqscan', 'off', true)";

/** @param held gives a connection to `use`, which says whether it is of no more use. */
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

/** Whether the connection is of no more use. */
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
    // Else two groups might wait for one another.
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
  // What the server refuses before the end was not committed; else it may have been while the connection was lost.
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
