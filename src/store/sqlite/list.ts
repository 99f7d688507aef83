/**
 * A page of records. The order is total: the sort keys, then `_seq` in the direction of the last of them; absent values come
 * before all others, in both engines' ascending order.
 *
 * A page after a position is read as a sequence of ranges, each one contiguous in an index on the sort keys: first the rows
 * that share all keys with the position, then those that share all but the last, and so on. One condition for all of them
 * (`k > ? OR k = ? AND …`) would be read from the index's start.
 */
import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/plan.ts";
import type { ListQuery, Page, PageArguments } from "../store.ts";
import { expressions } from "./condition.ts";
import type { Cells, Connection } from "./connection.ts";
import { type Fragment, joined, sql } from "../fragment.ts";
import { argument, type Bind, binder } from "./fragment.ts";
import { type Relation, type Relations, relationFor, typeOf } from "./relations.ts";
import type { Snapshot } from "./snapshot.ts";
import { fromStored, limitOf, quoteName, toStored } from "./value.ts";
import { views } from "./view.ts";

interface Key {
  readonly name: string;
  readonly type: ColumnType;
  readonly descending: boolean;
  readonly nullable: boolean;
}

interface Range {
  readonly statement: StatementSync;
  readonly bind: Bind;
}

/** Where the values of a call stand among a statement's arguments: filters, then the position, limit, skip. */
interface Places {
  readonly filters: number;
  readonly search: number;
  readonly position: number;
  readonly limit: number;
  readonly skip: number;
}

export function prepareList(
  query: ListQuery,
  relations: Relations,
  connection: Connection,
  snapshot: Pick<Snapshot, "take">,
): (page: PageArguments, variables: Variables) => Page {
  const relation = relationFor(relations, query.resource);
  const keys = keysOf(query, relation);
  const filters = filterBinders(query, relation);
  const search = query.filters.length;
  const position = search + (query.search === undefined ? 0 : 1);
  const places: Places = {
    filters: 0,
    search,
    position,
    limit: position + keys.length,
    skip: position + keys.length + 1,
  };

  const prepare = (range: Fragment): Range => {
    const statement = pageSql(query, relation, relations, keys, places, range);
    return { statement: connection.prepare(statement.sql), bind: binder(statement.bindings) };
  };
  const everything: Fragment = { sql: "TRUE", bindings: [] };
  const whole = query.from === "after" ? [] : [prepare(everything)];
  const afterRanges = new Map<number, readonly Range[]>();
  const rangesAfter = (after: readonly Value[]): readonly Range[] => {
    const nulls = keys.reduce((bits, _, index) => bits | (after[index] === null ? 1 << index : 0), 0);
    let ranges = afterRanges.get(nulls);
    if (!ranges) {
      ranges = conditionsAfter(keys, after, places.position).map(prepare);
      afterRanges.set(nulls, ranges);
    }
    return ranges;
  };

  const total = query.counted ? totalCounter(query, relation, relations, connection, places) : undefined;

  return (page, variables) => {
    const { after, limit, skip = 0 } = page;
    const values: SQLInputValue[] = filters.map((bind, index) => bind(page.filters[index]));
    if (query.search !== undefined) values.push(JSON.stringify(page.search ?? []));
    keys.forEach((key, index) => values.push(after ? toStored(after[index], key.type) : null));
    values.push(limit + 1, skip);
    const ranges = after ? rangesAfter(after) : whole;
    // All ranges of a page are of one state.
    snapshot.take();
    const [only] = ranges;
    const rows =
      ranges.length === 1 && only
        ? rowsOf(only, values, variables)
        : rowsOfAll(ranges, values, variables, places.limit, limit + 1);
    return { ...pageOf(rows, limit, keys), ...(total ? { total: total(values, variables) } : {}) };
  };
}

/** How many records fit, of the same state as the page. */
function totalCounter(
  query: ListQuery,
  relation: Relation,
  relations: Relations,
  connection: Connection,
  places: Places,
): (values: readonly SQLInputValue[], variables: Variables) => number {
  const statement = sql`SELECT count(*) FROM ${relation.name} AS t
    WHERE ${fittingSql(query, places)} AND ${expressions.condition(query.where, relations)}`;
  const get = connection.getter(statement.sql);
  const bind = binder(statement.bindings);
  return (values, variables) => get(...bind(values, variables))?.[0] as number;
}

function keysOf({ sort }: ListQuery, relation: Relation): readonly Key[] {
  const keys = sort.map(({ column, descending }) => ({
    name: column,
    type: typeOf(relation, column),
    descending,
    nullable: relation.table.columns.find(({ name }) => name === column)?.nullable ?? false,
  }));
  const descending = keys.at(-1)?.descending ?? true;
  return [...keys, { name: "_seq", type: "integer", descending, nullable: false }];
}

