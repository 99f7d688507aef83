/**
 * Changes tables while other processes use them. A waiting ALTER TABLE blocks all later statements, so it waits only briefly,
 * lets them pass, and retries.
 */
import { setTimeout as wait } from "node:timers/promises";
import { StoreError } from "../port/error.ts";
import type { DatabaseUrl } from "./database-url.ts";
import type { Session } from "./connection.ts";
import { codeOf, remedyFor } from "./failure.ts";

/**
 * The waits for a lock, in milliseconds. Every third exceeds one second (`deadlock_timeout`), after which PostgreSQL cancels a
 * blocking autovacuum.
 */
const lockMilliseconds = [300, 300, 1_500] as const;
const triedMilliseconds = 60_000;

/**
 * Runs `change`, which changes tables in its own transaction with the given `lock_timeout`, until it succeeds.
 * @throws StoreError `busy` that names the blockers, after `mostMilliseconds`.
 */
export async function withoutBlocking<T>(
  single: Session,
  { name }: DatabaseUrl,
  change: (lockMilliseconds: number) => Promise<T>,
  mostMilliseconds: number = triedMilliseconds,
): Promise<T> {
  const deadline = performance.now() + mostMilliseconds;
  for (let tried = 0; ; tried += 1) {
    try {
      return await change(lockMilliseconds[tried % lockMilliseconds.length] ?? lockMilliseconds[0]);
    } catch (thrown) {
      const isLockConflict = remedyFor(thrown) === "again" || codeOf(thrown) === "55P03";
      if (!isLockConflict) throw thrown;
      if (performance.now() > deadline) {
        const message = `the tables in ${name} could not be changed for ${Math.round(mostMilliseconds / 1000)} s, since others hold them; nothing of that was done, and it is tried again at the next start`;
        throw new StoreError("busy", message, await holders(single), thrown);
      }
    }
    await wait(300 + 400 * Math.random());
  }
}

/** Returns the sessions that lock tables for longer than a request does. Some servers hide the statements of other roles. */
async function holders(single: Session): Promise<readonly string[]> {
  const found = await single.rows<[string, number | null, string | null, string | null, string | null, string | null]>(
    `SELECT string_agg(DISTINCT c.relname, ', '), l.pid, a.usename, a.state, substring(a.query FROM '[A-Za-z]+'),
       to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
     FROM pg_catalog.pg_locks AS l JOIN pg_catalog.pg_class AS c ON c.oid = l.relation
       LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid
     WHERE l.granted AND c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
       AND l.pid IS DISTINCT FROM pg_backend_pid()
       AND coalesce(a.xact_start < clock_timestamp() - interval '${lockMilliseconds[0]} milliseconds', true)
     GROUP BY l.pid, a.usename, a.state, a.query, a.xact_start ORDER BY a.xact_start LIMIT 3`,
  );
  return found.map(([tables, pid, role, state, query, since]) => {
    if (pid === null) return `${tables}: a prepared transaction (pg_prepared_xacts)`;
    const what = since === null ? "" : ` since ${since}: ${query}${state === null ? "" : `, ${state}`}`;
    return `${tables}: pid ${pid}${role === null ? "" : ` of ${role}`}${what}`;
  });
}
