/**
 * A page of records. The order is total: the sort keys, then `_seq` in the direction of the last of them; absent values come
 * before all others ascending, after them descending.
 *
 * A page after a position is put together from ranges, each one contiguous in an index on the sort keys: first the rows
 * that share all keys with the position, then those that share all but the last, and so on. One condition for all of them
 * (`k > ? OR k = ? AND …`) would be read from the index's start. All are one statement, and so of one state.
 */
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/plan.ts";
import type { Named } from "../condition.ts";
import { type Fragment, joined, sql } from "../fragment.ts";
import type { ListQuery, Page, PageArguments } from "../store.ts";
import { expressions } from "./condition.ts";
import type { Bindable, Cells, Session } from "./connection.ts";
import { argument, type Statement, statementOf } from "./fragment.ts";
import { type Relation, type Relations, relationFor, typeOf } from "./relations.ts";
import type { Sight } from "./row-security/sight.ts";
import { beginningOf, isLong, isUniqueByDigest, digestOf } from "./schema.ts";
import { columnTypes, fromStored, quoteName, toStored } from "./value.ts";
import { storedViews } from "./view.ts";

export type List = (session: Session, page: PageArguments, variables: Variables) => Promise<Page>;

interface Key {
  readonly name: string;
  readonly type: ColumnType;
  readonly descending: boolean;
  readonly nullable: boolean;
  /** An index holds the beginning only. */
  readonly long: boolean;
}

/** Where the values of a call stand among a statement's arguments: filters, then the words, the position, limit, skip. */
interface Places {
  readonly search: number;
  readonly position: number;
  readonly limit: number;
  readonly skip: number;
}

interface Prepared {
  readonly query: ListQuery;
  readonly relation: Relation;
  readonly reached: Named;
  readonly finds: Sight["finds"];
  readonly keys: readonly Key[];
  readonly places: Places;
  /** How many rows are wanted: one more than the page has. */
  readonly limit: Fragment;
}

/**
 * So many sizes of pages stand in the text of a statement of their own: with a size that is an argument PostgreSQL would plan
 * each page anew, since it takes a tenth of the table for what is wanted otherwise.
 */
const mostSizes = 4;

export function prepareList(
  query: ListQuery,
  relations: Relations,
  { finds, reached }: Pick<Sight, "finds" | "reached"> = { reached: relations, finds: () => undefined },
): List {
  const relation = relationFor(relations, query.resource);
  const keys = keysOf(query, relation);
  const filters = filterBinders(query, relation);
  const search = query.filters.length;
  const position = search + (query.search === undefined ? 0 : 1);
  const places = { search, position, limit: position + keys.length, skip: position + keys.length + 1 };
  const ofAnySize: Prepared = {
    query,
    relation,
    reached,
    finds,
    keys,
    places,
    limit: argument(places.limit, "bigint"),
  };
  const sizes = new Map<number, Prepared>();
  const preparedFor = (limit: number): Prepared => {
    const known = sizes.get(limit);
    if (known !== undefined || sizes.size >= mostSizes) return known ?? ofAnySize;
    const made = { ...ofAnySize, limit: { sql: `${limit + 1}`, bindings: [] } };
    sizes.set(limit, made);
    return made;
  };
  const statements = new Map<string, Statement>();
  const statementFor = (limit: number, after: readonly Value[] | undefined): Statement => {
    const prepared = preparedFor(limit);
    const nulls = after && keys.reduce((bits, _, index) => bits | (after[index] === null ? 1 << index : 0), 0);
    const name = `${prepared === ofAnySize ? "" : limit} ${nulls ?? ""}`;
    let statement = statements.get(name);
    if (statement === undefined) {
      const ranges = after === undefined ? [all] : conditionsAfter(keys, after, position);
      statement = pageStatement(prepared, ranges);
      statements.set(name, statement);
    }
    return statement;
  };
  return async (session, page, variables) => {
    const { after, limit, skip = 0 } = page;
    const values: Bindable[] = filters.map((bind, index) => bind(page.filters[index]));
    if (query.search !== undefined) values.push(JSON.stringify(page.search ?? []));
    keys.forEach((key, index) => values.push(after ? toStored(after[index], key.type) : null));
    values.push(limit + 1, skip);
    if (!after && query.from === "after")
      throw new Error("a list of what comes after a position was asked for without one");
    const statement = statementFor(limit, after);
    return pageOf(await session.rows(statement.text, statement.bind(values, variables)), ofAnySize, limit);
  };
}

