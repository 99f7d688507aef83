/**
 * `link` and `unlink`: makes or deletes one record of another resource, told by what some of its fields have. Done again it
 * finds the record there, or gone, and does nothing: of many at once one makes it, since each is one transaction.
 */
import type { LinkPlan, Table } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import { type Call, tableOf } from "./context.ts";
import { created } from "./create.ts";
import { follow } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { checkGuard } from "./guard.ts";
import { holdLive } from "./limits/quotas.ts";
import { answerWith, type Outcome } from "./outcome.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord } from "./record.ts";
import { stillReferenced } from "./remove.ts";
import { duplicate, fillDefaults, settle, take, type Values } from "./values.ts";
import { ownFaults, ownTerms, raised } from "./versions/terms.ts";

export async function link(asked: Call, tx: Transaction): Promise<Answer> {
  const linking = await begin(asked, tx);
  const { call, table, values, present } = linking;
  if (present === undefined) await make(call, tx, table, values);
  return finish(call, tx, linking.row, present === undefined ? "created" : "same");
}

export async function unlink(asked: Call, tx: Transaction): Promise<Answer> {
  const { call, table, row, present } = await begin(asked, tx);
  if (present === undefined) return finish(call, tx, row, "same");
  const deleted = await tx.delete(table.resource, present);
  if (deleted.kind === "referenced") throw stillReferenced(call, deleted);
  const { emits, effects } = call.prepared.operation;
  await follow(call, tx, { table, row: present, change: {}, emits, effects });
  return finish(call, tx, row, "given");
}

interface Linking {
  /** With what `takes` says as `input`. */
  readonly call: Call;
  /** The record at hand. */
  readonly row: Row;
  /** Of the other resource. */
  readonly table: Table;
  readonly values: Values;
  /** The record that has these values, where there is one. */
  readonly present: Row | undefined;
}

/** The record at hand is held as if it were changed: of many who link the same to it, each sees what the one before has made. */
async function begin(asked: Call, tx: Transaction): Promise<Linking> {
  const row = await findRecord(asked, tx, await findParents(asked, tx));
  if (row === undefined) throw absent(asked);
  await checkAllowed(asked, tx, row);
  await checkPreconditions(asked, tx, row);
  const call = await told(asked, tx);
  await checkGuard(call, tx, row);
  const { resource, values: said, where } = linkOf(call);
  const values: Values = {};
  for (const { field, expression } of said)
    values[field] = await call.context.evaluate(tx, expression, row, call.variables);
  const present = await tx.first(resource, where, { ...call.variables, link: values });
  return { call, row, table: tableOf(call.context, resource), values, present };
}

function linkOf({ prepared: { operation } }: Call): LinkPlan {
  return operation.link as LinkPlan;
}

/** The call with what the body says, which sets nothing by itself. */
async function told(asked: Call, tx: Transaction): Promise<Call> {
  if (asked.prepared.operation.body === undefined) return (await take(asked, tx, {})).call;
  const said = ownTerms(asked);
  const faults = said.prepared.judge?.(said.input) ?? [];
  if (faults.length > 0) throw ownFaults(asked, faults);
  const { call } = await take(asked, tx, raised(asked, said.input).input);
  return call;
}

/** By the rules of any creation. */
async function make(call: Call, tx: Transaction, table: Table, said: Values): Promise<void> {
  const values: Values = { ...said };
  fillDefaults(call, table, values);
  await settle(call, tx, table, values, undefined, linkOf(call).values);
  const nothing = { resource: table.resource, members: [] };
  const written = await tx.insert(table.resource, values, call.now, nothing, call.variables);
  if (written.kind === "duplicate") throw duplicate(call, table, written.columns);
  const { emits, effects } = call.prepared.operation;
  await follow(call, tx, { table, row: written.row, change: created(table), emits, effects });
  await holdLive(call, tx, table, undefined, written.row);
}

/** With the record at hand as it is now, which may tell of what was linked to it. */
async function finish(call: Call, tx: Transaction, before: Row, what: Outcome["what"]): Promise<Answer> {
  const { table } = call.prepared;
  const row = (await tx.get(table.resource, "id", before["id"] ?? null)) ?? before;
  const text = await tx.view(row, call.kind.own ?? call.kind.record.view, call.variables);
  return answerWith(call, tx, { what, row, text, revision: row["_rev"] as number });
}
