/** From a body's members and the document's defaults to the columns of a record. */
import { canonicalInstant, instantText } from "../base/clock.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Value } from "../expression/evaluate.ts";
import type { Column, InputField, Table } from "../plan/plan.ts";
import type { Row, Transaction } from "../store/store.ts";
import type { Call, Context } from "./context.ts";
import { isVisible } from "./record.ts";
import type { Fault } from "./refusal.ts";
import { invalid, Refusal } from "./refusal.ts";

export type Values = Record<string, Value>;

/** The members of a judged body that are fields, as their columns keep them. */
export function fieldValues(fields: readonly InputField[], input: JsonObject): Values {
  const values: Values = {};
  for (const field of fields) {
    const given = input[field.name];
    if (given !== undefined) values[field.name] = stored(field, given);
  }
  return values;
}

function stored(field: InputField, given: Json): Value {
  if (field.canonical === "timestamp" && typeof given === "string") return (canonicalInstant(given) ?? given) as Value;
  return given as Value;
}

/** Each record that a body refers to must be one that this caller sees; a missing one looks the same (R2.10). */
export async function checkReferences(
  call: Call,
  tx: Transaction,
  fields: readonly InputField[],
  values: Values,
): Promise<void> {
  const faults: Fault[] = [];
  for (const { name, references } of fields) {
    const given = values[name];
    if (references === undefined || given === undefined || given === null) continue;
    const list = Array.isArray(given);
    for (const [index, id] of (list ? (given as readonly Value[]) : [given]).entries()) {
      const row = await tx.get(references.resource, "id", id);
      if (row !== undefined && (await isVisible(call, tx, references.visible, row))) continue;
      const pointer = list ? `#/${name}/${index}` : `#/${name}`;
      faults.push({ pointer, code: "reference-not-found", detail: `${name} refers to nothing that there is` });
    }
  }
  if (faults.length > 0) throw invalid(faults);
}

/** What a new record has where the body says nothing: defaults, the start state. */
export function fillDefaults(call: Call, table: Table, values: Values): void {
  for (const column of table.columns) {
    if (values[column.name] === undefined)
      values[column.name] = column.name === "id" ? newId(call, table, column) : defaultValue(call, column);
  }
  if (table.lifecycle !== undefined) values["state"] = table.lifecycle.start;
}

/** Fields that are set to the present at every change. */
export function touch(call: Call, table: Table, changes: Values): void {
  for (const column of table.columns) {
    if (column.default?.kind === "now-on-change") changes[column.name] = instantText(call.now);
  }
}

/** A counted id is the store's to give; a client's is in the values already. */
function newId(call: Call, { id }: Table, column: Column): Value {
  if (id.made === "server") return id.prefix === undefined ? defaultValue(call, column) : call.context.newId(id.prefix);
  return null;
}

function defaultValue(call: Call, { default: made }: Column): Value {
  switch (made?.kind) {
    case "now":
    case "now-on-change":
      return instantText(call.now);
    case "caller":
      return call.caller.id;
    case "digits":
      return digits(call.context, made.length);
    case "token":
      return Buffer.from(call.context.random(made.length)).toString("base64url").slice(0, made.length);
    case "uuid":
      return uuid(call.context.random(16));
    case "literal":
      return made.value as Value;
    default:
      // Absent; a `counter` is the store's to give.
      return null;
  }
}

/** Uniform decimal digits: bytes of 250 and more are thrown again. */
function digits({ random }: Context, length: number): string {
  let text = "";
  while (text.length < length)
    for (const byte of random(length)) if (byte < 250 && text.length < length) text += byte % 10;
  return text;
}

function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes);
  hex[6] = ((hex[6] as number) & 0x0f) | 0x40;
  hex[8] = ((hex[8] as number) & 0x3f) | 0x80;
  return hex.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Stored computed fields and rules of the record as it would be (language, section 4); `old` is the record before. */
export async function settle(call: Call, tx: Transaction, row: Values, old: Row | undefined): Promise<void> {
  const { table, operation } = call.prepared;
  const variables = { ...call.variables, old: old ?? null };
  for (const column of table.columns) {
    if (column.computed !== undefined)
      row[column.name] = await call.context.evaluate(tx, column.computed, row, variables);
  }
  for (const rule of operation.rules) {
    if ((await call.context.evaluate(tx, rule.expression, row, variables)) !== true) throw new Refusal(rule.else);
  }
}

/** The columns of `row` that differ from `old`. */
export function changesBetween(old: Row, row: Values): Values {
  const changes: Values = {};
  for (const [name, value] of Object.entries(row)) {
    if (!sameValue(old[name] ?? null, value)) changes[name] = value;
  }
  return changes;
}

export function sameValue(one: Value, other: Value): boolean {
  if (one === other) return true;
  return (
    typeof one === "object" && typeof other === "object" && canonicalText(one as Json) === canonicalText(other as Json)
  );
}

/** JSON text that does not depend on the order of members. */
export function canonicalText(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const members = Object.entries(value as JsonObject).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member)}`).join()}}`;
}

/** The loser of a uniqueness constraint: the document's own error, or 409 with the members that it is about (R2.11). */
export function duplicate({ conflicts }: Table, columns: readonly string[]): Refusal {
  const own = conflicts.find((conflict) => conflict.columns.toSorted().join() === columns.toSorted().join());
  if (own !== undefined) return new Refusal(own.else);
  const detail = `Another record has this ${columns.join(" and ")}`;
  return new Refusal("already-exists", {
    detail,
    faults: columns.map((name) => ({ pointer: `#/${name}`, code: "already-exists", detail })),
  });
}
