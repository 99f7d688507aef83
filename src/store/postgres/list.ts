/** Reads pages of records. All ranges of a page are one statement, so they read the same state. */
import { getOrMake } from "../../base/once.ts";
import { defined } from "../../base/defined.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { Named } from "../sql/condition.ts";
import { type Fragment, joined, sql } from "../sql/fragment.ts";
import {
  absentKeys,
  argumentType,
  comparisons,
  everything,
  type Key,
  type KeySql,
  type Paging,
  pagingOf,
  rangesAfter,
} from "../sql/paging.ts";
import { relationFor, typeOf } from "../sql/table-access.ts";
import type { ListQuery, Page, PageArguments } from "../port/store.ts";
import { expressions } from "./condition.ts";
import type { Bindable, SqlValue, SqlRow, Session } from "./connection.ts";
import { argument, type Statement, statementOf } from "./fragment.ts";
import type { Relation, Relations } from "./relations.ts";
import type { ReadRole } from "./row-security/read-role.ts";
import { beginningOf, isLong, isUniqueByDigest, digestOf } from "./schema.ts";
import { columnTypes, fromStored, quoteName, toStored } from "./value.ts";
import { storedViews } from "./view.ts";

export type List = (session: Session, page: PageArguments, variables: Variables) => Promise<Page>;

interface Prepared extends Paging<Bindable, SqlValue> {
  readonly query: ListQuery;
  readonly relation: Relation;
  readonly reached: Named;
  readonly finds: ReadRole["finds"];
  /** The number of rows to read: one more than the page. */
  readonly limit: Fragment;
}

/**
 * The maximum number of page sizes with a separate statement, in which the size is a literal: for a LIMIT argument PostgreSQL
 * assumes a tenth of the table, and would plan each page anew.
 */
const mostSizes = 4;

export function prepareList(
  query: ListQuery,
  relations: Relations,
  { finds, reached }: Pick<ReadRole, "finds" | "reached"> = { reached: relations, finds: () => undefined },
): List {
  const relation = relationFor(relations, query.resource);
  const paging = pagingOf<Bindable, SqlValue>(query, relation, { fromStored, toStored });
  const limit = argument(paging.positions.limit, "bigint");
  const ofAnySize: Prepared = { ...paging, query, relation, reached, finds, limit };
  const sizes = new Map<number, Prepared>();
  const preparedFor = (size: number): Prepared => {
    const known = sizes.get(size);
    if (known !== undefined || sizes.size >= mostSizes) return known ?? ofAnySize;
    const made = { ...ofAnySize, limit: { sql: `${size + 1}`, bindings: [] } };
    sizes.set(size, made);
    return made;
  };
  const statements = new Map<string, Statement>();
  const statementFor = (size: number, after: readonly Value[] | undefined): Statement => {
    const prepared = preparedFor(size);
    const absent = after && absentKeys(after);
    const name = `${prepared === ofAnySize ? "" : size} ${absent ?? ""}`;
    return getOrMake(statements, name, () =>
      pageStatement(prepared, after === undefined ? [everything] : rangesAfter(paging, after, keySqlOf(relation))),
    );
  };
  return async (session, page, variables) => {
    if (!page.after && query.from === "after")
      throw new Error("a list of what comes after a position was asked for without one");
    const statement = statementFor(page.limit, page.after);
    const rows = await session.rows(statement.text, statement.bind(paging.values(page), variables));
    return pageOf(rows, ofAnySize, page.limit);
  };
}

function pageStatement(prepared: Prepared, ranges: readonly Fragment[]): Statement {
  const [only] = ranges;
  const page = ranges.length === 1 && only ? rangeSql(prepared, only) : rangesSql(prepared, ranges);
  if (!prepared.query.counted) return statementOf(page);
  const { query, reached, relation } = prepared;
  // An empty page still returns one row, which has the total.
  return statementOf(sql`SELECT page.*, total.records
    FROM (SELECT count(*) AS records FROM ${relation.name} AS t
      WHERE ${fittingSql(prepared)} AND ${expressions.condition(query.where, reached)}) AS total
    LEFT JOIN (${page}) AS page ON TRUE ORDER BY ${positionOrder(prepared)}`);
}

/** Returns the ORDER BY of the key columns of the page. */
function positionOrder({ keys }: Prepared): string {
  return keys.map((key, index) => `page.k${index}${direction(key)}`).join(", ");
}

/** Returns the union of the ranges, each with the page's limit, so that the union stays small. */
function rangesSql(prepared: Prepared, ranges: readonly Fragment[]): Fragment {
  const all = ranges.map(
    (range, index) => sql`(SELECT ${String(index)} AS range, one.* FROM (${rangeSql(prepared, range)}) AS one)`,
  );
  const columns = ["view", ...prepared.keys.map((_, index) => `k${index}`)].map((name) => `page.${name}`).join(", ");
  return sql`SELECT ${columns} FROM (${joined(all, " UNION ALL ", "")}) AS page
    ORDER BY page.range, ${positionOrder(prepared)} LIMIT ${prepared.limit}`;
}

