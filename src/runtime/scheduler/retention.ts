/** Retention (part 8): expired records are deleted or lose their personal data, and so does the event log. */
import { deliveryResource } from "../../language/events/decide.ts";
import type { Erasure } from "../../plan/limits/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import type { ChangeContext, Values } from "../context/context.ts";
import { transitionBySystem } from "../records/effects.ts";
import { entryOf } from "../records/journal.ts";
import { changesBetween, duplicate, validateValues, touch } from "../records/defaults-and-rules.ts";

/** Whether it is deleted; false where something still refers to it. That it is gone is all that the journal keeps of it. */
export async function discard(changeContext: ChangeContext, tx: Transaction, table: Table, row: Row): Promise<boolean> {
  const deleted = await tx.delete(table.resource, row);
  if (deleted.kind === "referenced") return false;
  for (const { resource, id } of deleted.records) {
    const record = String(id as string | number);
    await forget(changeContext, tx, resource, record);
    // The service's own deliveries are no records of the document: that they are gone is nobody's history.
    if (resource !== deliveryResource) await tx.record(entryOf(changeContext, resource, record));
  }
  return true;
}

/** Removes a record from the event log and from the deliveries of webhooks. */
async function forget(changeContext: ChangeContext, tx: Transaction, resource: string, record: string): Promise<void> {
  await tx.forget(resource, record);
  const { webhook } = changeContext.context.plan.events;
  if (webhook === undefined || resource === deliveryResource) return;
  const input = { record: `${resource} ${record}` };
  for (;;) {
    const row = await tx.first(deliveryResource, webhook.about, { input });
    if (row === undefined) return;
    const changes = { body: "", nextAttemptAt: null };
    const { cause, context } = changeContext;
    if (row["state"] === "pending")
      await transitionBySystem(context, tx, { resource: deliveryResource, row, to: "failed", changes, cause });
    else await tx.update(deliveryResource, row, changes, { resource: deliveryResource, members: [] }, {});
  }
}

/** Whether there was anything left to erase. Rules about a write (`old`, `caller`, `now`) are about what callers write. */
export async function erase(
  changeContext: ChangeContext,
  tx: Transaction,
  table: Table,
  row: Row,
  columns: readonly Erasure[],
): Promise<boolean> {
  const view = { resource: table.resource, members: [] };
  for (let round = 0; ; round += 1) {
    const next: Values = { ...row };
    for (const erasure of columns) next[erasure.column] = erased(erasure, row, round);
    if (Object.keys(changesBetween(row, next)).length === 0) return false;
    touch(changeContext, table, next);
    const rules = table.rules.filter(({ isAboutWrite }) => isAboutWrite !== true);
    await validateValues(changeContext, tx, { columns: table.columns, rules }, next, row);
    const written = await tx.update(table.resource, row, changesBetween(row, next), view, changeContext.variables);
    if (written.kind === "written") break;
    if (round === mostRounds) throw duplicate(changeContext, table, written.columns);
  }
  const record = String(row["id"] as string | number);
  await forget(changeContext, tx, table.resource, record);
  await tx.record(entryOf(changeContext, table.resource, record));
  return true;
}

/** Somebody may have written what a record is to have once it is erased: it has something else then. */
const mostRounds = 500;

/** Records that there are at the same time have different numbers, in every round; none has more than eight digits. */
const perRound = 2 ** 32;

function erased({ column, to }: Erasure, row: Row, round: number): Values[string] {
  if (to.kind === "value") return to.value as Values[string];
  const first = row["_seq"] as number;
  const numbered = (number: number): string => to.before + number.toString(36).padStart(to.pad, "0") + to.after;
  const present = row[column];
  // It may have been erased in a later round, when what it would have now was not free.
  if (typeof present === "string") {
    const number = Number.parseInt(present.slice(to.before.length), 36);
    if (number >= first && (number - first) % perRound === 0 && numbered(number) === present) return present;
  }
  return numbered(first + round * perRound);
}
