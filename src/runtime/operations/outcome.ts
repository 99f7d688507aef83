/** Builds the response of a write from its outcome: status, body, Location, Retry-After. */
import type { Row, Transaction } from "../../store/port/store.ts";
import { isBodiless } from "../../plan/endpoints/outcomes.ts";
import { recordHeaders } from "./headers.ts";
import { emptyResponse, locationOf, representation, shapedResponse } from "./responses.ts";
import type { Call } from "../context/context.ts";
import type { HttpResponse } from "../../http/message.ts";

/** The outcome of a write: the record after it, with its text for the caller. */
export interface Outcome {
  readonly what: "given" | "created" | "same";
  readonly row: Row;
  readonly text: string;
  readonly revision: number;
}

export async function respondWith(call: Call, tx: Transaction, outcome: Outcome): Promise<HttpResponse> {
  const { what, row, text, revision } = outcome;
  const { response, action } = call.compiled.operation;
  const accepted = response.accepted !== undefined && (await isAccepted(call, tx, row));
  const usual = what === "given" ? response.status : (response[what] ?? response.status);
  const status = accepted ? (response.accepted?.status ?? usual) : usual;
  // `link` creates a record of another resource, which has no URL here.
  const located = what === "created" && action !== "link" ? locationOf(call, tx, row) : [];
  const extra = [
    ...(located instanceof Promise ? await located : located),
    ...(accepted ? later(call, row) : []),
    ...(await recordHeaders(call, tx, row)),
  ];
  const result = bodyOf(call, status, text, revision, extra);
  return what === "created" ? { ...result, made: 1 } : result;
}

function bodyOf(call: Call, status: number, text: string, revision: number, extra: readonly string[]): HttpResponse {
  if (call.compiled.operation.response.kind === "none" || isBodiless(status)) return emptyResponse(status, extra);
  if (call.kind.own !== undefined) return shapedResponse(call, status, text, revision, extra);
  return representation(call, status, text, revision, extra);
}

/** Whether processing continues: the declared condition, or a state that the record leaves by a timer. */
async function isAccepted(call: Call, tx: Transaction, row: Row): Promise<boolean> {
  const { accepted } = call.compiled.operation.response;
  if (accepted === undefined) return false;
  if (accepted.if === undefined) return accepted.states.includes(row["state"] as string);
  return (await call.context.evaluate(tx, accepted.if, row, call.variables)) === true;
}

/** Returns `Retry-After`: whole seconds until the record's next timer (RFC 9110 section 10.2.3). */
function later({ now }: Call, row: Row): readonly string[] {
  const due = row["_due"];
  return typeof due === "number" ? ["Retry-After", String(Math.max(1, Math.ceil((due - now) / 1000)))] : [];
}
