/** Retention (part 8): deletes expired records or erases their personal data, also in the event log. */
import { deliveryResource } from "../../language/events/decide.ts";
import type { Erasure } from "../../plan/limits/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import type { ChangeContext, Values } from "../context/context.ts";
import { transitionBySystem } from "../records/effects.ts";
import { entryOf } from "../records/journal.ts";
import { changesBetween, duplicate, checkRulesAndComputed, touch } from "../records/defaults-and-rules.ts";

/** Deletes a record; returns false if another record refers to it. The event log retains only the fact of the deletion. */
export async function discard(changeContext: ChangeContext, tx: Transaction, table: Table, row: Row): Promise<boolean> {
  const deleted = await tx.delete(table.resource, row);
  if (deleted.kind === "referenced") return false;
  for (const { resource, id } of deleted.records) {
    const record = String(id as string | number);
    await forget(changeContext, tx, resource, record);
    // Webhook deliveries are internal records: their deletion is not logged.
    if (resource !== deliveryResource) await tx.record(entryOf(changeContext, resource, record));
  }
  return true;
}

/** Removes a record from the event log and from webhook deliveries. */
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

/**
 * Erases the personal data of a record; returns whether it erased anything. Skips rules about writes (`old`, `caller`, `now`),
 * which apply only to callers.
 */
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
    await checkRulesAndComputed(changeContext, tx, { columns: table.columns, rules }, next, row);
    const written = await tx.update(table.resource, row, changesBetween(row, next), view, changeContext.variables);
    if (written.kind === "written") break;
    if (round === mostRounds) throw duplicate(changeContext, table, written.columns);
  }
  const record = String(row["id"] as string | number);
  await forget(changeContext, tx, table.resource, record);
  await tx.record(entryOf(changeContext, table.resource, record));
  return true;
}

/**
 * The most attempts to find a replacement value of a unique column: a caller may have written a value, and then the next round
 * tries another.
 */
const mostRounds = 500;

/** How many numbers a round has, so that records with different `_seq` get different numbers in every round. */
const perRound = 2 ** 32;

function erased({ column, to }: Erasure, row: Row, round: number): Values[string] {
  if (to.kind === "value") return to.value as Values[string];
  const first = row["_seq"] as number;
  const numbered = (number: number): string => to.before + number.toString(36).padStart(to.pad, "0") + to.after;
  const present = row[column];
  // If a later round erased the value because an earlier replacement was in use, the value stays.
  if (typeof present === "string") {
    const number = Number.parseInt(present.slice(to.before.length), 36);
    if (number >= first && (number - first) % perRound === 0 && numbered(number) === present) return present;
  }
  return numbered(first + round * perRound);
}
