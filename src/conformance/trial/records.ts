/** Makes records: creates them, and brings them into states by the shortest path of transitions. */
import type { Json, JsonObject } from "../../base/json.ts";
import { loginsOf } from "../../language/authentication/login.ts";
import { creates } from "../../language/endpoints/input.ts";
import type { ResourceEndpoint } from "../../language/endpoints/resolve.ts";
import { defaultValue } from "../../language/resources/default-value.ts";
import { fieldsOf, lookup, referenceOf } from "../../language/resources/fields.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller, idOf } from "../caller.ts";
import { mayEverRun, recordVisibility } from "../permissions.ts";
import type { Operation } from "../contract.ts";
import { startOf, transitionsOf, type TriggeredTransition } from "../effects.ts";
import { isError, statusText } from "../errors/expected.ts";
import type { Interaction } from "../interaction.ts";
import { distinctValue } from "../values/valid.ts";
import { clockMilliseconds } from "../effects.ts";
import { incomingFor, payloadWhere } from "./incoming.ts";
import { existing } from "./existing.ts";
import { type Input, supplyFor } from "./inputs.ts";
import { hidesId, unknownId } from "./hidden-ids.ts";
import { type KnownRecord, textOf } from "./known.ts";
import { membersOf, learnObserved, learnTag } from "./learning.ts";
import type { Trial } from "./trial.ts";
import { findRecord, presentOf, recordsOf } from "./world.ts";

/** What a record must be like. */
export interface Wish {
  readonly state?: string;
  /** Who creates it, if that caller may. */
  readonly creator?: Caller;
  readonly values?: Readonly<Record<string, Json>>;
  /** The record of the path below which it is created. */
  readonly parent?: KnownRecord;
  /** The operation that creates it; by default any that can. */
  readonly by?: string;
  /** What is sent; by default a valid input with `values`. */
  readonly input?: Input;
  /** Whether it has to enter the state now: a record that entered it earlier will not do. */
  readonly entersNow?: true;
  /** Whether a limit that rejects the creation is what the case looks for. */
  readonly expectsLimit?: boolean;
}

export async function make(trial: Trial, resource: string, wish: Wish = {}): Promise<KnownRecord> {
  if (wish.state !== undefined && wish.state !== startOf(trial.contract, resource))
    return reach(trial, resource, wish.state, wish);
  let problem = new NotTried(
    `no caller of the test can create a record of ${resource}`,
    "a credential that may create one",
  );
  for (const called of creatorsOf(trial, resource)) {
    if (wish.by !== undefined && called.operation !== wish.by) continue;
    const caller = await creatorFor(trial, called, wish);
    if (caller === undefined) continue;
    try {
      return await create(trial, called, caller, wish);
    } catch (thrown) {
      if (!(thrown instanceof NotTried)) throw thrown;
      problem = thrown;
    }
  }
  throw problem;
}

/** Returns the operations that create records of the resource. */
export function creatorsOf({ contract }: Trial, resource: string): readonly ResourceEndpoint[] {
  return [...contract.operations.values()].filter(
    (one): one is ResourceEndpoint =>
      one.kind === "resource" && one.resource === resource && (one.action === "create" || creates(contract.model, one)),
  );
}

/** Returns a caller who may create a record by the operation: the wished one, if possible. */
export async function creatorFor(trial: Trial, called: Operation, { creator }: Wish): Promise<Caller | undefined> {
  const may = (caller: Caller): boolean => mayEverRun(trial.contract, called.operation, caller);
  if (creator !== undefined && may(creator)) return creator;
  // Signing up needs a record itself, so the anonymous caller comes first where it may create one.
  return may(anonymous) ? anonymous : (await trial.callers()).find(may);
}

/** How often the test creates a record anew if there is one with the same unique values already. */
const mostCreations = 8;

