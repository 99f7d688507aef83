/**
 * Counts rate limits that all processes on one schema share, with one statement per call: the count is computed while its row
 * is locked, like `counted` in `port/rates.ts`.
 *
 * Short windows are in an unlogged table: there is no flush to disk, and a server crash resets them. Long windows survive a
 * crash (R8.3).
 */
import type { PortableRow, BackupTable } from "../backup/portable.ts";
import { aheadMilliseconds, type RateRequest, type RateCount, type Rates } from "../port/rates.ts";
import type { Session } from "./connection.ts";

/** The length in milliseconds from which a window survives a crash. */
const longMilliseconds = 3_600_000;

/**
 * Creates a table. `ask`: the last request, stored because a conflicting INSERT has no other way to pass it on. `count`: its
 * result.
 */
const tableSql = (name: string, kind: "TABLE" | "UNLOGGED TABLE"): string => `
  CREATE ${kind} ${name} (
    name text COLLATE "C",
    key text COLLATE "C",
    ask bigint[] NOT NULL,
    count bigint[] NOT NULL,
    PRIMARY KEY (name, key)
  ) WITH (fillfactor = 50)`;

/**
 * Computes a count. `ask`: count, window, burst or null, consumed, wanted, end of a new window or
 * null. `before` and the result: granted, used, at. Rows
 * restored from a backup (`putLongRates`) have granted = -1: for a token bucket the backup has only the time when it is full
 * again.
 */
export const countedSql: string = `
  CREATE OR REPLACE FUNCTION nonet_counted(before bigint[], ask bigint[], now bigint) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE AS $$
  DECLARE
    quota bigint := ask[1];
    length bigint := ask[2];
    burst bigint := ask[3];
    taken bigint := ask[4];
    wanted bigint := ask[5];
    live boolean := coalesce(before[3] > now, false);
    used bigint;
    granted bigint;
  BEGIN
    IF burst IS NULL THEN
      used := greatest(0, CASE WHEN live THEN before[2] ELSE 0 END + taken);
      granted := least(wanted, greatest(0, quota - used));
      RETURN ARRAY[granted, used + granted, CASE WHEN live THEN least(before[3], now + length) ELSE coalesce(ask[6], now + length) END];
    END IF;
    IF before[1] = -1 THEN
      used := least(burst * length, least(greatest(0, before[3] - now), 1000000000000) * quota);
      RETURN nonet_counted(ARRAY[0, used, now], ask, now);
    END IF;
    used := coalesce(before[2], 0) - least(greatest(0, now - coalesce(before[3], now)), 1000000000000) * quota;
    used := greatest(0, greatest(0, used) + taken * length);
    granted := least(wanted, greatest(0, (burst * length - used) / length));
    RETURN ARRAY[granted, used + granted * length, greatest(now, least(coalesce(before[3], now), now + ${aheadMilliseconds}))];
  END $$`;

export const ratesSql: readonly string[] = [
  tableSql("nonet_rates", "UNLOGGED TABLE"),
  tableSql("nonet_long_rates", "TABLE"),
  countedSql,
];

/** The condition, for both tables, that a row no longer counts anything at the time `$1`. */
export const overRates = `CASE WHEN ask[3] IS NULL THEN count[3] <= $1
  ELSE (nonet_counted(count, ask[1:3] || ARRAY[0, 0]::bigint[], $1))[2] = 0 END`;

/** Every call locks its rows in the same order, so that calls cannot deadlock. */
const countSql = (table: string): string => `
  WITH asked AS (
    SELECT name, key, ARRAY[quota, length, burst, taken, wanted, until] AS ask
    FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
      $9::bigint[]) AS asked (name, key, quota, length, burst, taken, wanted, until)
  )
  INSERT INTO ${table} AS kept (name, key, ask, count)
  SELECT name, key, ask, nonet_counted(NULL, ask, $1) FROM asked ORDER BY name COLLATE "C", key COLLATE "C"
  ON CONFLICT (name, key) DO UPDATE SET ask = excluded.ask, count = nonet_counted(kept.count, excluded.ask, $1)
  RETURNING name, key, count[1], count[2], count[3]`;

const shortSql = countSql("nonet_rates");
const longSql = countSql("nonet_long_rates");

/** The prefix of rate names among the counts of a backup, as in SQLite (`runtime/limits/snapshots.ts`). */
const prefix = "rate ";

/**
 * Selects long windows in SQLite's form: requests used and end of the window; for a token bucket the time when it is full
 * again.
 */
export const longRatesSql: string = `SELECT '${prefix}' || name AS name, key,
    CASE WHEN ask[3] IS NULL THEN count[2] ELSE 0 END AS used,
    CASE WHEN ask[3] IS NULL THEN count[3] ELSE count[3] + ceil(count[2]::numeric / ask[1])::bigint END AS until
  FROM nonet_long_rates`;

/** Restores the counts of a backup that belong to rate limits with long windows. */
export async function putLongRates(
  session: Session,
  { columns }: BackupTable,
  rows: readonly PortableRow[],
): Promise<void> {
  const column = (name: string): (string | number)[] => {
    const at = columns.indexOf(name);
    return rows.map((row) => row[at] as string | number);
  };
  await session.rows(
    `INSERT INTO nonet_long_rates (name, key, ask, count)
     SELECT substr(name, ${prefix.length + 1}), key, ARRAY[NULL, NULL, NULL, 0, 0]::bigint[], ARRAY[-1, used, until]
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS given (name, key, used, until)`,
    ["name", "key", "used", "until"].map(column),
  );
}

export function isRate(name: string): boolean {
  return name.startsWith(prefix);
}

export function ratesOf(session: Session): Rates {
  return {
    async count(requests, now) {
      const [long, short] = [true, false].map((isLong) =>
        requests.filter(({ limit }) => isLongWindow(limit) === isLong),
      ) as [RateRequest[], RateRequest[]];
      const found = await Promise.all([countAll(session, shortSql, short, now), countAll(session, longSql, long, now)]);
      const counts = new Map(found.flat());
      return requests.map((request) => counts.get(keyOf(request.name, request.key)) ?? missing(request));
    },
  };
}

/**
 * A calendar window always counts as long: its `windowMilliseconds` shrinks towards its end, and its count must stay in one
 * table.
 */
function isLongWindow({ until, windowMilliseconds }: RateRequest["limit"]): boolean {
  return until !== undefined || windowMilliseconds >= longMilliseconds;
}

async function countAll(
  session: Session,
  sql: string,
  requests: readonly RateRequest[],
  now: number,
): Promise<readonly (readonly [key: string, count: RateCount])[]> {
  if (requests.length === 0) return [];
  const rows = await session.rows<[string, string, number, number, number]>(sql, [
    now,
    requests.map(({ name }) => name),
    requests.map(({ key }) => key),
    requests.map(({ limit }) => limit.count),
    requests.map(({ limit }) => limit.windowMilliseconds),
    requests.map(({ limit }) => limit.burst ?? null),
    requests.map(({ consumed }) => consumed),
    requests.map(({ wanted }) => wanted),
    requests.map(({ limit }) => limit.until ?? null),
  ]);
  return rows.map(([name, key, granted, used, at]) => [keyOf(name, key), { granted, used, at }]);
}

function keyOf(name: string, key: string): string {
  return `${name}\0${key}`;
}

function missing({ name, key }: RateRequest): never {
  throw new Error(`the count of ${name} for ${key} did not come back`);
}
