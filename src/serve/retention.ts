/** What part 8 says of records whose time is over: they are deleted, or lose what is personal, and so does the journal. */
import { deliveryResource } from "../parts/events/decide.ts";
import type { Erasure, Table } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import type { Work } from "./context.ts";
import { moveBySystem } from "./effects.ts";
import { entryOf } from "./journal.ts";
import { changesBetween, duplicate, settle, touch } from "./values.ts";
import type { Values } from "./values.ts";

/** Whether it is deleted; false where something still refers to it. That it is gone is all that the journal keeps of it. */
export async function discard(work: Work, tx: Transaction, table: Table, row: Row): Promise<boolean> {
  const deleted = await tx.delete(table.resource, row);
  if (deleted.kind === "referenced") return false;
  for (const { resource, id } of deleted.records) {
    const record = String(id as string | number);
    await forget(work, tx, resource, record);
    // The service's own deliveries are no records of the document: that they are gone is nobody's history.
    if (resource !== deliveryResource) await tx.record(entryOf(work, resource, record));
  }
  return true;
}

/** Takes what was told of a record out of what is kept for others: the journal, and what webhooks were or were to be sent. */
async function forget(work: Work, tx: Transaction, resource: string, record: string): Promise<void> {
  await tx.forget(resource, record);
  const { webhook } = work.context.plan.events;
  if (webhook === undefined || resource === deliveryResource) return;
  const input = { record: `${resource} ${record}` };
  for (;;) {
    const row = await tx.first(deliveryResource, webhook.about, { input });
    if (row === undefined) return;
    const changes = { body: "", nextAttemptAt: null };
    const { cause, context } = work;
    if (row["state"] === "pending")
      await moveBySystem(context, tx, { resource: deliveryResource, row, to: "failed", changes, cause });
    else await tx.update(deliveryResource, row, changes, { resource: deliveryResource, members: [] }, {});
  }
}

/**
 * Whether there was anything left to erase. The rules of the document are not asked: they are about what callers write,
 * and none of them is a reason to keep what is personal.
 */
export async function erase(
  work: Work,
  tx: Transaction,
  table: Table,
  row: Row,
  columns: readonly Erasure[],
): Promise<boolean> {
  const next: Values = { ...row };
  for (const erasure of columns) next[erasure.column] = erased(erasure, row);
  if (Object.keys(changesBetween(row, next)).length === 0) return false;
  touch(work, table, next);
  await settle(work, tx, { columns: table.columns, rules: [] }, next, row);
  const view = { resource: table.resource, members: [] };
  const written = await tx.update(table.resource, row, changesBetween(row, next), view, work.variables);
  if (written.kind === "duplicate") throw duplicate(work, table, written.columns);
  const record = String(row["id"] as string | number);
  await forget(work, tx, table.resource, record);
  await tx.record(entryOf(work, table.resource, record));
  return true;
}

function erased({ to }: Erasure, row: Row): Values[string] {
  if (to.kind === "value") return to.value as Values[string];
  // Records that there are at the same time have different numbers.
  const number = (row["_seq"] as number).toString(36);
  return to.before + number.padStart(to.pad, "0") + to.after;
}
