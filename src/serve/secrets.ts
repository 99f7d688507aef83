/** What is only kept as a hash: hashed before the transaction, which would make everybody wait for it. */
import type { Json } from "../base/json.ts";
import type { Column } from "../plan/plan.ts";
import type { Awaitable } from "../store/store.ts";
import type { Call } from "./context.ts";
import { assertRoom } from "./credentials/guard.ts";
import { hashPassword } from "./credentials/password.ts";
import { defaultValue, secretText } from "./values.ts";
import { sentFor } from "./versions/terms.ts";

export function withSecrets(call: Call): Awaitable<Call> {
  const { operation, secrets: columns } = call.prepared;
  return columns.length === 0 || operation.body === undefined ? call : hashed(call, columns);
}

async function hashed(call: Call, columns: readonly Column[]): Promise<Call> {
  const { operation } = call.prepared;
  const secrets: Record<string, string> = {};
  assertRoom();
  const creates = operation.deed === "create" || operation.creates;
  for (const column of columns) {
    const { name } = column;
    const sent = sentFor(call, name);
    const text = sent ?? (creates ? defaultValue(call, column) : null);
    if (text !== null) secrets[name] = await hashPassword(secretText(text as Json), call.context.random);
  }
  return { ...call, secrets };
}
