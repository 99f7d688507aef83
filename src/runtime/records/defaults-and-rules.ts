/** Converts the members of a body and the document's defaults to the column values of a record. */
import { onceFor } from "../../base/once.ts";
import { fragmentSegment } from "../../base/json-pointer.ts";
import { instantText } from "../../base/clock.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { instantIn, unixTimeOf, truncatedInstant } from "../../base/unix-time.ts";
import type { Value } from "../../expression/evaluate.ts";
import { partsOf } from "../../plan/endpoints/path-keys.ts";
import type { BodyPlan, InputForm } from "../../plan/endpoints/types.ts";
import type { Column, RulePlan, Table } from "../../plan/resources/types.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Awaitable, Row, Transaction } from "../../store/port/store.ts";
import { type Call, type Context, type ChangeContext, callOf, type Values } from "../context/context.ts";
import { type Validator, createValidators } from "../validation/validator.ts";
import { alreadyExists } from "../validation/messages.ts";
import { canonicalText } from "../../http/json.ts";
import type { Change } from "./effects.ts";
import { isVisible } from "./find-and-authorise.ts";
import { isSegment } from "../routing/target.ts";
import { checkTrees } from "./tree.ts";
import { type Violation, invalid, ApiError } from "../errors/api-error.ts";

/** A validated body in stored form: the column values, and the call with the `input` of expressions. */
export interface StoredInput {
  readonly call: Call;
  readonly values: Values;
}

/**
 * Converts a validated body to its stored form: defaults for missing members, times in UTC. The caller must be allowed to see
 * each referenced record; a hidden one gets the same error as a missing one (R2.10). Values that the caller can read unchanged in
 * `row` are not checked again.
 */
export function toStoredInput(
  received: Call,
  tx: Transaction,
  supplied: JsonObject,
  row?: Row,
): Awaitable<StoredInput> {
  const { functions } = received;
  if (functions?.hasBefore !== true) return convertInput(received, tx, supplied, row);
  return functions.before(received, tx, supplied).then(({ call, input }) => convertInput(call, tx, input, row));
}

function convertInput(call: Call, tx: Transaction, input: JsonObject, row?: Row): Awaitable<StoredInput> {
  const { body } = call.compiled.operation;
  return body === undefined ? { call: seeing(call, {}), values: {} } : convertMembers(body, call, tx, input, row);
}

async function convertMembers(
  { fields, others }: BodyPlan,
  call: Call,
  tx: Transaction,
  input: JsonObject,
  row?: Row,
): Promise<StoredInput> {
  const conversion: InputConversion = { call, tx, violations: [] };
  const values: Values = {};
  const resolved: Record<string, Json> = {};
  for (const [index, field] of [...fields, ...others].entries()) {
    const { name, form } = field;
    const supplied = Object.hasOwn(input, name)
      ? input[name]
      : row !== undefined && stays(call, name)
        ? undefined
        : field.default;
    if (supplied === undefined) continue;
    const known = row !== undefined && call.kind.record.readable.has(name);
    const same = known && sameValue(row[name] ?? null, supplied as Value);
    const value = form === undefined || same ? supplied : await formed(conversion, form, supplied, name, `#/${name}`);
    resolved[name] = value;
    if (index < fields.length) values[name] = field.secret === true ? hashOf(call, name) : (value as Value);
  }
  if (conversion.violations.length > 0) throw invalid(conversion.violations);
  return { call: seeing(call, resolved), values };
}

/** Returns a copy of the call whose expressions read `input`. */
function seeing(call: Call, input: JsonObject): Call {
  return { ...call, variables: { ...call.variables, input: { ...input, ...call.received } as Value } };
}

/**
 * Whether a field of an existing record is unchanged if the body omits it: it is immutable, or hidden from the caller, or a file,
 * which JSON cannot contain.
 */
export function stays({ kind, compiled: { operation } }: Call, name: string): boolean {
  const { fixed = [], files = {} } = operation.body ?? {};
  return fixed.includes(name) || Object.hasOwn(files, name) || !kind.record.readable.has(name);
}

function hashOf(call: Call, name: string): string {
  const hash = call.secrets?.[name];
  if (hash === undefined) throw new Error(`${name} was not hashed before the transaction`);
  return hash;
}

interface InputConversion {
  readonly call: Call;
  readonly tx: Transaction;
  readonly violations: Violation[];
}

