/** A writing operation: one transaction with its idempotency record, its effects and its answer (R1.8, R3.3, R4.20). */
import type { Operation } from "../plan/plan.ts";
import type { Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { create } from "./create.ts";
import type { Answer } from "./exchange.ts";
import { move } from "./move.ts";
import { Refusal } from "./refusal.ts";
import { remove } from "./remove.ts";
import type { RepeatKey } from "./repeats.ts";
import { remember, repeatKeyOf, replay } from "./repeats.ts";
import { replace } from "./replace.ts";
import { update } from "./update.ts";

type Deed = (call: Call, tx: Transaction) => Promise<Answer>;

const deeds: Readonly<Record<Exclude<Operation["deed"], "read" | "list">, Deed>> = {
  create,
  update,
  replace,
  delete: remove,
  move,
};

/** Requests whose keys are in use at this moment. */
export type KeysInUse = Set<string>;

/** `refused` turns a refusal into its answer, which is remembered like a success where it is a business outcome. */
export async function write(call: Call, inUse: KeysInUse, refused: (refusal: Refusal) => Answer): Promise<Answer> {
  const perform = deeds[call.prepared.operation.deed as keyof typeof deeds];
  const repeat = repeatKeyOf(call);
  if (repeat === undefined) return call.context.store.transaction((tx) => perform(call, tx));
  const key = `${repeat.scope}\0${repeat.key}`;
  if (inUse.has(key)) {
    throw new Refusal("idempotency-key-in-use", {
      detail: "The first request with this key is still running",
      headers: ["Retry-After", "1"],
    });
  }
  inUse.add(key);
  try {
    return await call.context.store.transaction((tx) => performOnce(call, tx, perform, repeat, refused));
  } finally {
    inUse.delete(key);
  }
}

async function performOnce(
  call: Call,
  tx: Transaction,
  perform: Deed,
  repeat: RepeatKey,
  refused: (refusal: Refusal) => Answer,
): Promise<Answer> {
  const first = await replay(tx, repeat, call.now);
  if (first !== undefined) return first;
  let answer: Answer;
  try {
    answer = await perform(call, tx);
  } catch (thrown) {
    // Refusals are thrown before the first write, so there is nothing to undo and the answer can be remembered.
    if (!(thrown instanceof Refusal)) throw thrown;
    answer = refused(thrown);
    if (!isBusinessOutcome(call, thrown)) return answer;
  }
  const kept = call.prepared.operation.repeats?.keptMilliseconds ?? 0;
  await remember(tx, repeat, answer, call.now + kept);
  return answer;
}

/** Declared errors and conflicts are outcomes; what a better request would mend is not (R4.20). */
function isBusinessOutcome(call: Call, refusal: Refusal): boolean {
  const error = call.context.plan.errors[refusal.code];
  return error !== undefined && (error.source === "document" || error.status === 409);
}
