/** Checks the guard of an operation: `if` and `else` of an endpoint. */
import { after } from "../../base/after.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Awaitable, Row, Transaction } from "../../store/port/store.ts";
import type { Call } from "../context/context.ts";
import { variablesFor } from "../records/find-and-authorise.ts";
import { ApiError } from "../errors/api-error.ts";

/** Checks the guard. `row`: the record in the path; without one all its fields are null. */
export function checkGuard(call: Call, tx: Transaction, row: Row | undefined): Awaitable<void> {
  const { operation, table } = call.compiled;
  const { guard } = operation;
  if (guard === undefined) return;
  const nothing = () => Object.fromEntries(table.columns.map(({ name }) => [name, null]));
  return after(call.context.evaluate(tx, guard.if, row ?? nothing(), call.variables), (holds) => {
    if (holds !== true) throw new ApiError(guard.else);
  });
}

/** Checks the guard of a list, which has no single record. */
export function checkListed(call: Call): Awaitable<void> {
  if (call.compiled.operation.guard === undefined) return undefined;
  return call.context.store.transaction(async (tx) => checkGuard(call, tx, undefined));
}

/** Checks the guard of a read; `key` and `parent` identify the record. */
export async function checkRead(call: Call, key: Value, parent: Value): Promise<void> {
  const { compiled, kind } = call;
  const { guard } = compiled.operation;
  if (guard === undefined) return;
  if ((await kind.passes(key, variablesFor(call, parent))) === undefined) throw new ApiError(guard.else);
}
