/** `PATCH /xs/{id}`: a merge patch (RFC 7396) of what may change (R4.8). */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { unescapeSegment } from "../base/json-pointer.ts";
import type { Table } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import type { Call } from "./context.ts";
import { endAfter } from "./credentials/session.ts";
import { causeAll } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { checkGuard } from "./guard.ts";
import { idText } from "./keys-in-path.ts";
import { parseJson } from "./json.ts";
import type { Judge } from "./judge.ts";
import { holdLive } from "./limits/quotas.ts";
import { answerWith } from "./outcome.ts";
import { checkPresentSecret } from "./present-secret.ts";
import { parseMediaType } from "./negotiation.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord } from "./record.ts";
import type { Fault } from "./refusal.ts";
import { invalid, Refusal } from "./refusal.ts";
import { Uploaded } from "./upload.ts";
import { changesBetween, duplicate, ownTable, sameValue, settle, take, touch } from "./values.ts";
import type { Values } from "./values.ts";
import { inOwnTerms, inputUp, ownTerms, recordText, rowDown } from "./versions/terms.ts";

export async function update(call: Call, tx: Transaction): Promise<Answer> {
  const row = await findRecord(call, tx, await findParents(call, tx));
  if (row === undefined) throw absent(call);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  // Only a merge into an object and a conversion between versions read the stored record.
  const goesBy = call.own !== undefined || Object.values(call.input).some(isObject);
  const visible = goesBy ? await visibleRow(call, tx, row) : row;
  const { cleared, set } = patched(call, visible, await asRead(call, tx, row));
  const taken = await take(call, tx, set, row);
  for (const name of cleared) taken.values[name] = null;
  return saveRecord(taken.call, tx, row, taken.values);
}

/** The rest of an edit: nothing happens where nothing changes (R4.8). */
export async function saveRecord(call: Call, tx: Transaction, row: Row, values: Values): Promise<Answer> {
  const { table } = call.prepared;
  const { own } = call.kind;
  checkPresentSecret(call, row, values);
  await checkGuard(call, tx, row);
  const next: Values = { ...row, ...values };
  Object.assign(next, call.prepared.extension?.fill?.(call, next, row));
  const view = own ?? call.kind.record.view;
  // Whether a field that the caller does not see had this value already is not for it to know (R5.9).
  const { partlyHidden } = call.prepared;
  const isBlind = Object.keys(values).some((name) => !call.kind.record.readable.has(name) || partlyHidden.has(name));
  if (!isBlind && Object.keys(changesBetween(row, next)).length === 0) {
    const text = await tx.view(row, view, call.variables);
    return answerWith(call, tx, { what: "same", row, text, revision: row["_rev"] as number });
  }
  const { differs } = call.prepared.operation.answer;
  if (differs !== undefined) throw new Refusal(differs);
  touch(call, table, next);
  await settle(call, tx, ownTable(call), next, row);
  const written = await tx.update(table.resource, row, changesBetween(row, next), view, call.variables);
  if (written.kind === "duplicate") throw duplicate(call, table, written.columns);
  await endOthers(call, tx, row, written.row);
  const found = await causeAll(call, tx, written, {}, view);
  await holdLive(call, tx, table, row, written.row);
  return answerWith(call, tx, { what: "given", ...found });
}

/** Who changes a secret may do so because somebody else knows it: all sessions but the one that does it end. */
async function endOthers(call: Call, tx: Transaction, old: Row, row: Row): Promise<void> {
  const { caller, context, now, prepared } = call;
  for (const { name, login } of context.plan.credentials) {
    if (login?.resource !== prepared.table.resource || old[login.secret] === row[login.secret]) continue;
    const own = caller.credential === name && caller.id === idText(row["id"]) ? caller.session : undefined;
    const except = own === undefined ? {} : { except: own.session };
    await tx.endSessions({ credential: name, user: idText(row["id"]), ...except }, endAfter(now, 0));
  }
}

interface Patch {
  readonly cleared: readonly string[];
  readonly set: JsonObject;
}

