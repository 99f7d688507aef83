/** Dates and times in a time zone in SQL, with the same semantics as `zones.ts`. */
import { type Dialect, quoted, type Sql, sql } from "./sql-text.ts";
import type { ZoneFunction } from "./zones.ts";

type Once = (columns: Sql) => Sql;

/** Values of the local time `_v` in PostgreSQL. */
const postgresParts: Readonly<Record<ZoneFunction, string>> = {
  date: "to_char(_v, 'YYYY-MM-DD')",
  time: "to_char(_v, 'HH24:MI:SS')",
  month: "to_char(_v, 'YYYY-MM')",
  week: `to_char(_v, 'IYYY-"W"IW')`,
  getFullYear: "extract(year FROM _v)::bigint",
  getMonth: "extract(month FROM _v)::bigint - 1",
  getDate: "extract(day FROM _v)::bigint",
  getDayOfMonth: "extract(day FROM _v)::bigint - 1",
  getDayOfWeek: "extract(dow FROM _v)::bigint",
  getDayOfYear: "extract(doy FROM _v)::bigint - 1",
  getHours: "extract(hour FROM _v)::bigint",
  getMinutes: "extract(minute FROM _v)::bigint",
  getSeconds: "floor(extract(second FROM _v))::bigint",
  getMilliseconds: "floor(extract(milliseconds FROM _v))::bigint % 1000",
};

/** Returns SQL of a function of a moment in a zone. */
export function inZoneSql(name: ZoneFunction, moment: Sql, zone: Sql, dialect: Dialect, once: Once): Sql {
  if (dialect === "sqlite") return sql`nonet_zone(${quoted(name)}, ${moment}, ${zone})`;
  const isInRange = "_v >= '0001-01-01' AND _v < '10000-01-01'";
  const local = once(sql`${moment} AT TIME ZONE ${zone} AS _v`);
  return sql`(SELECT CASE WHEN ${isInRange} THEN ${postgresParts[name]} END FROM ${local})`;
}

/** Returns SQL of the moment of a date and a time in a zone. */
export function momentSql([date, time, zone]: readonly [Sql, Sql, Sql], dialect: Dialect, once: Once): Sql {
  if (dialect === "sqlite") return sql`nonet_moment(${date}, ${time}, ${zone})`;
  // `_b` and `_a` are the moments with the offsets of the zone a day before and a day after the local time `_l`.
  const local = once(sql`(${date} || ' ' || ${time})::timestamp AS _l, ${zone} AS _z`);
  const both = once(sql`_l, _z, ${withOffsetAt("-")} AS _b, ${withOffsetAt("+")} AS _a FROM ${local}`);
  const moment = "CASE WHEN _b AT TIME ZONE _z <> _l AND _a AT TIME ZONE _z = _l THEN _a ELSE _b END";
  const made = once(sql`${moment} AS _v FROM ${both}`);
  return sql`(SELECT CASE WHEN _v >= '0001-01-01 00:00:00Z' AND _v < '10000-01-01 00:00:00Z' THEN _v END FROM ${made})`;
}

function withOffsetAt(sign: "+" | "-"): string {
  const near = `((_l AT TIME ZONE 'UTC') ${sign} interval '1 day')`;
  return `((_l - ((${near} AT TIME ZONE _z) - (${near} AT TIME ZONE 'UTC'))) AT TIME ZONE 'UTC')`;
}
