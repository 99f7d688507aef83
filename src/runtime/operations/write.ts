/** Runs a write: one transaction with its idempotency record, effects and response (R1.8, R3.3, R4.20). */
import { defined } from "../../base/defined.ts";
import type { Awaitable, Transaction } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";
import { type Action, actionOf } from "./actions.ts";
import type { HttpResponse } from "../../http/message.ts";
import type { CallFunctions } from "../context/functions.ts";
import { Waits } from "../functions/transaction.ts";
import { proveLogin } from "./login.ts";
import { provePresentSecret } from "../auth/present-secret.ts";
import { ApiError } from "../errors/api-error.ts";
import { echoedKey, type IdempotencyKey, saveResponse, idempotencyKeyOf, replay } from "./idempotency.ts";
import { holdToRules } from "../records/rules.ts";
import { wakeTimers } from "../records/wake.ts";
import { withSecrets } from "../records/secrets.ts";
import { admitted, withTokens } from "../auth/token-placeholders.ts";
import { extended } from "./responses.ts";

/** The idempotency keys of running requests. */
export type KeysInUse = Set<string>;

/**
 * Performs a write. `rejected`: makes the response of an error, which is stored like a success if it is a business outcome.
 */
export function write(
  received: Call,
  inUse: KeysInUse,
  rejected: (error: ApiError) => HttpResponse,
): Promise<HttpResponse> {
  const { extension } = received.compiled;
  const echo = echoedKey(received);
  const performing = performed(received, inUse, rejected);
  const response =
    echo === undefined
      ? performing
      : performing.then((result) => ({ ...result, headers: [...result.headers, ...echo] }));
  return extension === undefined ? response : response.then((result) => extended(extension, result));
}

async function performed(
  received: Call,
  inUse: KeysInUse,
  rejected: (error: ApiError) => HttpResponse,
): Promise<HttpResponse> {
  const { operation } = received.compiled;
  const call = withFunctions(
    operation.action === "login" ? await proveLogin(received) : await provedAndHashed(received),
  );
  const perform = heldToRules(actionOf(operation, rejected));
  const idempotencyKey = await idempotencyKeyOf(call);
  if (idempotencyKey === undefined) return inTime(call, async (tx) => withTokens(call, tx, await perform(call, tx)));
  const key = `${idempotencyKey.scope}\0${idempotencyKey.key}`;
  if (inUse.has(key)) {
    throw new ApiError("idempotency-key-in-use", {
      detail: "The first request with this idempotency key is still running",
      headers: ["Retry-After", "1"],
    });
  }
  inUse.add(key);
  const attempt: Attempt = {};
  try {
    return await inTime(call, async (tx) => {
      return withTokens(call, tx, await performOnce(call, tx, { attempt, perform, rejected, idempotencyKey }));
    });
  } catch (thrown) {
    const { undone } = attempt;
    if (undone === undefined || thrown !== undone || !isBusinessOutcome(call, undone)) throw thrown;
    const response = rejected(undone);
    // The writes are rolled back, so the response is stored separately, unless another process has already stored one.
    return await call.context.store.transaction(async (tx) => {
      const first = await replay(call, tx, idempotencyKey);
      if (first !== undefined) return withTokens(call, tx, first);
      await storeOutcome(call, tx, idempotencyKey, response);
      return response;
    });
  } finally {
    inUse.delete(key);
  }
}

async function provedAndHashed(received: Call): Promise<Call> {
  return withSecrets(
    received.compiled.operation.presentSecret === undefined ? received : await provePresentSecret(received),
  );
}

/** Wraps an action: evaluates the rules that read other records after the action. */
function heldToRules(perform: Action): Action {
  return async (call, tx) => {
    const response = await perform(call, tx);
    const held = holdToRules(call, tx);
    if (held !== undefined) await held;
    const woken = wakeTimers(call, tx);
    if (woken !== undefined) await woken;
    return response;
  };
}

