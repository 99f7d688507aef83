/** Makes records, and those to which they refer. */
import type { Json, JsonObject } from "../../base/json.ts";
import { loginsOf } from "../../language/authentication/login.ts";
import { creates } from "../../language/endpoints/input.ts";
import { type PathKey, partsOf } from "../../language/endpoints/model.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { firstResult, ifPossible } from "../attempts.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { mayRun, mayEverRun, recordVisibility, setsAll } from "../permissions.ts";
import { deletionOf, type Operation } from "../contract.ts";
import { setAtCreation, startOf } from "../effects.ts";
import { isError, isFurtherError, statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { distinctValue, validValue } from "../values/valid.ts";
import { appearing } from "./appearing.ts";
import { unusedCaller } from "./callers.ts";
import { existing, handlersOf, madeByHandler } from "./existing.ts";
import { type Input, supplyFor } from "./inputs.ts";
import { hidesId, unknownId } from "./hidden-ids.ts";
import { type KnownRecord, newRecord } from "./known.ts";
import { learnCallers, learnChosen, learnObserved, learnTag, membersOf } from "./learning.ts";
import { startingInput, stateOfNew } from "./new-records.ts";
import { reach } from "./states.ts";
import type { Trial } from "./trial.ts";
import { findOnlyRecord, findRecord, recordsOf, reserveOnlyRecord } from "./world.ts";

/** What a record must be like. */
export interface Wish {
  readonly state?: string | undefined;
  /** Who creates it, if that caller may. */
  readonly creator?: Caller | undefined;
  readonly values?: Readonly<Record<string, Json>> | undefined;
  /** The record of the path below which it is created. */
  readonly parent?: KnownRecord | undefined;
  /** The operation that creates it; by default any that can. */
  readonly by?: string;
  /** The resources of the records for which it is made, and of itself, if others are to refer to it. */
  readonly inner?: readonly string[] | undefined;
  /** What is sent; by default a valid input with `values`. */
  readonly input?: Input;
  /** Whether it has to enter the state now: a record that entered it earlier will not do. */
  readonly entersNow?: true;
  /** Whether a limit that rejects the creation is what the case looks for. */
  readonly expectsLimit?: boolean;
}

export async function make(around: Trial, resource: string, wish: Wish = {}): Promise<KnownRecord> {
  const trial = around.trialMaking(resource);
  if (wish.state !== undefined && wish.state !== startOf(trial.contract, resource))
    return reach(trial, resource, wish.state, wish);
  const creators = creatorsOf(trial, resource).filter(({ operation }) => (wish.by ?? operation) === operation);
  const isAny = Object.keys(wish.values ?? {}).length === 0 && wish.input === undefined && wish.by === undefined;
  const attempts = [
    ...creators.map((called) => async (): Promise<KnownRecord | undefined> => {
      const caller = await creatorFor(trial, called, wish);
      return caller && create(trial, called, caller, wish);
    }),
    ...(isAny ? [() => madeByFunction(trial, resource, wish.creator)] : []),
  ];
  const none = `no caller of the test can create a record of ${resource}`;
  return firstResult(attempts, (attempt) => attempt(), none, "a credential that may create one");
}

async function madeByFunction(
  trial: Trial,
  resource: string,
  creator: Caller | undefined,
): Promise<KnownRecord | undefined> {
  if (handlersOf(trial, resource).length > 0) return madeByHandler(trial, resource, creator);
  return creatorsOf(trial, resource).length > 0 ? undefined : appearing(trial, resource, creator);
}

/** Returns the operations that create records of the resource. */
export function creatorsOf({ contract }: Trial, resource: string): readonly ResourceEndpoint[] {
  return [...contract.operations.values()].filter(
    (one): one is ResourceEndpoint =>
      one.kind === "resource" && one.resource === resource && (one.action === "create" || creates(contract.model, one)),
  );
}

/** Returns a caller who may create a record by the operation: the wished one, if possible. */
export async function creatorFor(
  trial: Trial,
  called: Operation,
  { creator, values = {} }: Wish,
): Promise<Caller | undefined> {
  const may = (caller: Caller): boolean => mayEverRun(trial.contract, called.operation, caller);
  if (creator !== undefined && may(creator)) return creator;
  const found = await anyCreator(trial, called, may);
  if (found === undefined || !isBoundToId(trial, called, found)) return found;
  const wished = lookup(values, "id");
  const holder = (await trial.callers()).find(
    (caller) => caller.id !== undefined && caller.id === wished && may(caller),
  );
  if (holder !== undefined || ownRecord(trial, called, found) === undefined) return holder ?? found;
  return (await unusedCaller(trial, found.roles)) ?? found;
}

async function anyCreator(
  trial: Trial,
  called: Operation,
  may: (caller: Caller) => boolean,
): Promise<Caller | undefined> {
  const setsFields = (caller: Caller): boolean => setsAll(trial.contract, called.resource, caller);
  // The test creates a record to sign up a user, so an anonymous creation must not wait for the users.
  if (may(anonymous) && setsFields(anonymous)) return anonymous;
  const callers = [...(may(anonymous) ? [anonymous] : []), ...(await trial.callers()).filter(may)];
  return callers.find(setsFields) ?? callers[0];
}

/** How often the test creates a record anew if there is one with the same unique values already. */
const mostCreations = 8;

async function create(trial: Trial, called: ResourceEndpoint, caller: Caller, wish: Wish): Promise<KnownRecord> {
  const { contract } = trial;
  const own = wish.input === undefined ? ownRecord(trial, called, caller) : undefined;
  if (own !== undefined) return withValues(trial, called, own, wish);
  for (let number = 1; ; number += 1) {
    const { interaction, record } = await sendCreation(trial, called, caller, { ...wish, isValid: true });
    if (record !== undefined) return record;
    const response = trial.responseOf(interaction);
    // Try again: unique values may repeat, and the further writes may accept other values.
    const isOther =
      isError(contract, response, "already-exists", called.operation) || isFurtherError(contract, response, called);
    if (number < mostCreations && isOther) {
      // What is unique only below another record is free below a new one.
      if (number > 1) trial.world.references.splice(0);
      continue;
    }
    throw new NotTried(
      `${called.operation} answered ${statusText(contract, response)} to a request that should be valid`,
    );
  }
}

/** Returns the only record that its creator may create, with the wished values. */
async function withValues(
  trial: Trial,
  { operation }: ResourceEndpoint,
  record: KnownRecord,
  { values = {} }: Wish,
): Promise<KnownRecord> {
  trial.used.add(record);
  if (Object.entries(values).every(([name, value]) => record.values.get(name) === value)) return record;
  const { body, query } = await trial.inputFor(operation, record.creator, record, values);
  const interaction = await trial.call(operation, { caller: record.creator, record, body, query });
  const response = trial.responseOf(interaction);
  if (response.status < 300) return record;
  throw new NotTried(`${operation} answered ${statusText(trial.contract, response)} to a request that should be valid`);
}

/** The request that had to create a record, its body, and the record if there is one. */
export interface Creation {
  readonly interaction: Interaction;
  readonly body: JsonObject;
  readonly record: KnownRecord | undefined;
}

/** What a creation differs in from a valid one. */
export interface CreationChange {
  /** Returns the body to be sent in place of a valid one. */
  readonly change?: (body: JsonObject) => JsonObject;
  /** The id to be sent in the path, if the client chooses it. */
  readonly id?: Json | undefined;
  /** Whether the changed body is valid too. */
  readonly isValid?: boolean;
}

/**
 * Sends a request that creates a record: a valid one, unless it is changed. If a valid one is rejected, others are sent, with all
 * optional members and with none: the cases about those members report which one is at fault, and all others go on.
 */
export async function sendCreation(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  wish: Wish & CreationChange = {},
): Promise<Creation> {
  const { memberSets } = trial.world;
  const { operation } = called;
  const first = await sendCreationOnce(trial, called, caller, wish);
  const isFixed = wish.input !== undefined || memberSets.has(operation);
  if (wish.isValid !== true || isFixed || !isRejected(trial, called, first)) return first;
  for (const set of ["all", "required"] as const) {
    memberSets.set(operation, set);
    const next = await sendCreationOnce(trial, called, caller, wish);
    if (next.record !== undefined) return next;
    memberSets.delete(operation);
  }
  return first;
}

/** Whether a valid body was rejected. The further writes of a creation may accept other values of the same members. */
function isRejected(trial: Trial, called: ResourceEndpoint, { interaction }: Creation): boolean {
  const response = trial.responseOf(interaction);
  return [400, 422].includes(response.status) && !isFurtherError(trial.contract, response, called);
}

async function sendCreationOnce(
  trial: Trial,
  called: ResourceEndpoint,
  caller: Caller,
  wish: Wish & CreationChange,
): Promise<Creation> {
  const { contract, world } = trial;
  const { resource } = called;
  const before = trial.interactions.length;
  const around = await parentsOf(trial, called, caller, wish);
  const { body: valid = {}, query } = wish.input ?? (await startingInput(trial, called, caller, wish));
  const body = wish.change?.(valid) ?? valid;
  const id = called.action === "create" ? undefined : (wish.id ?? permittedId(trial, called, caller));
  const named = id === undefined || called.key === undefined ? {} : newNames(trial, called.resource, called.key, id);
  const path = { ...around.path, ...named };
  const expectsLimit = wish.expectsLimit === true;
  const interaction = await trial.call(called.operation, {
    ...{ caller, record: null, path, body, query, expectsLimit },
    isInvalid: wish.change !== undefined && wish.isValid !== true,
  });
  const response = trial.responseOf(interaction);
  if (response.status >= 300) return { interaction, body, record: undefined };
  const history = new Set([...around.history, ...historyOf(trial, called, body), ...trial.interactions.slice(before)]);
  const values = id === undefined ? around.values : { ...around.values, id };
  const state = stateOfNew(trial, called, caller, { body, query });
  const record: KnownRecord = {
    ...newRecord(resource, caller, [...history], values),
    ...{ parent: around.parent, firstState: state ?? null },
  };
  world.records.push(record);
  if (id !== undefined && id === caller.id) reserveOnlyRecord(world, resource, caller.id, record);
  trial.used.add(record);
  const fields = fieldsOf(contract.model, resource);
  learnCallers(trial, record, caller);
  for (const { name, sets } of membersOf(contract, called)) {
    const sent = lookup(body, name);
    const isKnown = lookup(fields, name)?.default === undefined && !contract.filled.has(`${resource}.${name}`);
    if (sets && (sent !== undefined || isKnown)) record.values.set(name, sent ?? null);
  }
  for (const [name, field] of Object.entries(fields)) {
    const chosen = defaultValue(contract.model, field);
    if (chosen !== undefined && !record.values.has(name)) record.values.set(name, chosen);
  }
  for (const name of setAtCreation(contract, called)) record.values.delete(name);
  learnChosen(trial, called, record, body);
  learnObserved(trial, called, caller, record, response.json);
  learnTag(trial, record, caller, response.headers["etag"]);
  learnLocation(trial, record, response.headers["location"]);
  if (!record.values.has("id") && hidesId(contract, resource))
    record.values.set("id", `${unknownId}${resource} ${world.count()}`);
  if (state !== undefined && !record.values.has("state")) record.values.set("state", state);
  return { interaction, body, record };
}

interface Parents {
  /** The values of the path's parameters. */
  readonly path: Readonly<Record<string, Json>>;
  /** The fields of the new record that the path sets. */
  readonly values: Readonly<Record<string, Json>>;
  readonly history: readonly Interaction[];
  /** The record directly above. */
  readonly parent?: KnownRecord | undefined;
}

/** Returns the records above the new one in the path; makes them if necessary. */
async function parentsOf(
  trial: Trial,
  { parents }: ResourceEndpoint,
  caller: Caller,
  { parent: wished, values: wanted = {} }: Wish,
): Promise<Parents> {
  const last = parents.at(-1);
  if (last === undefined) return { path: {}, values: {}, history: [] };
  const parent =
    (wished?.resource === last.resource ? wished : undefined) ??
    findRecord(trial.world, last.resource, lookup(wanted, last.field) ?? null) ??
    (await trial.reference(last.resource, caller));
  const parts = partsOf(last);
  if (["id", ...parts.map(({ column }) => column)].some((column) => !parent.values.has(column)))
    await trial.look(parent);
  const path: Record<string, Json> = {};
  for (const { column, parameter } of parts) path[parameter] = parent.values.get(column) ?? null;
  let child: KnownRecord | undefined = parent;
  for (const outer of parents.slice(0, -1).toReversed()) {
    const id: Json | undefined = child?.values.get(outer.field);
    child = id === undefined ? undefined : findRecord(trial.world, outer.resource, id);
    for (const { column, parameter } of partsOf(outer)) path[parameter] = child?.values.get(column) ?? id ?? null;
  }
  const id = parent.values.get("id");
  return { path, values: id === undefined ? {} : { [last.field]: id }, history: parent.history, parent };
}

/** Returns the requests that made the records to which a body refers. A text without a type may be an id that a client chose. */
function historyOf(
  { contract, world }: Trial,
  called: ResourceEndpoint,
  body: Readonly<Record<string, Json>>,
): readonly Interaction[] {
  const { model } = contract;
  const sent = new Set(Object.values(body));
  const types = membersOf(contract, called).flatMap(({ field }) => referenceOf(model, field.type) ?? []);
  const chosen = Object.keys(model.resources.resources).filter((one) => fieldsOf(model, one)["id"]?.type.kind !== "id");
  return [...new Set([...types, ...chosen])]
    .flatMap((resource) => recordsOf(world, resource))
    .flatMap(({ values, history }) => (sent.has(values.get("id") ?? null) ? history : []));
}

/** How many ids the test tries until no record of the test has one. */
const mostIds = 12;

/** Returns an id that no other record has, if there is one, for a record whose id the client chooses. */
export function newId(trial: Trial, { key, resource }: ResourceEndpoint): Json | undefined {
  const { contract, world } = trial;
  const field = key === undefined ? undefined : lookup(fieldsOf(contract.model, resource), key.column);
  if (field === undefined) return undefined;
  const type = field.type.kind === "id" ? (field.type.of ?? field.type) : field.type;
  let id: Json | undefined;
  for (let count = 0; count < mostIds; count += 1) {
    const supply = supplyFor(trial, anonymous);
    // A pattern may have few texts, of which a distinct value is always the same one.
    id =
      count < mostIds / 3 ? distinctValue(contract, type, supply, world.count()) : validValue(contract, type, supply);
    if (id === undefined || findRecord(world, resource, id) === undefined) break;
  }
  return id;
}

/** Returns the path parameters of a new record: `id`, and valid values for the parameters before it. */
export function newNames(
  trial: Trial,
  resource: string,
  { before = [], parameter }: PathKey,
  id: Json,
): Readonly<Record<string, Json>> {
  const { contract } = trial;
  const fields = fieldsOf(contract.model, resource);
  const others = before.flatMap(({ column, parameter: name }) => {
    const type = lookup(fields, column)?.type;
    const value = type && validValue(contract, type, supplyFor(trial, anonymous));
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(others), [parameter]: id };
}

/** Returns an id with which the caller may create a record: a new one, or the caller's own if the permission is about that. */
function permittedId(trial: Trial, called: ResourceEndpoint, caller: Caller): Json | undefined {
  if (!isBoundToId(trial, called, caller)) return newId(trial, called);
  if (ownRecord(trial, called, caller) !== undefined)
    throw new NotTried(`${caller.name} may create one ${called.resource} only`, "another credential of this kind");
  reserveOnlyRecord(trial.world, called.resource, caller.id as string);
  return caller.id;
}

/** Whether the caller may create a record with its own id alone. */
function isBoundToId(trial: Trial, { action, operation, resource }: Operation, caller: Caller): boolean {
  if (action !== "replace" || resource === undefined || caller.id === undefined) return false;
  const isDenied = (id: Json): boolean =>
    mayRun(trial.contract, operation, caller, trial.around(newRecord(resource, caller, [], { id }))) === false;
  return isDenied(`${unknownId}other`) && !isDenied(caller.id);
}

/** Returns the only record that the caller may create, if it exists. */
function ownRecord(trial: Trial, called: Operation, caller: Caller): KnownRecord | undefined {
  const { id } = caller;
  if (id === undefined || called.resource === undefined || !isBoundToId(trial, called, caller)) return undefined;
  return findOnlyRecord(trial.world, called.resource, id);
}

/** Learns the key of a record from its address. */
function learnLocation({ contract }: Trial, record: KnownRecord, location: string | undefined): void {
  if (location === undefined || record.values.has("id")) return;
  const last = decodeURIComponent(location.split("?")[0]?.split("/").at(-1) ?? "");
  const reader = [...contract.operations.values()].find(
    (one) => one.action === "read" && one.resource === record.resource && one.key !== undefined,
  );
  // Of a name of several parameters, the address does not say where each is.
  if (reader?.key !== undefined && reader.key.before === undefined && last !== "")
    record.values.set(reader.key.column, last);
}

/** How many records the test deletes at once to make room for another one. */
const mostDeleted = 5;

/** Deletes records that the caller created for earlier cases, and returns them. */
export async function makeRoom(trial: Trial, resource: string, caller: Caller): Promise<readonly KnownRecord[]> {
  const { contract, used, world } = trial;
  const remove = deletionOf(contract, resource);
  if (remove === undefined) return [];
  const old = recordsOf(world, resource).filter((one) => one.creator === caller && !one.isDeleted && !used.has(one));
  const deleted: KnownRecord[] = [];
  for (const record of old) {
    if (deleted.length >= mostDeleted) break;
    // Other records may have changed since, and with them its entity tag.
    world.tags.delete(record);
    const response = await ifPossible(async () => trial.responseOf(await trial.call(remove.operation, { record })));
    if (response !== undefined && record.isDeleted) deleted.push(record);
    // Time may have deleted it.
    if (response?.status === 404) record.isDeleted = true;
    used.delete(record);
  }
  return deleted;
}

export async function reference(
  trial: Trial,
  resource: string,
  caller: Caller,
  inner?: readonly string[],
): Promise<KnownRecord> {
  const { contract, world } = trial;
  const isUser = loginsOf(contract.model, resource).length > 0 && caller.id !== undefined;
  const user = isUser ? findRecord(world, resource, caller.id as string) : world.accounts.get(caller);
  if (user?.resource === resource) return user;
  const known = world.references.find(
    (one) =>
      one.resource === resource &&
      !one.isDeleted &&
      // A record that left its start state may not be what others expect of it.
      one.values.get("state") === startOf(contract, resource) &&
      recordVisibility(contract, resource, caller, trial.around(one)) !== false,
  );
  if (known !== undefined) {
    trial.used.add(known);
    return known;
  }
  const isMade = creatorsOf(trial, resource).length > 0 || handlersOf(trial, resource).length > 0;
  const found = isMade ? undefined : await existing(trial, resource, caller);
  if (found !== undefined) return found;
  const made = await makeVisible(trial, resource, caller, inner);
  world.references.push(made);
  return made;
}

/** How often the test makes a record until its random values let the caller see it. */
const mostMade = 6;

/** Makes a record that a caller can name: one that the caller sees, if the test succeeds in making one. */
export async function makeVisible(
  trial: Trial,
  resource: string,
  caller: Caller,
  inner?: readonly string[],
): Promise<KnownRecord> {
  for (let attempt = 1; ; attempt += 1) {
    const made = await trial.make(resource, { creator: caller, inner });
    const isHidden = recordVisibility(trial.contract, resource, caller, trial.around(made)) === false;
    if (!isHidden || attempt === mostMade) return made;
  }
}
