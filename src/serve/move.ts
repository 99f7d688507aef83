/** `POST /xs/{id}/verb`: a transition by an operation (R3.1 to R3.4). */
import type { MovePlan } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import { emptyAnswer, ownAnswer, representation } from "./answers.ts";
import { choose } from "./choices.ts";
import type { Call } from "./context.ts";
import { cause, moved } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord, isVisible } from "./record.ts";
import { invalid, Refusal } from "./refusal.ts";
import { changesBetween, checkReferences, duplicate, fieldValues, settle } from "./values.ts";

export async function move(call: Call, tx: Transaction): Promise<Answer> {
  const row = await findRecord(call, tx, await findParents(call, tx));
  if (row === undefined) throw absent(call);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  const { operation, table, judge } = call.prepared;
  const { own } = call.kind;
  const faults = judge?.(call.input) ?? [];
  if (faults.length > 0) throw invalid(faults);
  const fields = operation.body?.fields ?? [];
  const given = fieldValues(fields, call.input);
  await checkReferences(call, tx, fields, given);
  const made = await matchingMove(call, tx, row);
  const next = { ...(await moved(call, tx, table, made, { ...row, ...given })), ...given, state: made.to };
  await choose(call, tx, next);
  await settle(call, tx, next, row);
  const changes = { ...changesBetween(row, next), state: made.to };
  const written = await tx.update(table.resource, row, changes, own ?? call.kind.record.view, call.variables);
  if (written.kind === "duplicate") throw duplicate(table, written.columns);
  await cause(call, tx, operation.effects, written.row, made.enters ? made.to : undefined);
  if (operation.answer.kind === "none") return emptyAnswer(operation.answer.status);
  if (own !== undefined) return ownAnswer(operation.answer.status, written.text);
  return representation(call, operation.answer.status, written.text, written.revision);
}

/** The move to make; no move from this state is 409 with what is allowed now, a false guard the error it names (R3.2). */
async function matchingMove(call: Call, tx: Transaction, row: Row): Promise<MovePlan> {
  const { operation, siblings } = call.prepared;
  const state = String(row["state"]);
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
  throw new Refusal("state-conflict", {
    detail: `It is ${state}, from where this cannot be done`,
    members: { state, moves },
  });
}
