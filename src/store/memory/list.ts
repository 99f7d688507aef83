/** Reads pages of records in memory, in the same order as SQLite. */
import { folded, isFound } from "../../base/search.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { compareValues } from "../../expression/functions.ts";
import type { FilterOperator } from "../../plan/endpoints/types.ts";
import type { ListQuery, Page, PageArguments, Row, SortKey } from "../port/store.ts";
import type { Write } from "../sql/view-text.ts";
import { holdsIn } from "./evaluation.ts";
import type { Records } from "./records.ts";

export function prepareList(
  query: ListQuery,
  records: Records,
  write: Write,
): (page: PageArguments, variables: Variables) => Page {
  const { sort } = query;
  const reversed = query.reversed === true;
  const keys = [...sort, { column: "_seq", descending: sort.at(-1)?.descending ?? true }].map(
    ({ column, descending }): SortKey => ({ column, descending: descending !== reversed }),
  );
  return (page, variables) => {
    const { after, limit, skip = 0 } = page;
    const fitting = fittingRows(query, records, page, variables);
    const rows = fitting
      .toSorted((a, b) => compareRows(keys, positionOf(keys, a), positionOf(keys, b)))
      .filter((row) => after === undefined || compareRows(keys, positionOf(keys, row), after) > 0)
      .slice(skip, skip + limit + 1);
    const rowsOfPage = rows.slice(0, limit);
    const texts = rowsOfPage.map((row) => write(row, variables));
    const text = (reversed ? texts.toReversed() : texts).join(",");
    const end = rowsOfPage.at(-1);
    const last = end && positionOf(keys, end);
    return {
      text,
      count: rowsOfPage.length,
      ...(last === undefined ? {} : { last }),
      ...(rows.length > limit && last ? { next: last } : {}),
      ...(query.counted ? { total: fitting.length } : {}),
    };
  };
}

/** Returns the rows that fulfil the filters, the search and the condition of a list. */
export function fittingRows(
  { filters, resource, search, where }: ListQuery,
  records: Records,
  page: PageArguments,
  variables: Variables,
): readonly Row[] {
  return records
    .all(resource)
    .filter((row) => filters.every(({ column, operator }, i) => passes(row[column] ?? null, operator, page.filters[i])))
    .filter(
      (row) =>
        search === undefined ||
        isFound(
          page.search ?? [],
          search.map((column) => textIn(row, column)),
        ),
    )
    .filter((row) => holdsIn(records, where, row, variables));
}

/** Returns the rows in the order of the keys; rows that are equal keep their order. */
export function sortedRows(rows: readonly Row[], keys: readonly SortKey[]): readonly Row[] {
  return rows.toSorted((a, b) => compareRows(keys, positionOf(keys, a), positionOf(keys, b)));
}

function textIn(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === "string" ? value : null;
}

function positionOf(keys: readonly SortKey[], row: Row): readonly Value[] {
  return keys.map(({ column }) => row[column] ?? null);
}

function compareRows(keys: readonly SortKey[], a: readonly Value[], b: readonly Value[]): number {
  for (const [index, { descending }] of keys.entries()) {
    const order = compareValues(a[index] ?? null, b[index] ?? null);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

function passes(value: Value, operator: FilterOperator, wanted: PageArguments["filters"][number] | undefined): boolean {
  if (wanted === null || wanted === undefined) return false;
  // An absent value is unequal to every value, as in expressions.
  if (value === null) return operator === "null" ? wanted === true : operator === "ne" || operator === "nin";
  const isOneOf = () => (wanted as readonly Value[]).some((one) => one === value);
  const order = compareValues(value, wanted as Value);
  switch (operator) {
    case "in":
      return isOneOf();
    case "nin":
      return !isOneOf();
    case "null":
      return wanted === false;
    case "contains":
      return folded(value as string).includes(wanted as string);
    case "startsWith":
      return folded(value as string).startsWith(wanted as string);
    case "ne":
      return order !== 0;
    case "eq":
      return order === 0;
    case "gt":
      return order > 0;
    case "gte":
      return order >= 0;
    case "lt":
      return order < 0;
    case "lte":
      return order <= 0;
  }
}
