/** `PATCH /xs/{id}`: a merge patch (RFC 7396) of what may change (R4.8). */
import type { Json, JsonObject } from "../base/json.ts";
import type { Row, Transaction } from "../store/store.ts";
import { ownAnswer, representation } from "./answers.ts";
import type { Call } from "./context.ts";
import { cause } from "./effects.ts";
import type { Answer } from "./exchange.ts";
import { absent, checkAllowed, checkPreconditions, findParents, findRecord } from "./record.ts";
import type { Fault } from "./refusal.ts";
import { invalid } from "./refusal.ts";
import { changesBetween, checkReferences, duplicate, fieldValues, sameValue, settle, touch } from "./values.ts";
import type { Values } from "./values.ts";

export async function update(call: Call, tx: Transaction): Promise<Answer> {
  const row = await findRecord(call, tx, await findParents(call, tx));
  if (row === undefined) throw absent(call);
  await checkAllowed(call, tx, row);
  await checkPreconditions(call, tx, row);
  const { cleared, set } = judgePatch(call, await asRead(call, tx, row));
  const fields = call.prepared.operation.body?.fields ?? [];
  const values = fieldValues(fields, set);
  await checkReferences(call, tx, fields, values);
  for (const name of cleared) values[name] = null;
  return saveRecord(call, tx, row, values);
}

/** The rest of an edit: nothing happens where nothing changes (R4.8). */
export async function saveRecord(call: Call, tx: Transaction, row: Row, values: Values): Promise<Answer> {
  const { operation, table } = call.prepared;
  const { own } = call.kind;
  const next: Values = { ...row, ...values };
  const view = own ?? call.kind.record.view;
  const changed = Object.keys(changesBetween(row, next)).length > 0;
  let text: string;
  let revision = row["_rev"] as number;
  if (changed) {
    touch(call, table, next);
    await settle(call, tx, next, row);
    const written = await tx.update(table.resource, row, changesBetween(row, next), view, call.variables);
    if (written.kind === "duplicate") throw duplicate(table, written.columns);
    await cause(call, tx, operation.effects, written.row, undefined);
    text = written.text;
    revision = written.revision;
  } else text = await tx.view(row, view, call.variables);
  return own === undefined
    ? representation(call, operation.answer.status, text, revision)
    : ownAnswer(operation.answer.status, text);
}

/** The members that the patch clears, and those that it sets, merged with what the record has. */
function judgePatch(call: Call, row: Row): { cleared: readonly string[]; set: JsonObject } {
  const faults: Fault[] = [];
  const cleared: string[] = [];
  const set: Record<string, Json> = {};
  const { operation, table, judge } = call.prepared;
  for (const [name, patch] of Object.entries(call.input)) {
    const field = operation.body?.fields.find((each) => each.name === name);
    if (field === undefined && isFixed(call, name)) {
      if (!sameValue((row[name] ?? null) as Json, patch)) faults.push(readOnly(name));
    } else if (patch === null && field !== undefined) {
      const column = table.columns.find((each) => each.name === name);
      if (column?.absent === "null") set[name] = null;
      else if (column?.nullable === true) cleared.push(name);
      else faults.push({ pointer: `#/${name}`, code: "required", detail: `${name} is required and cannot be cleared` });
    } else set[name] = field === undefined ? patch : merge((row[name] ?? null) as Json, patch);
  }
  faults.push(...(judge?.(set) ?? []));
  if (faults.length > 0) throw invalid(faults);
  return { cleared, set };
}

/** The record with those of its computed fields that the request names, to be compared with (R2.4). */
export async function asRead(call: Call, tx: Transaction, row: Row): Promise<Row> {
  const named = call.prepared.table.virtual.filter(({ name }) => Object.hasOwn(call.input, name));
  if (named.length === 0) return row;
  const values: Values = { ...row };
  for (const { name, expression } of named)
    values[name] = await call.context.evaluate(tx, expression, row, call.variables);
  return values;
}

/** Whether a member may be sent only with the value that it has, and this caller may know of it (R2.4, R5.9). */
export function isFixed(call: Call, name: string): boolean {
  return (call.prepared.operation.body?.fixed.includes(name) ?? false) && call.kind.record.known.has(name);
}

export function readOnly(name: string): Fault {
  return { pointer: `#/${name}`, code: "read-only", detail: `${name} is set by the service` };
}

/** RFC 7396 section 2. */
export function merge(target: Json, patch: Json): Json {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const base = target !== null && typeof target === "object" && !Array.isArray(target) ? (target as JsonObject) : {};
  const merged = new Map<string, Json>(Object.entries(base));
  for (const [name, value] of Object.entries(patch as JsonObject)) {
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name) ?? null, value));
  }
  return Object.fromEntries(merged);
}
