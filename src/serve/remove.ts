/** `DELETE /xs/{id}`: 204, or 409 where others refer to the record (R2.10). */
import type { Transaction } from "../store/store.ts";
import { emptyAnswer, ownAnswer } from "./answers.ts";
import type { Call } from "./context.ts";
import { follow } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord } from "./record.ts";
import { Refusal } from "./refusal.ts";

export async function remove(call: Call, tx: Transaction): Promise<Answer> {
  const row = await findRecord(call, tx, await findParents(call, tx));
  if (row === undefined) throw absent(call);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  await call.functions?.before(call, tx, {});
  const { operation, table } = call.prepared;
  const { own } = call.kind;
  // What is given is said of the record as it was.
  const text = own === undefined ? undefined : await tx.view(row, own, call.variables);
  const deleted = await tx.delete(table.resource, row);
  if (deleted.kind === "referenced") {
    throw new Refusal("still-referenced", {
      detail: `A ${deleted.resource} refers to it by ${deleted.field}`,
      members: { resource: deleted.resource, field: deleted.field },
    });
  }
  await follow(call, tx, { table, row, change: {}, emits: operation.emits, effects: operation.effects });
  const { status } = operation.answer;
  return text === undefined ? emptyAnswer(status) : ownAnswer(call, status, text);
}
