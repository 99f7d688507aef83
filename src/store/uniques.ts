/** The sets of columns of which no two records have the same values, `id` first. Absent values are never the same. */
import type { Table } from "../plan/plan.ts";

export function uniquesOf({ columns, uniques }: Table): readonly (readonly string[])[] {
  const marked = columns
    .filter(({ name, marks }) => name === "id" || marks.includes("unique"))
    .map(({ name }) => [name]);
  const sets = new Map([...marked, ...uniques].map((set) => [set.join(" "), set]));
  return [...sets.values()].toSorted((a, b) => Number(isId(b)) - Number(isId(a)));
}

function isId(set: readonly string[]): boolean {
  return set.length === 1 && set[0] === "id";
}
