/** Derives from a table which columns are counters, which sets are unique, and the values of the hidden timer columns. */
import type { Table } from "../../plan/resources/types.ts";
import { dueOf } from "../../plan/states/schedule.ts";
import type { Row } from "../port/store.ts";

/** Returns the columns that get the next number of a counter if a new record has no value for them. */
export function countedColumns({ columns, id }: Table): readonly string[] {
  return columns
    .filter(({ default: value, name }) => value?.kind === "counter" || (name === "id" && id.made === "counter"))
    .map(({ name }) => name);
}

/**
 * Returns the sets of columns that must be unique, `id` first. Two nulls conflict only in the sets for which `isAbsentEqual`.
 */
export function uniquesOf({ columns, uniques }: Table): readonly (readonly string[])[] {
  const columnSets = columns
    .filter(({ name, marks }) => name === "id" || marks.includes("unique"))
    .map(({ name }) => [name]);
  const sets = new Map([...columnSets, ...uniques].map((set) => [set.join(" "), set]));
  return [...sets.values()].toSorted((a, b) => Number(isId(b)) - Number(isId(a)));
}

/** Whether two records conflict if both have null in a column of the set. */
export function isAbsentEqual({ absentEqual = [] }: Table, set: readonly string[]): boolean {
  return absentEqual.some((one) => one.join(" ") === set.join(" "));
}

function isId(set: readonly string[]): boolean {
  return set.length === 1 && set[0] === "id";
}

/** The hidden columns of tables with timers. Every write of a record sets them. */
export const timeColumns = ["_entered", "_due"] as const;

export function isTimed({ timed = [] }: Table): boolean {
  return timed.length > 0;
}

/**
 * Returns the time columns of a record after a write at `now`. `before`: the record before the write, undefined for a new
 * record.
 */
export function timesOf(table: Table, row: Row, before: Row | undefined, now: number): Row {
  if (!isTimed(table)) return {};
  const stays = before !== undefined && before["state"] === row["state"];
  const since = stays ? (before["_entered"] ?? null) : now;
  return { _entered: since, _due: dueOf(table, { ...row, _entered: since }) };
}
