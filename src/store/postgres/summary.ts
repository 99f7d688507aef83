/** Reads groups of records with their measures, in one statement whose result is one row of JSON. */
import { defined } from "../../base/defined.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { isMoney, type ValueType } from "../../expression/types.ts";
import { type Fragment, joined, sql } from "../sql/fragment.ts";
import { pagingOf } from "../sql/paging.ts";
import { relationFor } from "../sql/table-access.ts";
import type { PageArguments, Store, SummaryMeasure, SummaryPage, SummaryQuery } from "../port/store.ts";
import { expressions } from "./condition.ts";
import type { Bindable, SqlValue } from "./connection.ts";
import { argument, statementOf } from "./fragment.ts";
import { fittingSql } from "./list.ts";
import type { Relations } from "./relations.ts";
import type { ReadRole } from "./row-security/read-role.ts";
import { fromStored, toStored } from "./value.ts";

export function prepareSummary(
  query: SummaryQuery,
  relations: Relations,
  { finds, reached, session }: ReadRole,
): ReturnType<Store["summary"]> {
  const { groups, list, measures, order } = query;
  const relation = relationFor(relations, list.resource);
  const paging = pagingOf<Bindable, SqlValue>(list, relation, { fromStored, toStored });
  const { positions } = paging;
  const values = [
    ...groups.map((one, index) => sql`${groupSql(one.type, expressions.value(one, reached))} AS g${String(index)}`),
    ...measures.flatMap(({ value }, index) =>
      value === undefined ? [] : [sql`${valueSql(value.type, expressions.value(value, reached))} AS v${String(index)}`],
    ),
  ];
  const records = sql`SELECT ${joined(values, ", ", "1")} FROM ${relation.name} AS t
    WHERE ${fittingSql({ finds, positions, query: list, relation })} AND ${expressions.condition(list.where, reached)}`;
  const names = groups.map((_, index) => `g${index}`);
  const computed = measures.flatMap((one, index) => [
    `${measureSql(one, index)} AS m${index}`,
    `${one.value === undefined ? "count(*)" : `count(v${index})`} AS n${index}`,
  ]);
  const grouped = sql`SELECT ${[...names, ...computed].join(", ") || "1"} FROM (${records}) AS records
    ${names.length === 0 ? "" : `GROUP BY ${names.join(", ")}`}`;
  const keys = [
    ...order.map(({ index, descending }) => sortedSql(query, index, descending)),
    ...names.map((_, index) => sortedSql(query, index, false)),
  ];
  const ordered = keys.length === 0 ? "" : `ORDER BY ${keys.join(", ")}`;
  const columns = [
    ...groups.map(({ type }, index) => groupText(type, `g${index}`)),
    ...measures.flatMap((one, index) => [measureText(one, `m${index}`), `n${index}`]),
  ];
  // `place` numbers the groups of the page, so that `json_agg` keeps their order.
  const page = sql`SELECT json_build_array(${columns.join(", ")}) AS item, row_number() OVER (${ordered}) AS place
    FROM grouped ${ordered} LIMIT ${argument(positions.limit, "bigint")} OFFSET ${argument(positions.skip, "bigint")}`;
  const total = list.counted === true ? "(SELECT count(*) FROM grouped)" : "NULL::bigint";
  const { bind, text } = statementOf(sql`WITH grouped AS (${grouped})
    SELECT coalesce((SELECT json_agg(item ORDER BY place) FROM (${page}) AS page), '[]')::text, ${total}`);
  return async (wanted: PageArguments, variables: Variables): Promise<SummaryPage> => {
    const found = await session(variables, true).rows<[string, number | null]>(
      text,
      bind(paging.values(wanted), variables),
    );
    const [json, count] = defined(found[0], "the groups");
    const rows = JSON.parse(json) as readonly (readonly Value[])[];
    return {
      rows: rows.slice(0, wanted.limit),
      hasMore: rows.length > wanted.limit,
      ...(count === null ? {} : { total: Number(count) }),
    };
  };
}

/** Returns the value of a group. Expressions read the id of a counter as text; the groups are sorted as numbers. */
function groupSql(type: ValueType, value: Fragment): Fragment {
  return isCounterId(type) ? sql`(${value})::bigint` : value;
}

function isCounterId(type: ValueType): boolean {
  return type.kind === "record" && type.number === true;
}

/** Returns the value that a measure needs of each record: of money, the amount. */
function valueSql(type: ValueType, value: Fragment): Fragment {
  return isMoney(type) ? sql`(${value} ->> 'amount')::numeric` : value;
}

function measureSql({ function: name, value }: SummaryMeasure, index: number): string {
  if (value === undefined) return "count(*)";
  const of = `v${index}`;
  switch (name) {
    case "count":
      return `count(CASE WHEN ${of} THEN 1 END)`;
    case "sum":
    case "average":
      // The shortest text of a number is the decimal that a client sent.
      return `sum(${value.type.kind === "double" ? `${of}::text::numeric` : `${of}::numeric`})`;
    default:
      return `${name}(${of}${value.type.kind === "string" ? ' COLLATE "C"' : ""})`;
  }
}

function sortedSql({ groups, measures }: SummaryQuery, index: number, descending: boolean): string {
  const direction = descending ? " DESC NULLS LAST" : " NULLS FIRST";
  const [group, position] = [groups[index], index - groups.length];
  if (group !== undefined) return `g${index}${isText(group.type) ? ' COLLATE "C"' : ""}${direction}`;
  const measure = defined(measures[position], "a measure");
  if (measure.function === "average") return `m${position} / nullif(n${position}, 0)${direction}`;
  const text = measure.value !== undefined && isText(measure.value.type) && measure.function !== "count";
  return `m${position}${text ? ' COLLATE "C"' : ""}${direction}`;
}

function isText(type: ValueType): boolean {
  return type.kind === "string" || (type.kind === "record" && !isCounterId(type));
}

function groupText({ kind }: ValueType, value: string): string {
  return kind === "timestamp" ? momentText(value) : value;
}

/** Sums and amounts are texts, so that JSON keeps all their digits. */
function measureText({ function: name, value }: SummaryMeasure, of: string): string {
  if (value === undefined || name === "count") return of;
  if (value.type.kind === "timestamp") return momentText(of);
  return name === "sum" || name === "average" || isMoney(value.type) ? `${of}::text` : of;
}

function momentText(value: string): string {
  return `to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
