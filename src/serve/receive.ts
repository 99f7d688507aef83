/** An event that comes in (part 6, `in`): taken down in the journal, and let move what its payload refers to. */
import type { Row, Transaction } from "../store/store.ts";
import { emptyAnswer } from "./answers.ts";
import type { Call } from "./context.ts";
import { goodMilliseconds } from "./credentials/hmac.ts";
import { cause } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { entryOf } from "./journal.ts";
import { invalid } from "./refusal.ts";
import { take } from "./values.ts";

export async function receive(asked: Call, tx: Transaction): Promise<Answer> {
  const { operation, judge } = asked.prepared;
  const answer = emptyAnswer(operation.answer.status);
  if (await isRepeated(asked, tx)) return answer;
  const faults = judge?.(asked.input) ?? [];
  if (faults.length > 0) throw invalid(faults);
  const { call } = await take(asked, tx, asked.input);
  const payload = call.variables["input"] as Row;
  await takeDown(call, tx, payload);
  await cause(call, tx, operation.effects, payload);
  return answer;
}

const scope = "signature";

/**
 * Whether these very bytes were taken before: a sender that heard no answer sends them again. A signature is good for one
 * request within its tolerance, on either side of the present.
 */
async function isRepeated({ caller: { signature }, now }: Call, tx: Transaction): Promise<boolean> {
  if (signature === undefined) return false;
  const before = await tx.recall(scope, signature);
  return before !== undefined && before.expires > now;
}

/** One entry for each, also for those that move nothing, so that an operator can see what came. */
async function takeDown(call: Call, tx: Transaction, payload: Row): Promise<void> {
  const { operation } = call.prepared;
  const { event = operation.name, refers = [] } = operation.inbound ?? {};
  const about = refers.find(({ member }) => (payload[member] ?? null) !== null);
  const record = about === undefined ? "" : String(payload[about.member] as string | number);
  await tx.record({ ...entryOf(call, about?.resource ?? "", record), received: event, data: payload });
  const { signature } = call.caller;
  if (signature === undefined) return;
  const expires = call.now + goodMilliseconds;
  const { status } = operation.answer;
  await tx.remember(scope, signature, { fingerprint: signature, status, headers: {}, body: "", expires });
}
