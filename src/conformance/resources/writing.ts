/** Requests that set fields of records: valid ones, except for what a case is about. */
import { type Json, type JsonObject, omit } from "../../base/json.ts";
import { creates, type InputMember } from "../../language/endpoints/input.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { inputShapeOf } from "../../language/endpoints/shape.ts";
import { bareType, fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import type { FieldType } from "../../language/resources/model.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import type { Contract, Operation } from "../contract.ts";
import { determinesUnique } from "../distinguishing.ts";
import type { Interaction, Response } from "../interaction.ts";
import { observableFields, recordIn, renamedFields } from "../response.ts";
import { isAcceptable, prepareReferences, supplyFor as baseSupply } from "../trial/inputs.ts";
import { recordFor } from "../trial/calls.ts";
import type { KnownRecord } from "../trial/known.ts";
import { membersOf } from "../trial/learning.ts";
import { readersOf, readId } from "../trial/looking.ts";
import { creatorFor, makeVisible, sendCreation } from "../trial/records.ts";
import type { Trial } from "../trial/trial.ts";
import { isSame } from "../values/same.ts";
import { type Supply, validValue } from "../values/valid.ts";

/** An operation that sets fields. A PUT that can create a record is two writes. */
export interface Write {
  readonly kind: "create" | "change" | "replace";
  readonly called: ResourceEndpoint;
  /** The name in ids of cases: `putStation`, or `putStation (new)` if it is two writes. */
  readonly name: string;
  /** The members that set fields. */
  readonly members: readonly InputMember[];
}

/** Whether only the creation of a record sets the member. */
export function isOnlyCreated({ model }: Contract, resource: string, { name, field }: InputMember): boolean {
  const marks = [...field.marks, ...(lookup(fieldsOf(model, resource), name)?.marks ?? [])];
  return marks.includes("create-only");
}

/** Returns the writes of a document, or those of one resource. */
export function writesOf(contract: Contract, resource?: string): readonly Write[] {
  const { model, operations } = contract;
  return [...operations.values()].flatMap((called): readonly Write[] => {
    if (called.kind !== "resource" || called.endpoint.wire !== undefined || called.file !== undefined) return [];
    if (resource !== undefined && called.resource !== resource) return [];
    const isUpsert = creates(model, called);
    const members = membersOf(contract, called).filter(({ sets }) => sets);
    const write = (kind: Write["kind"], name = called.operation): Write => ({ kind, called, name, members });
    if (called.action === "create") return [write("create")];
    if (called.action === "update") return [write("change")];
    if (called.action !== "replace") return [];
    const replace = called.endpoint.statuses?.differs === undefined ? [write("replace")] : [];
    return isUpsert ? [write("create", `${called.operation} (new)`), ...replace] : replace;
  });
}

/** Returns the writes that create records. */
export function creationsOf(contract: Contract, resource: string): readonly Write[] {
  return writesOf(contract, resource).filter(({ kind }) => kind === "create");
}

/** Whether a request of the write can set the field. */
export function sets({ members }: Write, field: string): boolean {
  return members.some(({ name }) => name === field);
}

/** Whether a request of the operation may be a form, which has texts in place of numbers. */
export function acceptsFile(contract: Contract, called: Operation): boolean {
  return membersOf(contract, called).some(({ field }) => bareType(field.type).kind === "file");
}

/** Returns the path of the statement that declares a member of a body. */
export function memberPath({ model }: Contract, called: Operation, member: string): string {
  const { endpoint, operation, resource } = called;
  if (endpoint.takes !== undefined && lookup(endpoint.takes, member) !== undefined)
    return `endpoints/endpoints/${operation}/takes/${member}`;
  const isField = resource !== undefined && lookup(fieldsOf(model, resource), member) !== undefined;
  if (isField && (endpoint.takes === undefined || inputShapeOf(model, called) !== undefined))
    return `resources/${resource}/${member}`;
  return `endpoints/endpoints/${operation}`;
}

/** What a write is like. */
export interface WriteOptions {
  /** Members that have these values. The other members of a creation and a replacement are valid. */
  readonly values?: JsonObject;
  /** Members that are left out. */
  readonly without?: readonly string[];
  /** Returns the body to be sent in place of the valid one. */
  readonly change?: (body: JsonObject) => JsonObject;
  /** The record to be changed or replaced; by default a new one. */
  readonly record?: KnownRecord | undefined;
  /** The record below which a record is created. */
  readonly parent?: KnownRecord | undefined;
  readonly caller?: Caller | undefined;
  /** The id of the new record, if the client chooses it. */
  readonly id?: Json | undefined;
  /** Whether a body that is known to violate a rule is not sent. */
  readonly isValid?: boolean;
  /** Whether an invalid body violates no rule, if possible, so that the response shows nothing but its mistake. */
  readonly obeysRules?: true;
}

export interface Written {
  readonly write: Write;
  readonly interaction: Interaction;
  readonly response: Response;
  readonly caller: Caller;
  readonly body: JsonObject;
  /** The record that was created, or that had to be changed. */
  readonly record: KnownRecord | undefined;
}

/** Sends a write. @throws NotTried if what it needs cannot be had */
export async function sendWrite(trial: Trial, write: Write, options: WriteOptions = {}): Promise<Written> {
  return write.kind === "create" ? sendCreate(trial, write, options) : sendEdit(trial, write, options);
}

async function sendCreate(trial: Trial, write: Write, options: WriteOptions): Promise<Written> {
  const { called } = write;
  const { caller: creator, change, id, parent, values = {}, without = [] } = options;
  const caller = await neededCreator(trial, called, creator);
  const { body, interaction, record } = await sendCreation(trial, called, caller, {
    ...{ values, creator: caller, parent, id, isValid: options.isValid === true },
    change: (valid) => {
      const body = omit(change?.(valid) ?? valid, without);
      return bodyToSend(trial, write, options, { caller, record: undefined, body, valid });
    },
  });
  return { write, interaction, response: trial.responseOf(interaction), caller, body, record };
}

/** Returns a caller who may create a record by the operation. @throws NotTried if the test has none */
export async function neededCreator(trial: Trial, called: Operation, creator?: Caller): Promise<Caller> {
  const caller = await creatorFor(trial, called, { creator });
  if (caller === undefined) throw new NotTried(`no caller of the test may run ${called.operation}`);
  return caller;
}

async function sendEdit(trial: Trial, write: Write, options: WriteOptions): Promise<Written> {
  const { called, kind } = write;
  const { change, values = {}, without = [] } = options;
  const record = options.record ?? (await makeToEdit(trial, write));
  const caller = options.caller ?? holderOf(trial, write, record) ?? (await trial.callerFor(called.operation, record));
  // A replacement has to contain what cannot change.
  if (kind === "replace") await trial.look(record);
  const input = kind === "replace" ? await trial.inputFor(called.operation, caller, record, values) : undefined;
  const valid = input?.body ?? values;
  const changed = omit(change?.(valid) ?? valid, without);
  const body = bodyToSend(trial, write, options, { caller, record, body: changed, valid });
  const interaction = await trial.call(called.operation, {
    ...{ caller, record, body, query: input?.query },
    isInvalid: change !== undefined && options.isValid !== true,
  });
  return { write, interaction, response: trial.responseOf(interaction), caller, body, record };
}

/** Makes a record for an operation: if the operation selects its record itself, one that it selects for some caller. */
export async function makeToEdit(
  trial: Trial,
  { called }: { readonly called: Operation },
  values: Readonly<Record<string, Json>> = {},
): Promise<KnownRecord> {
  if (called.endpoint.the === undefined) return trial.make(called.resource as string, { values });
  return recordFor(trial, called, await trial.callerFor(called.operation));
}

/** Makes the record that a write changes; undefined for a write that creates one. */
export async function recordToChange(trial: Trial, write: Write): Promise<KnownRecord | undefined> {
  return write.kind === "create" ? undefined : makeToEdit(trial, write);
}

/** Returns the caller for whom an operation selects the record, if it is that caller's account. */
function holderOf({ world }: Trial, { called }: Write, record: KnownRecord): Caller | undefined {
  if (called.endpoint.the === undefined) return undefined;
  return [...world.accounts].find(([, account]) => account === record)?.[0];
}

/** How many bodies the test tries until one follows the rules. */
const mostBodies = 60;

/** A body, and the valid one from which it was made: the case has chosen the members in which they differ. */
type Draft = Pick<Written, "body" | "caller" | "record"> & { readonly valid: JsonObject };

/** @throws NotTried if a valid body is wanted and the test finds none that follows the rules */
function bodyToSend(trial: Trial, write: Write, options: WriteOptions, draft: Draft): JsonObject {
  const { isValid, obeysRules } = options;
  if (isValid !== true && obeysRules !== true) return draft.body;
  const found = acceptableBody(trial, write, options, draft);
  if (found === undefined && isValid === true)
    throw new NotTried(`the test finds no body for ${write.called.operation} that follows the rules`);
  return found ?? draft.body;
}

/** Returns the body, if necessary with other values of members that the case has not chosen, so that it follows the rules. */
function acceptableBody(
  trial: Trial,
  write: Write,
  { values = {}, without = [] }: WriteOptions,
  { body, caller, record, valid }: Draft,
): JsonObject | undefined {
  const { contract, random } = trial;
  const { called } = write;
  const isFree = (name: string): boolean =>
    lookup(values, name) === undefined &&
    !without.includes(name) &&
    lookup(body, name) === lookup(valid, name) &&
    !determinesUnique(contract, called.resource, name);
  const free = write.members.filter(
    ({ name, field }) =>
      isFree(name) && referenceOf(contract.model, field.type) === undefined && !field.marks.includes("secret"),
  );
  let tried = body;
  for (let count = 0; count < mostBodies; count += 1) {
    if (isAcceptable(trial, called, { caller, record }, { body: tried, query: {} }, { ignoresGuard: true }))
      return tried;
    const other = free.flatMap(({ name, field }): [string, Json][] => {
      const value = random.chance(0.5) ? validValue(contract, field.type, baseSupply(trial, caller)) : undefined;
      return value === undefined ? [] : [[name, value]];
    });
    tried = { ...body, ...Object.fromEntries(other) };
  }
  return undefined;
}

/** Returns the value of a field in the response of a write; undefined if the response does not show the field. */
export function fieldIn(trial: Trial, { response, write: { called } }: Written, field: string): Json | undefined {
  const renamed = renamedFields(trial.contract, called, response.json).get(field);
  if (renamed !== undefined) return renamed;
  const observed = recordIn(trial.contract, called, response.json);
  // A view may have a member of the field's name that is something else.
  const isField = observableFields(trial.contract, called.resource, observed?.view).includes(field);
  return observed === undefined || !isField ? undefined : lookup(observed.record, field);
}

/**
 * Reads a field of a record again: as a caller, or as somebody who sees it. Returns undefined if no response shows the field, and
 * null if it is absent.
 */
export async function readField(
  trial: Trial,
  record: KnownRecord,
  field: string,
  caller?: Caller,
): Promise<Json | undefined> {
  const before = record.values.get(field);
  record.observed.delete(field);
  // Without its key the record cannot be read.
  const isKey = field === "id" || readersOf(trial, record.resource).some(({ key }) => key?.column === field);
  if (!isKey) record.values.delete(field);
  if (caller !== undefined) await trial.readAs(record, caller);
  if (!record.observed.has(field)) await trial.look(record);
  // What no response shows is what the test knows of it: the record of a path, or what a creation sets.
  if (before !== undefined && !record.values.has(field)) record.values.set(field, before);
  return record.observed.get(field);
}

// ── Values ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns what values of a type are made of; makes the records to which they may refer. */
export async function supplyFor(trial: Trial, type: FieldType, caller?: Caller): Promise<Supply> {
  const [first = anonymous] = await trial.callers();
  const references = new Map<string, Json>();
  await prepareReferences(trial, type, caller ?? first, references);
  return baseSupply(trial, caller ?? first, references);
}

/** How often the test looks for a value that differs. */
const mostValues = 20;

/** Returns a valid value that differs from the others; undefined if the test finds none. */
export async function otherValue(
  trial: Trial,
  type: FieldType,
  others: readonly (Json | undefined)[],
): Promise<Json | undefined> {
  const { contract, random } = trial;
  const supply = { ...(await supplyFor(trial, type)), user: () => `user-${random.text(6)}` };
  const isOther = (value: Json): boolean =>
    others.every((other) => other === undefined || !isSame(contract.model, type, other, value));
  for (let attempt = 0; attempt < mostValues; attempt += 1) {
    const value = validValue(contract, type, supply, "all");
    if (value !== undefined && isOther(value)) return value;
  }
  const resource = referenceOf(contract.model, type);
  if (resource === undefined) return undefined;
  const [first = anonymous] = await trial.callers();
  return readId(trial, await makeVisible(trial, resource, first));
}
