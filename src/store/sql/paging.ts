/**
 * What pages of records have in common in both databases. The order is total: the sort keys, then `_seq` in the direction of the
 * last of them; absent values come before all others ascending, after them descending.
 *
 * A page after a position is put together from ranges, each one contiguous in an index on the sort keys: first the rows
 * that share all keys with the position, then those that share all but the last, and so on. One condition for all of them
 * (`k > ? OR k = ? AND …`) would be read from the index's start.
 */
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType } from "../../plan/resources/types.ts";
import { type Fragment, joined, sql } from "./fragment.ts";
import { type TypedTable, typeOf } from "./table-access.ts";
import type { ListQuery, Page, PageArguments } from "../port/store.ts";

/** One of what a page is sorted by. */
export interface Key {
  readonly name: string;
  readonly type: ColumnType;
  readonly descending: boolean;
  readonly nullable: boolean;
}

/** Where the values of a call stand among a statement's arguments: filters, then the words, the position, limit, skip. */
export interface ArgumentPositions {
  readonly search: number;
  readonly position: number;
  readonly limit: number;
  readonly skip: number;
}

export interface Paging<Bound, Stored> {
  readonly keys: readonly Key[];
  readonly positions: ArgumentPositions;
  /** What a statement is run with, in the order of `places`. It asks for one row more than the page has. */
  readonly values: (page: PageArguments) => (Bound | string | number)[];
  /** The page, from rows that are the view's text and then the values of the keys. */
  readonly pageOf: (rows: readonly (readonly Stored[])[], limit: number) => Page;
}

/** How a database keeps values. */
export interface Storage<Bound, Stored> {
  readonly toStored: (value: Value | undefined, type: ColumnType) => Bound;
  readonly fromStored: (value: Stored | undefined, type: ColumnType) => Value;
}

/** The operators of filters by one value, as SQL has them. */
export const comparisons = { eq: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** What every record is in. */
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
    const type = typeOf(relation, column);
    return operator === "in"
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
      for (let index = 0; index < count; index += 1) text += `${index === 0 ? "" : ","}${rows[index]?.[0] as string}`;
      const last = rows[limit - 1];
      if (rows.length <= limit || !last) return { text, count };
      return { text, count, next: keys.map(({ type }, index) => fromStored(last[index + 1], type)) };
    },
  };
}

function keysOf({ sort }: ListQuery, relation: TypedTable): readonly Key[] {
  const keys = sort.map(({ column, descending }) => ({
    name: column,
    type: typeOf(relation, column),
    descending,
    nullable: relation.table.columns.find(({ name }) => name === column)?.nullable ?? false,
  }));
  const descending = keys.at(-1)?.descending ?? true;
  return [...keys, { name: "_seq", type: "integer", descending, nullable: false }];
}

/** Tells positions apart for which the ranges are others: by the keys that are absent. */
export function absentKeys(after: readonly Value[]): number {
  return after.reduce<number>((bits, value, index) => bits | (value === null ? 1 << index : 0), 0);
}

/** A key in the SQL of a database. */
export interface KeySql {
  readonly column: (key: Key) => string;
  /** Compares it with the argument at a place. */
  readonly compared: (key: Key, comparison: "=" | "<" | ">", position: number) => Fragment;
}

/** What holds for the rows after a position, range by range, in order. Its values are arguments from the place `from` on. */
export function rangesAfter(
  { keys, positions: { position } }: Pick<Paging<unknown, unknown>, "keys" | "positions">,
  after: readonly Value[],
  { column, compared }: KeySql,
): readonly Fragment[] {
  const equal = keys.map((key, index) =>
    after[index] === null ? sql`${column(key)} IS NULL` : compared(key, "=", position + index),
  );
  /** What holds for the values of one key after the position's. Absent comes first ascending, last descending. */
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
