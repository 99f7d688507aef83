/** When time does something to a record. Pure, and the same for every store and for the service. */
import { addDuration } from "../../base/duration.ts";
import type { Table } from "../resources/types.ts";
import type { TimedJob } from "./types.ts";

type Row = Readonly<Record<string, unknown>>;

/** The earliest moment, epoch milliseconds, at which an act of the table is due for the record; null: none is. It may be past. */
export function dueOf(table: Table, row: Row): number | null {
  let earliest: number | null = null;
  for (const job of table.timed ?? []) {
    const due = momentOf(job, row);
    if (due !== undefined && (earliest === null || due < earliest)) earliest = due;
  }
  return earliest;
}

/** When an act is due; undefined where it is not: in another state, or while the column it counts from is empty. */
export function momentOf({ after, since, states }: TimedJob, row: Row): number | undefined {
  if (states !== undefined && !states.includes(row["state"] as string)) return undefined;
  const start = since.kind === "entered" ? row["_entered"] : row[since.column];
  // A date without a time is read as its midnight in UTC (ECMA-262, Date Time String Format).
  const moment = typeof start === "string" ? Date.parse(start) : start;
  if (typeof moment !== "number" || Number.isNaN(moment)) return undefined;
  return addDuration(moment, after);
}