async function create(trial: Trial, called: ResourceEndpoint, caller: Caller, wish: Wish): Promise<KnownRecord> {
  const { contract } = trial;
  for (let number = 1; ; number += 1) {
    const { interaction, record } = await sendCreation(trial, called, caller, { ...wish, isValid: true });
    if (record !== undefined) return record;
    const response = trial.responseOf(interaction);
    // A unique field with few values may begin again.
    if (number < mostCreations && isError(contract, response, "already-exists", called.operation)) {
      // What is unique only below another record is free below a new one.
      if (number > 1) trial.world.references.splice(0);
      continue;
    }
    throw new NotTried(
      `${called.operation} answered ${statusText(contract, response)} to a request that the test holds for valid`,
    );
  }
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
  readonly id?: Json;
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
  if (wish.isValid !== true || isFixed || !isRejected(trial, first)) return first;
  for (const set of ["all", "required"] as const) {
    memberSets.set(operation, set);
    const next = await sendCreationOnce(trial, called, caller, wish);
    if (next.record !== undefined) return next;
    memberSets.delete(operation);
  }
  return first;
}

function isRejected(trial: Trial, { interaction }: Creation): boolean {
  return [400, 422].includes(trial.responseOf(interaction).status);
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
  const { body: valid = {}, query } =
    wish.input ?? (await trial.inputFor(called.operation, caller, undefined, wish.values));
  const body = wish.change?.(valid) ?? valid;
  const id = called.action === "create" ? undefined : (wish.id ?? newId(trial, called));
  const named = id === undefined || called.key === undefined ? {} : { [called.key.parameter]: id };
  const path = { ...around.path, ...named };
  const expectsLimit = wish.expectsLimit === true;
  const interaction = await trial.call(called.operation, {
    ...{ caller, record: null, path, body, query, expectsLimit },
    isInvalid: wish.change !== undefined && wish.isValid !== true,
  });
  const response = trial.responseOf(interaction);
  if (response.status >= 300) return { interaction, body, record: undefined };
  const record: KnownRecord = {
    ...{ resource, creator: caller, isDeleted: false, observed: new Map<string, Json>() },
    ...(around.parent === undefined ? {} : { parent: around.parent }),
    values: new Map<string, Json>(Object.entries({ ...around.values, ...(id === undefined ? {} : { id }) })),
    history: [...new Set([...around.history, ...historyOf(trial, called, body), ...trial.interactions.slice(before)])],
  };
  world.records.push(record);
  trial.used.add(record);
  const fields = fieldsOf(contract.model, resource);
  for (const [name, field] of Object.entries(fields)) {
    if (field.default?.kind === "caller" && caller.signedIn) record.values.set(name, idOf(caller));
  }
  for (const { name, sets } of membersOf(contract, called)) {
    const sent = lookup(body, name);
    const isKnown = lookup(fields, name)?.default === undefined && !contract.filled.has(`${resource}.${name}`);
    if (sets && (sent !== undefined || isKnown)) record.values.set(name, sent ?? null);
  }
  for (const [name, field] of Object.entries(fields)) {
    const chosen = defaultValue(contract.model, field);
    if (chosen !== undefined && !record.values.has(name)) record.values.set(name, chosen);
  }
  learnObserved(trial, called, caller, record, response.json);
  learnTag(trial, record, caller, response.headers["etag"]);
  learnLocation(trial, record, response.headers["location"]);
  if (!record.values.has("id") && hidesId(contract, resource))
    record.values.set("id", `${unknownId}${resource} ${world.count()}`);
  const start = startOf(contract, resource);
  if (start !== undefined && !record.values.has("state")) record.values.set("state", start);
  return { interaction, body, record };
}

