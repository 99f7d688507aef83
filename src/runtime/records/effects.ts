/** Applies a change's effects in its transaction: event log entries and event-driven transitions (language, section 6). */
import { onceFor } from "../../base/once.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { EffectPlan, FurtherWritePlan, TransitionPlan } from "../../plan/states/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Found, Row, Transaction, View, Written } from "../../store/port/store.ts";
import { type Call, type Context, type ChangeContext, callOf, tableOf, type Values } from "../context/context.ts";
import { journalChange } from "./journal.ts";
import { holdLive } from "./quotas.ts";
import { ApiError } from "../errors/api-error.ts";
import { changesBetween, duplicate, checkRulesAndComputed, touch } from "./defaults-and-rules.ts";
import { selectRecords, writeFurther } from "./further-writes.ts";
import { dependsOnOthers } from "./views.ts";

/** The states before and after a change: `from` is absent for a created record; both are absent if the state is not involved. */
export interface Change {
  readonly from?: string;
  readonly to?: string;
}

/** A record after its change (before it for a deletion), with its events and effects. */
export interface Changed {
  readonly table: Table;
  readonly row: Row;
  readonly change: Change;
  readonly emits: readonly string[];
  readonly effects: readonly EffectPlan[];
  readonly also?: readonly FurtherWritePlan[] | undefined;
  /** For further writes: the record before the change, if it existed. */
  readonly old?: Row | undefined;
}

/**
 * Applies the effects of writing the operation's record, and returns the record after them: they may have changed it again, or
 * other records that its view contains.
 */
export async function applyEffects(
  call: Call,
  tx: Transaction,
  written: Written & { kind: "written" },
  change: Change,
  view: View,
  { also, old }: Pick<Changed, "also" | "old"> = {},
): Promise<Found & { readonly row: Row }> {
  const { operation, table } = call.compiled;
  const { emits, effects } = operation;
  call.observation.record = written.row["id"] ?? null;
  if (!(await follow(call, tx, { table, row: written.row, change, emits, effects, also, old }))) return written;
  if (!dependsOnOthers(view) && !changedBy(effects, also).has(table.resource)) return written;
  const row = (await tx.get(table.resource, "id", written.row["id"] ?? null)) ?? written.row;
  return { text: await tx.view(row, view, call.variables), revision: row["_rev"] as number, row };
}

/** Returns the resources whose records these effects may change, directly or indirectly. */
export const transitionedBy: (effects: readonly EffectPlan[]) => ReadonlySet<string> = onceFor(
  (effects) =>
    new Set(
      effects.flatMap(({ effects: next, moves, resource }) => [
        resource,
        ...transitionedBy(next),
        ...moves.flatMap(({ also }) => [...changedBy([], also)]),
      ]),
    ),
);

/** Returns the resources whose records these effects and further writes may change, directly or indirectly. */
export function changedBy(effects: readonly EffectPlan[], also: readonly FurtherWritePlan[] = []): ReadonlySet<string> {
  if (also.length === 0) return transitionedBy(effects);
  const written = also.flatMap((write) => [write.resource, ...transitionedBy(write.effects)]);
  return new Set([...transitionedBy(effects), ...written]);
}

/**
 * Applies the further writes and effects of a change; returns whether another record may have changed. An event without a
 * matching transition is ignored.
 */
export async function follow(changeContext: ChangeContext, tx: Transaction, changed: Changed): Promise<boolean> {
  const { also = [], change, old, row } = changed;
  const newState = change.from === change.to ? undefined : change.to;
  await journalChange(changeContext, tx, changed, newState);
  if (also.length > 0) await writeFurther(changeContext, tx, also, { row, old }, follow);
  const happened = changed.effects.filter(({ state }) => state === undefined || state === newState);
  const transitioned = happened.length > 0 && (await cause(changeContext, tx, happened, row));
  return transitioned || also.length > 0;
}

/**
 * Applies the effects of events; returns whether they changed a record to which `row` (a record or an incoming event) refers.
 */
export async function cause(
  changeContext: ChangeContext,
  tx: Transaction,
  effects: readonly EffectPlan[],
  row: Row,
): Promise<boolean> {
  let transitioned = false;
  for (const effect of effects) {
    const { field } = effect;
    const caused = causedBy(changeContext, effect, row);
    if (field === undefined) {
      if (await applyToSelection(caused, tx, effect)) transitioned = true;
      continue;
    }
    const id = row[field];
    if (id === null || id === undefined) continue;
    if (await applyEffect(caused, tx, effect, id)) transitioned = true;
  }
  return transitioned;
}

/**
 * Applies the transition of an event to the records that it selects in its source states. A record whose guard is false stays
 * as it is, and counts as selected.
 */
