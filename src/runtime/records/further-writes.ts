/**
 * Writes other records in the transaction of an operation, a transition or an incoming event (`also`). Each written record has
 * the defaults, checks, quotas and events of any write; the caller's permissions do not matter.
 */
import { getOrMake, onceFor } from "../../base/once.ts";
import type { Value, Variables } from "../../expression/evaluate.ts";
import type { FurtherWritePlan, SelectionPlan } from "../../plan/states/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row, SelectionQuery, Transaction } from "../../store/port/store.ts";
import { type Call, type ChangeContext, tableOf, type Values } from "../context/context.ts";
import { ApiError, referredTo } from "../errors/api-error.ts";
import {
  changesBetween,
  checkRulesAndComputed,
  created,
  duplicate,
  fillDefaults,
  touch,
} from "./defaults-and-rules.ts";
import { withCounters } from "./counters.ts";
import type { Changed } from "./effects.ts";
import { holdLive } from "./quotas.ts";

/**
 * The most records that one request writes, since a transaction blocks other writes of its records. To write more, use several
 * requests.
 */
export const mostWritten = 10_000;

/** The record around further writes. */
export interface Around {
  /** The record after its write, or before its deletion; `{}` for an incoming event. */
  readonly row: Row;
  /** The record before the write, if it existed. */
  readonly old?: Row | undefined;
}

/** Records a change in the event log and applies its effects. */
type Follow = (changeContext: ChangeContext, tx: Transaction, changed: Changed) => Promise<boolean>;

/** The transaction of further writes, and the record and variables that their expressions read. */
interface Writing {
  readonly changeContext: ChangeContext;
  readonly tx: Transaction;
  readonly around: Row;
  readonly follow: Follow;
}

/** Makes the writes, in the document's order. */
export async function writeFurther(
  received: ChangeContext,
  tx: Transaction,
  writes: readonly FurtherWritePlan[],
  { old, row }: Around,
  follow: Follow,
): Promise<void> {
  const around: Variables = { this: row, ...(old === undefined ? {} : { old }) };
  const changeContext: ChangeContext = { ...received, variables: { ...received.variables, ...around } };
  const writing: Writing = { changeContext, tx, around: row, follow };
  try {
    for (const write of writes) await writeEach(writing, write);
  } catch (thrown) {
    // The writes before the error are undone; a timer tries again, since other records may allow it later.
    if (thrown instanceof ApiError) throw new ApiError(thrown.code, { ...thrown.details, undo: true, isLate: true });
    throw thrown;
  }
}

async function writeEach(writing: Writing, write: FurtherWritePlan): Promise<void> {
  const { around, changeContext, tx } = writing;
  const { each } = write;
  if (each === undefined) return writeOnce(writing, write);
  const list = await changeContext.context.evaluate(tx, each.list, around, changeContext.variables);
  for (const item of (list ?? []) as readonly Value[]) {
    const variables = { ...changeContext.variables, [each.name]: item };
    await writeOnce({ ...writing, changeContext: { ...changeContext, variables } }, write);
  }
}

async function writeOnce(writing: Writing, write: FurtherWritePlan): Promise<void> {
  const { around, changeContext, tx } = writing;
  const { context, variables } = changeContext;
  if (write.if !== undefined && (await context.evaluate(tx, write.if, around, variables)) !== true) return;
  const table = tableOf(context, write.resource);
  if (write.kind === "create") return create(writing, table, write);
  const rows = await selectRecords(tx, write, table.resource, variables);
  if (rows.length === 0 && write.else !== undefined) throw new ApiError(write.else);
  if (write.kind === "delete") return remove(tx, table, rows);
  for (const row of rows) await change(changeContext, tx, table, write, row);
}

const queriesOf = onceFor((_: SelectionPlan) => new Map<string, SelectionQuery>());

/**
 * Locks and returns the selected records of a resource. @throws ApiError if the transaction would write too many records.
 */
