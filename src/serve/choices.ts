/** `choose`: takes and locks the first record that fits, in the same transaction (language, section 6). */
import type { Awaitable, Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { Refusal } from "./refusal.ts";
import type { Values } from "./values.ts";

export function choose(call: Call, tx: Transaction, values: Values): Awaitable<void> {
  if (call.prepared.operation.choose.length > 0) return chooseAll(call, tx, values);
}

async function chooseAll(call: Call, tx: Transaction, values: Values): Promise<void> {
  for (const choice of call.prepared.operation.choose) {
    const row = await tx.first(choice.resource, choice.if, call.variables);
    if (row === undefined) throw new Refusal(choice.else);
    values[choice.field] = row["id"] as string;
  }
}
