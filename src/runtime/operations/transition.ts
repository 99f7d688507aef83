/** Performs `POST /xs/{id}/verb`: a transition by an operation (R3.1 to R3.4). */
import type { TransitionPlan } from "../../plan/states/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import { choose, isVisible, recordToChange } from "../records/find-and-authorise.ts";
import type { Call } from "../context/context.ts";
import { applyEffects, type Changed, transitioned, firstTransition } from "../records/effects.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkGuard } from "./guard.ts";
import { holdLive } from "../records/quotas.ts";
import { respondWith } from "./outcome.ts";
import { ApiError, stateConflict } from "../errors/api-error.ts";
import {
  changesBetween,
  duplicate,
  operationTable,
  checkRulesAndComputed,
  toStoredInput,
} from "../records/defaults-and-rules.ts";
import { hasEnded } from "../versions/deprecation.ts";
import { validatedRequest } from "../versions/request.ts";

export async function move(received: Call, tx: Transaction): Promise<HttpResponse> {
  const row = await recordToChange(received, tx);
  const { table } = received.compiled;
  const { call } = await toStoredInput(received, tx, validatedRequest(received).input);
  await checkGuard(call, tx, row);
  const made = await matchingTransition(call, tx, row);
  const next = await transitioned(call, tx, table, made, row);
  Object.assign(next, call.compiled.extension?.fill?.(call, next, row));
  await choose(call, tx, next);
  await checkRulesAndComputed(call, tx, operationTable(call), next, row, made.set);
  const changes = { ...changesBetween(row, next), state: made.to };
  const view = call.kind.own ?? call.kind.record.view;
  const written = await tx.update(table.resource, row, changes, view, call.variables);
  if (written.kind === "duplicate") throw duplicate(call, table, written.columns);
  const change = { from: row["state"] as string, to: made.to };
  const also = furtherWritesOf(call, made);
  const found = await applyEffects(call, tx, written, change, view, { also, old: row });
  await holdLive(call, tx, table, row, written.row);
  return respondWith(call, tx, { what: "given", ...found });
}

/** Returns the further writes of a transition, then those of its operation. */
export function furtherWritesOf({ compiled: { operation } }: Call, made: TransitionPlan | undefined): Changed["also"] {
  if (made?.also === undefined || operation.also === undefined) return made?.also ?? operation.also;
  return [...made.also, ...operation.also];
}

/** Returns the transition to apply; throws 409 with the allowed ones if no transition matches, or the guard's error (R3.2). */
export async function matchingTransition(call: Call, tx: Transaction, row: Row): Promise<TransitionPlan> {
  const { operation, siblings } = call.compiled;
  const state = row["state"] as string;
  const transition = await firstTransition(call, tx, operation.moves, row);
  if (transition !== undefined) return transition;
  const rejected = operation.moves.find(({ from }) => from.includes(state));
  if (rejected?.else !== undefined) throw new ApiError(rejected.else);
  const moves: string[] = [];
  for (const sibling of siblings) {
    const fits = sibling.moves.some(({ from }) => from.includes(state)) && !hasEnded(sibling.deprecated, call.now);
    if (fits && (await isVisible(call, tx, sibling.allow, row))) moves.push(sibling.name);
  }
  throw new ApiError("state-conflict", stateConflict(state, moves));
}
