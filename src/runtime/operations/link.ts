/**
 * Performs `link` and `unlink`: creates or deletes a record of another resource that the values of some fields identify. Both
 * are idempotent: of concurrent requests only one creates the record, because each is a transaction.
 */
import type { AssociationPlan } from "../../plan/endpoints/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import { type Call, tableOf, type Values } from "../context/context.ts";
import { follow } from "../records/effects.ts";
import { addRecord, writeFurther } from "../records/further-writes.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkGuard } from "./guard.ts";
import { respondWith, type Outcome } from "./outcome.ts";
import { recordToChange } from "../records/find-and-authorise.ts";
import { stillReferenced } from "./delete.ts";
import { toStoredInput } from "../records/defaults-and-rules.ts";
import { validatedRequest } from "../versions/request.ts";

export async function link(received: Call, tx: Transaction): Promise<HttpResponse> {
  const linking = await begin(received, tx);
  const { call, table, values, present } = linking;
  if (present === undefined) {
    const { emits, effects } = call.compiled.operation;
    const { secrets } = call;
    await addRecord(call, tx, { table, values, assigned: linkOf(call).values, secrets, emits, effects }, follow);
    await alsoWrite(call, tx, linking.row);
  }
  return finish(call, tx, linking.row, present === undefined ? "created" : "same");
}

export async function unlink(received: Call, tx: Transaction): Promise<HttpResponse> {
  const { call, table, row, present } = await begin(received, tx);
  if (present === undefined) return finish(call, tx, row, "same");
  const deleted = await tx.delete(table.resource, present);
  if (deleted.kind === "referenced") throw stillReferenced(call, deleted);
  const { emits, effects } = call.compiled.operation;
  await follow(call, tx, { table, row: present, change: {}, emits, effects });
  await alsoWrite(call, tx, row);
  return finish(call, tx, row, "given");
}

/** Makes the operation's further writes, around the record in the path. */
async function alsoWrite(call: Call, tx: Transaction, row: Row): Promise<void> {
  const { also } = call.compiled.operation;
  if (also !== undefined) await writeFurther(call, tx, also, { row }, follow);
}

interface Linking {
  /** The call with `input` from `takes`. */
  readonly call: Call;
  /** The record that the path identifies. */
  readonly row: Row;
  /** The table of the associated resource. */
  readonly table: Table;
  readonly values: Values;
  /** The existing record with these values, if any. */
  readonly present: Row | undefined;
}

/** Locks the record in the path, so that concurrent links to it run one after another. */
async function begin(received: Call, tx: Transaction): Promise<Linking> {
  const row = await recordToChange(received, tx);
  const call = await withInput(received, tx);
  await checkGuard(call, tx, row);
  const { resource, values: source, where } = linkOf(call);
  const values: Values = {};
  for (const { field, expression } of source)
    values[field] = await call.context.evaluate(tx, expression, row, call.variables);
  const present = await tx.first(resource, where, { ...call.variables, link: values });
  return { call, row, table: tableOf(call.context, resource), values, present };
}

function linkOf({ compiled: { operation } }: Call): AssociationPlan {
  return operation.link as AssociationPlan;
}

/** Returns the call with its validated body, which provides only `input`. */
async function withInput(received: Call, tx: Transaction): Promise<Call> {
  const input = received.compiled.operation.body === undefined ? {} : validatedRequest(received).input;
  return (await toStoredInput(received, tx, input)).call;
}

/** Responds with the current record, which may contain the linked ones. */
async function finish(call: Call, tx: Transaction, before: Row, what: Outcome["what"]): Promise<HttpResponse> {
  const { table } = call.compiled;
  const row = (await tx.get(table.resource, "id", before["id"] ?? null)) ?? before;
  const text = await tx.view(row, call.kind.own ?? call.kind.record.view, call.variables);
  return respondWith(call, tx, { what, row, text, revision: row["_rev"] as number });
}