async function formed(
  conversion: InputConversion,
  form: InputForm,
  supplied: Json,
  name: string,
  pointer: string,
): Promise<Json> {
  if (supplied === null) return null;
  switch (form.kind) {
    case "timestamp":
      return instantIn(supplied, form.unix);
    case "reference":
      if (!(await isThere(conversion, form, supplied as Value)))
        conversion.violations.push({
          pointer,
          code: "reference-not-found",
          detail: `${name} refers to a record that does not exist`,
        });
      return supplied;
    case "list": {
      const items: Json[] = [];
      for (const [index, item] of (supplied as readonly Json[]).entries())
        items.push(await formed(conversion, form.of, item, name, `${pointer}/${index}`));
      return items;
    }
    case "map": {
      const members: [string, Json][] = [];
      for (const [key, member] of Object.entries(supplied as JsonObject))
        members.push([key, await formed(conversion, form.of, member, name, `${pointer}/${fragmentSegment(key)}`)]);
      return Object.fromEntries(members);
    }
    case "object": {
      const members: Record<string, Json> = { ...(supplied as JsonObject) };
      for (const [key, { form: inner, default: otherwise }] of Object.entries(form.members)) {
        const member = Object.hasOwn(members, key) ? members[key] : otherwise;
        if (member === undefined) continue;
        members[key] =
          inner === undefined
            ? member
            : await formed(conversion, inner, member, name, `${pointer}/${fragmentSegment(key)}`);
      }
      return members;
    }
  }
}

async function isThere(
  { call, tx }: InputConversion,
  form: InputForm & { kind: "reference" },
  id: Value,
): Promise<boolean> {
  const row = await tx.lockShared(form.resource, "id", id);
  return row !== undefined && isVisible(call, tx, form.visible, row);
}

/** Fills the missing values of a new record: id, defaults, start state. `secrets`: the hashes of the body's secrets. */
export function fillDefaults(
  changeContext: ChangeContext,
  table: Table,
  values: Values,
  secrets: Call["secrets"] = {},
): void {
  for (const column of table.columns) {
    const { name, marks } = column;
    if (values[name] !== undefined) continue;
    if (name === "id") values[name] = newId(changeContext, table, column);
    else values[name] = marks.includes("secret") ? (secrets[name] ?? null) : defaultValue(changeContext, column);
  }
  if (table.lifecycle !== undefined) values["state"] = table.lifecycle.start;
}

/** Returns the state change of a creation. */
export function created({ lifecycle }: Table): Change {
  return lifecycle === undefined ? {} : { to: lifecycle.start };
}

/** Sets the fields whose default is `now` on change. */
export function touch({ now }: ChangeContext, table: Table, changes: Values): void {
  for (const column of table.columns) {
    if (column.default?.kind === "now-on-change") changes[column.name] = momentOf(column, now);
  }
}

/** Returns the id of a new record. The store assigns counter ids; ids from clients are already in `values`. */
function newId(changeContext: ChangeContext, { id }: Table, column: Column): Value {
  if (id.made !== "server") return null;
  const { prefix, random } = id;
  if (prefix === undefined) return defaultValue(changeContext, column);
  const { context } = changeContext;
  if (random === undefined) return context.newId(prefix);
  return `${prefix === "" ? "" : `${prefix}_`}${randomText(context, random.length, random.characters)}`;
}

/** Returns the default value of a column; null without one. */
export function defaultValue(changeContext: ChangeContext, column: Column): Value {
  const { default: made, type } = column;
  const { context, now } = changeContext;
  switch (made?.kind) {
    case "now":
    case "now-on-change":
      return momentOf(column, now);
    case "caller": {
      // A timer has no caller.
      const id = callOf(changeContext)?.caller.id ?? null;
      return type === "integer" ? (numberOf(id) ?? id) : id;
    }
    case "digits":
      return randomText(context, made.length, "0123456789");
    case "token":
      return Buffer.from(context.random(made.length)).toString("base64url").slice(0, made.length);
    case "uuid":
      return uuid(context.random(16));
    case "literal":
      return made.value as Value;
    default:
      // There is no default, or it is counted: `counter` by the store, `counter per` by `withCounters` (counters.ts).
      return null;
  }
}

/** Returns the time without what JSON cannot show of it, so that a filter by the shown value finds the record. */
function momentOf({ unix }: Column, now: number): string {
  return unix === undefined ? instantText(now) : truncatedInstant(instantText(now), unix);
}

/** Drops from computed moments the fraction that JSON cannot show. */
function dropFractions(columns: readonly Column[], row: Values): void {
  for (const { name, unix } of columns) {
    const value = row[name];
    if (unix !== undefined && typeof value === "string") row[name] = truncatedInstant(value, unix);
  }
}

