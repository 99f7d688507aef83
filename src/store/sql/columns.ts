/** What follows from the columns of a table: which are counted, unique, and kept for its timers. */
import type { Table } from "../../plan/resources/types.ts";
import { dueOf } from "../../plan/states/schedule.ts";
import type { Row } from "../port/store.ts";

/** The columns of a table that are counted where no value is given. */
export function countedColumns({ columns, id }: Table): readonly string[] {
  return columns
    .filter(({ default: value, name }) => value?.kind === "counter" || (name === "id" && id.made === "counter"))
    .map(({ name }) => name);
}

/** The sets of columns of which no two records have the same values, `id` first. Absent values are the same only in those for which `isAbsentEqual`. */
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

/** The hidden columns of a record with timers, which the write of the record itself stores; other records have none. */
export const timeColumns = ["_entered", "_due"] as const;

export function isTimed({ timed = [] }: Table): boolean {
  return timed.length > 0;
}

/** The time columns of a record after a write at `now`; `before` is the record before it, undefined for a new one. */
export function timesOf(table: Table, row: Row, before: Row | undefined, now: number): Row {
  if (!isTimed(table)) return {};
  const stays = before !== undefined && before["state"] === row["state"];
  const since = stays ? (before["_entered"] ?? null) : now;
  return { _entered: since, _due: dueOf(table, { ...row, _entered: since }) };
}
