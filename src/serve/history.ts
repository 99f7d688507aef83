/** `GET /xs/{id}/history`: the moves of one record, oldest first, for those who may see them (R3.7). */
import { instantText } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import type { ListPlan } from "../plan/plan.ts";
import type { JournalRecord } from "../store/store.ts";
import { textTag } from "./answers.ts";
import type { Call } from "./context.ts";
import type { Answer } from "./exchange.ts";
import { openCursor, unknown, wholeNumber } from "./list.ts";
import { pageText } from "./page-text.ts";
import { checkRead } from "./guard.ts";
import { findVisible, parentOf, readAnswer } from "./read.ts";
import { absent, absentParent, findParents, findRecord, keyOf } from "./record.ts";
import { ownTerms, recordDown } from "./versions/terms.ts";

export async function history(call: Call): Promise<Answer> {
  const { prepared, context } = call;
  const plan = ownTerms(call).prepared.operation.list as ListPlan;
  const { size, max, names } = plan;
  let limit = size;
  let cursor: string | undefined;
  for (const [name, text] of call.query) {
    if (name === names.limit) limit = wholeNumber(name, text, 1, max);
    else if (name === names.cursor) cursor = text;
    else unknown(name);
  }
  const id = await idOf(call);
  const bound = [prepared.operation.name, call.caller.id ?? "", id].join("\n");
  const [after] = cursor === undefined ? [0] : openCursor(call, names.cursor, cursor, bound);
  const moves = await context.store.journal.moves(prepared.table.resource, id, after as number, limit + 1);
  const page = moves.slice(0, limit);
  const last = page.at(-1);
  const next = moves.length > limit && last !== undefined ? context.cursors.seal([last.position], bound) : null;
  const items = page.map((move) => JSON.stringify(moveOf(call, move))).join();
  const text = pageText(plan, { items, next: JSON.stringify(next), count: "null" });
  return readAnswer(
    call,
    text,
    textTag(call, text),
    next === null ? [] : ["Link", `<${addressOf(call, names.cursor, next)}>; rel="next"`],
  );
}

/** The id of the record at hand, for callers who may run this on it; others are refused as they are when they read it. */
async function idOf(call: Call): Promise<string> {
  const key = keyOf(call);
  const parent = await parentOf(call);
  if (parent === undefined) throw absentParent(call);
  if (key === undefined) throw absent(call);
  await findVisible(call, key, parent);
  await checkRead(call, key, parent);
  if (call.prepared.operation.key?.column === "id") return String(key as string | number);
  const row = await call.context.store.transaction(async (tx) => findRecord(call, tx, await findParents(call, tx)));
  if (row === undefined) throw absent(call);
  return String(row["id"] as string | number);
}

/** A move as the caller's version tells it. */
function moveOf(call: Call, { at, from, to, by, cause, request }: JournalRecord): JsonObject {
  const stateOf = (state: string) => recordDown(call, { state })["state"] ?? state;
  return {
    at: instantText(at),
    ...(from === undefined ? {} : { from: stateOf(from) }),
    to: stateOf(to as string),
    by,
    cause: causeOf(call, cause),
    ...(request === undefined ? {} : { request }),
  };
}

/**
 * `dropOff`, `when parcel.stored` or `at collectBy` by the names that the caller's version has; `after 48h` is said in all. A field
 * that the caller sees in no record is not named to it (R5.9).
 */
function causeOf({ kind: { record }, own, prepared }: Call, cause: string): string {
  const [, kind, name = ""] = /^(when|at|after) (.+)$/.exec(cause) ?? [];
  if (kind === "at" && !record.known.has(name)) return "at a moment";
  if (own === undefined) return cause;
  if (kind === undefined) return own.chain.olderOperation(cause);
  if (kind === "when") return `when ${own.chain.olderEvent(name) ?? name}`;
  const { resource } = prepared.operation;
  return kind === "at"
    ? `at ${own.chain.pointerDown({ kind: "record", resource }, [name])?.join() ?? "a moment"}`
    : cause;
}

function addressOf({ context, path, query }: Call, parameter: string, cursor: string): string {
  const asked = new URLSearchParams([...query]);
  asked.set(parameter, cursor);
  return `${context.baseUrl()}${path.slice(context.prefix.length)}?${asked.toString()}`;
}
