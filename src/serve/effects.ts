/** What a change of a record causes, in the same transaction: its entries in the journal, moves of other records by events (language, section 6). */
import type { Value } from "../expression/evaluate.ts";
import type { EffectPlan, MovePlan, Table } from "../plan/plan.ts";
import type { Found, Row, Transaction, View, Written } from "../store/store.ts";
import { type Call, type Context, type Work, callOf, tableOf } from "./context.ts";
import { enter } from "./journal.ts";
import { holdLive } from "./limits/quotas.ts";
import { Refusal } from "./refusal.ts";
import { changesBetween, duplicate, settle, touch } from "./values.ts";
import type { Values } from "./values.ts";
import { tellsOfOthers } from "./views.ts";

/** What a change did to the record's state: nothing where both are absent; created in `to` where only `from` is. */
export interface Change {
  readonly from?: string;
  readonly to?: string;
}

/** A record after its change (before it, where it is deleted), with what that emits and causes. */
export interface Changed {
  readonly table: Table;
  readonly row: Row;
  readonly change: Change;
  readonly emits: readonly string[];
  readonly effects: readonly EffectPlan[];
}

/**
 * Follows a write of the operation's own record, and gives the record as it is when all is done: what it caused may have
 * moved it in turn, or changed what it tells of others.
 */
export async function causeAll(
  call: Call,
  tx: Transaction,
  written: Written & { kind: "written" },
  change: Change,
  view: View,
): Promise<Found & { readonly row: Row }> {
  const { operation, table } = call.prepared;
  const { emits, effects } = operation;
  call.noted.record = written.row["id"] ?? null;
  if (!(await follow(call, tx, { table, row: written.row, change, emits, effects }))) return written;
  if (!tellsOfOthers(view) && !movedBy(effects).has(table.resource)) return written;
  const row = (await tx.get(table.resource, "id", written.row["id"] ?? null)) ?? written.row;
  return { text: await tx.view(row, view, call.variables), revision: row["_rev"] as number, row };
}

const resources = new WeakMap<readonly EffectPlan[], ReadonlySet<string>>();

/** The resources whose records these may move, or what they cause in turn. */
export function movedBy(effects: readonly EffectPlan[]): ReadonlySet<string> {
  let moved = resources.get(effects);
  if (moved === undefined) {
    moved = new Set(effects.flatMap((effect) => [effect.resource, ...movedBy(effect.effects)]));
    resources.set(effects, moved);
  }
  return moved;
}

/** Whether it moved any other record. An event that finds no move is ignored. */
export async function follow(work: Work, tx: Transaction, changed: Changed): Promise<boolean> {
  const { change, row } = changed;
  const entered = change.from === change.to ? undefined : change.to;
  await enter(work, tx, changed, entered);
  const happened = changed.effects.filter(({ state }) => state === undefined || state === entered);
  return happened.length > 0 && cause(work, tx, happened, row);
}

/** Whether events move any of the records that `row`, a record or what came in, refers to. */
export async function cause(work: Work, tx: Transaction, effects: readonly EffectPlan[], row: Row): Promise<boolean> {
  let moved = false;
  for (const effect of effects) {
    const id = row[effect.field];
    if (id === null || id === undefined) continue;
    if (await causeOne(causedBy(work, effect, row), tx, effect, id)) moved = true;
  }
  return moved;
}

/** For the moves that an event makes the input is what it carries. */
function causedBy(work: Work, { event, payload }: EffectPlan, row: Row): Work {
  const { by, context, now, request, variables } = work;
  const input: Record<string, Value> = {};
  for (const name of payload) input[name] = row[name] ?? null;
  return { context, now, variables: { ...variables, input }, by, cause: `when ${event}`, request, call: callOf(work) };
}

/** The move that an event makes of the record with an id, if any fits. */
async function causeOne(
  work: Work,
  tx: Transaction,
  effect: Pick<EffectPlan, "resource" | "moves" | "effects">,
  id: Row[string],
): Promise<boolean> {
  const row = await tx.get(effect.resource, "id", id ?? null);
  if (row === undefined) return false;
  const move = await firstMove(work, tx, effect.moves, row);
  if (move === undefined) return false;
  const table = tableOf(work.context, effect.resource);
  await makeMove(work, tx, { table, row, move, effects: effect.effects });
  return true;
}

/** The first move that starts where the record is and whose guard holds. */
export async function firstMove(
  work: Work,
  tx: Transaction,
  moves: readonly MovePlan[],
  row: Row,
): Promise<MovePlan | undefined> {
  for (const move of moves) {
    if (!move.from.includes(row["state"] as string)) continue;
    if (move.if === undefined || (await work.context.evaluate(tx, move.if, row, work.variables)) === true) return move;
  }
  return undefined;
}

/** What the moved record may not be is refused like any other write of it, and with it all that was done before. */
export async function makeMove(
  work: Work,
  tx: Transaction,
  { table, row, move, effects, emits = [] }: RecordMove,
): Promise<void> {
  const changed = await moved(work, tx, table, move, row);
  try {
    await settle(work, tx, table, changed, row, move.set);
  } catch (thrown) {
    throw thrown instanceof Refusal ? undoing(thrown) : thrown;
  }
  const view = { resource: table.resource, members: [] };
  const written = await tx.update(table.resource, row, changesBetween(row, changed), view, work.variables);
  if (written.kind === "duplicate") throw undoing(duplicate(work, table, written.columns));
  const change = { from: row["state"] as string, to: move.to };
  await follow(work, tx, { table, row: written.row, change, emits, effects });
  await holdLive(work, tx, table, row, written.row);
}

/** A transition of one record, which other writes of the same request may precede. */
export interface RecordMove {
  readonly table: Table;
  readonly row: Row;
  readonly move: MovePlan;
  /** The events of the operation that makes it. */
  readonly emits?: readonly string[];
  readonly effects: readonly EffectPlan[];
}

function undoing({ code, details }: Refusal): Refusal {
  return new Refusal(code, { ...details, undo: true });
}

/** The record as the move would leave it: the new state, and what `set` says, each from the record before. */
export async function moved(work: Work, tx: Transaction, table: Table, move: MovePlan, row: Row): Promise<Values> {
  const next: Values = { ...row, state: move.to };
  if (move.set.length > 0) {
    const variables = { ...work.variables, old: row };
    for (const { field, expression } of move.set)
      next[field] = await work.context.evaluate(tx, expression, row, variables);
  }
  touch(work, table, next);
  return next;
}

/** A move that no line of the document makes: what the service itself does to what it keeps of its own. */
export interface SystemMove {
  readonly resource: string;
  readonly row: Row;
  /** The state after it. */
  readonly to: string;
  /** Of other columns. */
  readonly changes: Row;
  /** As the journal has it. */
  readonly cause: string;
}

export async function moveBySystem(
  context: Context,
  tx: Transaction,
  { resource, row, to, changes, cause }: SystemMove,
): Promise<void> {
  const table = tableOf(context, resource);
  const work: Work = { context, now: context.clock.now(), variables: {}, by: "system", cause };
  const written = await tx.update(resource, row, { ...changes, state: to }, { resource, members: [] }, {});
  if (written.kind === "duplicate") throw new Error(`${resource} cannot be ${to}`);
  const change = { from: row["state"] as string, to };
  await follow(work, tx, { table, row: written.row, change, emits: [], effects: [] });
}
