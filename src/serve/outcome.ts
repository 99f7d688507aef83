/** The answer of a write by what came of it: its status, what is given, where it is found, when to ask again. */
import type { Row, Transaction } from "../store/store.ts";
import { isBodiless } from "../plan/outcomes.ts";
import { emptyAnswer, locationOf, representation, shapedAnswer } from "./answers.ts";
import type { Call } from "./context.ts";
import type { Answer } from "./exchange.ts";

/** The record as it is afterwards, with its text for the caller. */
export interface Outcome {
  readonly what: "given" | "created" | "same";
  readonly row: Row;
  readonly text: string;
  readonly revision: number;
}

export async function answerWith(call: Call, tx: Transaction, outcome: Outcome): Promise<Answer> {
  const { what, row, text, revision } = outcome;
  const { answer, deed } = call.prepared.operation;
  const accepted = answer.accepted !== undefined && (await isAccepted(call, tx, row));
  const usual = what === "given" ? answer.status : (answer[what] ?? answer.status);
  const status = accepted ? (answer.accepted?.status ?? usual) : usual;
  // A link makes a record of another resource, which has no address here.
  const located = what === "created" && deed !== "link" ? locationOf(call, row) : [];
  const extra = [...located, ...(accepted ? later(call, row) : [])];
  const given = bodyOf(call, status, text, revision, extra);
  return what === "created" ? { ...given, made: true } : given;
}

function bodyOf(call: Call, status: number, text: string, revision: number, extra: readonly string[]): Answer {
  if (call.prepared.operation.answer.kind === "none" || isBodiless(status)) return emptyAnswer(status, extra);
  if (call.kind.own !== undefined) return shapedAnswer(call, status, text, revision, extra);
  return representation(call, status, text, revision, extra);
}

/** Whether what was asked for goes on: the document says when, or the record will leave its state by itself. */
async function isAccepted(call: Call, tx: Transaction, row: Row): Promise<boolean> {
  const { accepted } = call.prepared.operation.answer;
  if (accepted === undefined) return false;
  if (accepted.if === undefined) return accepted.states.includes(row["state"] as string);
  return (await call.context.evaluate(tx, accepted.if, row, call.variables)) === true;
}

/** When time will do something to the record, in whole seconds (RFC 9110, 10.2.3). */
function later({ now }: Call, row: Row): readonly string[] {
  const due = row["_due"];
  return typeof due === "number" ? ["Retry-After", String(Math.max(1, Math.ceil((due - now) / 1000)))] : [];
}
