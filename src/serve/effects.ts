/** What an operation causes in other records, in the same transaction: moves by events (language, section 6). */
import type { EffectPlan, MovePlan, Table } from "../plan/plan.ts";
import type { Found, Row, Transaction, View, Written } from "../store/store.ts";
import type { Call } from "./context.ts";
import { Refusal } from "./refusal.ts";
import { changesBetween, duplicate, settle, touch } from "./values.ts";
import type { Values } from "./values.ts";

/**
 * Makes the moves that a write of the operation's own record causes, and gives the record as it is when all is done: they
 * may have moved it in turn, or what it tells of others. `entered` is the state that the write entered, if any.
 */
export async function causeAll(
  call: Call,
  tx: Transaction,
  written: Written & { kind: "written" },
  entered: string | undefined,
  view: View,
): Promise<Found> {
  const { operation, table } = call.prepared;
  if (!(await cause(call, tx, operation.effects, written.row, entered))) return written;
  const row = (await tx.get(table.resource, "id", written.row["id"] ?? null)) ?? written.row;
  return { text: await tx.view(row, view, call.variables), revision: row["_rev"] as number };
}

/**
 * Whether it moved any record. `row` is the record after its change. An event that finds no move is ignored. The caller
 * of these moves is the one whose request caused them.
 */
export async function cause(
  call: Call,
  tx: Transaction,
  effects: readonly EffectPlan[],
  row: Row,
  entered: string | undefined,
): Promise<boolean> {
  let moved = false;
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
    if (move === undefined) continue;
    await makeMove(caused, tx, move, effect, other);
    moved = true;
  }
  return moved;
}

async function firstMove(
  call: Call,
  tx: Transaction,
  moves: readonly MovePlan[],
  row: Row,
): Promise<MovePlan | undefined> {
  for (const move of moves) {
    if (!move.from.includes(row["state"] as string)) continue;
    if (move.if === undefined || (await call.context.evaluate(tx, move.if, row, call.variables)) === true) return move;
  }
  return undefined;
}

/** What the moved record may not be is refused like any other write of it, and with it all that was done before. */
async function makeMove(call: Call, tx: Transaction, move: MovePlan, effect: EffectPlan, row: Row): Promise<void> {
  const table = call.context.tables.get(effect.resource) as Table;
  const changed = await moved(call, tx, table, move, row);
  try {
    await settle(
      call,
      tx,
      changed,
      row,
      move.set.map(({ field }) => field),
      table,
    );
  } catch (thrown) {
    throw thrown instanceof Refusal ? undoing(thrown) : thrown;
  }
  const view = { resource: effect.resource, members: [] };
  const written = await tx.update(effect.resource, row, changesBetween(row, changed), view, call.variables);
  if (written.kind === "duplicate") throw undoing(duplicate(call, table, written.columns));
  await cause(call, tx, effect.effects, written.row, move.enters ? move.to : undefined);
}

function undoing({ code, details }: Refusal): Refusal {
  return new Refusal(code, { ...details, undo: true });
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
