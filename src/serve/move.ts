/** `POST /xs/{id}/verb`: a transition by an operation (R3.1 to R3.4). */
import type { MovePlan } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import { choose } from "./choices.ts";
import type { Call } from "./context.ts";
import { causeAll, moved } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { checkGuard } from "./guard.ts";
import { holdLive } from "./limits/quotas.ts";
import { answerWith } from "./outcome.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord, isVisible } from "./record.ts";
import { Refusal } from "./refusal.ts";
import { stateConflict } from "./state-conflict.ts";
import { changesBetween, duplicate, ownTable, settle, take } from "./values.ts";
import { ownFaults, ownTerms, raised } from "./versions/terms.ts";

export async function move(asked: Call, tx: Transaction): Promise<Answer> {
  const row = await findRecord(asked, tx, await findParents(asked, tx));
  if (row === undefined) throw absent(asked);
  await checkAllowed(asked, tx, row);
  await checkPreconditions(asked, tx, row);
  const { table } = asked.prepared;
  const said = ownTerms(asked);
  const faults = said.prepared.judge?.(said.input) ?? [];
  if (faults.length > 0) throw ownFaults(asked, faults);
  const { input } = raised(asked, said.input);
  const { call } = await take(asked, tx, input);
  await checkGuard(call, tx, row);
  const made = await matchingMove(call, tx, row);
  const next = await moved(call, tx, table, made, row);
  Object.assign(next, call.prepared.extension?.fill?.(call, next, row));
  await choose(call, tx, next);
  await settle(call, tx, ownTable(call), next, row, made.set);
  const changes = { ...changesBetween(row, next), state: made.to };
  const { own } = call.kind;
  const view = own ?? call.kind.record.view;
  const written = await tx.update(table.resource, row, changes, view, call.variables);
  if (written.kind === "duplicate") throw duplicate(call, table, written.columns);
  const found = await causeAll(call, tx, written, { from: row["state"] as string, to: made.to }, view);
  await holdLive(call, tx, table, row, written.row);
  return answerWith(call, tx, { what: "given", ...found });
}

/** The move to make; no move from this state is 409 with what is allowed now, a false guard the error it names (R3.2). */
export async function matchingMove(call: Call, tx: Transaction, row: Row): Promise<MovePlan> {
  const { operation, siblings } = call.prepared;
  const state = row["state"] as string;
  const candidates = operation.moves.filter(({ from }) => from.includes(state));
  for (const candidate of candidates) {
    if (candidate.if === undefined || (await call.context.evaluate(tx, candidate.if, row, call.variables)) === true)
      return candidate;
  }
  const [refused] = candidates;
  if (refused?.else !== undefined) throw new Refusal(refused.else);
  const moves: string[] = [];
  for (const sibling of siblings) {
    const fits = sibling.moves.some(({ from }) => from.includes(state));
    if (fits && (await isVisible(call, tx, sibling.allow, row))) moves.push(sibling.name);
  }
  throw new Refusal("state-conflict", stateConflict(state, moves));
}