const all: Fragment = { sql: "TRUE", bindings: [] };

function keysOf({ sort }: ListQuery, relation: Relation): readonly Key[] {
  const keys = sort.map(({ column, descending }) => ({
    name: column,
    type: typeOf(relation, column),
    descending,
    nullable: relation.table.columns.find(({ name }) => name === column)?.nullable ?? false,
    long: isLong(relation.table, column),
  }));
  const descending = keys.at(-1)?.descending ?? true;
  return [...keys, { name: "_seq", type: "integer", descending, nullable: false, long: false }];
}

/** One function for each filter, from its value to what is bound: for `in`, JSON. */
function filterBinders(
  query: ListQuery,
  relation: Relation,
): readonly ((value: PageArguments["filters"][number] | undefined) => Bindable)[] {
  return query.filters.map(({ column, operator }) => {
    const type = typeOf(relation, column);
    return operator === "in"
      ? (values) => JSON.stringify((values as readonly Value[]).map((value) => toStored(value, type)))
      : (value) => toStored(value as Value, type);
  });
}

const comparisons = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function pageStatement(prepared: Prepared, ranges: readonly Fragment[]): Statement {
  const [only] = ranges;
  const page = ranges.length === 1 && only ? rangeSql(prepared, only) : rangesSql(prepared, ranges);
  if (!prepared.query.counted) return statementOf(page);
  const { query, reached, relation } = prepared;
  // One row more where the page is empty, because there is a total all the same.
  return statementOf(sql`SELECT page.*, total.records
    FROM (SELECT count(*) AS records FROM ${relation.name} AS t
      WHERE ${fittingSql(prepared)} AND ${expressions.condition(query.where, reached)}) AS total
    LEFT JOIN (${page}) AS page ON TRUE ORDER BY ${placesOrder(prepared)}`);
}

/** By the keys that a page has beside its texts. */
function placesOrder({ keys }: Prepared): string {
  return keys.map((key, index) => `page.k${index}${direction(key)}`).join(", ");
}

/** Each has the limit of the page, so that together they are few. */
function rangesSql(prepared: Prepared, ranges: readonly Fragment[]): Fragment {
  const all = ranges.map(
    (range, index) => sql`(SELECT ${String(index)} AS range, one.* FROM (${rangeSql(prepared, range)}) AS one)`,
  );
  const cells = ["view", ...prepared.keys.map((_, index) => `k${index}`)].map((name) => `page.${name}`).join(", ");
  return sql`SELECT ${cells} FROM (${joined(all, " UNION ALL ", "")}) AS page
    ORDER BY page.range, ${placesOrder(prepared)} LIMIT ${prepared.limit}`;
}

function rangeSql(prepared: Prepared, range: Fragment): Fragment {
  const { keys, places, query, reached, relation } = prepared;
  const skip = query.from === "skip" ? sql` OFFSET ${argument(places.skip, "bigint")}` : "";
  const found = keys.map(({ name }, index) => `t.${quoteName(name)} AS k${index}`).join(", ");
  return sql`SELECT ${storedViews.view(query.view, relation.table, reached)} AS view, ${found}
    FROM ${relation.name} AS t
    WHERE ${range} AND ${fittingSql(prepared)} AND ${expressions.condition(query.where, reached)}
    ORDER BY ${keys.map(orderSql).join(", ")} LIMIT ${prepared.limit}${skip}`;
}

function orderSql(key: Key): string {
  const column = `t.${quoteName(key.name)}`;
  const terms = key.long ? [beginningOf(column), column] : [column];
  return terms.map((term) => `${term}${direction(key)}`).join(", ");
}

/** As indexes have it, forwards or backwards; `_seq` is never absent, and its index says nothing of it. */
function direction({ name, descending }: Key): string {
  if (name === "_seq") return descending ? " DESC" : "";
  return descending ? " DESC NULLS LAST" : " NULLS FIRST";
}