async function applyToSelection(
  changeContext: ChangeContext,
  tx: Transaction,
  { effects, moves, resource }: EffectPlan,
): Promise<boolean> {
  const [{ selection = {} }] = moves as readonly [TransitionPlan];
  const rows = await selectRecords(tx, selection, resource, changeContext.variables);
  let transitioned = false;
  for (const row of rows) {
    const transition = await firstTransition(changeContext, tx, moves, row);
    if (transition === undefined) continue;
    await applyTransition(changeContext, tx, {
      table: tableOf(changeContext.context, resource),
      row,
      transition,
      effects,
    });
    transitioned = true;
  }
  return transitioned;
}

/** Returns the context of transitions that an event causes: their `input` is the event's payload. */
function causedBy(changeContext: ChangeContext, { event, payload }: EffectPlan, row: Row): ChangeContext {
  const { by, context, now, request, variables } = changeContext;
  const input: Record<string, Value> = {};
  for (const name of payload) input[name] = row[name] ?? null;
  return {
    context,
    now,
    variables: { ...variables, input },
    by,
    cause: `when ${event}`,
    request,
    call: callOf(changeContext),
  };
}

/** Applies the transition of an event to the record with this id, if one matches. */
async function applyEffect(
  changeContext: ChangeContext,
  tx: Transaction,
  effect: Pick<EffectPlan, "resource" | "moves" | "effects">,
  id: Row[string],
): Promise<boolean> {
  const row = await tx.get(effect.resource, "id", id ?? null);
  if (row === undefined) return false;
  const transition = await firstTransition(changeContext, tx, effect.moves, row);
  if (transition === undefined) return false;
  const table = tableOf(changeContext.context, effect.resource);
  await applyTransition(changeContext, tx, { table, row, transition, effects: effect.effects });
  return true;
}

/** Returns the first transition from the record's state whose guard is true. */
export async function firstTransition(
  changeContext: ChangeContext,
  tx: Transaction,
  moves: readonly TransitionPlan[],
  row: Row,
): Promise<TransitionPlan | undefined> {
  for (const transition of moves) {
    if (!transition.from.includes(row["state"] as string)) continue;
    if (
      transition.if === undefined ||
      (await changeContext.context.evaluate(tx, transition.if, row, changeContext.variables)) === true
    )
      return transition;
  }
  return undefined;
}

/** Writes a transition. If the new record is invalid, everything before it is rolled back as well. */
export async function applyTransition(
  changeContext: ChangeContext,
  tx: Transaction,
  { table, row, transition, effects, emits = [] }: RecordTransition,
): Promise<void> {
  const changed = await transitioned(changeContext, tx, table, transition, row);
  try {
    await checkRulesAndComputed(changeContext, tx, table, changed, row, transition.set);
  } catch (thrown) {
    throw thrown instanceof ApiError ? undoing(thrown) : thrown;
  }
  const view = { resource: table.resource, members: [] };
  const written = await tx.update(table.resource, row, changesBetween(row, changed), view, changeContext.variables);
  if (written.kind === "duplicate") throw undoing(duplicate(changeContext, table, written.columns));
  const change = { from: row["state"] as string, to: transition.to };
  const { also } = transition;
  await follow(changeContext, tx, { table, row: written.row, change, emits, effects, also, old: row });
  await holdLive(changeContext, tx, table, row, written.row);
}

/** A transition of one record, after other writes of the same request. */
export interface RecordTransition {
  readonly table: Table;
  readonly row: Row;
  readonly transition: TransitionPlan;
  /** The events that the operation emits. */
  readonly emits?: readonly string[];
  readonly effects: readonly EffectPlan[];
}

function undoing({ code, details }: ApiError): ApiError {
  return new ApiError(code, { ...details, undo: true });
}

/** Returns the record after the transition: with the new state, and the `set` values computed from the record before. */
export async function transitioned(
  changeContext: ChangeContext,
  tx: Transaction,
  table: Table,
  transition: TransitionPlan,
  row: Row,
): Promise<Values> {
  const next: Values = { ...row, state: transition.to };
  if (transition.set.length > 0) {
    const variables = { ...changeContext.variables, old: row };
    for (const { field, expression } of transition.set)
      next[field] = await changeContext.context.evaluate(tx, expression, row, variables);
  }
  touch(changeContext, table, next);
  return next;
}

/** A transition of an internal resource, such as a webhook delivery; the document does not declare it. */
export interface SystemTransition {
  readonly resource: string;
  readonly row: Row;
  /** The state that the record enters. */
  readonly to: string;
  /** The changed values of other columns. */
  readonly changes: Row;
  /** The cause of the transition in the event log. */
  readonly cause: string;
}

export async function transitionBySystem(
  context: Context,
  tx: Transaction,
  { resource, row, to, changes, cause }: SystemTransition,
): Promise<void> {
  const table = tableOf(context, resource);
  const changeContext: ChangeContext = { context, now: context.clock.now(), variables: {}, by: "system", cause };
  const written = await tx.update(resource, row, { ...changes, state: to }, { resource, members: [] }, {});
  if (written.kind === "duplicate") throw new Error(`${resource} cannot be ${to}`);
  const change = { from: row["state"] as string, to };
  await follow(changeContext, tx, { table, row: written.row, change, emits: [], effects: [] });
}
