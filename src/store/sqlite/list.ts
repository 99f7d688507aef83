/** Reads pages of records. Each range of a page is a separate statement, limited to the rows that the page still lacks. */
import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { getOrMake } from "../../base/once.ts";
import { defined } from "../../base/defined.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { type Fragment, joined, sql } from "../sql/fragment.ts";
import { absentKeys, comparisons, everything, type KeySql, type Paging, pagingOf, rangesAfter } from "../sql/paging.ts";
import { walksFar } from "../sql/long-reads.ts";
import { relationFor } from "../sql/table-access.ts";
import type { FilterOperator } from "../../plan/endpoints/types.ts";
import type { ListQuery, Page, PageArguments } from "../port/store.ts";
import { expressions, views } from "./view.ts";
import type { SqlRow, Connection } from "./connection.ts";
import { canStop, type Stoppable, stopSometimes } from "./deadline.ts";
import { argument, type Bind, binder } from "./fragment.ts";
import type { Relation, Relations } from "./relations.ts";
import type { Snapshot } from "./snapshot.ts";
import { fromStored, limitOf, quoteName, toStored } from "./value.ts";

interface Range {
  readonly statement: StatementSync;
  readonly bind: Bind;
}

interface Prepared extends Paging<SQLInputValue, SQLOutputValue> {
  readonly query: ListQuery;
  readonly relation: Relation;
  readonly relations: Relations;
}

export function prepareList(
  query: ListQuery,
  relations: Relations,
  connection: Connection,
  snapshot: Pick<Snapshot, "acquire">,
): Stoppable<[page: PageArguments, variables: Variables], Page> {
  const relation = relationFor(relations, query.resource);
  const paging = pagingOf<SQLInputValue, SQLOutputValue>(query, relation, { fromStored, toStored });
  const prepared: Prepared = { ...paging, query, relation, relations };

  const prepare = (range: Fragment): Range => {
    const statement = rangeSql(prepared, range);
    return { statement: connection.prepare(statement.sql), bind: binder(statement.bindings) };
  };
  const everyRange = query.from === "after" ? [] : [prepare(everything)];
  const byAbsent = new Map<number, readonly Range[]>();
  const rangesFor = (after: readonly Value[]): readonly Range[] => {
    return getOrMake(byAbsent, absentKeys(after), () => rangesAfter(paging, after, keySql).map(prepare));
  };

  const total = query.counted ? totalCounter(prepared, connection) : undefined;

  const run = (page: PageArguments, variables: Variables): Page => {
    const { after, limit } = page;
    const values = paging.values(page);
    const ranges = after ? rangesFor(after) : everyRange;
    // All ranges of a page must read the same state.
    snapshot.acquire();
    const [only] = ranges;
    const rows =
      ranges.length === 1 && only
        ? rowsOf(only, values, variables)
        : rowsOfAll(ranges, values, variables, { position: paging.positions.limit, wanted: limit + 1 });
    return { ...paging.pageOf(rows, limit), ...(total ? { total: total(values, variables) } : {}) };
  };
  return { stops: canStop(rangeSql(prepared, everything).sql), run };
}

/** Counts the matching records, in the same state as the page. */
function totalCounter(
  prepared: Prepared,
  connection: Connection,
): (values: readonly SQLInputValue[], variables: Variables) => number {
  const statement = sql`SELECT count(*) FROM ${prepared.relation.name} AS t
    WHERE ${stopSometimes("t._seq")} AND ${fittingSql(prepared)}`;
  const get = connection.getter(statement.sql);
  const bind = binder(statement.bindings);
  return (values, variables) => defined(get(...bind(values, variables)), "the count of records")[0] as number;
}

function rangeSql(prepared: Prepared, range: Fragment): Fragment {
  const { keys, positions, query, relation, relations } = prepared;
  const columns = keys.map(keySql.column);
  const order = keys.map(({ descending }, index) => `${columns[index]}${descending ? " DESC" : ""}`).join(", ");
  const limit: Fragment = { ...argument(positions.limit), sql: limitOf("?") };
  const skip = query.from === "skip" ? sql` OFFSET ${argument(positions.skip)}` : "";
  return sql`SELECT ${views.view(query.view, relation.table, relations)}, ${columns.join(", ")}
    FROM ${relation.name} AS t WHERE ${walksFar(query) ? `${stopSometimes("t._seq")} AND ` : ""}${range} AND ${fittingSql(prepared)}
    ORDER BY ${order} ${limit}${skip}`;
}

/** Returns the WHERE clause of filters, search and condition. */
export function fittingSql({
  positions,
  query,
  relations,
}: Pick<Prepared, "positions" | "query" | "relations">): Fragment {
  const filters = query.filters.map(({ column, operator }, index): Fragment => {
    const name = `t.${quoteName(column)}`;
    return filterSql(name, operator, argument(index));
  });
  const search = query.search?.map((column) => `t.${quoteName(column)}`).join(", ");
  const found = search === undefined ? [] : [sql`nonet_found(${argument(positions.search)}, ${search})`];
  return joined([...filters, ...found, expressions.condition(query.where, relations)], " AND ", "TRUE");
}

/** Returns the condition of a filter; an absent value is unequal to every value, as in expressions. */
function filterSql(name: string, operator: FilterOperator, value: Fragment): Fragment {
  switch (operator) {
    case "in":
      return sql`${name} IN (SELECT value FROM json_each(${value}))`;
    case "nin":
      return sql`(${name} IS NULL OR ${name} NOT IN (SELECT value FROM json_each(${value})))`;
    case "ne":
      return sql`${name} IS NOT ${value}`;
    case "null":
      return sql`(${name} IS NULL) = ${value}`;
    case "contains":
      return sql`instr(nonet_fold(${name}), ${value}) > 0`;
    case "startsWith":
      return sql`substr(nonet_fold(${name}), 1, length(${value})) = ${value}`;
    default:
      return sql`${name} ${comparisons[operator]} ${value}`;
  }
}

const keySql: KeySql = {
  column: ({ name }) => `t.${quoteName(name)}`,
  compared: ({ name }, comparison, position) => sql`t.${quoteName(name)} ${comparison} ${argument(position)}`,
};

function rowsOf({ statement, bind }: Range, values: readonly SQLInputValue[], variables: Variables): readonly SqlRow[] {
  return statement.all(...bind(values, variables)) as unknown as readonly SqlRow[];
}

function rowsOfAll(
  ranges: readonly Range[],
  values: SQLInputValue[],
  variables: Variables,
  { position, wanted }: { readonly position: number; readonly wanted: number },
): readonly SqlRow[] {
  const rows: SqlRow[] = [];
  for (const range of ranges) {
    if (rows.length >= wanted) break;
    values[position] = wanted - rows.length;
    rows.push(...rowsOf(range, values, variables));
  }
  return rows;
}
