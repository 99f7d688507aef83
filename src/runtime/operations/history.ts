/** Performs `GET /xs/{id}/history`: returns the transitions of one record, oldest first, to permitted callers (R3.7). */
import { instantText } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ListPlan } from "../../plan/endpoints/types.ts";
import type { JournalRecord } from "../../store/port/store.ts";
import { textTag } from "../records/entity-tag.ts";
import type { Call } from "../context/context.ts";
import type { HttpResponse } from "../../http/message.ts";
import { nextLink } from "./list-links.ts";
import { openCursor, rejectUnknown, integerParameter } from "./list-request.ts";
import { pageText } from "./page-text.ts";
import { checkRead } from "./guard.ts";
import { findVisible, parentOf, readResponse } from "./read.ts";
import { absent, absentParent, findParents, findRecord, keyOf } from "../records/find-and-authorise.ts";
import { toVersionedRequest, recordToOlder } from "../versions/request.ts";

export async function history(call: Call): Promise<HttpResponse> {
  const { compiled, context } = call;
  const plan = toVersionedRequest(call).compiled.operation.list as ListPlan;
  const { size, max, names } = plan;
  let limit = size;
  let cursor: string | undefined;
  for (const [name, text] of call.query) {
    if (name === names.limit) limit = integerParameter(name, text, 1, max);
    else if (name === names.cursor) cursor = text;
    else rejectUnknown(call, name);
  }
  const id = await idOf(call);
  const bound = [compiled.operation.name, call.caller.id ?? "", id].join("\n");
  const [after] = cursor === undefined ? [0] : openCursor(call, names.cursor, cursor, bound);
  const moves = await context.store.journal.moves(compiled.table.resource, id, after as number, limit + 1);
  const page = moves.slice(0, limit);
  const last = page.at(-1);
  const next = moves.length > limit && last !== undefined ? context.cursors.seal([last.position], bound) : null;
  const items = page.map((transition) => JSON.stringify(transitionOf(call, transition))).join();
  const variables = () => call.variables;
  const text = pageText(plan, { items, next: JSON.stringify(next), count: "null", variables });
  return readResponse(call, text, textTag(call, text), nextLink(call, names.cursor, next));
}

/** Returns the record's id if the caller may run this operation; otherwise throws the error of a read. */
async function idOf(call: Call): Promise<string> {
  const key = keyOf(call);
  const parent = await parentOf(call);
  if (parent === undefined) throw absentParent(call);
  if (key === undefined) throw absent(call);
  await findVisible(call, key, parent);
  await checkRead(call, key, parent);
  if (call.compiled.operation.key?.column === "id") return String(key as string | number);
  const row = await call.context.store.transaction(async (tx) => findRecord(call, tx, await findParents(call, tx)));
  if (row === undefined) throw absent(call);
  return String(row["id"] as string | number);
}

/** Returns a transition in the caller's version. */
function transitionOf(call: Call, { at, from, to, by, cause, request }: JournalRecord): JsonObject {
  const stateOf = (state: string) => recordToOlder(call, { state })["state"] ?? state;
  return {
    at: instantText(at),
    ...(from === undefined ? {} : { from: stateOf(from) }),
    to: stateOf(to as string),
    by,
    cause: causeText(call, cause),
    ...(request === undefined ? {} : { request }),
  };
}

/**
 * Returns the cause of a transition: `dropOff`, `when parcel.stored` and `at collectBy` with the names of the caller's
 * version; `after 48h` needs no conversion. Hides the name of a field that the caller never sees (R5.9).
 */
function causeText({ kind: { record }, own, compiled }: Call, cause: string): string {
  const [, kind, name = ""] = /^(when|at|after) (.+)$/.exec(cause) ?? [];
  if (kind === "at" && !record.known.has(name)) return "at a moment";
  if (own === undefined) return cause;
  if (kind === undefined) return own.converter.olderOperation(cause);
  if (kind === "when") return `when ${own.converter.olderEvent(name) ?? name}`;
  const { resource } = compiled.operation;
  return kind === "at"
    ? `at ${own.converter.pointerToOlder({ kind: "record", resource }, [name])?.join() ?? "a moment"}`
    : cause;
}
