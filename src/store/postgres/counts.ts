/**
 * Stores counts with an expiry in the table `nonet_counts`: quotas per window, which the transaction of the operation counts, and
 * rates of long windows, which the service saves from memory.
 */
import type { Count, CountStore, Counted } from "../port/store.ts";
import type { Session } from "./connection.ts";

/**
 * The tables of counts. Rows change often, and only `until` is indexed: free space in each page lets PostgreSQL update in
 * place (HOT).
 */
export const countsSql: readonly string[] = [
  `CREATE TABLE nonet_counts (
    name text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    used bigint NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (name, key)
  ) WITH (fillfactor = 70)`,
  "CREATE INDEX nonet_counts_by_until ON nonet_counts (until)",
];

const batch = 500;

export function countStore(session: Session): CountStore {
  return {
    all: async (now) => {
      const sql = "SELECT name, key, used, until FROM nonet_counts WHERE until > $1";
      const found = await session.rows<[string, string, number, number]>(sql, [now]);
      return found.map(([name, key, used, until]) => ({ name, key, used, until }));
    },
    save: async (counts) => {
      for (let start = 0; start < counts.length; start += batch) {
        await saveSome(session, counts.slice(start, start + batch));
      }
    },
  };
}

/** Saves some counts in one order, so that concurrent processes cannot deadlock. */
async function saveSome(session: Session, counts: readonly Count[]): Promise<void> {
  await session.rows(
    `INSERT INTO nonet_counts (name, key, used, until)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS given (name, key, used, until)
     ORDER BY name COLLATE "C", key COLLATE "C"
     ON CONFLICT (name, key) DO UPDATE SET used = excluded.used, until = excluded.until`,
    [
      counts.map(({ name }) => name),
      counts.map(({ key }) => key),
      counts.map(({ used }) => used),
      counts.map(({ until }) => until),
    ],
  );
}

/**
 * Increments a count in one statement; an expired one starts again at 1. Other transactions that count the same key wait for
 * this one.
 */
export async function countUp(
  session: Session,
  { name, key, more }: { readonly name: string; readonly key: string; readonly more: number },
  now: number,
  until: number,
): Promise<Counted> {
  const [counted] = await session.rows<[number, number]>(
    `INSERT INTO nonet_counts AS before (name, key, used, until) VALUES ($1, $2, $5, $3)
     ON CONFLICT (name, key) DO UPDATE SET
       used = CASE WHEN before.until > $4 THEN before.used + excluded.used ELSE excluded.used END,
       until = CASE WHEN before.until > $4 THEN before.until ELSE excluded.until END
     RETURNING used, until`,
    [name, key, until, now, more],
  );
  if (counted === undefined) throw new Error(`${name} was not counted`);
  return { used: counted[0], until: counted[1] };
}