function withFunctions(call: Call): Call {
  const functions = call.context.functionsFor(call.compiled.operation.name)?.();
  return functions === undefined ? call : { ...call, functions, context: { ...call.context, ...functions.chance } };
}

/**
 * Runs a task in transactions: a function that waits for something other than the store continues in a new transaction, so
 * other writes can run meanwhile.
 */
function inTime(call: Call, task: (tx: Transaction) => Promise<HttpResponse>): Promise<HttpResponse> {
  const { functions } = call;
  return functions === undefined ? runTransaction(call, task) : runTransactions(call, functions, task);
}

async function runTransactions(
  call: Call,
  functions: CallFunctions,
  task: (tx: Transaction) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  for (;;) {
    try {
      const response = await runTransaction(call, task);
      // The response may be an error that occurred while a function was waiting: the function is aborted.
      functions.end(new Error("its request has been answered"));
      return response;
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

/**
 * Runs a task in one transaction. A request whose transaction would start after its deadline fails, since its client has timed
 * out (R4.21).
 */
function runTransaction(call: Call, task: (tx: Transaction) => Promise<HttpResponse>): Promise<HttpResponse> {
  const { clock, store } = call.context;
  const deadline = call.now + call.compiled.operation.limits.requestMilliseconds;
  let begun = false;
  return store.transaction((tx) => {
    // The store runs a transaction again after a conflict with another one, so the functions start again (R7.4).
    if (begun) call.functions?.rewind();
    begun = true;
    // The quota counts of an earlier run were rolled back.
    if (call.observation.admission !== undefined) call.observation.admission.counted.length = 0;
    if (clock.now() <= deadline) return task(tx);
    throw new ApiError("timed-out", {
      detail: "The request waited too long; nothing was changed",
      headers: ["Retry-After", "1"],
    });
  }, deadline);
}

/** The result of a request's first attempt. */
interface Attempt {
  /** The error whose writes were rolled back. */
  undone?: ApiError;
}

interface Once {
  readonly attempt: Attempt;
  readonly perform: Action;
  readonly rejected: (error: ApiError) => HttpResponse;
  readonly idempotencyKey: IdempotencyKey;
}

async function performOnce(
  call: Call,
  tx: Transaction,
  { attempt, perform, rejected, idempotencyKey }: Once,
): Promise<HttpResponse> {
  const first = await replay(call, tx, idempotencyKey);
  if (first !== undefined) return first;
  let response: HttpResponse;
  try {
    response = admitted(call, await perform(call, tx));
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    if (thrown.details.undo === true || tx.changes.length > 0) {
      attempt.undone = thrown;
      throw thrown;
    }
    // Nothing was written, so the response is stored in the same transaction.
    response = rejected(thrown);
    if (!isBusinessOutcome(call, thrown)) return response;
  }
  await storeOutcome(call, tx, idempotencyKey, response);
  return response;
}

function storeOutcome(
  call: Call,
  tx: Transaction,
  idempotencyKey: IdempotencyKey,
  response: HttpResponse,
): Awaitable<void> {
  const { retentionMilliseconds } = defined(call.compiled.operation.repeats, "how an answer is remembered");
  return saveResponse(call, tx, idempotencyKey, response, call.now + retentionMilliseconds);
}

/**
 * Whether an error is a business outcome, which is stored like a success: conflicts and the operation's declared errors are;
 * errors that a corrected or later request avoids are not (R4.20).
 */
function isBusinessOutcome({ version, compiled }: Call, { code, details: { response } }: ApiError): boolean {
  // The custom response of a handler has a declared status.
  if (response !== undefined) return response.status < 500 && response.status !== 429;
  const status = version.plan.errors[version.converter?.olderError(code) ?? code]?.status ?? 500;
  const { errors, hooked = [] } = compiled.operation;
  return status === 409 || ((errors.includes(code) || hooked.includes(code)) && status < 500 && status !== 429);
}
