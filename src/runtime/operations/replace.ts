/** Performs `PUT /xs/{id}`: replaces the record, or creates it if clients choose ids (R4.7, R4.16). */
import { defined } from "../../base/defined.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Value } from "../../expression/evaluate.ts";
import { partsOf } from "../../plan/endpoints/path-keys.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import type { Call, Values } from "../context/context.ts";
import { insertRecord, validateNew } from "./insert-record.ts";
import type { HttpResponse } from "../../http/message.ts";
import {
  absent,
  checkAllowed,
  checkPreconditions,
  columnOf,
  findParents,
  findRecord,
  namesOf,
  tagsOf,
} from "../records/find-and-authorise.ts";
import { type Violation, invalid, ApiError } from "../errors/api-error.ts";
import { unsettable, withoutUnsettable } from "./restricted-fields.ts";
import { asRead, isFixed, readOnly, saveRecord, visibleRow } from "./update.ts";
import { Uploaded } from "../validation/upload.ts";
import { sameValue, stays, toStoredInput } from "../records/defaults-and-rules.ts";
import { withVersionedRequest, versionedError, toVersionedRequest, upgradeRequest } from "../versions/request.ts";

export async function replace(call: Call, tx: Transaction): Promise<HttpResponse> {
  const parents = await findParents(call, tx);
  const row = await findRecord(call, tx, parents);
  return row === undefined ? createByClient(call, tx, parents) : replaceRecord(call, tx, row);
}

async function replaceRecord(call: Call, tx: Transaction, row: Row): Promise<HttpResponse> {
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  const current = await asRead(call, tx, row);
  const replacement = withVersionedRequest(call, (own) => validateReplacement(own, current));
  const newest = call.own === undefined ? replacement : await upgraded(call, tx, row, replacement);
  const converted = await toStoredInput(call, tx, newest, row);
  const values = withOmitted(call, converted.values);
  if (call.kind.restricted === undefined) return saveRecord(converted.call, tx, row, values);
  const { input: sent } = toVersionedRequest(call);
  const names = await unsettable(call, tx, row);
  const isSent = (name: string): boolean => call.own !== undefined || Object.hasOwn(sent, name);
  return saveRecord(converted.call, tx, row, withoutUnsettable(call, names, values, row, isSent));
}

/** Returns a replacement in the newest version, which takes over what the caller's version does not have. */
async function upgraded(call: Call, tx: Transaction, row: Row, replacement: JsonObject): Promise<JsonObject> {
  const visible = membersIn(call, await visibleRow(call, tx, row));
  return upgradeRequest(call, replacement, { isFull: true, present: membersIn(call, row), visible }).input;
}

/** Returns a row as a full record: without the fields that a record leaves out where they have no value. */
function membersIn({ compiled }: Call, row: Row): JsonObject {
  const leftOut = new Set(compiled.table.columns.filter(({ absent }) => absent === "left out").map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(row as JsonObject).filter(([name, value]) => value !== null || !leftOut.has(name)),
  );
}

/** Sets omitted fields to null or to their literal default; values that the service generated once stay. */
function withOmitted(call: Call, values: Values): Values {
  const next: Values = { ...values };
  for (const { name } of call.compiled.operation.body?.fields ?? []) {
    const made = columnOf(call.compiled.table, name).default;
    if (!(name in next) && !stays(call, name) && (made === undefined || made.kind === "literal")) next[name] = null;
  }
  return next;
}

async function createByClient(call: Call, tx: Transaction, parents: readonly Row[]): Promise<HttpResponse> {
  if (!call.compiled.operation.creates) throw absent(call);
  if (tagsOf(call, "if-match") !== undefined) throw new ApiError("stale", { detail: "The record does not exist" });
  const named = namesInPath(call);
  const own = toVersionedRequest(call);
  const names = inVersion(own, named);
  const violations = [...validateNew(own, { ...own.input, ...(names as JsonObject) })];
  for (const [name, value] of Object.entries(names)) {
    const sent = own.input[name];
    if (sent !== undefined && sent !== value) violations.push(readOnly(own, name));
  }
  if (violations.length > 0) throw versionedError(call, violations);
  try {
    return await insertRecord(upgradeRequest(call, own.input), tx, parents, { ...named });
  } catch (thrown) {
    // Another request may have created the record since this one looked for it: then this one replaces it.
    const row = thrown instanceof ApiError && tx.changes.length === 0 ? await findRecord(call, tx, parents) : undefined;
    if (row === undefined) throw thrown;
    return replaceRecord(call, tx, row);
  }
}

/** Returns the values in the path by their fields in the call's version, in the same order. */
function inVersion({ compiled: { operation } }: Call, named: Readonly<Record<string, Value>>): typeof named {
  const columns = operation.key === undefined ? [] : partsOf(operation.key).map(({ column }) => column);
  const values = Object.values(named);
  return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? null]));
}

/** Returns the values in the path by field. Without a possible value there is no such record. */
function namesInPath(call: Call): Readonly<Record<string, Value>> {
  const { operation, table } = call.compiled;
  const names = namesOf(call, table, defined(operation.key, `the key of ${operation.name}`));
  if (names === undefined) throw absent(call);
  return names;
}

/**
 * Validates a replacement. Immutable members must be unchanged; those that the schema does not contain, and descriptions of
 * unchanged files, are removed before validation.
 */
function validateReplacement(call: Call, current: JsonObject): JsonObject {
  const properties = (call.compiled.operation.body?.schema["properties"] ?? {}) as JsonObject;
  const violations: Violation[] = [];
  const members: [string, Json][] = [];
  for (const [name, value] of Object.entries(call.input)) {
    if (isFileAsRead(call, current, name, value)) continue;
    const fixed = isFixed(call, current, name);
    if (fixed && !sameValue(current[name] ?? null, value)) violations.push(readOnly(call, name));
    if (!fixed || Object.hasOwn(properties, name)) members.push([name, value]);
  }
  const input: JsonObject = Object.fromEntries(members);
  const wrong = call.compiled.validate?.(input) ?? [];
  const { differs } = call.compiled.operation.response;
  if (violations.length > 0 && wrong.length === 0 && differs !== undefined) throw new ApiError(differs);
  violations.push(...wrong);
  if (violations.length > 0) throw invalid(violations);
  return input;
}

function isFileAsRead({ compiled }: Call, current: JsonObject, name: string, value: Json): boolean {
  const { files = {} } = compiled.operation.body ?? {};
  const isFileDescription = Object.hasOwn(files, name) && Object.hasOwn(current, name) && !(value instanceof Uploaded);
  return isFileDescription && sameValue(current[name] ?? null, value);
}