/**
 * The row without the fields that are hidden from this caller. An edit merges into, compares with and converts beside no other fields
 * (R5.9). A visible field is complete, so that a merge keeps its write-only members.
 */
export async function visibleRow(call: Call, tx: Transaction, row: Row): Promise<Row> {
  const { known, readable, view } = call.kind.record;
  if (Object.keys(row).every((name) => readable.has(name) || name.startsWith("_"))) return row;
  // Whether a field with a condition is visible in this record: the view has it then.
  const text = known.size === readable.size ? "{}" : await tx.view(row, view, call.variables);
  const given = JSON.parse(text) as JsonObject;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => readable.has(name) || name.startsWith("_") || Object.hasOwn(given, name)),
  );
}

/** The patch, validated in the caller's version and converted to the newest. `row` has the visible fields of the record. */
function patched(call: Call, row: Row, seen: JsonObject): Patch {
  const older = rowDown(call, row);
  const patch = inOwnTerms(call, (own) => judgePatch(own, older, seen));
  if (call.own === undefined) return patch;
  const sent = { ...Object.fromEntries(patch.cleared.map((name) => [name, null])), ...patch.set };
  const beside = { ...(older as JsonObject), ...sent };
  const up = inputUp(call, sent, { whole: false, beside, present: row as JsonObject, visible: row as JsonObject });
  const set = Object.fromEntries(Object.entries(up).filter(([, value]) => value !== null));
  const cleared = Object.keys(up).filter((name) => up[name] === null);
  const { columns } = call.prepared.table;
  // A conversion reads a hidden field as absent, so its result may be absent, too.
  const missing = cleared.filter((name) => columns.find((column) => column.name === name)?.nullable !== true);
  const faults = [...missing.map(notCleared), ...(call.prepared.judge?.(set) ?? [])];
  if (faults.length > 0) throw invalid(faults);
  return { cleared, set };
}

/** The members that the patch clears, and those that it sets, merged with what the record has. */
function judgePatch(call: Call, row: Row, seen: JsonObject): Patch {
  const faults: Fault[] = [];
  const cleared: string[] = [];
  const members: [string, Json][] = [];
  const { operation, table, judge } = call.prepared;
  for (const [name, patch] of Object.entries(call.input)) {
    const field = operation.body?.fields.find((each) => each.name === name);
    if (field === undefined && isFixed(call, seen, name)) {
      if (!isAsRead(call, seen[name] ?? null, patch)) faults.push(readOnly(call, name));
    } else if (patch === null && field !== undefined) {
      const column = table.columns.find((each) => each.name === name);
      if (column?.absent === "null") members.push([name, null]);
      else if (column?.nullable === true) cleared.push(name);
      else faults.push(notCleared(name));
    } else members.push([name, field === undefined ? patch : merge((row[name] ?? null) as Json, patch)]);
  }
  // Not by assignment, which would take `__proto__` for more than a name (R2.5).
  const set: JsonObject = Object.fromEntries(members);
  faults.push(...(judge?.(set) ?? []));
  if (judge !== undefined) faults.push(...unknownCleared(call, row, judge));
  if (faults.length > 0) throw invalid(faults);
  return { cleared, set };
}

function notCleared(name: string): Fault {
  return { pointer: `#/${name}`, code: "required", detail: `${name} is required and cannot be cleared` };
}

/** The record as this caller reads it, where the request names what may only be sent as it is (R2.4). */
export async function asRead(call: Call, tx: Transaction, row: Row): Promise<JsonObject> {
  const { prepared, input } = ownTerms(call);
  const { fixed = [], files = {} } = prepared.operation.body ?? {};
  const compared = [...fixed, ...Object.keys(files).filter((name) => !(input[name] instanceof Uploaded))];
  if (!compared.some((name) => Object.hasOwn(input, name))) return {};
  const text = await tx.view(row, call.kind.record.view, call.variables);
  return JSON.parse(recordText(call, text)) as JsonObject;
}

