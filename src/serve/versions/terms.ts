/**
 * A call of an older version between its two sets of names. It is judged in its own (`ownTerms`): faults, tags, cursors and
 * keys are those that its caller has always had. It is done in the newest ones, and what comes of it is brought down.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Row } from "../../store/store.ts";
import type { Call } from "../context.ts";
import { invalid, Refusal, type Fault } from "../refusal.ts";
import { type Chain, type Subject, textDown } from "./chain.ts";
import type { Whole } from "./shapes.ts";

/** The call as its caller means it; the call itself for callers of the newest version. */
export function ownTerms(call: Call): Call {
  if (call.own === undefined) return call;
  const { own, ...rest } = call;
  return { ...rest, prepared: own.prepared, kind: own.kind, input: own.input };
}

/** What the body says of a member, by the member's newest name. */
export function sentFor(call: Call, name: string): Json | undefined {
  const { own, input } = call;
  const [told = name] = (own && segmentsDown(call, own.chain, [name])) ?? [];
  return Object.hasOwn(input, told) ? input[told] : undefined;
}

/** A body of the operation's own has names of its own; other members are the record's. Undefined: as `Chain.pointerDown`. */
export function segmentsDown(call: Call, chain: Chain, segments: readonly string[]): readonly string[] | undefined {
  const { operation } = call.prepared;
  const [first = ""] = segments;
  const { body } = operation;
  const isOwn = body?.own === true && [...body.fields, ...body.others].some(({ name }) => name === first);
  const subject: Subject = isOwn
    ? { kind: "takes", operation: operation.name }
    : { kind: "record", resource: operation.resource };
  return chain.pointerDown(subject, segments);
}

/** Faults found in the caller's own terms, which are not to be brought down again. */
export function ownFaults(call: Call, faults: readonly Fault[]): Refusal {
  return asOwn(call, invalid(faults));
}

/** What `work` refuses is in the caller's own terms. */
export function inOwnTerms<Result>(call: Call, work: (own: Call) => Result): Result {
  if (call.own === undefined) return work(call);
  try {
    return work(ownTerms(call));
  } catch (thrown) {
    throw thrown instanceof Refusal ? asOwn(call, thrown) : thrown;
  }
}

function asOwn(call: Call, refusal: Refusal): Refusal {
  return call.own === undefined ? refusal : new Refusal(refusal.code, { ...refusal.details, own: true });
}

/** What was judged in the caller's terms, in those of the newest version; it fits that too, or is refused. */
export function inputUp(call: Call, input: JsonObject, how: Whole = { whole: true }): JsonObject {
  const { own } = call;
  if (own === undefined) return input;
  const { operation } = own.prepared;
  // What a move is not told is no record's.
  const subject: Subject =
    operation.body?.own === true || operation.deed === "move"
      ? { kind: "takes", operation: operation.name }
      : { kind: "record", resource: operation.resource };
  return own.chain.up(subject, input, how);
}

/** A whole body in the newest terms, with the call that has it. */
export function raised(call: Call, input: JsonObject, how?: Whole): Call {
  if (call.own === undefined) return call;
  const up = inputUp(call, input, how);
  const faults = call.prepared.judge?.(up) ?? [];
  if (faults.length > 0) throw invalid(faults);
  return { ...call, input: up };
}

/** A record of the newest version as the caller has it. */
export function recordDown(call: Call, record: JsonObject): JsonObject {
  const { own } = call;
  if (own === undefined) return record;
  return own.chain.down({ kind: "record", resource: call.prepared.operation.resource }, record);
}

/** A row as JSON, which is how it stands in answers but for what is hidden. */
export function rowDown(call: Call, row: Row): Row {
  if (call.own === undefined) return row;
  const { _seq, _rev, ...members } = row;
  const down = recordDown(call, members as Readonly<Record<string, Json>>);
  return { ...down, ...(_seq === undefined ? {} : { _seq }), ...(_rev === undefined ? {} : { _rev }) } as Row;
}

/** The text of an answer's record, or of the records of a page. */
export function tell(call: Call, text: string): string {
  const { own } = call;
  if (own === undefined) return text;
  const { operation } = call.prepared;
  if (call.kind.own !== undefined || operation.answer.kind === "shape")
    return textDown(own.chain, { kind: "gives", operation: operation.name }, text);
  return recordText(call, text);
}

/** The text of records, also where the operation answers something else. */
export function recordText(call: Call, text: string): string {
  const { own } = call;
  if (own === undefined) return text;
  const { tag, known } = own.kind.record;
  const subject: Subject = { kind: "record", resource: call.prepared.operation.resource };
  // Of a field that is hidden from this caller the older version says nothing either.
  return textDown(own.chain, subject, text, tag === "" ? undefined : known);
}
