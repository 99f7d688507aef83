/** Computes when a record's timers are due. Pure functions that all stores and the runtime share. */
import { addDuration } from "../../base/duration.ts";
import type { Table } from "../resources/types.ts";
import type { TimedJob } from "./types.ts";

type Row = Readonly<Record<string, unknown>>;

/** Returns the earliest due time of the record's timers in epoch milliseconds, which may be in the past; null: none. */
export function dueOf(table: Table, row: Row): number | null {
  let earliest: number | null = null;
  for (const job of table.timed ?? []) {
    const due = dueTimeOf(job, row);
    if (due !== undefined && (earliest === null || due < earliest)) earliest = due;
  }
  return earliest;
}

/** Returns when a timed job is due; undefined in other states, or while the column from which it counts is null. */
export function dueTimeOf({ after, since, states }: TimedJob, row: Row): number | undefined {
  if (states !== undefined && !states.includes(row["state"] as string)) return undefined;
  const start = since.kind === "entered" ? row["_entered"] : row[since.column];
  // A date without a time means its midnight in UTC (ECMA-262, Date Time String Format).
  const moment = typeof start === "string" ? Date.parse(start) : start;
  if (typeof moment !== "number" || Number.isNaN(moment)) return undefined;
  return addDuration(moment, after);
}