/** Returns the integer of a text in canonical form, such as a path segment; undefined for other texts. */
function numberOf(text: string | null): number | undefined {
  const number = Number(text);
  return text !== null && Number.isSafeInteger(number) && String(number) === text ? number : undefined;
}

/** Returns random characters, uniformly distributed: the last, incomplete group of bytes would bias them, and is skipped. */
function randomText({ random }: Context, length: number, characters: string): string {
  const limit = 256 - (256 % characters.length);
  let text = "";
  while (text.length < length)
    for (const byte of random(length))
      if (byte < limit && text.length < length) text += characters[byte % characters.length];
  return text;
}

function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes);
  hex[6] = ((hex[6] as number) & 0x0f) | 0x40;
  hex[8] = ((hex[8] as number) & 0x3f) | 0x80;
  return hex.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * Computes stored fields and checks the rules of a single record on its new values (language, section 4); `old` is the record
 * before. `set`: the fields that a transition has computed.
 */
export function checkRulesAndComputed(
  changeContext: ChangeContext,
  tx: Transaction,
  { columns, rules }: Pick<Table, "columns" | "rules">,
  row: Values,
  old: Row | undefined,
  set: readonly { readonly field: string }[] = [],
): Awaitable<void> {
  const assigned = set.length === 0 ? [] : columns.filter(({ name }) => set.some(({ field }) => field === name));
  dropFractions(assigned, row);
  const referring = columns.filter((column) => isUnchecked(changeContext, column, row, old, assigned));
  const isComputed = ({ computed, references }: Column): boolean => computed !== undefined || references?.tree === true;
  if (referring.length > 0 || rules.some(isEarly) || columns.some(isComputed))
    return compute(changeContext, tx, { columns, rules, assigned, referring }, row, old);
  checkFit(changeContext, assigned, row);
  checkKeys(changeContext, columns, row, old);
}

/**
 * Whether the reference still has to be checked, since its value comes from a default or an expression and not from a body.
 * The caller's id needs no check if the caller has logged in as a record of that resource.
 */
function isUnchecked(
  changeContext: ChangeContext,
  column: Column,
  row: Values,
  old: Row | undefined,
  assigned: readonly Column[],
): boolean {
  const { default: made, name, references } = column;
  const value = row[name] ?? null;
  if (references === undefined || value === null || value === old?.[name]) return false;
  const call = callOf(changeContext);
  const { caller, compiled } = call ?? {};
  const isSupplied =
    made === undefined || (compiled?.operation.body?.fields.some((field) => field.name === name) ?? false);
  if (!assigned.includes(column) && (old !== undefined || isSupplied)) return false;
  if (caller === undefined || value !== caller.id) return true;
  const known = changeContext.context.plan.credentials.find(
    (credential) => credential.name === caller.credential,
  )?.login;
  return known?.resource !== references.resource;
}

async function compute(
  changeContext: ChangeContext,
  tx: Transaction,
  {
    columns,
    rules,
    assigned,
    referring,
  }: Pick<Table, "columns" | "rules"> & { readonly assigned: Column[]; readonly referring: readonly Column[] },
  row: Values,
  old: Row | undefined,
): Promise<void> {
  for (const { default: made, name, references, type } of referring) {
    const { resource } = references as { readonly resource: string };
    const value = row[name] ?? null;
    const mayBe = type !== "integer" || typeof value === "number";
    if (mayBe && (await tx.lockShared(resource, "id", value)) !== undefined) continue;
    const isCaller = made?.kind === "caller" || value === callOf(changeContext)?.caller.id;
    const detail = isCaller ? "The caller has no record to refer to" : "The referenced record does not exist";
    throw invalid([{ pointer: "#", code: "reference-not-found", detail }]);
  }
  await checkTrees(changeContext, tx, columns, row, old);
  const variables = { ...changeContext.variables, old: old ?? null };
  for (const column of columns) {
    if (column.computed === undefined) continue;
    row[column.name] = await changeContext.context.evaluate(tx, column.computed, row, variables);
    dropFractions([column], row);
    assigned.push(column);
  }
  checkFit(changeContext, assigned, row);
  checkKeys(changeContext, columns, row, old);
  for (const rule of rules) {
    if (!isEarly(rule)) continue;
    if ((await changeContext.context.evaluate(tx, rule.expression, row, variables)) !== true)
      throw new ApiError(rule.else);
  }
}

/** Whether a rule is evaluated before the write; late rules are evaluated after all writes (rules.ts). */
function isEarly({ isLate }: RulePlan): boolean {
  return isLate !== true;
}

/** Returns the columns, and the rules that this operation can break. */
export function operationTable({ compiled: { operation, table } }: Call): Pick<Table, "columns" | "rules"> {
  return { columns: table.columns, rules: operation.rules };
}

