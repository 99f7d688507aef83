/** Records a change in the event log: its transition (R3.7), and an entry for each of its events (R6.1). */
import type { Column, Table } from "../../plan/resources/types.ts";
import type { JournalEntry, Row, Transaction } from "../../store/port/store.ts";
import { type ChangeContext, callOf } from "../context/context.ts";
import type { Changed } from "./effects.ts";

/** Records a change. `newState`: absent if the change did not change the state. */
export async function journalChange(
  changeContext: ChangeContext,
  tx: Transaction,
  { table, row, change, emits }: Changed,
  newState: string | undefined,
): Promise<void> {
  const events = [...(newState === undefined ? [] : (table.lifecycle?.emits[newState] ?? [])), ...emits];
  const [event, ...others] = events;
  if (change.to === undefined && event === undefined) return;
  const known = entryOf(changeContext, table.resource, String(row["id"] as string | number));
  if (event === undefined) return tx.record({ ...known, ...change });
  const data = snapshot(table, row);
  await tx.record({ ...known, ...change, event, data });
  for (const other of others) await tx.record({ ...known, event: other, data });
}

/** Returns the members that all entries of a change share. */
export function entryOf(changeContext: ChangeContext, resource: string, record: string): JournalEntry {
  const { now, by, cause, request, due } = changeContext;
  // The trace of this request becomes the parent of later webhook deliveries (R1.4).
  const trace = callOf(changeContext)?.observation.observer?.traceparent?.();
  return {
    at: now,
    resource,
    record,
    by,
    cause,
    ...(request === undefined ? {} : { request }),
    ...(trace === undefined ? {} : { trace }),
    ...(due === undefined ? {} : { due }),
  };
}

/** Returns the record for the receivers of its event, without secrets and write-only members. */
function snapshot({ columns }: Table, row: Row): Row {
  const isHidden = ({ marks }: Column): boolean => marks.includes("secret") || marks.includes("write-only");
  if (!columns.some(isHidden)) return row;
  const names = new Set(columns.filter(isHidden).map(({ name }) => name));
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name)));
}