/**
 * Whether a member may be sent only with the value that it has. Of a field that is hidden in this record the caller does
 * not learn that there is one (R5.9).
 */
export function isFixed(call: Call, seen: JsonObject, name: string): boolean {
  const fixed = call.prepared.operation.body?.fixed.includes(name) ?? false;
  return fixed && (Object.hasOwn(seen, name) || call.kind.record.readable.has(name));
}

/** Whether it is sent as it is read. In a form it is a text, and the body's schema says nothing of what it is. */
function isAsRead({ exchange }: Call, seen: Json, sent: Json): boolean {
  if (typeof seen === "string" || typeof sent !== "string") return sameValue(seen, sent);
  if (parseMediaType(exchange.headers.get("content-type") ?? "")?.essence !== "multipart/form-data") return false;
  const parsed = parseJson(Buffer.from(sent));
  return parsed.kind === "value" && sameValue(seen, parsed.value);
}

/** The fault of a member that may be sent only with the value that it has, or not at all (R2.4). */
export function readOnly({ prepared: { operation, table } }: Call, name: string): Fault {
  const fault = (why: string): Fault => ({ pointer: `#/${name}`, code: "read-only", detail: `${name} ${why}` });
  if (isMade(table, name)) return fault("is set by the service");
  if (name === "id" && operation.deed === "replace") return fault("is what the path says");
  const once =
    name === "id" || table.columns.some((column) => column.name === name && column.marks.includes("create-only"));
  return fault(once ? "cannot be changed once made" : "cannot be changed here");
}

/** Whether no caller ever sets the member: it is worked out, or the service's to give. */
export function isMade({ columns, virtual, id }: Table, name: string): boolean {
  if (name === "id") return id.made !== "client";
  const column = columns.find((each) => each.name === name);
  if (column === undefined) return virtual.some((each) => each.name === name);
  return column.computed !== undefined || column.marks.includes("read-only");
}

/**
 * The members inside of others that the patch clears though there are none of the name, which a merge leaves no trace of. With
 * null in their place the judge says so: of one that there is it says at most that null is no value of it.
 */
function unknownCleared({ input, prepared: { operation } }: Call, row: Row, judge: Judge): readonly Fault[] {
  const nested = Object.entries(input).filter(
    ([name, patch]) => operation.body?.fields.some((each) => each.name === name) === true && clears(patch),
  );
  if (nested.length === 0) return [];
  const faults = judge(
    Object.fromEntries(nested.map(([name, patch]) => [name, merge((row[name] ?? null) as Json, patch, "null stays")])),
  );
  const known = new Set(faults.flatMap(({ code, pointer }) => (code === "unknown-field" ? [] : [pointer])));
  return faults.filter(({ code, pointer }) => {
    if (code !== "unknown-field" || known.has(pointer) || pointer === undefined) return false;
    // Each branch of a choice says so.
    known.add(pointer);
    const path = pointer
      .slice(2)
      .split("/")
      .map((one) => unescapeSegment(decodeURIComponent(one)));
    return memberAt(input, path) === null;
  });
}

/** Whether an object in it has a member that is null. */
function clears(patch: Json): boolean {
  return isObject(patch) && Object.values(patch).some((value) => value === null || clears(value as Json));
}

/** Undefined where the patch has no such member, or it is in a list, which a merge leaves as it is. */
function memberAt(patch: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = patch;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? (value[name] as Json) : undefined;
  return value;
}

/** RFC 7396 section 2. */
export function merge(target: Json, patch: Json, nulls: "null clears" | "null stays" = "null clears"): Json {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  // A file is another one, or it is not.
  if (patch instanceof Uploaded) return patch;
  const base = target !== null && typeof target === "object" && !Array.isArray(target) ? (target as JsonObject) : {};
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [name, value] of Object.entries(patch as JsonObject)) {
    if (value === null && nulls === "null clears") merged.delete(name);
    else merged.set(name, merge(merged.get(name) ?? null, value, nulls));
  }
  return Object.fromEntries(merged);
}
