/** Computes groups of records and their measures in memory, with the same results as SQL. */
import { added, compared, type Decimal, decimalOf, decimalText, zero } from "../../base/decimal.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import { compareValues, extremeOf } from "../../expression/functions.ts";
import { isMoney } from "../../expression/types.ts";
import type { PageArguments, Row, SummaryMeasure, SummaryPage, SummaryQuery } from "../port/store.ts";
import { evaluateIn } from "./evaluation.ts";
import { fittingRows } from "./list.ts";
import type { Records } from "./records.ts";

/** A group: the row of its values, and the keys by which it is sorted. */
interface Group {
  readonly row: readonly Value[];
  readonly keys: readonly Value[];
}

export function prepareSummary(
  { groups, list, measures, order }: SummaryQuery,
  records: Records,
): (page: PageArguments, variables: Variables) => SummaryPage {
  return (page, variables) => {
    const { limit, skip = 0 } = page;
    const byKey = Map.groupBy(fittingRows(list, records, page, variables), (row) =>
      JSON.stringify(groups.map((one) => evaluateIn(records, one, row, variables))),
    );
    // Without groups there is always one answer.
    if (groups.length === 0 && byKey.size === 0) byKey.set("[]", []);
    const found = [...byKey].map(([key, rows]): Group => {
      const values = JSON.parse(key) as readonly Value[];
      const measured = measures.map((one) => measure(one, rows, records, variables));
      const sorted = [...values, ...measured.map(({ sort }) => sort)];
      return {
        row: [...values, ...measured.flatMap(({ value, count }) => [value, count])],
        keys: [...order.map(({ index }) => sorted[index] ?? null), ...values],
      };
    });
    const ordered = found.toSorted((a, b) => {
      for (const [index, key] of a.keys.entries()) {
        const one = compareValues(key, b.keys[index] ?? null);
        if (one !== 0) return order[index]?.descending === true ? -one : one;
      }
      return 0;
    });
    const rows = ordered.slice(skip, skip + limit).map(({ row }) => row);
    const counted = list.counted === true ? { total: found.length } : {};
    return { rows, hasMore: found.length > skip + limit, ...counted };
  };
}

interface Measured {
  readonly value: Value;
  /** The number of records that have a value. */
  readonly count: number;
  readonly sort: Value;
}

function measure(
  { function: name, value: of }: SummaryMeasure,
  rows: readonly Row[],
  records: Records,
  variables: Variables,
): Measured {
  if (of === undefined) return { value: rows.length, count: rows.length, sort: rows.length };
  const all = rows.map((row) => evaluateIn(records, of, row, variables)).filter((value) => value !== null);
  const count = all.length;
  if (name === "count") {
    const holding = all.filter((value) => value === true).length;
    return { value: holding, count, sort: holding };
  }
  if (name === "sum" || name === "average" || isMoney(of.type)) {
    const decimals = all.map((value) => decimalOf(isMoney(of.type) ? amountOf(value) : (value as number)) ?? zero);
    const made = count === 0 ? undefined : combined(name, decimals);
    const text = made === undefined ? null : decimalText(made);
    return { value: text, count, sort: text === null ? null : Number(text) / (name === "average" ? count : 1) };
  }
  const best = extremeOf(name, all);
  return { value: best, count, sort: best };
}

function combined(name: SummaryMeasure["function"], decimals: readonly Decimal[]): Decimal | undefined {
  if (name === "sum" || name === "average") return decimals.reduce(added, zero);
  return decimals.toSorted(compared).at(name === "min" ? 0 : -1);
}

function amountOf(money: Value): string {
  return (money as { readonly amount: string }).amount;
}
