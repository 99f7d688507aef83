/** A read that is of no record: what the service as a whole says, by one prepared query (R4.15, R4.16). */
import { textTag } from "./answers.ts";
import type { Call } from "./context.ts";
import type { Answer } from "./exchange.ts";
import { readAnswer } from "./read.ts";
import { Refusal } from "./refusal.ts";
import { tell } from "./versions/terms.ts";

export async function readAll(call: Call): Promise<Answer> {
  const { kind, prepared, variables } = call;
  const { guard } = prepared.operation;
  const given = await kind.whole(variables);
  if (given === undefined) throw new Refusal("forbidden");
  if (guard !== undefined && (await kind.wholePasses(variables)) === undefined) throw new Refusal(guard.else);
  const text = tell(call, given);
  return readAnswer(call, text, textTag(call, text));
}