/** What holds for the records that the filters and the search let through. */
function fittingSql({ finds, places, query, relation }: Prepared): Fragment {
  const filters = query.filters.map(({ column, operator }, index): Fragment => {
    const name = `t.${quoteName(column)}`;
    const type = columnTypes[typeOf(relation, column)];
    const value = argument(index, type);
    if (operator === "in")
      // An array, and no join: an index can be used whatever the row has to pass before.
      return sql`${name} = ANY (ARRAY(SELECT item::${type} FROM json_array_elements_text(${argument(index, "json")}) AS items(item)))`;
    const finder = operator === "eq" ? finds(column) : undefined;
    if (finder !== undefined) return sql`t._seq = (SELECT ${finder}(${value}))`;
    const whole = sql`${name} ${comparisons[operator]} ${value}`;
    if (operator !== "eq" || !isLong(relation.table, column)) return whole;
    if (relation.uniques.some((set) => set[0] === column && isUniqueByDigest(relation.table, column)))
      return sql`${digestOf(name)} = nonet_digest(${value}) AND ${whole}`;
    const sorts = relation.table.columns.some((one) => one.name === column && one.marks.includes("sort"));
    return sorts ? sql`${beginningOf(name)} = ${beginningOfValue(value)} AND ${whole}` : whole;
  });
  const search = query.search?.map((column) => `t.${quoteName(column)}`).join(", ");
  const found = search === undefined ? [] : [sql`nonet_found(${argument(places.search, "json")}, ${search})`];
  return joined([...filters, ...found], " AND ", "TRUE");
}

/** What holds for the rows after a position, range by range, in order. */
function conditionsAfter(keys: readonly Key[], after: readonly Value[], from: number): readonly Fragment[] {
  const conditions: Fragment[] = [];
  for (let shared = keys.length - 1; shared >= 0; shared -= 1) {
    const equal = keys.slice(0, shared).map((key, index): Fragment => {
      if (after[index] === null) return sql`t.${quoteName(key.name)} IS NULL`;
      return comparedSql(key, "=", from + index);
    });
    const key = keys[shared] as Key;
    for (const beyond of conditionsBeyond(key, after[shared] ?? null, from + shared)) {
      conditions.push(joined([...equal, beyond], " AND ", "TRUE"));
    }
  }
  return conditions;
}

/** What holds for the values of one key after `value`. Absent comes first ascending, last descending. */
function conditionsBeyond(key: Key, value: Value, place: number): readonly Fragment[] {
  const column = `t.${quoteName(key.name)}`;
  if (value === null) return key.descending ? [] : [sql`${column} IS NOT NULL`];
  if (!key.descending) return [comparedSql(key, ">", place)];
  return [comparedSql(key, "<", place), ...(key.nullable ? [sql`${column} IS NULL`] : [])];
}

/** Of a long text also what an index has of it. */
function comparedSql({ long, name, type }: Key, comparison: "=" | "<" | ">", place: number): Fragment {
  const column = `t.${quoteName(name)}`;
  const value = argument(place, columnTypes[type]);
  const whole = sql`${column} ${comparison} ${value}`;
  if (!long) return whole;
  const loose = comparison === "=" ? "=" : `${comparison}=`;
  return sql`${beginningOf(column)} ${loose} ${beginningOfValue(value)} AND ${whole}`;
}

function beginningOfValue(value: Fragment): Fragment {
  return { sql: beginningOf(value.sql), bindings: value.bindings };
}

function pageOf(rows: readonly Cells[], { keys, query }: Prepared, limit: number): Page {
  const found = rows.filter(([text]) => text !== null);
  const count = Math.min(found.length, limit);
  let text = "";
  for (let index = 0; index < count; index += 1) text += `${index === 0 ? "" : ","}${found[index]?.[0] as string}`;
  const total = query.counted ? { total: rows[0]?.[keys.length + 1] as number } : {};
  const last = found[limit - 1];
  if (found.length <= limit || !last) return { text, count, ...total };
  return { text, count, next: keys.map(({ type }, index) => fromStored(last[index + 1], type)), ...total };
}
