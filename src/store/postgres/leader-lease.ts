/**
 * Which process does the work that one at a time does. Each process on a schema says every second and a half that it is there,
 * in one statement that also goes on with what it does; of one that has not for five seconds others take over. Times are the
 * server's, so that the clocks of processes do not matter.
 *
 * Of processes that serve documents of different ages only those with the newest lead: an older one would pass over events that
 * it does not know. When the last of the newer ones has ended, as when a change is taken back, the older ones lead again.
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
  /** Leaves what it does to the others. */
  close(): Promise<void>;
}

export interface LeaseOptions {
  /** Grows with each document that the data is brought to. */
  readonly generation: number;
  /** The policies of row-level security that its reads are run with: they are to stay while it is there. */
  readonly needs?: string | undefined;
  /** By a clock that nobody sets. */
  readonly elapsed?: () => number;
}

/** Who was killed is thought to be there for so long. */
export const leaseMilliseconds = 5_000;
const beatMilliseconds = 1_500;
/** Who was refused asks again after so long. */
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

/** How many processes serve the data. */
export async function othersServing(session: Session): Promise<number> {
  const [row] = await session.rows<[number]>("SELECT count(*) FROM nonet_processes WHERE until > clock_timestamp()");
  return defined(row, "the count of processes")[0];
}

/** What each process that serves the data needs beside the tables (`needs`), once; those that need nothing are not told of. */
export async function neededPolicies(session: Session): Promise<readonly string[]> {
  const found = await session.rows<[string]>(
    `SELECT DISTINCT split_part(id, ' ', 2) FROM nonet_processes WHERE until > clock_timestamp() AND id LIKE '% %'`,
  );
  return found.map(([name]) => name);
}

/** @throws what the first statement fails with. */
export async function openLeadership(
  session: Session,
  { generation, needs, elapsed = () => performance.now() }: LeaseOptions,
): Promise<Leadership> {
  const id = needs === undefined ? randomUUID() : `${randomUUID()} ${needs}`;
  /** By work, until when it is certainly ours. */
  const held = new Map<string, number>();
  const rejectedUntil = new Map<string, number>();
  /** The lease began when the server got the statement, which was later than this. */
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
    // What it fails with the next one may not; and what is ours ends by itself.
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
      // Whom they are left to waits for their end otherwise.
      await session.rows(leaveSql, [id]).catch(() => undefined);
    },
  };
}
