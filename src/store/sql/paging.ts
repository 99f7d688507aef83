/**
 * Builds the SQL and the arguments of pages for both databases. The order is total: the sort keys, then `_seq` in the direction
 * of the last sort key; nulls are first in ascending order, last in descending order.
 *
 * The rows after a position are the union of ranges, each contiguous in an index on the sort keys: first the rows that equal the
 * position in all keys but `_seq`, then in all but the last two, and so on. For one combined condition (`k > ? OR k = ? AND …`)
 * the database would scan the index from its start.
 */
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/resources/types.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import type { FilterOperator } from "../../plan/endpoints/types.ts";
import { type TypedTable, typeOf } from "./table-access.ts";
import type { ListQuery, Page, PageArguments } from "../port/store.ts";

/** A key by which a page is sorted. */
export interface Key {
  readonly name: string;
  readonly type: ColumnType;
  readonly descending: boolean;
  readonly nullable: boolean;
}

/** The indexes of the arguments of a statement, in this order: filters, search words, position, limit, skip. */
export interface ArgumentPositions {
  readonly search: number;
  readonly position: number;
  readonly limit: number;
  readonly skip: number;
}

export interface Paging<Bound, Stored> {
  readonly keys: readonly Key[];
  readonly positions: ArgumentPositions;
  /**
   * Returns the arguments of the statement, in the order of `positions`. The limit is one more than the page, to detect a next
   * page.
   */
  readonly values: (page: PageArguments) => (Bound | string | number)[];
  /** Builds the page from rows that contain the view's text, followed by the values of the keys. */
  readonly pageOf: (rows: readonly (readonly Stored[])[], limit: number) => Page;
}

/** Converts values between JavaScript and a database. */
export interface Storage<Bound, Stored> {
  readonly toStored: (value: Value | undefined, type: ColumnType) => Bound;
  readonly fromStored: (value: Stored | undefined, type: ColumnType) => Value;
}

/** The SQL operators of the filters that take one value. */
export const comparisons = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Returns the type of a filter's argument: `null` has a boolean, every other operator a value of the column or a list of them. */
export function argumentType(operator: FilterOperator, column: ColumnType): ColumnType {
  return operator === "null" ? "boolean" : column;
}

/** The range that includes every record. */
export const everything: Fragment = { sql: "TRUE", bindings: [] };

export function pagingOf<Bound, Stored>(
  query: ListQuery,
  relation: TypedTable,
  { fromStored, toStored }: Storage<Bound, Stored>,
): Paging<Bound, Stored> {
  const keys = keysOf(query, relation);
  const search = query.filters.length;
  const position = search + (query.search === undefined ? 0 : 1);
  const filters = query.filters.map(({ column, operator }) => {
    const type = argumentType(operator, typeOf(relation, column));
    return operator === "in" || operator === "nin"
      ? (values: unknown) => JSON.stringify((values as readonly Value[]).map((value) => toStored(value, type)))
      : (value: unknown) => toStored(value as Value, type);
  });
  return {
    keys,
    positions: { search, position, limit: position + keys.length, skip: position + keys.length + 1 },
    values: ({ after, filters: filterValues, limit, search: words = [], skip = 0 }) => {
      const values: (Bound | string | number)[] = filters.map((bound, index) => bound(filterValues[index]));
      if (query.search !== undefined) values.push(JSON.stringify(words));
      keys.forEach(({ type }, index) => values.push(toStored(after?.[index], type)));
      values.push(limit + 1, skip);
      return values;
    },
    pageOf: (rows, limit) => {
      const count = Math.min(rows.length, limit);
      let text = "";
      const place = (index: number): number => (query.reversed === true ? count - 1 - index : index);
      for (let index = 0; index < count; index += 1)
        text += `${index === 0 ? "" : ","}${rows[place(index)]?.[0] as string}`;
      const end = rows[count - 1];
      if (end === undefined) return { text, count };
      const last = keys.map(({ type }, index) => fromStored(end[index + 1], type));
      return { text, count, last, ...(rows.length > limit ? { next: last } : {}) };
    },
  };
}

function keysOf({ sort, ...query }: ListQuery, relation: TypedTable): readonly Key[] {
  const reversed = query.reversed === true;
  const keys = sort.map(({ column, descending }) => ({
    name: column,
    type: typeOf(relation, column),
    descending: descending !== reversed,
    nullable: relation.table.columns.find(({ name }) => name === column)?.nullable ?? false,
  }));
  const descending = keys.at(-1)?.descending ?? !reversed;
  return [...keys, { name: "_seq", type: "integer", descending, nullable: false }];
}

/** Returns a bit mask of the keys that are null. Positions with the same mask share their statements. */
export function absentKeys(after: readonly Value[]): number {
  return after.reduce<number>((bits, value, index) => bits | (value === null ? 1 << index : 0), 0);
}

/** The SQL of a sort key. */
export interface KeySql {
  readonly column: (key: Key) => string;
  /** Compares the key with the argument at an index. */
  readonly compared: (key: Key, comparison: "=" | "<" | ">", position: number) => Fragment;
}

/**
 * Returns the SQL conditions of the rows after the last row of a page, in the order of the list. Together they are all later
 * rows; `position` is the index of the first argument, which holds the values of that last row.
 */
export function rangesAfter(
  { keys, positions: { position } }: Pick<Paging<unknown, unknown>, "keys" | "positions">,
  after: readonly Value[],
  { column, compared }: KeySql,
): readonly Fragment[] {
  const equal = keys.map((key, index) =>
    after[index] === null ? sql`${column(key)} IS NULL` : compared(key, "=", position + index),
  );
  /**
   * Returns the conditions for one key after the position's value. Nulls are first in ascending order, last in descending
   * order.
   */
  const beyond = (key: Key, index: number): readonly Fragment[] => {
    if (after[index] === null) return key.descending ? [] : [sql`${column(key)} IS NOT NULL`];
    if (!key.descending) return [compared(key, ">", position + index)];
    return [compared(key, "<", position + index), ...(key.nullable ? [sql`${column(key)} IS NULL`] : [])];
  };
  return keys
    .map((key, shared) => beyond(key, shared).map((one) => joined([...equal.slice(0, shared), one], " AND ", "TRUE")))
    .toReversed()
    .flat();
}
