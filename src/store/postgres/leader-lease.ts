/**
 * Elects the process that runs a task which only one may run at a time. Each process on a schema renews its lease every 1.5
 * seconds, in the same statement as its tasks; five seconds after the last renewal other processes take over. Times are the
 * server's, so clocks of processes do not matter.
 *
 * Only processes with the newest document lead: an older one would skip events that it does not know. When the last process
 * with the newer document has ended, as after a rollback, older ones lead again.
 */
import { randomUUID } from "node:crypto";
import { defined } from "../../base/defined.ts";
import type { Session } from "./connection.ts";

export const leasesSql: readonly string[] = [
  `CREATE TABLE nonet_processes (
    id text COLLATE "C" PRIMARY KEY,
    generation bigint NOT NULL,
    until timestamptz NOT NULL
  )`,
  `CREATE TABLE nonet_leads (
    work text COLLATE "C" PRIMARY KEY,
    process text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    until timestamptz NOT NULL
  )`,
];

export interface Leadership {
  acquireLease(task: string): Promise<boolean>;
  /** Releases all tasks to other processes. */
  close(): Promise<void>;
}

export interface LeaseOptions {
  /** The generation of the process's document: it grows with each document to which the data migrates. */
  readonly generation: number;
  /** The row-level security policies that the process's reads need, which must stay while it runs. */
  readonly needs?: string | undefined;
  /** Returns the milliseconds of a monotonic clock. */
  readonly elapsed?: () => number;
}

/** How long a killed process keeps its lease, in milliseconds. */
export const leaseMilliseconds = 5_000;
const beatMilliseconds = 1_500;
/** After how many milliseconds a rejected process retries. */
const retryMilliseconds = 500;

const lease = `clock_timestamp() + interval '${leaseMilliseconds} milliseconds'`;
const newer = "SELECT 1 FROM nonet_processes WHERE generation > $2 AND until > clock_timestamp()";

const beatSql = `
  WITH here AS (
    INSERT INTO nonet_processes AS known (id, generation, until) VALUES ($1, $2, ${lease})
    ON CONFLICT (id) DO UPDATE SET until = excluded.until
  ), gone AS (
    DELETE FROM nonet_processes WHERE until < clock_timestamp() - interval '1 minute' AND id <> $1
  )
  UPDATE nonet_leads SET until = ${lease}
  WHERE process = $1 AND until > clock_timestamp() AND NOT EXISTS (${newer})
  RETURNING work`;

const acquireSql = `
  INSERT INTO nonet_leads AS lead (work, process, generation, until)
  SELECT $3, $1, $2, ${lease} WHERE NOT EXISTS (${newer})
  ON CONFLICT (work) DO UPDATE
    SET process = excluded.process, generation = excluded.generation, until = excluded.until
    WHERE lead.process = excluded.process OR lead.until <= clock_timestamp() OR lead.generation < excluded.generation
  RETURNING work`;

const leaveSql =
  "WITH left_over AS (DELETE FROM nonet_leads WHERE process = $1) DELETE FROM nonet_processes WHERE id = $1";

export async function othersServing(session: Session): Promise<number> {
  const [row] = await session.rows<[number]>("SELECT count(*) FROM nonet_processes WHERE until > clock_timestamp()");
  return defined(row, "the count of processes")[0];
}

/** Returns the distinct policies (`needs`) of all serving processes. */
export async function neededPolicies(session: Session): Promise<readonly string[]> {
  const found = await session.rows<[string]>(
    `SELECT DISTINCT split_part(id, ' ', 2) FROM nonet_processes WHERE until > clock_timestamp() AND id LIKE '% %'`,
  );
  return found.map(([name]) => name);
}

/** Registers the process. @throws the error of the first statement. */
export async function openLeadership(
  session: Session,
  { generation, needs, elapsed = () => performance.now() }: LeaseOptions,
): Promise<Leadership> {
  const id = needs === undefined ? randomUUID() : `${randomUUID()} ${needs}`;
  /** By task, the time until which this process surely holds the lease. */
  const held = new Map<string, number>();
  const rejectedUntil = new Map<string, number>();
  /** The server started the lease after the request was sent, so the lease ends later than this time. */
  const ends = (requestedAt: number): number => requestedAt + leaseMilliseconds - 500;
  let beating: Promise<void> | undefined;
  let closed = false;

  async function beat(): Promise<void> {
    const requestedAt = elapsed();
    const renewed = await session.rows<[string]>(beatSql, [id, generation]);
    held.clear();
    for (const [task] of renewed) held.set(task, ends(requestedAt));
  }

  await beat();
  const timer = setInterval(() => {
    // A failed renewal may succeed next time; otherwise the leases expire.
    beating ??= beat()
      .catch(() => undefined)
      .finally(() => {
        beating = undefined;
      });
  }, beatMilliseconds).unref();

  return {
    async acquireLease(task) {
      const now = elapsed();
      if ((held.get(task) ?? Number.NEGATIVE_INFINITY) > now) return true;
      if (closed || (rejectedUntil.get(task) ?? Number.NEGATIVE_INFINITY) > now) return false;
      const [acquired] = await session.rows(acquireSql, [id, generation, task]);
      if (acquired === undefined) rejectedUntil.set(task, now + retryMilliseconds);
      else held.set(task, ends(now));
      return acquired !== undefined;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await beating;
      held.clear();
      // Gives up the leases; without this statement other processes would wait until they expire.
      await session.rows(leaveSql, [id]).catch(() => undefined);
    },
  };
}
