/** `DELETE /xs/{id}` and `DELETE /xs`: 204 or what the document gives, or 409 where others refer to a record (R2.10). */
import type { Row, Transaction } from "../store/store.ts";
import { isBodiless } from "../plan/outcomes.ts";
import { emptyAnswer, ownAnswer, representation } from "./answers.ts";
import { subjectOf } from "./caller.ts";
import { type Call, tableOf } from "./context.ts";
import { follow } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { checkGuard } from "./guard.ts";
import { tiedTo } from "./parents.ts";
import { conditionOf, decide } from "./permissions.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord } from "./record.ts";
import { Refusal, type RefusalDetails } from "./refusal.ts";
import { viewOf } from "./views.ts";

export async function remove(call: Call, tx: Transaction): Promise<Answer> {
  const row = await findRecord(call, tx, await findParents(call, tx));
  if (row === undefined) throw absent(call);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  await checkGuard(call, tx, row);
  await call.functions?.before(call, tx, {});
  // What is given of it is how it was.
  const answer = await given(call, tx, row);
  await deleteAll(call, tx, [row]);
  return answer;
}

/**
 * Each of these takes its time, and nobody else writes meanwhile. Whoever has more of them deletes what `where` and filters
 * of lists tell apart, or lets time do it (part 8).
 */
const mostCleared = 10_000;

/** All records that the caller may do this to and that `where` fits, or none. */
export async function clear(call: Call, tx: Transaction): Promise<Answer> {
  const { operation, table } = call.prepared;
  const parent = (await findParents(call, tx)).at(-1)?.["id"];
  await checkGuard(call, tx, undefined);
  await call.functions?.before(call, tx, {});
  const { allowed } = call.kind;
  const tied = operation.parents.at(-1);
  const all = [
    ...(tied === undefined ? [] : [tiedTo(tied)]),
    ...(operation.where === undefined ? [] : [operation.where]),
  ];
  const where = { all, ...(allowed === "denied" ? {} : conditionOf(allowed)) };
  const variables = parent === undefined ? call.variables : { ...call.variables, parent };
  const rows = await tx.all(table.resource, where, variables, mostCleared + 1);
  if (rows.length > mostCleared) {
    const detail = `There are more than ${mostCleared} of them, and nothing was done`;
    throw new Refusal("timed-out", { detail });
  }
  const answer = await given(call, tx, {});
  await deleteAll(call, tx, rows);
  return answer;
}

async function given(call: Call, tx: Transaction, row: Row): Promise<Answer> {
  const { status, kind } = call.prepared.operation.answer;
  const { own, record } = call.kind;
  if (kind === "none" || isBodiless(status)) return emptyAnswer(status);
  if (own !== undefined) return ownAnswer(call, status, await tx.view(row, own, call.variables));
  return representation(call, status, await tx.view(row, record.view, call.variables), row["_rev"] as number);
}

async function deleteAll(call: Call, tx: Transaction, rows: readonly Row[]): Promise<void> {
  const { operation, table } = call.prepared;
  const deleted = await tx.deleteAll(table.resource, rows);
  if (deleted.kind === "referenced") throw stillReferenced(call, deleted);
  for (const row of rows)
    await follow(call, tx, { table, row, change: {}, emits: operation.emits, effects: operation.effects });
}

/** The reference is named to who may know of it: a field of records that the caller may read or list (R5.8, R5.9). */
export function stillReferenced(call: Call, { resource, field }: Reference): Refusal {
  const { context } = call;
  const subject = subjectOf(call.caller);
  const isRead = [...context.prepared.values()].some(
    ({ operation }) => operation.resource === resource && decide(operation.visible, subject) !== "denied",
  );
  const isKnown = isRead && viewOf(tableOf(context, resource), subject).known.has(field);
  return new Refusal("still-referenced", isKnown ? referredTo({ resource, field }) : referredTo());
}

interface Reference {
  readonly resource: string;
  readonly field: string;
}

export function referredTo(by?: Reference): Pick<RefusalDetails, "detail" | "members"> {
  if (by === undefined) return { detail: "Another record refers to it" };
  return { detail: `A ${by.resource} refers to it by ${by.field}`, members: { ...by } };
}
