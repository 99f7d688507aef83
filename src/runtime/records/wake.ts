/**
 * Wakes timed transitions that wait for another record: if a write may change the guard of a transition that was due, the
 * scheduler looks at the transition again.
 */
import type { Value } from "../../expression/evaluate.ts";
import { reachVariable } from "../../expression/reach.ts";
import type { WakePlan } from "../../plan/states/types.ts";
import { dueOf } from "../../plan/states/schedule.ts";
import type { Awaitable, RecordChange, Row, Transaction } from "../../store/port/store.ts";
import { type ChangeContext, tableOf } from "../context/context.ts";
import { sameValue } from "./defaults-and-rules.ts";

/** Wakes the timers that the writes of a transaction concern, after all of them. `from`: the first write to look at. */
export function wakeTimers(changeContext: ChangeContext, tx: Transaction, from = 0): Awaitable<void> {
  const { tables } = changeContext.context;
  for (let index = from; index < tx.changes.length; index += 1) {
    if (tables.get((tx.changes[index] as RecordChange).resource)?.wakes !== undefined)
      return wakeAll(changeContext, tx, tx.changes.slice(from));
  }
}

async function wakeAll(
  { context, now }: ChangeContext,
  tx: Transaction,
  changes: readonly RecordChange[],
): Promise<void> {
  const checks = new Map<string, { readonly wake: WakePlan; readonly value: Value }>();
  for (const change of changes) {
    for (const [index, wake] of (context.tables.get(change.resource)?.wakes ?? []).entries()) {
      if (!concerns(wake, change)) continue;
      for (const value of valuesOf(wake, change))
        checks.set(JSON.stringify([change.resource, index, value]), { wake, value });
    }
  }
  for (const { value, wake } of checks.values()) {
    const where = value === null ? wake.find.absent : wake.find.where;
    const condition = where === undefined ? undefined : { all: [where] };
    const table = tableOf(context, wake.resource);
    const rows = await tx.all(wake.resource, condition, { [reachVariable]: { value } }, Number.MAX_SAFE_INTEGER);
    for (const row of rows) {
      const due = dueOf(table, row);
      if (due !== null && due <= now && isAsleep(row, due)) await tx.defer(wake.resource, row, due);
    }
  }
}

function concerns({ on }: WakePlan, { old, row }: RecordChange): boolean {
  if (old === undefined) return on.insert;
  if (row === undefined) return on.delete;
  return on.columns.some((name) => !sameValue(old[name] ?? null, row[name] ?? null));
}

function valuesOf({ find: { absent, column } }: WakePlan, { old, row }: RecordChange): readonly Value[] {
  if (column === undefined) return [null];
  const values = [old, row].flatMap((one) => (one === undefined ? [] : [one[column] ?? null]));
  return [...new Set(values)].filter((value) => value !== null || absent !== undefined);
}

/** Whether the scheduler does not look at the record at its due time, because its guard was false then. */
function isAsleep(row: Row, due: number): boolean {
  const scheduled = row["_due"];
  return typeof scheduled !== "number" || scheduled > due;
}
