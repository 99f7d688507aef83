/** A writing operation: one transaction with its idempotency record, its effects and its answer (R1.8, R3.3, R4.20). */
import type { Json } from "../base/json.ts";
import type { Operation } from "../plan/plan.ts";
import type { Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { create } from "./create.ts";
import { hashPassword } from "./credentials/password.ts";
import type { Answer } from "./exchange.ts";
import { countSuccess } from "./limits/quotas.ts";
import { extended } from "./extension.ts";
import { move } from "./move.ts";
import { receive } from "./receive.ts";
import { Refusal } from "./refusal.ts";
import { remove } from "./remove.ts";
import type { RepeatKey } from "./repeats.ts";
import { remember, repeatKeyOf, replay } from "./repeats.ts";
import { replace } from "./replace.ts";
import { update } from "./update.ts";
import { defaultValue, secretText } from "./values.ts";
import { sentFor } from "./versions/terms.ts";

type Deed = (call: Call, tx: Transaction) => Promise<Answer>;

const deeds: Readonly<Record<Exclude<Operation["deed"], "read" | "list" | "history">, Deed>> = {
  create,
  update,
  replace,
  delete: remove,
  move,
  receive,
};

/** Requests whose keys are in use at this moment. */
export type KeysInUse = Set<string>;

/** `refused` turns a refusal into its answer, which is remembered like a success where it is a business outcome. */
export async function write(asked: Call, inUse: KeysInUse, refused: (refusal: Refusal) => Answer): Promise<Answer> {
  return extended(asked.prepared.extension, await performed(asked, inUse, refused));
}

async function performed(asked: Call, inUse: KeysInUse, refused: (refusal: Refusal) => Answer): Promise<Answer> {
  const call = await withSecrets(asked);
  const perform = counting(deeds[call.prepared.operation.deed as keyof typeof deeds], call.prepared.operation);
  const repeat = repeatKeyOf(call);
  if (repeat === undefined) return inTime(call, (tx) => perform(call, tx));
  const key = `${repeat.scope}\0${repeat.key}`;
  if (inUse.has(key)) {
    throw new Refusal("idempotency-key-in-use", {
      detail: "The first request with this key is still running",
      headers: ["Retry-After", "1"],
    });
  }
  inUse.add(key);
  try {
    return await inTime(call, (tx) => performOnce(call, tx, perform, repeat, refused));
  } finally {
    inUse.delete(key);
  }
}

/** The deed with the quotas that it counts for (R8.7). */
function counting(deed: Deed, { quotas }: Operation): Deed {
  if (quotas.length === 0) return deed;
  return async (call, tx) => {
    const answer = await deed(call, tx);
    await countSuccess(call, tx, answer);
    return answer;
  };
}

/** Hashes what is only kept as a hash before the transaction, which would make everybody wait for it. */
async function withSecrets(call: Call): Promise<Call> {
  const { operation, secrets: columns } = call.prepared;
  if (columns.length === 0 || operation.body === undefined) return call;
  const secrets: Record<string, string> = {};
  const creates = operation.deed === "create" || operation.creates;
  for (const column of columns) {
    const { name } = column;
    const sent = sentFor(call, name);
    const text = sent ?? (creates ? defaultValue(call, column) : null);
    if (text !== null) secrets[name] = await hashPassword(secretText(text as Json), call.context.random);
  }
  return { ...call, secrets };
}

/** A request whose turn comes after its deadline is not begun: nobody waits for it any more (R4.21). */
function inTime(call: Call, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
  const { clock, store } = call.context;
  const deadline = call.now + call.prepared.operation.limits.requestMilliseconds;
  return store.transaction((tx) => {
    if (clock.now() <= deadline) return work(tx);
    throw new Refusal("timed-out", {
      detail: "It waited too long for its turn, and nothing was done",
      headers: ["Retry-After", "1"],
    });
  });
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
    // Other refusals are thrown before the first write: there is nothing to undo, and the answer can be remembered.
    if (!(thrown instanceof Refusal) || thrown.details.undo === true) throw thrown;
    answer = refused(thrown);
    if (!isBusinessOutcome(call, thrown)) return answer;
  }
  const kept = call.prepared.operation.repeats?.keptMilliseconds ?? 0;
  await remember(tx, repeat, answer, call.now + kept);
  return answer;
}

/**
 * Conflicts, and the errors that the document has for this operation, are outcomes; what a better request or a later one
 * would mend is not (R4.20), also where the document words it anew.
 */
function isBusinessOutcome({ version, prepared }: Call, { code }: Refusal): boolean {
  const status = version.plan.errors[version.chain?.olderError(code) ?? code]?.status ?? 500;
  return status === 409 || (prepared.operation.errors.includes(code) && status < 500 && status !== 429);
}