/** Throws 422 unless computed values fit their field like sent ones: range, length, not null. */
function checkFit(changeContext: ChangeContext, columns: readonly Column[], row: Values): void {
  const violations: Violation[] = [];
  for (const column of columns) {
    const { name, nullable } = column;
    const value = row[name] ?? null;
    if (value === null) {
      if (!nullable) violations.push({ pointer: `#/${name}`, code: "no-value", detail: `${name} would have no value` });
      continue;
    }
    const { unix } = column;
    const written = unix === undefined ? value : unixTimeOf(value as string, unix);
    for (const { pointer = "#", code, detail } of changeContext.context.columnValidator(column)(written as Json))
      violations.push({ pointer: `#/${name}${pointer.slice(1)}`, code, detail: detail.replace("The body", name) });
  }
  throwViolations(changeContext, columns, violations);
}

/**
 * Throws unless keys can be used in a path: not empty, `.` or `..`, and without control characters, which clients cannot send.
 */
function checkKeys(changeContext: ChangeContext, columns: readonly Column[], row: Values, old: Row | undefined): void {
  const violations: Violation[] = [];
  const keys = keyColumns(changeContext.context.plan);
  for (const column of columns) {
    const { name } = column;
    const value = row[name];
    if (typeof value !== "string" || value === old?.[name] || !keys.has(column) || isSegment(value)) continue;
    const detail = `${name} is part of an address: it cannot be empty, "." or "..", nor contain a control character`;
    violations.push({ pointer: `#/${name}`, code: "not-allowed", detail });
  }
  throwViolations(changeContext, columns, violations);
}

/** The columns that paths use as keys of records, also of parents. */
const keyColumns = onceFor((plan: Plan): ReadonlySet<Column> => {
  const keys = new Set<Column>();
  const named = plan.operations.flatMap(({ key, parents, resource, pathFields = [] }) => [
    ...pathFields.map(({ column }) => ({ resource, column })),
    ...(key === undefined ? [] : partsOf(key).map(({ column }) => ({ resource, column }))),
    ...parents.flatMap((parent) => partsOf(parent).map(({ column }) => ({ resource: parent.resource, column }))),
  ]);
  for (const { column, resource } of named) {
    const found = plan.tables.find((table) => table.resource === resource)?.columns.find(({ name }) => name === column);
    if (found !== undefined) keys.add(found);
  }
  return keys;
});

function throwViolations(
  changeContext: ChangeContext,
  columns: readonly Column[],
  violations: readonly Violation[],
): void {
  if (violations.length === 0) return;
  // Members that the caller cannot see, and members of other records, must not be exposed (R5.9).
  const call = callOf(changeContext);
  const local = columns.every((column) => call?.compiled.table.columns.includes(column));
  const exposed = local
    ? violations.filter(({ pointer }) => call?.kind.record.known.has(pointer?.split("/")[1] ?? ""))
    : [];
  throw invalid(
    exposed.length > 0 ? exposed : [{ pointer: "#", code: "does-not-fit", detail: "The result is not a valid record" }],
  );
}

/** Creates the validators of columns, each compiled at its first use. */
export function createColumnValidators(schemas?: Plan["schemas"]): (column: Column) => Validator {
  let validatorOf: ReturnType<typeof createValidators> | undefined;
  return onceFor(({ schema }) => {
    validatorOf ??= createValidators(undefined, schemas);
    return validatorOf(schema);
  });
}

/** Returns the columns of `row` that differ from `old`. */
export function changesBetween(old: Row, row: Values): Values {
  const changes: Values = {};
  for (const name of Object.keys(row)) {
    const value = row[name] as Value;
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

/**
 * Returns the error of a uniqueness conflict: the document's, or 409 with the members (R2.11) that the caller may know (R5.9).
 */
export function duplicate(changeContext: ChangeContext, table: Table, columns: readonly string[]): ApiError {
  const local = table.conflicts.find((conflict) => conflict.columns.toSorted().join() === columns.toSorted().join());
  if (local !== undefined) return new ApiError(local.else);
  const call = callOf(changeContext);
  const { operation, kind } = call?.compiled.table === table ? { ...call.compiled, kind: call.kind } : {};
  const exposed = columns.filter(
    (name) => kind?.record.known.has(name) || operation?.body?.fields.some((field) => field.name === name),
  );
  const detail = alreadyExists(exposed);
  return new ApiError("already-exists", {
    detail,
    violations: exposed.map((name) => ({ pointer: `#/${name}`, code: "already-exists", detail })),
  });
}
