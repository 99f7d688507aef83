/** Performs `PATCH /xs/{id}`: applies a merge patch (RFC 7396) to the mutable fields (R4.8). */
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import { pathOf } from "../../base/json-pointer.ts";
import { partsOf } from "../../plan/endpoints/path-keys.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import type { Call, Values } from "../context/context.ts";
import { endAfter } from "../auth/session.ts";
import { applyEffects } from "../records/effects.ts";
import type { HttpResponse } from "../../http/message.ts";
import { checkGuard } from "./guard.ts";
import { idText } from "../context/caller.ts";
import { parseJson } from "../../http/json.ts";
import type { Validator } from "../validation/validator.ts";
import { holdLive } from "../records/quotas.ts";
import { respondWith } from "./outcome.ts";
import { unsettable, withoutUnsettable } from "./restricted-fields.ts";
import { checkPresentSecret } from "../auth/present-secret.ts";
import { clearedMap } from "../validation/adapt-body.ts";
import { parseMediaType } from "../../http/negotiation.ts";
import { recordToChange } from "../records/find-and-authorise.ts";
import { type Violation, invalid, ApiError } from "../errors/api-error.ts";
import { Uploaded } from "../validation/upload.ts";
import {
  changesBetween,
  duplicate,
  operationTable,
  sameValue,
  checkRulesAndComputed,
  toStoredInput,
  touch,
} from "../records/defaults-and-rules.ts";
import { withVersionedRequest, inputToNewer, toVersionedRequest, recordText, rowToOlder } from "../versions/request.ts";

export async function update(call: Call, tx: Transaction): Promise<HttpResponse> {
  const row = await recordToChange(call, tx);
  // The stored record is read first only for merges into objects and for version conversions.
  const goesBy = call.own !== undefined || Object.values(call.input).some(isObject);
  const visible = goesBy ? await visibleRow(call, tx, row) : row;
  const { cleared, set } = patched(call, visible, await asRead(call, tx, row));
  const input = await toStoredInput(call, tx, set, row);
  for (const name of cleared) input.values[name] = null;
  if (call.kind.restricted === undefined) return saveRecord(input.call, tx, row, input.values);
  const sent = new Set([...cleared, ...Object.keys(set)]);
  const names = (await unsettable(call, tx, row)).filter((name) => sent.has(name));
  return saveRecord(
    input.call,
    tx,
    row,
    withoutUnsettable(call, names, input.values, row, () => true),
  );
}

/** Writes an edit; if no value changes, nothing happens (R4.8). */
export async function saveRecord(call: Call, tx: Transaction, row: Row, values: Values): Promise<HttpResponse> {
  const { table } = call.compiled;
  checkPresentSecret(call, row, values);
  await checkGuard(call, tx, row);
  const next: Values = { ...row, ...values };
  Object.assign(next, call.compiled.extension?.fill?.(call, next, row));
  const view = call.kind.own ?? call.kind.record.view;
  // The response must not reveal whether a hidden field already had this value (R5.9).
  const { partlyHidden } = call.compiled;
  const isBlind = Object.keys(values).some((name) => !call.kind.record.readable.has(name) || partlyHidden.has(name));
  if (!isBlind && Object.keys(changesBetween(row, next)).length === 0) {
    const text = await tx.view(row, view, call.variables);
    return respondWith(call, tx, { what: "same", row, text, revision: row["_rev"] as number });
  }
  const { differs } = call.compiled.operation.response;
  if (differs !== undefined) throw new ApiError(differs);
  touch(call, table, next);
  await checkRulesAndComputed(call, tx, operationTable(call), next, row);
  const written = await tx.update(table.resource, row, changesBetween(row, next), view, call.variables);
  if (written.kind === "duplicate") throw duplicate(call, table, written.columns);
  await endOthers(call, tx, row, written.row);
  const found = await applyEffects(call, tx, written, {}, view, { also: call.compiled.operation.also, old: row });
  await holdLive(call, tx, table, row, written.row);
  return respondWith(call, tx, { what: "given", ...found });
}