interface Parents {
  /** The values of the path's parameters. */
  readonly path: Readonly<Record<string, Json>>;
  /** The fields of the new record that the path sets. */
  readonly values: Readonly<Record<string, Json>>;
  readonly history: readonly Interaction[];
  /** The record directly above. */
  readonly parent?: KnownRecord;
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
  if (!parent.values.has(last.column) || !parent.values.has("id")) await trial.look(parent);
  const path: Record<string, Json> = { [last.parameter]: parent.values.get(last.column) ?? null };
  let child: KnownRecord | undefined = parent;
  for (const outer of parents.slice(0, -1).toReversed()) {
    const id: Json | undefined = child?.values.get(outer.field);
    child = id === undefined ? undefined : findRecord(trial.world, outer.resource, id);
    path[outer.parameter] = child?.values.get(outer.column) ?? id ?? null;
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

/** Returns an id that no other record has, for a record whose id the client chooses. */
export function newId(trial: Trial, { key, resource }: ResourceEndpoint): Json | undefined {
  const { contract, world } = trial;
  const field = key === undefined ? undefined : lookup(fieldsOf(contract.model, resource), key.column);
  if (field === undefined) return undefined;
  const type = field.type.kind === "id" ? (field.type.of ?? field.type) : field.type;
  return distinctValue(contract, type, supplyFor(trial, anonymous), world.count());
}

/** Learns the key of a record from its address. */
function learnLocation({ contract }: Trial, record: KnownRecord, location: string | undefined): void {
  if (location === undefined || record.values.has("id")) return;
  const last = decodeURIComponent(location.split("?")[0]?.split("/").at(-1) ?? "");
  const reader = [...contract.operations.values()].find(
    (one) => one.action === "read" && one.resource === record.resource && one.key !== undefined,
  );
  if (reader?.key !== undefined && last !== "") record.values.set(reader.key.column, last);
}

/** How many records the test deletes at once to make room for another one. */
const mostDeleted = 5;

/** Deletes records that the caller created for earlier cases. Returns whether there were any. */
export async function makeRoom(trial: Trial, resource: string, caller: Caller): Promise<boolean> {
  const { contract, used, world } = trial;
  const remove = [...contract.operations.values()].find(
    (one) => one.action === "delete" && one.resource === resource && one.endpoint.the === undefined,
  );
  if (remove === undefined) return false;
  const old = recordsOf(world, resource).filter((one) => one.creator === caller && !one.isDeleted && !used.has(one));
  let count = 0;
  for (const record of old) {
    if (count >= mostDeleted) break;
    // Other records may have changed since, and with them its entity tag.
    world.tags.delete(record);
    try {
      const { status } = trial.responseOf(await trial.call(remove.operation, { record }));
      if (record.isDeleted) count += 1;
      // Time may have deleted it.
      if (status === 404) record.isDeleted = true;
    } catch (thrown) {
      if (!(thrown instanceof NotTried)) throw thrown;
    }
    used.delete(record);
  }
  return count > 0;
}

export async function reference(trial: Trial, resource: string, caller: Caller): Promise<KnownRecord> {
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
  const found = creatorsOf(trial, resource).length === 0 ? await existing(trial, resource, caller) : undefined;
  if (found !== undefined) return found;
  const made = await trial.make(resource, { creator: caller });
  world.references.push(made);
  return made;
}

// ── States ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function reach(trial: Trial, resource: string, state: string, wish: Wish): Promise<KnownRecord> {
  const stored = await fromStock(trial, resource, state, wish);
  if (stored !== undefined) return stored;
  const start = startOf(trial.contract, resource);
  let problem = new NotTried(`no transition that the test can make leads to ${resource} in the state ${state}`);
  for (const path of start === undefined ? [] : pathsBetween(trial, resource, start, state)) {
    try {
      return await follow(trial, resource, path, wish);
    } catch (thrown) {
      if (!(thrown instanceof NotTried)) throw thrown;
      problem = thrown;
    }
  }
  throw problem;
}

/** How many ways to a state the test tries. */
const mostPaths = 4;

/** Returns the shortest lists of transitions between two states: first by operations alone, then with time, then with events. */
export function pathsBetween(
  { contract }: Pick<Trial, "contract">,
  resource: string,
  from: string,
  to: string,
): readonly (readonly TriggeredTransition[])[] {
  const all = transitionsOf(contract).filter((one) => one.resource === resource);
  const kinds = [["by"], ["by", "after", "at"], ["by", "when"], ["by", "after", "at", "when"]];
  const found = kinds.flatMap((some) =>
    shortest(
      all.filter(({ trigger }) => some.includes(trigger.on.kind)),
      from,
      to,
    ),
  );
  const texts = found.map((path) => path.map((one) => one.path).join());
  return found.filter((_, index) => texts.indexOf(texts[index] ?? "") === index).slice(0, mostPaths);
}

function shortest(
  transitions: readonly TriggeredTransition[],
  start: string,
  state: string,
): readonly (readonly TriggeredTransition[])[] {
  const paths: { readonly at: string; readonly path: readonly TriggeredTransition[] }[] = [{ at: start, path: [] }];
  const reached = new Set([start]);
  const found: (readonly TriggeredTransition[])[] = [];
  for (const { at, path } of paths) {
    if (at === state && path.length > 0) found.push(path);
    else {
      for (const one of transitions) {
        if (!one.from.includes(at) || one.to === at || (reached.has(one.to) && one.to !== state)) continue;
        reached.add(one.to);
        paths.push({ at: one.to, path: [...path, one] });
      }
    }
  }
  return found;
}

async function follow(
  trial: Trial,
  resource: string,
  path: readonly TriggeredTransition[],
  { state: _, ...wish }: Wish,
): Promise<KnownRecord> {
  // An event about a record that another operation chooses brings its own record of this resource with it.
  const last = path.findLastIndex((one) => choosingEvent(trial, one) !== undefined);
  const event = path[last];
  const record = event === undefined ? await trial.make(resource, wish) : await causeChoosing(trial, event);
  const rest = path.slice(last + 1);
  const others = event === undefined && rest.some(isTimed) ? await companions(trial, resource, wish) : [];
  for (const transition of rest) {
    const fellows = others.filter(({ values }) => transition.from.includes(textOf(values.get("state"))));
    if (!isTimed(transition)) for (const one of fellows) await tryNext(trial, one, transition, wish);
    await reachNext(trial, record, transition, wish);
    if (!isTimed(transition)) continue;
    for (const one of fellows) {
      one.values.delete("state");
      await trial.look(one);
    }
  }
  trial.world.stock.push(...others);
  return record;
}

function isTimed({ trigger: { on } }: TriggeredTransition): boolean {
  return on.kind === "after" || on.kind === "at";
}

/** How many records more the test brings along when time has to pass for one: credentials do not last for ever. */
const mostCompanions = 5;

/** Makes further records, which time moves together with the wished one. */
async function companions(trial: Trial, resource: string, wish: Wish): Promise<readonly KnownRecord[]> {
  if (!isPlain(wish)) return [];
  const found: KnownRecord[] = [];
  for (let count = 0; count < mostCompanions; count += 1) {
    try {
      found.push(await trial.make(resource, wish));
    } catch (thrown) {
      if (!(thrown instanceof NotTried)) throw thrown;
      break;
    }
  }
  return found;
}

/** Whether any record of the same creator will do. */
function isPlain({ creator: _, state: __, expectsLimit: ___, ...others }: Wish): boolean {
  return Object.values(others).every((one) => one === undefined);
}

async function tryNext(trial: Trial, record: KnownRecord, transition: TriggeredTransition, wish: Wish): Promise<void> {
  try {
    await reachNext(trial, record, transition, wish);
  } catch (thrown) {
    if (!(thrown instanceof NotTried)) throw thrown;
  }
}

/** Returns a record that time brought into the state together with another one. */
async function fromStock(trial: Trial, resource: string, state: string, wish: Wish): Promise<KnownRecord | undefined> {
  const { stock } = trial.world;
  if (!isPlain(wish)) return undefined;
  for (const record of stock.filter((one) => one.resource === resource)) {
    if (record.values.get("state") !== state || (wish.creator !== undefined && record.creator !== wish.creator))
      continue;
    stock.splice(stock.indexOf(record), 1);
    record.values.delete("state");
    await trial.look(record);
    if (record.values.get("state") !== state) continue;
    trial.used.add(record);
    return record;
  }
  return undefined;
}

/** Brings a record from its state to another one. */
async function advanceTo(trial: Trial, record: KnownRecord, state: string, wish: Wish): Promise<void> {
  const from = record.values.get("state");
  if (from === state) return;
  const [path] = typeof from === "string" ? pathsBetween(trial, record.resource, from, state) : [];
  if (path === undefined)
    throw new NotTried(`no transition that the test can make leads to ${record.resource} in the state ${state}`);
  for (const transition of path) await reachNext(trial, record, transition, wish);
}

async function reachNext(
  trial: Trial,
  record: KnownRecord,
  transition: TriggeredTransition,
  wish: Wish,
): Promise<void> {
  const { trigger, to } = transition;
  switch (trigger.on.kind) {
    case "by": {
      const { interaction } = await trial.makeTransition(record, transition, { values: wish.values });
      const response = trial.responseOf(interaction);
      if (response.status >= 300)
        throw new NotTried(
          `${trigger.on.operation} answered ${statusText(trial.contract, response)} on the way to ${record.resource} in ${to}`,
        );
      break;
    }
    case "when":
      await causeEvent(trial, record, transition);
      break;
    default:
      await trial.pass(timerMilliseconds(trial, record, transition) + marginMilliseconds);
      record.values.delete("state");
      await trial.look(record);
  }
  // If no response shows the state, the next request shows whether the record has reached it.
  if (!record.values.has("state")) record.values.set("state", to);
  if (record.values.get("state") !== to) throw new NotTried(`${record.resource} did not reach ${to}`);
}

/** How much longer than a timer the test waits: a timer may fire a second late. */
export const marginMilliseconds = 2000;

/** Returns how long it takes until a timer of the record is due. */
export function timerMilliseconds(trial: Trial, record: KnownRecord, { trigger: { on } }: TriggeredTransition): number {
  if (on.kind === "after") return clockMilliseconds(on.duration);
  const due = on.kind === "at" ? record.values.get(on.field) : undefined;
  if (typeof due !== "string") throw new NotTried(`the test does not know when ${record.resource} is due`);
  return Math.max(Date.parse(due) - presentOf(trial.world), 0);
}

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How records of one resource cause an event that moves the record to which they refer. */
interface Cause {
  readonly event: string;
  /** The resource whose records cause the event, by entering a state. */
  readonly resource: string;
  readonly state: string;
  /** The field that refers to the moved record. */
  readonly field: string;
  /** Whether an operation chooses the moved record, so that the test cannot name it. */
  readonly isChosen: boolean;
}

function triggersOf({ contract }: Trial, { resource, trigger: { on } }: TriggeredTransition): readonly Cause[] {
  const { model } = contract;
  const events = on.kind === "when" ? on.events : [];
  return events.flatMap((event): readonly Cause[] => {
    const source = lookup(model.events.out ?? {}, event)?.when;
    if (source?.kind !== "enters") return [];
    const referring = Object.entries(fieldsOf(model, source.resource)).flatMap(([name, { type }]) =>
      referenceOf(model, type) === resource ? [name] : [],
    );
    const field = on.kind === "when" ? (on.field ?? referring[0]) : undefined;
    if (field === undefined) return [];
    const isChosen = [...contract.operations.values()].some(
      (one) => one.resource === source.resource && lookup(one.endpoint.choose ?? {}, field) !== undefined,
    );
    return [{ event, resource: source.resource, state: source.state, field, isChosen }];
  });
}

function choosingEvent(trial: Trial, transition: TriggeredTransition): Cause | undefined {
  return triggersOf(trial, transition).find(({ isChosen }) => isChosen);
}

/** Makes a record that causes the event, and returns the record that it chose. */
async function causeChoosing(trial: Trial, transition: TriggeredTransition): Promise<KnownRecord> {
  const cause = choosingEvent(trial, transition);
  if (cause === undefined) throw new NotTried("no operation chooses the record");
  const made = await trial.make(cause.resource, { state: cause.state });
  if (!made.values.has(cause.field)) await trial.look(made);
  const id = made.values.get(cause.field);
  const record = id === undefined || id === null ? undefined : findRecord(trial.world, transition.resource, id);
  if (record === undefined)
    throw new NotTried(`the test does not know the ${transition.resource} that ${cause.event} is about`);
  await learnTransition(trial, record, made, transition);
  return record;
}

/**
 * Causes an event that makes a transition of the record. Returns the moved record, which is another one if an operation chooses it.
 *
 * @throws NotTried if the test cannot cause the event
 */
export async function causeEvent(
  trial: Trial,
  record: KnownRecord | undefined,
  transition: TriggeredTransition,
): Promise<KnownRecord> {
  if (choosingEvent(trial, transition) !== undefined) return causeChoosing(trial, transition);
  const {
    trigger: { on },
    resource,
    from,
  } = transition;
  const transitioned = record ?? (await trial.make(resource, { ...(from[0] === undefined ? {} : { state: from[0] }) }));
  const [cause] = triggersOf(trial, transition);
  if (cause === undefined) {
    const incoming = incomingFor(trial.contract, transition);
    if (incoming !== undefined) return transitionByIncoming(trial, transitioned, incoming, transition);
    throw new NotTried(`the test cannot cause ${on.kind === "when" ? on.events.join(" or ") : "the event"}`);
  }
  const values = { [cause.field]: transitioned.values.get("id") ?? null };
  const known = recordsOf(trial.world, cause.resource).find(
    (one) => !one.isDeleted && one.values.get(cause.field) === values[cause.field],
  );
  if (known === undefined) {
    const made = await trial.make(cause.resource, { state: cause.state, values });
    if (!made.values.has(cause.field)) await trial.look(made);
    // On the way to its state another operation may have chosen the record.
    if (made.values.get(cause.field) !== values[cause.field])
      throw new NotTried(`the test cannot choose the ${resource} that ${cause.event} is about`);
    await learnTransition(trial, transitioned, made, transition);
  } else {
    if (!known.values.has("state")) await trial.look(known);
    await advanceTo(trial, known, cause.state, { values });
    await learnTransition(trial, transitioned, known, transition);
  }
  return transitioned;
}

/** Moves a record by an incoming event that refers to it. */
async function transitionByIncoming(
  trial: Trial,
  record: KnownRecord,
  incoming: { readonly event: string; readonly member: string },
  transition: TriggeredTransition,
): Promise<KnownRecord> {
  const { event } = incoming;
  const payload = await payloadWhere(trial, incoming, record, transition, true);
  if (payload === undefined)
    throw new NotTried(`the test finds no ${event} with which the guard of its transition is true`);
  const interaction = await trial.sendIncoming(event, payload);
  const response = trial.responseOf(interaction);
  if (response.status >= 300)
    throw new NotTried(`the implementation answered ${statusText(trial.contract, response)} to ${event}`);
  record.history.push(interaction);
  record.values.delete("state");
  await trial.look(record);
  if (!record.values.has("state")) record.values.set("state", transition.to);
  return record;
}

/** Learns the state of a record that an event of another record moved. */
async function learnTransition(
  trial: Trial,
  record: KnownRecord,
  cause: KnownRecord,
  { to }: TriggeredTransition,
): Promise<void> {
  trial.used.add(cause);
  record.history.push(...cause.history.filter((one) => !record.history.includes(one)));
  record.values.delete("state");
  await trial.look(record);
  if (!record.values.has("state")) record.values.set("state", to);
}

/** A transition of a trial, with what was sent. */
export interface MadeTransition {
  readonly interaction: Interaction;
  readonly input: Input;
}

export async function makeTransition(
  trial: Trial,
  record: KnownRecord,
  transition: TriggeredTransition,
  { by, values = {} }: { readonly by?: Caller; readonly values?: Readonly<Record<string, Json>> | undefined } = {},
): Promise<MadeTransition> {
  const { on, set = {} } = transition.trigger;
  if (on.kind !== "by") throw new NotTried("no operation makes this transition");
  const caller = by ?? (await trial.callerFor(on.operation, record));
  const guard = `${transition.path}/if`;
  const fixed = Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => {
      const from = trial.contract.typed.get(`${transition.path}/set/${field}`);
      const member = from?.kind === "variable" && from.path[0] === "input" ? from.path[1] : undefined;
      return member === undefined || set[field] === undefined ? [] : [[member, value]];
    }),
  ) as Readonly<Record<string, Json>>;
  const input =
    trial.contract.typed.has(guard) && Object.keys(fixed).length === 0
      ? await trial.inputWhere(on.operation, caller, record, guard, true)
      : await trial.inputFor(on.operation, caller, record, fixed);
  if (input === undefined)
    throw new NotTried(`the test finds no input with which the guard of ${on.operation} is true`);
  return { interaction: await trial.call(on.operation, { caller, record, ...input }), input };
}
