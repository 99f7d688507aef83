/** A writing operation: one transaction with its idempotency record, its effects and its answer (R1.8, R3.3, R4.20). */
import { defined } from "../base/defined.ts";
import type { Awaitable, Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { type Deed, deedOf } from "./deeds.ts";
import type { Answer } from "./exchange.ts";
import { extended } from "./extension.ts";
import type { CallFunctions } from "./functions/call.ts";
import { Waits } from "./functions/run.ts";
import { proveLogin } from "./login.ts";
import { provePresentSecret } from "./present-secret.ts";
import { Refusal } from "./refusal.ts";
import type { RepeatKey } from "./repeats.ts";
import { remember, repeatKeyOf, replay } from "./repeats.ts";
import { holdToRules } from "./rules.ts";
import { withSecrets } from "./secrets.ts";
import { admitted, withTokens } from "./tokens.ts";

/** Requests whose keys are in use at this moment. */
export type KeysInUse = Set<string>;

/** `refused` turns a refusal into its answer, which is remembered like a success where it is a business outcome. */
export function write(asked: Call, inUse: KeysInUse, refused: (refusal: Refusal) => Answer): Promise<Answer> {
  const { extension } = asked.prepared;
  const answer = performed(asked, inUse, refused);
  return extension === undefined ? answer : answer.then((given) => extended(extension, given));
}

async function performed(asked: Call, inUse: KeysInUse, refused: (refusal: Refusal) => Answer): Promise<Answer> {
  const { operation } = asked.prepared;
  const call = withFunctions(operation.deed === "login" ? await proveLogin(asked) : await provedAndHashed(asked));
  const perform = heldToRules(deedOf(operation, refused));
  const repeat = await repeatKeyOf(call);
  if (repeat === undefined) return inTime(call, async (tx) => withTokens(call, tx, await perform(call, tx)));
  const key = `${repeat.scope}\0${repeat.key}`;
  if (inUse.has(key)) {
    throw new Refusal("idempotency-key-in-use", {
      detail: "The first request with this key is still running",
      headers: ["Retry-After", "1"],
    });
  }
  inUse.add(key);
  const attempt: Attempt = {};
  try {
    return await inTime(call, async (tx) => {
      return withTokens(call, tx, await performOnce(call, tx, { attempt, perform, refused, repeat }));
    });
  } catch (thrown) {
    const { undone } = attempt;
    if (undone === undefined || thrown !== undone || !isBusinessOutcome(call, undone)) throw thrown;
    const answer = refused(undone);
    // What was written is undone. The answer is remembered by itself, unless another process has been faster.
    return await call.context.store.transaction(async (tx) => {
      const first = await replay(call, tx, repeat);
      if (first !== undefined) return withTokens(call, tx, first);
      await rememberFor(call, tx, repeat, answer);
      return answer;
    });
  } finally {
    inUse.delete(key);
  }
}

async function provedAndHashed(asked: Call): Promise<Call> {
  return withSecrets(asked.prepared.operation.presentSecret === undefined ? asked : await provePresentSecret(asked));
}

/** The operation, held to the rules that read other records once it has written all. */
function heldToRules(perform: Deed): Deed {
  return async (call, tx) => {
    const answer = await perform(call, tx);
    const held = holdToRules(call, tx);
    if (held !== undefined) await held;
    return answer;
  };
}

/** Most operations have none. */
function withFunctions(call: Call): Call {
  const functions = call.context.functionsFor(call.prepared.operation.name)?.();
  return functions === undefined ? call : { ...call, functions, context: { ...call.context, ...functions.chance } };
}

/** In another transaction where a function waits for something else: others have their turn meanwhile. */
function inTime(call: Call, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
  const { functions } = call;
  return functions === undefined ? inTurn(call, work) : inTurns(call, functions, work);
}

async function inTurns(
  call: Call,
  functions: CallFunctions,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    try {
      const answer = await inTurn(call, work);
      // One that waited may have been refused meanwhile for what others did.
      functions.end(new Error("its request has been answered"));
      return answer;
    } catch (thrown) {
      if (!(thrown instanceof Waits)) {
        functions.end(thrown);
        throw thrown;
      }
      await thrown.over;
      functions.rewind();
    }
  }
}

/** A request whose turn comes after its deadline is not begun: nobody waits for it any more (R4.21). */
function inTurn(call: Call, work: (tx: Transaction) => Promise<Answer>): Promise<Answer> {
  const { clock, store } = call.context;
  const deadline = call.now + call.prepared.operation.limits.requestMilliseconds;
  let begun = false;
  return store.transaction((tx) => {
    // A store does it again where another transaction was in the way (R7.4).
    if (begun) call.functions?.rewind();
    begun = true;
    // What a run before this one has counted was undone with it.
    if (call.noted.admission !== undefined) call.noted.admission.counted.length = 0;
    if (clock.now() <= deadline) return work(tx);
    throw new Refusal("timed-out", {
      detail: "It waited too long for its turn, and nothing was done",
      headers: ["Retry-After", "1"],
    });
  }, deadline);
}

/** How the work of a request went. */
interface Attempt {
  /** It is refused, and what it has written is undone. */
  undone?: Refusal;
}

interface Once {
  readonly attempt: Attempt;
  readonly perform: Deed;
  readonly refused: (refusal: Refusal) => Answer;
  readonly repeat: RepeatKey;
}

async function performOnce(call: Call, tx: Transaction, { attempt, perform, refused, repeat }: Once): Promise<Answer> {
  const first = await replay(call, tx, repeat);
  if (first !== undefined) return first;
  let answer: Answer;
  try {
    answer = admitted(call, await perform(call, tx));
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    if (thrown.details.undo === true || tx.changes.length > 0) {
      attempt.undone = thrown;
      throw thrown;
    }
    // Nothing is written: there is nothing to undo, and the answer is remembered in the same transaction.
    answer = refused(thrown);
    if (!isBusinessOutcome(call, thrown)) return answer;
  }
  await rememberFor(call, tx, repeat, answer);
  return answer;
}

function rememberFor(call: Call, tx: Transaction, repeat: RepeatKey, answer: Answer): Awaitable<void> {
  const { keptMilliseconds } = defined(call.prepared.operation.repeats, "how an answer is remembered");
  return remember(call, tx, repeat, answer, call.now + keptMilliseconds);
}

/**
 * Conflicts, and the errors that the document has for this operation, are outcomes; what a better request or a later one
 * would mend is not (R4.20), also where the document words it anew.
 */
function isBusinessOutcome({ version, prepared }: Call, { code, details: { answer } }: Refusal): boolean {
  // A function has answered by itself, with a status that the document has for the operation.
  if (answer !== undefined) return answer.status < 500 && answer.status !== 429;
  const status = version.plan.errors[version.chain?.olderError(code) ?? code]?.status ?? 500;
  const { errors, hooked = [] } = prepared.operation;
  return status === 409 || ((errors.includes(code) || hooked.includes(code)) && status < 500 && status !== 429);
}
