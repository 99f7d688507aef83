/**
 * A caller who changes the secret that it logs in with proves the present one (`changed` of a credential): a token alone, which
 * somebody else may have found, is not enough to take the account over. Guesses count as those of logins do (R5.7).
 */
import type { Call, Values } from "../context/context.ts";
import { isPassword, secretText } from "./password.ts";
import { loginRecordsOf } from "./records.ts";
import type { Row } from "../../store/port/store.ts";
import { idText } from "../context/caller.ts";
import { nameText } from "./login-throttle.ts";
import { unproved } from "./challenge.ts";
import { invalid } from "../errors/api-error.ts";
import { sentFor } from "../versions/request.ts";

/**
 * Verifies what was sent, before the transaction, which would make everybody wait for the hash. Nothing is refused here: the
 * record may be somebody else's, and a request that comes again is given its first answer.
 */
export async function provePresentSecret(call: Call): Promise<Call> {
  const { presentSecret: plan } = call.compiled.operation;
  const { id } = call.caller;
  if (plan === undefined || id === null || sentFor(call, plan.secret) === undefined) return call;
  const record = await loginRecordsOf(call.context.logins, plan.credential).byId(id);
  if (record === undefined) return call;
  const sent = sentFor(call, plan.member);
  if (typeof sent !== "string") return { ...call, presentSecret: { kind: "absent" } };
  const { httpRequest, context, now } = call;
  const attempt = { credential: plan.credential, name: nameText(record.name), address: httpRequest.address };
  const isRight = await context.guard.verified(attempt, now, () => isPassword(secretText(sent), record.secret));
  if (!isRight || record.secret === null) return { ...call, presentSecret: { kind: "wrong" } };
  return { ...call, presentSecret: { kind: "right", storedHash: record.secret } };
}

/** Before `values` are written to `row`. A function of the service's owner that changes a secret answers for that itself. */
export function checkPresentSecret(call: Call, row: Row, values: Values): void {
  const { presentSecret: plan } = call.compiled.operation;
  const { caller, presentSecret: present } = call;
  if (plan === undefined || present === undefined || !Object.hasOwn(values, plan.secret)) return;
  if (caller.id !== idText(row["id"])) return;
  if (present.kind === "absent") {
    const detail = `${plan.member} is required to change ${plan.secret}`;
    throw invalid([{ pointer: `#/${plan.member}`, code: "required", detail }]);
  }
  // It may have been changed while it was verified.
  if (present.kind === "wrong" || row[plan.secret] !== present.storedHash) throw unproved(call, plan);
}