/** One function for each filter, from its value to what is bound: for `in`, a JSON array. */
function filterBinders(
  query: ListQuery,
  relation: Relation,
): readonly ((value: PageArguments["filters"][number] | undefined) => SQLInputValue)[] {
  return query.filters.map(({ column, operator }) => {
    const type = typeOf(relation, column);
    return operator === "in"
      ? (values) => JSON.stringify((values as readonly Value[]).map((value) => toStored(value, type)))
      : (value) => toStored(value as Value, type);
  });
}

const comparisons = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function pageSql(
  query: ListQuery,
  relation: Relation,
  relations: Relations,
  keys: readonly Key[],
  places: Places,
  range: Fragment,
): Fragment {
  const order = keys.map(({ name, descending }) => `t.${quoteName(name)}${descending ? " DESC" : ""}`).join(", ");
  const limit: Fragment = { ...argument(places.limit), sql: limitOf("?") };
  const skip = query.from === "skip" ? sql` OFFSET ${argument(places.skip)}` : "";
  return sql`SELECT ${views.view(query.view, relation.table, relations)}, ${keys.map(({ name }) => `t.${quoteName(name)}`).join(", ")}
    FROM ${relation.name} AS t
    WHERE ${range} AND ${fittingSql(query, places)} AND ${expressions.condition(query.where, relations)}
    ORDER BY ${order} ${limit}${skip}`;
}

/** What holds for the records that the filters and the search let through. */
function fittingSql(query: ListQuery, places: Places): Fragment {
  const filters = query.filters.map(({ column, operator }, index): Fragment => {
    const name = `t.${quoteName(column)}`;
    const value = argument(places.filters + index);
    return operator === "in"
      ? sql`${name} IN (SELECT value FROM json_each(${value}))`
      : sql`${name} ${comparisons[operator]} ${value}`;
  });
  const search = query.search?.map((column) => `t.${quoteName(column)}`).join(", ");
  const found = search === undefined ? [] : [sql`nonet_found(${argument(places.search)}, ${search})`];
  return joined([...filters, ...found], " AND ", "TRUE");
}

/** What holds for the rows after a position, range by range, in order. */
function conditionsAfter(keys: readonly Key[], after: readonly Value[], from: number): readonly Fragment[] {
  const conditions: Fragment[] = [];
  for (let shared = keys.length - 1; shared >= 0; shared -= 1) {
    const equal = keys.slice(0, shared).map(({ name }, index): Fragment => {
      const column = `t.${quoteName(name)}`;
      return after[index] === null ? sql`${column} IS NULL` : sql`${column} = ${argument(from + index)}`;
    });
    const key = keys[shared] as Key;
    for (const beyond of conditionsBeyond(key, after[shared] ?? null, from + shared)) {
      conditions.push(joined([...equal, beyond], " AND ", "TRUE"));
    }
  }
  return conditions;
}

/** What holds for the values of one key after `value`. Absent comes first ascending, last descending. */
function conditionsBeyond({ name, descending, nullable }: Key, value: Value, place: number): readonly Fragment[] {
  const column = `t.${quoteName(name)}`;
  if (value === null) return descending ? [] : [sql`${column} IS NOT NULL`];
  if (!descending) return [sql`${column} > ${argument(place)}`];
  return [sql`${column} < ${argument(place)}`, ...(nullable ? [sql`${column} IS NULL`] : [])];
}

function rowsOf({ statement, bind }: Range, values: readonly SQLInputValue[], variables: Variables): readonly Cells[] {
  return statement.all(...bind(values, variables)) as unknown as readonly Cells[];
}

function rowsOfAll(
  ranges: readonly Range[],
  values: SQLInputValue[],
  variables: Variables,
  limitPlace: number,
  wanted: number,
): readonly Cells[] {
  const rows: Cells[] = [];
  for (const range of ranges) {
    if (rows.length >= wanted) break;
    values[limitPlace] = wanted - rows.length;
    rows.push(...rowsOf(range, values, variables));
  }
  return rows;
}

function pageOf(rows: readonly Cells[], limit: number, keys: readonly Key[]): Page {
  const count = Math.min(rows.length, limit);
  let text = "";
  for (let index = 0; index < count; index += 1) text += index === 0 ? textOf(rows[0]) : `,${textOf(rows[index])}`;
  const last = rows[limit - 1];
  if (rows.length <= limit || !last) return { text, count };
  return { text, count, next: keys.map(({ type }, index) => fromStored(last[index + 1], type)) };
}

function textOf(cells: Cells | undefined): string {
  return cells?.[0] as string;
}