/** Ends all other sessions after a change of the secret, which may have leaked. */
async function endOthers(call: Call, tx: Transaction, old: Row, row: Row): Promise<void> {
  const { caller, context, now, compiled } = call;
  for (const { name, login } of context.plan.credentials) {
    if (login?.resource !== compiled.table.resource || old[login.secret] === row[login.secret]) continue;
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
 * Returns the row without fields that are hidden from this caller. An edit merges with, compares with and converts no other
 * fields (R5.9). A visible field is complete, so a merge retains its write-only members.
 */
export async function visibleRow(call: Call, tx: Transaction, row: Row): Promise<Row> {
  const { known, readable, view } = call.kind.record;
  if (Object.keys(row).every((name) => readable.has(name) || name.startsWith("_"))) return row;
  // A field that is visible under a condition is visible in this record if the view contains it.
  const text = known.size === readable.size ? "{}" : await tx.view(row, view, call.variables);
  const parsed = JSON.parse(text) as JsonObject;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => readable.has(name) || name.startsWith("_") || Object.hasOwn(parsed, name)),
  );
}

/** Returns the patch, validated in the caller's version and upgraded. `row`: the visible fields of the record. */
function patched(call: Call, row: Row, visible: JsonObject): Patch {
  const older = rowToOlder(call, row);
  const patch = withVersionedRequest(call, (own) => validatePatch(own, older, visible));
  if (call.own === undefined) return patch;
  const sent = { ...Object.fromEntries(patch.cleared.map((name) => [name, null])), ...patch.set };
  const siblings = { ...(older as JsonObject), ...sent };
  const newerInput = inputToNewer(call, sent, {
    isFull: false,
    siblings,
    present: row as JsonObject,
    visible: row as JsonObject,
  });
  const set = Object.fromEntries(Object.entries(newerInput).filter(([, value]) => value !== null));
  const cleared = Object.keys(newerInput).filter((name) => newerInput[name] === null);
  const { columns } = call.compiled.table;
  // A conversion reads a hidden field as absent, so its result may be absent too.
  const missing = cleared.filter((name) => columns.find((column) => column.name === name)?.nullable !== true);
  const violations = [...missing.map(notCleared), ...(call.compiled.validate?.(set) ?? [])];
  if (violations.length > 0) throw invalid(violations);
  return { cleared, set };
}

/** Returns the members that the patch clears, and those that it sets, merged with the record's values. */
function validatePatch(call: Call, row: Row, visible: JsonObject): Patch {
  const violations: Violation[] = [];
  const cleared: string[] = [];
  const members: [string, Json][] = [];
  const { operation, table, validate } = call.compiled;
  for (const [name, patch] of Object.entries(call.input)) {
    const field = operation.body?.fields.find((each) => each.name === name);
    if (field === undefined && isFixed(call, visible, name)) {
      if (!isAsRead(call, visible[name] ?? null, patch)) violations.push(readOnly(call, name));
    } else if (patch === null && field !== undefined) {
      const column = table.columns.find((each) => each.name === name);
      if (column?.absent === "null") members.push([name, null]);
      else if (column?.nullable === true) cleared.push(name);
      else violations.push(notCleared(name));
    } else members.push([name, field === undefined ? patch : merge((row[name] ?? null) as Json, patch)]);
  }
  // `fromEntries` instead of assignments, which would treat `__proto__` as more than a name (R2.5).
  const set: JsonObject = Object.fromEntries(members);
  violations.push(...(validate?.(set) ?? []));
  if (validate !== undefined) violations.push(...unknownCleared(call, row, validate));
  if (violations.length > 0) throw invalid(violations);
  return { cleared, set };
}

function notCleared(name: string): Violation {
  return { pointer: `#/${name}`, code: "required", detail: `${name} is required and cannot be cleared` };
}

/** Returns the record as the caller reads it, if the request contains members that must be unchanged (R2.4). */
export async function asRead(call: Call, tx: Transaction, row: Row): Promise<JsonObject> {
  const { compiled, input } = toVersionedRequest(call);
  const { fixed = [], files = {} } = compiled.operation.body ?? {};
  const compared = [...fixed, ...Object.keys(files).filter((name) => !(input[name] instanceof Uploaded))];
  if (!compared.some((name) => Object.hasOwn(input, name))) return {};
  const text = await tx.view(row, call.kind.record.view, call.variables);
  return JSON.parse(recordText(call, text)) as JsonObject;
}

