/** Text functions and conversions in SQL, with the same semantics as `functions.ts`. */

import { type Conversion, type TextFunction, whiteSpace } from "./functions.ts";
import { type Dialect, postgresType, quoted, type Sql, sql } from "./sql-text.ts";
import type { ValueType } from "./types.ts";

const upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Returns SQL for a text function; undefined if SQL has no equivalent. SQLite's `lower` and `upper` support only ASCII;
 * PostgreSQL's depend on the collation.
 */
export function textFunctionSql(name: TextFunction, text: Sql, dialect: Dialect): Sql | undefined {
  const sqlite = dialect === "sqlite";
  switch (name) {
    case "trim":
      return sql`${sqlite ? "trim" : "btrim"}(${text}, ${quoted(whiteSpace)})`;
    case "lowerAscii":
      return sqlite ? sql`lower(${text})` : sql`translate(${text}, '${upper}', '${upper.toLowerCase()}')`;
    case "upperAscii":
      return sqlite ? sql`upper(${text})` : sql`translate(${text}, '${upper.toLowerCase()}', '${upper}')`;
    case "slugify":
      return undefined;
  }
}

const most = String(Number.MAX_SAFE_INTEGER);

/** Returns SQL for a conversion. `once` names the value `_v`, since the SQL uses it more than once. */
export function conversionSql(
  name: Conversion,
  value: Sql,
  from: ValueType,
  dialect: Dialect,
  once: (columns: Sql) => Sql,
): Sql {
  const sqlite = dialect === "sqlite";
  if (name === "double")
    return sqlite ? sql`CAST(${value} AS REAL)` : sql`${value}::${postgresType({ kind: "double" })}`;
  if (name === "string") return textOf(value, from, sqlite);
  switch (from.kind) {
    case "timestamp":
      return sqlite ? sql`unixepoch(${value})` : sql`floor(extract(epoch FROM ${value}))::bigint`;
    case "double": {
      const truncated = sqlite ? "CAST(_v AS INTEGER)" : "trunc(_v)::bigint";
      return sql`(SELECT CASE WHEN abs(_v) <= ${most} THEN ${truncated} END FROM ${once(sql`${value} AS _v`)})`;
    }
    case "string":
      return sqlite ? digitsSqlite(value, once) : digitsPostgres(value, once);
    default:
      return value;
  }
}

function textOf(value: Sql, type: ValueType, sqlite: boolean): Sql {
  const { kind } = type;
  // In PostgreSQL an id is already a text.
  if (kind === "string" || (kind === "record" && !(sqlite && type.number === true))) return value;
  if (!sqlite) return sql`${value}::text`;
  if (kind === "bool") return sql`(CASE ${value} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)`;
  return sql`CAST(${value} AS TEXT)`;
}

/**
 * Returns SQL that reads digits as an integer. A cast ignores trailing characters and returns the largest integer for all
 * larger numbers, so the SQL tests the digits first.
 */
function digitsSqlite(value: Sql, once: (columns: Sql) => Sql): Sql {
  const digits = "CASE WHEN substr(_v, 1, 1) IN ('+', '-') THEN substr(_v, 2) ELSE _v END";
  const parts = once(sql`_v, ${digits} AS _d FROM ${once(sql`${value} AS _v`)}`);
  const isInt = `_d <> '' AND _d NOT GLOB '*[^0-9]*' AND CAST(_v AS INTEGER) BETWEEN -${most} AND ${most}`;
  return sql`(SELECT CASE WHEN ${isInt} THEN CAST(_v AS INTEGER) END FROM ${parts})`;
}

/**
 * Returns SQL that reads digits as an integer. It nests CASEs, since PostgreSQL may evaluate the operands of an AND in any
 * order.
 */
function digitsPostgres(value: Sql, once: (columns: Sql) => Sql): Sql {
  const safe = `CASE WHEN _v::numeric BETWEEN -${most} AND ${most} THEN _v::numeric::bigint END`;
  return sql`(SELECT CASE WHEN _v ~ '^[+-]?[0-9]+$' THEN ${safe} END FROM ${once(sql`${value} AS _v`)})`;
}