function rangeSql(prepared: Prepared, range: Fragment): Fragment {
  const { keys, positions, query, reached, relation } = prepared;
  const skip = query.from === "skip" ? sql` OFFSET ${argument(positions.skip, "bigint")}` : "";
  const found = keys.map(({ name }, index) => `t.${quoteName(name)} AS k${index}`).join(", ");
  return sql`SELECT ${storedViews.view(query.view, relation.table, reached)} AS view, ${found}
    FROM ${relation.name} AS t
    WHERE ${range} AND ${fittingSql(prepared)} AND ${expressions.condition(query.where, reached)}
    ORDER BY ${keys.map((key) => orderSql(key, relation)).join(", ")} LIMIT ${prepared.limit}${skip}`;
}

/** Returns the ORDER BY of a key. An index has only the beginning of a long text, so the order is by the beginning first. */
function orderSql(key: Key, { table }: Relation): string {
  const column = `t.${quoteName(key.name)}`;
  const terms = isLong(table, key.name) ? [beginningOf(column), column] : [column];
  return terms.map((term) => `${term}${direction(key)}`).join(", ");
}

/** Returns the direction of the index, forwards or backwards; `_seq` is never null, and its index has no NULLS clause. */
function direction({ name, descending }: Key): string {
  if (name === "_seq") return descending ? " DESC" : "";
  return descending ? " DESC NULLS LAST" : " NULLS FIRST";
}

/** Returns the WHERE clause of the filters and the search. */
export function fittingSql({
  finds,
  positions,
  query,
  relation,
}: Pick<Prepared, "finds" | "positions" | "query" | "relation">): Fragment {
  const filters = query.filters.map(({ column, operator }, index): Fragment => {
    const name = `t.${quoteName(column)}`;
    const type = columnTypes[argumentType(operator, typeOf(relation, column))];
    const value = argument(index, type);
    // An array instead of a join lets the planner use an index even with the conditions of row-level security.
    const isOneOf = (): Fragment =>
      sql`${name} = ANY (ARRAY(SELECT item::${type} FROM json_array_elements_text(${argument(index, "json")}) AS items(item)))`;
    switch (operator) {
      case "in":
        return isOneOf();
      // An absent value is unequal to every value, as in expressions.
      case "nin":
        return sql`(${name} IS NULL OR NOT ${isOneOf()})`;
      case "ne":
        return sql`${name} IS DISTINCT FROM ${value}`;
      case "null":
        return sql`(${name} IS NULL) = ${value}`;
      case "contains":
        return sql`strpos(nonet_fold(${name}), ${value}) > 0`;
      case "startsWith":
        return sql`starts_with(nonet_fold(${name}), ${value})`;
      default:
        break;
    }
    const finder = operator === "eq" ? finds(column) : undefined;
    if (finder !== undefined) return sql`t._seq = (SELECT ${finder}(${value}))`;
    const condition = sql`${name} ${comparisons[operator]} ${value}`;
    if (operator !== "eq" || !isLong(relation.table, column)) return condition;
    if (relation.uniques.some((set) => set[0] === column && isUniqueByDigest(relation.table, column)))
      return sql`${digestOf(name)} = nonet_digest(${value}) AND ${condition}`;
    const sorts = relation.table.columns.some((one) => one.name === column && one.marks.includes("sort"));
    return sorts ? sql`${beginningOf(name)} = ${beginningOfValue(value)} AND ${condition}` : condition;
  });
  const search = query.search?.map((column) => `t.${quoteName(column)}`).join(", ");
  const found = search === undefined ? [] : [sql`nonet_found(${argument(positions.search, "json")}, ${search})`];
  return joined([...filters, ...found], " AND ", "TRUE");
}

function keySqlOf({ table }: Relation): KeySql {
  return {
    column: ({ name }) => `t.${quoteName(name)}`,
    /** For a long text, the indexed beginning is compared too. */
    compared: ({ name, type }, comparison, position) => {
      const column = `t.${quoteName(name)}`;
      const value = argument(position, columnTypes[type]);
      const condition = sql`${column} ${comparison} ${value}`;
      if (!isLong(table, name)) return condition;
      const inclusive = comparison === "=" ? "=" : `${comparison}=`;
      return sql`${beginningOf(column)} ${inclusive} ${beginningOfValue(value)} AND ${condition}`;
    },
  };
}

function beginningOfValue(value: Fragment): Fragment {
  return { sql: beginningOf(value.sql), bindings: value.bindings };
}

/** Builds the page. With a total, an empty page still has one row. */
function pageOf(rows: readonly SqlRow[], { keys, pageOf: page, query }: Prepared, limit: number): Page {
  if (!query.counted) return page(rows, limit);
  const found = rows.filter(([text]) => text !== null);
  return { ...page(found, limit), total: defined(rows[0], "the count of records")[keys.length + 1] as number };
}
