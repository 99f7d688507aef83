/** Receives an incoming event (part 6, `in`): logs it and applies the transitions of the records in its payload. */
import type { Json } from "../../base/json.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import { locationOf, valueAt } from "./event-kind.ts";
import { emptyResponse } from "./responses.ts";
import type { Call } from "../context/context.ts";
import { goodMilliseconds } from "../auth/hmac.ts";
import { cause, follow } from "../records/effects.ts";
import { writeFurther } from "../records/further-writes.ts";
import type { HttpResponse } from "../../http/message.ts";
import { entryOf } from "../records/journal.ts";
import { invalid, type Violation } from "../errors/api-error.ts";
import { toStoredInput } from "../records/defaults-and-rules.ts";

export async function receive(received: Call, tx: Transaction): Promise<HttpResponse> {
  const { operation, validate } = received.compiled;
  const response = emptyResponse(operation.response.status);
  if (await isDuplicate(received, tx)) return response;
  const violations = validate?.(received.input) ?? [];
  const all = violations.length > 0 ? violations : missingId(received);
  if (all.length > 0) throw invalid(all);
  const { call } = await toStoredInput(received, tx, received.input);
  const payload = call.variables["input"] as Row;
  await recordPayload(call, tx, payload);
  if (operation.also !== undefined) await writeFurther(call, tx, operation.also, { row: {} }, follow);
  await cause(call, tx, operation.effects, payload);
  return response;
}

const signatures = "signature";

/**
 * Whether the same signed bytes were received before: a sender that got no response sends them again. A signature is valid
 * once within its tolerance before and after now.
 */
async function isDuplicate(call: Call, tx: Transaction): Promise<boolean> {
  for (const { scope, key } of identities(call)) {
    const before = await tx.findResponse(scope, key);
    if (before !== undefined && before.expires > call.now) return true;
  }
  return false;
}

/** A delivery without its id could be processed twice. */
function missingId({ compiled, httpRequest, input }: Call): readonly Violation[] {
  const { once } = compiled.operation.inbound ?? {};
  if (once === undefined || (valueAt(once, httpRequest, input) ?? "") !== "") return [];
  return [{ ...locationOf(once), code: "required", detail: "The id of the delivery is required" }];
}

interface Identity {
  readonly scope: string;
  readonly key: string;
  readonly milliseconds: number;
}

/** How long the id of a delivery is stored: providers send a delivery again for some days. */
const deliveryMilliseconds = 30 * 86_400_000;

/** Returns by what a delivery is known again: its signature, and its id. */
function identities({ caller, compiled, httpRequest, input }: Call): readonly Identity[] {
  const { signature, credential, repeatMilliseconds: milliseconds = goodMilliseconds } = caller;
  const { event = "", once } = compiled.operation.inbound ?? {};
  const id = once && valueAt(once, httpRequest, input);
  return [
    ...(signature === undefined ? [] : [{ scope: signatures, key: signature, milliseconds }]),
    ...(id === undefined
      ? []
      : [{ scope: `delivery ${event}`, key: `${credential} ${id}`, milliseconds: deliveryMilliseconds }]),
  ];
}

/** Logs every event, even without a transition, so that operators can find it. */
async function recordPayload(call: Call, tx: Transaction, payload: Row): Promise<void> {
  const { operation } = call.compiled;
  const { event = operation.name, references = [] } = operation.inbound ?? {};
  const [about] = references.flatMap(({ path, resource }) => {
    const record = valueAt({ kind: "member", path }, call.httpRequest, payload as Json);
    return record === undefined ? [] : [{ resource, record }];
  });
  await tx.record({ ...entryOf(call, about?.resource ?? "", about?.record ?? ""), received: event, data: payload });
  const { status } = operation.response;
  for (const { scope, key, milliseconds } of identities(call)) {
    const expires = call.now + milliseconds;
    await tx.saveResponse(scope, key, { fingerprint: key, status, headers: {}, body: "", expires });
  }
}
