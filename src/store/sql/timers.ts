/** The hidden columns of a record to which time does something: kept by the stores, in the write of the record itself. */
import { dueOf } from "../../plan/states/schedule.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row } from "../port/store.ts";

/** Of tables whose records time does something to; others have none. */
export const timeColumns = ["_entered", "_due"] as const;

export function isTimed({ timed = [] }: Table): boolean {
  return timed.length > 0;
}

/** What they are for a record after a write at `now`; `before` is the record before it, undefined for a new one. */
export function timesOf(table: Table, row: Row, before: Row | undefined, now: number): Row {
  if (!isTimed(table)) return {};
  const stays = before !== undefined && before["state"] === row["state"];
  const since = stays ? (before["_entered"] ?? null) : now;
  return { _entered: since, _due: dueOf(table, { ...row, _entered: since }) };
}
