/** What an operation causes in other records, in the same transaction: moves by events (language, section 6). */
import type { EffectPlan, MovePlan, Table } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { changesBetween, touch } from "./values.ts";
import type { Values } from "./values.ts";

/**
 * `row` is the record after its change, `entered` the state that it entered, if any. An event that finds no move is
 * ignored. The caller of these moves is the one whose request caused them.
 */
export async function cause(
  call: Call,
  tx: Transaction,
  effects: readonly EffectPlan[],
  row: Row,
  entered: string | undefined,
): Promise<void> {
  for (const effect of effects) {
    if (effect.state !== undefined && effect.state !== entered) continue;
    const id = row[effect.field];
    if (id === null || id === undefined) continue;
    const other = await tx.get(effect.resource, "id", id);
    if (other === undefined) continue;
    // For these moves the input is what the event carries.
    const carried = Object.fromEntries(effect.payload.map((name) => [name, row[name] ?? null]));
    const caused: Call = { ...call, variables: { ...call.variables, input: carried } };
    const move = await firstMove(caused, tx, effect.moves, other);
    if (move !== undefined) await makeMove(caused, tx, move, effect, other);
  }
}

async function firstMove(
  call: Call,
  tx: Transaction,
  moves: readonly MovePlan[],
  row: Row,
): Promise<MovePlan | undefined> {
  for (const move of moves) {
    if (!move.from.includes(String(row["state"]))) continue;
    if (move.if === undefined || (await call.context.evaluate(tx, move.if, row, call.variables)) === true) return move;
  }
  return undefined;
}

async function makeMove(call: Call, tx: Transaction, move: MovePlan, effect: EffectPlan, row: Row): Promise<void> {
  const table = call.context.tables.get(effect.resource) as Table;
  const changed = await moved(call, tx, table, move, row);
  const view = { resource: effect.resource, members: [] };
  const written = await tx.update(effect.resource, row, changesBetween(row, changed), view, call.variables);
  if (written.kind === "duplicate")
    throw new Error(`the move of ${effect.resource} by ${effect.event} breaks a uniqueness`);
  await cause(call, tx, effect.effects, written.row, move.enters ? move.to : undefined);
}

/** The record as the move would leave it: the new state, and what `set` says, each from the record before. */
export async function moved(call: Call, tx: Transaction, table: Table, move: MovePlan, row: Row): Promise<Values> {
  const variables = { ...call.variables, old: row };
  const next: Values = { ...row, state: move.to };
  for (const { field, expression } of move.set) {
    next[field] = await call.context.evaluate(tx, expression, row, variables);
  }
  touch(call, table, next);
  return next;
}