/**
 * Whether a member must be unchanged if sent. For a field hidden in this record the caller gets the error of an unknown field
 * (R5.9).
 */
export function isFixed(call: Call, visible: JsonObject, name: string): boolean {
  const fixed = call.compiled.operation.body?.fixed.includes(name) ?? false;
  return fixed && (Object.hasOwn(visible, name) || call.kind.record.readable.has(name));
}

/**
 * Whether the sent value equals the visible one. A form sends the value as text, and there is no schema by which to parse it.
 */
function isAsRead({ httpRequest }: Call, visible: Json, sent: Json): boolean {
  if (typeof visible === "string" || typeof sent !== "string") return sameValue(visible, sent);
  if (parseMediaType(httpRequest.headers.get("content-type") ?? "")?.essence !== "multipart/form-data") return false;
  const parsed = parseJson(Buffer.from(sent));
  return parsed.kind === "value" && sameValue(visible, parsed.value);
}

/** Returns the violation of a changed read-only member (R2.4). */
export function readOnly({ compiled: { operation, table } }: Call, name: string): Violation {
  const violation = (why: string): Violation => ({ pointer: `#/${name}`, code: "read-only", detail: `${name} ${why}` });
  if (isMade(table, name)) return violation("is set by the service");
  if (operation.action === "replace" && (name === "id" || (operation.creates && isNamedBy(operation, name))))
    return violation("has to be the value in the path");
  const once =
    name === "id" || table.columns.some((column) => column.name === name && column.marks.includes("create-only"));
  return violation(once ? "cannot be changed after creation" : "cannot be changed here");
}

/** Whether the value of the field is in the path of the operation. */
function isNamedBy({ key }: Operation, name: string): boolean {
  return key !== undefined && partsOf(key).some(({ column }) => column === name);
}

/** Whether only the service can set the member. */
export function isMade({ columns, virtual, id }: Table, name: string): boolean {
  if (name === "id") return id.made !== "client";
  const column = columns.find((each) => each.name === name);
  if (column === undefined) return virtual.some((each) => each.name === name);
  return column.computed !== undefined || column.marks.includes("read-only");
}

/**
 * Finds unknown nested members that the patch clears, which a merge would ignore. The validator gets null in their place and
 * reports unknown ones; for known ones it reports at most that null is invalid.
 */
function unknownCleared({ input, compiled: { operation } }: Call, row: Row, validate: Validator): readonly Violation[] {
  const nested = Object.entries(input).filter(
    ([name, patch]) => operation.body?.fields.some((each) => each.name === name) === true && clears(patch),
  );
  if (nested.length === 0) return [];
  const violations = validate(
    Object.fromEntries(nested.map(([name, patch]) => [name, merge((row[name] ?? null) as Json, patch, "null stays")])),
  );
  const known = new Set(violations.flatMap(({ code, pointer }) => (code === "unknown-field" ? [] : [pointer])));
  return violations.filter(({ code, pointer }) => {
    if (code !== "unknown-field" || known.has(pointer) || pointer === undefined) return false;
    // Each branch of a `oneOf` reports the member, so it is noted once.
    known.add(pointer);
    return memberAt(input, pathOf(pointer)) === null;
  });
}

/** Whether the patch has a null member at any depth. */
function clears(patch: Json): boolean {
  return isObject(patch) && Object.values(patch).some((value) => value === null || clears(value as Json));
}

/** Returns the member at a path; undefined if the patch does not have it, or if it is in a list, which a merge replaces. */
function memberAt(patch: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = patch;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? (value[name] as Json) : undefined;
  return value;
}

/** Applies a merge patch (RFC 7396 section 2). */
export function merge(target: Json, patch: Json, nulls: "null clears" | "null stays" = "null clears"): Json {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  // A file is replaced as a whole, never merged, and so is a map that an empty text clears.
  if (patch instanceof Uploaded || patch === clearedMap) return patch;
  const base = target !== null && typeof target === "object" && !Array.isArray(target) ? (target as JsonObject) : {};
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [name, value] of Object.entries(patch as JsonObject)) {
    if (value === null && nulls === "null clears") merged.delete(name);
    else merged.set(name, merge(merged.get(name) ?? null, value, nulls));
  }
  return Object.fromEntries(merged);
}