export async function selectRecords(
  tx: Transaction,
  selection: SelectionPlan,
  resource: string,
  variables: Variables,
): Promise<readonly Row[]> {
  const room = mostWritten - tx.changes.length;
  const limit = Math.max(0, Math.min(selection.first ?? Number.POSITIVE_INFINITY, room + 1));
  const rows = await tx.select(queryOf(selection, resource), limit, variables);
  checkRoom(tx, rows.length);
  return rows;
}

/** Throws if the transaction would write more records than one request may write. */
export function checkRoom(tx: Transaction, more: number): void {
  if (tx.changes.length + more <= mostWritten) return;
  const detail = `One request can write at most ${mostWritten} records; nothing was written`;
  throw new ApiError("timed-out", { detail, undo: true });
}

/** Returns the query of a selection, always the same object, so that the store prepares the query once. */
function queryOf(selection: SelectionPlan, resource: string): SelectionQuery {
  const { first, sort, where } = selection;
  return getOrMake(queriesOf(selection), resource, () => ({
    resource,
    ...(where === undefined ? {} : { where: { all: [where] } }),
    ...(sort === undefined ? {} : { sort }),
    isPartial: first !== undefined,
  }));
}

async function create(writing: Writing, table: Table, { effects, values: source }: FurtherWritePlan): Promise<void> {
  const { around, changeContext, follow, tx } = writing;
  checkRoom(tx, 1);
  const { context, variables } = changeContext;
  const values: Values = {};
  for (const { expression, field } of source) values[field] = await context.evaluate(tx, expression, around, variables);
  await addRecord(changeContext, tx, { table, values, emits: [], effects }, follow);
}

/** A record to be created whose values come from the document, not from a body. */
interface NewRecord extends Pick<Changed, "table" | "emits" | "effects"> {
  readonly values: Values;
  /** The assigned fields, which no body has validated; all that have a value if absent. */
  readonly assigned?: readonly { readonly field: string }[];
  readonly secrets?: Call["secrets"];
}

/** Creates a record by the same rules as any creation. */
export async function addRecord(
  changeContext: ChangeContext,
  tx: Transaction,
  { assigned, effects, emits, secrets, table, values }: NewRecord,
  follow: Follow,
): Promise<void> {
  fillDefaults(changeContext, table, values, secrets);
  const view = { resource: table.resource, members: [] };
  const { written } = await withCounters(changeContext, tx, table, values, async () => {
    await checkRulesAndComputed(changeContext, tx, table, values, undefined, assigned ?? valuesToCheck(table, values));
    return { written: await tx.insert(table.resource, values, changeContext.now, view, changeContext.variables) };
  });
  if (written.kind === "duplicate") throw duplicate(changeContext, table, written.columns);
  await follow(changeContext, tx, { table, row: written.row, change: created(table), emits, effects });
  await holdLive(changeContext, tx, table, undefined, written.row);
}

/** Returns the fields of a new record that no body has validated; the store sets counters. */
function valuesToCheck({ columns }: Table, values: Values): readonly { readonly field: string }[] {
  return columns.flatMap(({ computed, default: made, name }) => {
    const isUnknown = (values[name] ?? null) === null && (name === "id" || made?.kind === "counter");
    return isUnknown || computed !== undefined ? [] : [{ field: name }];
  });
}

async function change(
  changeContext: ChangeContext,
  tx: Transaction,
  table: Table,
  { values }: FurtherWritePlan,
  row: Row,
): Promise<void> {
  const { context, variables } = changeContext;
  const next: Values = { ...row };
  for (const { expression, field } of values) next[field] = await context.evaluate(tx, expression, row, variables);
  // A record that would not change has no new revision.
  if (Object.keys(changesBetween(row, next)).length === 0) return;
  touch(changeContext, table, next);
  await checkRulesAndComputed(changeContext, tx, table, next, row, values);
  const view = { resource: table.resource, members: [] };
  const written = await tx.update(table.resource, row, changesBetween(row, next), view, variables);
  if (written.kind === "duplicate") throw duplicate(changeContext, table, written.columns);
  await holdLive(changeContext, tx, table, row, written.row);
}

async function remove(tx: Transaction, table: Table, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const deleted = await tx.deleteAll(table.resource, rows);
  if (deleted.kind === "referenced") throw new ApiError("still-referenced", referredTo());
}
