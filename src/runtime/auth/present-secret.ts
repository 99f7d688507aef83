/**
 * Verifies the current secret of a caller who changes it (`changed` of a credential): otherwise a stolen token would be enough
 * to take over the account. Failed attempts count like failed logins (R5.7).
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
 * Verifies the current secret before the transaction, because hashing would block other writers. Throws no error for a wrong
 * secret: the record may be another caller's, and a repeated request gets its stored response.
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

/**
 * Throws unless the caller has proved the current secret of `row`, if `values` change it. Must run before the values are
 * written. A handler that changes a secret has to verify this itself.
 */
export function checkPresentSecret(call: Call, row: Row, values: Values): void {
  const { presentSecret: plan } = call.compiled.operation;
  const { caller, presentSecret: present } = call;
  if (plan === undefined || present === undefined || !Object.hasOwn(values, plan.secret)) return;
  if (caller.id !== idText(row["id"])) return;
  if (present.kind === "absent") {
    const detail = `${plan.member} is required to change ${plan.secret}`;
    throw invalid([{ pointer: `#/${plan.member}`, code: "required", detail }]);
  }
  // The stored secret may have changed since the sent one was verified.
  if (present.kind === "wrong" || row[plan.secret] !== present.storedHash) throw unproved(call, plan);
}
