/** The sets of columns of which no two records have the same values, `id` first. Absent values are the same only in those for which `isAbsentEqual`. */
import type { Table } from "../../plan/resources/types.ts";

export function uniquesOf({ columns, uniques }: Table): readonly (readonly string[])[] {
  const columnSets = columns
    .filter(({ name, marks }) => name === "id" || marks.includes("unique"))
    .map(({ name }) => [name]);
  const sets = new Map([...columnSets, ...uniques].map((set) => [set.join(" "), set]));
  return [...sets.values()].toSorted((a, b) => Number(isId(b)) - Number(isId(a)));
}

/** Whether two records without the same value have it in common, as if the absent value were one. */
export function isAbsentEqual({ absentEqual = [] }: Table, set: readonly string[]): boolean {
  return absentEqual.some((one) => one.join(" ") === set.join(" "));
}

function isId(set: readonly string[]): boolean {
  return set.length === 1 && set[0] === "id";
}
