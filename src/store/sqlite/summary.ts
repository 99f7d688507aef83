/** Reads groups of records with their measures: one statement, and one for the number of groups. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { type ValueType, isMoney } from "../../expression/types.ts";
import { defined } from "../../base/defined.ts";
import { type Fragment, joined, sql } from "../sql/fragment.ts";
import { pagingOf } from "../sql/paging.ts";
import { relationFor } from "../sql/table-access.ts";
import type { PageArguments, SummaryMeasure, SummaryPage, SummaryQuery } from "../port/store.ts";
import type { Connection } from "./connection.ts";
import { canStop, type Stoppable, stopSometimes } from "./deadline.ts";
import { argument, binder } from "./fragment.ts";
import { fittingSql } from "./list.ts";
import type { Relations } from "./relations.ts";
import type { Snapshot } from "./snapshot.ts";
import { fromStored, limitOf, toStored } from "./value.ts";
import { expressions } from "./view.ts";

export function prepareSummary(
  query: SummaryQuery,
  relations: Relations,
  connection: Connection,
  snapshot: Pick<Snapshot, "acquire">,
): Stoppable<[page: PageArguments, variables: Variables], SummaryPage> {
  const { groups, list, measures, order } = query;
  const relation = relationFor(relations, list.resource);
  const paging = pagingOf<SQLInputValue, SQLOutputValue>(list, relation, { fromStored, toStored });
  const { positions } = paging;
  const values = [
    ...groups.map((one, index) => sql`${expressions.value(one, relations)} AS g${String(index)}`),
    ...measures.flatMap(({ value }, index) =>
      value === undefined
        ? []
        : [sql`${valueSql(value.type, expressions.value(value, relations))} AS v${String(index)}`],
    ),
  ];
  const records = sql`SELECT ${joined(values, ", ", "1")} FROM ${relation.name} AS t
    WHERE ${stopSometimes("t._seq")} AND ${fittingSql({ positions, query: list, relations })}`;
  const names = groups.map((_, index) => `g${index}`);
  const grouped = names.length === 0 ? "" : ` GROUP BY ${names.join(", ")}`;
  const columns = [...names, ...measures.flatMap((one, index) => [measureSql(one, index), countSql(one, index)])];
  const keys = [
    ...order.map(({ index, descending }) => `${sortedSql(query, index)}${descending ? " DESC" : ""}`),
    ...names,
  ];
  const ordered = keys.length === 0 ? "" : ` ORDER BY ${keys.join(", ")}`;
  const limit: Fragment = { ...argument(positions.limit), sql: limitOf("?") };
  const page = sql`SELECT ${columns.join(", ")} FROM (${records})${grouped}${ordered} ${limit} OFFSET ${argument(positions.skip)}`;
  const count = sql`SELECT count(*) FROM (SELECT 1 FROM (${records})${grouped})`;
  const statement = connection.prepare(page.sql);
  const bind = binder(page.bindings);
  const total = list.counted === true ? { get: connection.getter(count.sql), bind: binder(count.bindings) } : undefined;
  const run = (wanted: PageArguments, variables: Variables): SummaryPage => {
    const bound = paging.values(wanted);
    snapshot.acquire();
    const rows = statement.all(...bind(bound, variables)) as unknown as readonly (readonly SQLOutputValue[])[];
    const found = rows.slice(0, wanted.limit).map((row) => row.map((value, index) => read(value, groups[index]?.type)));
    const counted = total && {
      total: defined(total.get(...total.bind(bound, variables)), "the count of groups")[0] as number,
    };
    return { rows: found, hasMore: rows.length > wanted.limit, ...counted };
  };
  return { stops: canStop(page.sql), run };
}

/** Returns the value that a measure needs of each record: of money, the amount. */
function valueSql(type: ValueType, value: Fragment): Fragment {
  return isMoney(type) ? sql`json_extract(${value}, '$.amount')` : value;
}

function measureSql({ function: name, value }: SummaryMeasure, index: number): string {
  if (value === undefined) return "count(*)";
  const of = `v${index}`;
  switch (name) {
    case "count":
      return `count(CASE WHEN ${of} THEN 1 END)`;
    case "sum":
    case "average":
      return `nonet_sum(${of})`;
    default:
      return isMoney(value.type) ? `nonet_${name}(${of})` : `${name}(${of})`;
  }
}

/** Returns SQL of the number of records that have a value. */
function countSql({ value }: SummaryMeasure, index: number): string {
  return value === undefined ? "count(*)" : `count(v${index})`;
}

/** Returns SQL by which the groups are sorted: sums and amounts are texts. */
function sortedSql({ groups, measures }: SummaryQuery, index: number): string {
  if (index < groups.length) return `g${index}`;
  const position = index - groups.length;
  const measure = defined(measures[position], "a measure");
  const found = measureSql(measure, position);
  if (measure.value === undefined || measure.function === "count") return found;
  if (measure.function === "average") return `CAST(${found} AS REAL) / ${countSql(measure, position)}`;
  return measure.function === "sum" || isMoney(measure.value.type) ? `CAST(${found} AS REAL)` : found;
}

function read(value: SQLOutputValue, type: ValueType | undefined): Value {
  return type?.kind === "bool" && value !== null ? value === 1 : (value as Value);
}
