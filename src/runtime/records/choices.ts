/** `choose`: takes and locks the first record that fits, in the same transaction (language, section 6). */
import type { Awaitable, Transaction } from "../../store/port/store.ts";
import type { Call, Values } from "../context/context.ts";
import { ApiError } from "../errors/api-error.ts";

export function choose(call: Call, tx: Transaction, values: Values): Awaitable<void> {
  if (call.compiled.operation.choose.length > 0) return chooseAll(call, tx, values);
}

async function chooseAll(call: Call, tx: Transaction, values: Values): Promise<void> {
  for (const choice of call.compiled.operation.choose) {
    const row = await tx.first(choice.resource, choice.if, call.variables);
    if (row === undefined) throw new ApiError(choice.else);
    values[choice.field] = row["id"] as string;
  }
}
