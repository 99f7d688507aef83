/** Receives an incoming event (part 6, `in`): logs it and applies the transitions of the records in its payload. */
import type { Row, Transaction } from "../../store/port/store.ts";
import { emptyResponse } from "./responses.ts";
import type { Call } from "../context/context.ts";
import { goodMilliseconds } from "../auth/hmac.ts";
import { cause, follow } from "../records/effects.ts";
import { writeFurther } from "../records/further-writes.ts";
import type { HttpResponse } from "../../http/message.ts";
import { entryOf } from "../records/journal.ts";
import { invalid } from "../errors/api-error.ts";
import { toStoredInput } from "../records/defaults-and-rules.ts";

export async function receive(received: Call, tx: Transaction): Promise<HttpResponse> {
  const { operation, validate } = received.compiled;
  const response = emptyResponse(operation.response.status);
  if (await isDuplicate(received, tx)) return response;
  const violations = validate?.(received.input) ?? [];
  if (violations.length > 0) throw invalid(violations);
  const { call } = await toStoredInput(received, tx, received.input);
  const payload = call.variables["input"] as Row;
  await recordPayload(call, tx, payload);
  if (operation.also !== undefined) await writeFurther(call, tx, operation.also, { row: {} }, follow);
  await cause(call, tx, operation.effects, payload);
  return response;
}

const scope = "signature";

/**
 * Whether the same signed bytes were received before: a sender that got no response sends them again. A signature is valid
 * once within its tolerance before and after now.
 */
async function isDuplicate({ caller: { signature }, now }: Call, tx: Transaction): Promise<boolean> {
  if (signature === undefined) return false;
  const before = await tx.findResponse(scope, signature);
  return before !== undefined && before.expires > now;
}

/** Logs every event, even without a transition, so that operators can find it. */
async function recordPayload(call: Call, tx: Transaction, payload: Row): Promise<void> {
  const { operation } = call.compiled;
  const { event = operation.name, references = [] } = operation.inbound ?? {};
  const about = references.find(({ member }) => (payload[member] ?? null) !== null);
  const record = about === undefined ? "" : String(payload[about.member] as string | number);
  await tx.record({ ...entryOf(call, about?.resource ?? "", record), received: event, data: payload });
  const { signature, repeatMilliseconds = goodMilliseconds } = call.caller;
  if (signature === undefined) return;
  const expires = call.now + repeatMilliseconds;
  const { status } = operation.response;
  await tx.saveResponse(scope, signature, { fingerprint: signature, status, headers: {}, body: "", expires });
}
