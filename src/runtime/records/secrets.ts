/** Hashes secrets before the transaction, because hashing would block other writes. */
import type { Json } from "../../base/json.ts";
import type { Column } from "../../plan/resources/types.ts";
import type { Awaitable } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";
import { assertRoom } from "../auth/login-throttle.ts";
import { hashPassword, secretText } from "../auth/password.ts";
import { defaultValue } from "./defaults-and-rules.ts";
import { sentFor } from "../versions/request.ts";

export function withSecrets(call: Call): Awaitable<Call> {
  const { operation, secrets: columns } = call.compiled;
  return columns.length === 0 || operation.body === undefined ? call : hashed(call, columns);
}

async function hashed(call: Call, columns: readonly Column[]): Promise<Call> {
  const { operation } = call.compiled;
  const secrets: Record<string, string> = {};
  assertRoom();
  const creates = operation.action === "create" || operation.creates;
  for (const column of columns) {
    const { name } = column;
    const sent = sentFor(call, name);
    const text = sent ?? (creates ? defaultValue(call, column) : null);
    if (text !== null) secrets[name] = await hashPassword(secretText(text as Json), call.context.random);
  }
  return { ...call, secrets };
}
