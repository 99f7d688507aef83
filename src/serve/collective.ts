/** A read that is of no record: what the service as a whole says, worked out in one transaction. */
import type { Json } from "../base/json.ts";
import type { AnswerMember } from "../plan/plan.ts";
import type { Transaction } from "../store/store.ts";
import { textTag } from "./answers.ts";
import type { Call } from "./context.ts";
import type { Answer } from "./exchange.ts";
import { checkGuard } from "./guard.ts";
import { readAnswer } from "./read.ts";
import { holds } from "./record.ts";
import { Refusal } from "./refusal.ts";
import { tell } from "./versions/terms.ts";

export async function readAll(call: Call): Promise<Answer> {
  const { answer } = call.prepared.operation;
  const given = await call.context.store.transaction(async (tx) => {
    if (!(await holds(call, tx, call.kind.allowed, {}))) throw new Refusal("forbidden");
    await checkGuard(call, tx, undefined);
    return membersOf(call, tx, answer.members ?? []);
  });
  const text = tell(call, JSON.stringify(given));
  return readAnswer(call, text, textTag(call, text));
}

async function membersOf(call: Call, tx: Transaction, members: readonly AnswerMember[]): Promise<Json> {
  const given: [string, Json][] = [];
  for (const { name, source } of members) {
    if (source.kind === "object") given.push([name, await membersOf(call, tx, source.members)]);
    else if (source.kind === "expression")
      given.push([name, (await call.context.evaluate(tx, source.expression, {}, call.variables)) as Json]);
  }
  return Object.fromEntries(given);
}
