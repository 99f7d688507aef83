/** Brings records into states: by the shortest path of transitions, with operations, time and events. */
import { withArticle } from "../../base/case.ts";
import { fieldsIn } from "../../expression/typed.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { fieldsOf, isServerSet, lookup, referenceOf } from "../../language/resources/fields.ts";
import { isSelecting } from "../../language/states/further-writes.ts";
import type { Trigger } from "../../language/states/model.ts";
import { firstResult, ifPossible } from "../attempts.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { clockMilliseconds, eventsOfEntering, startOf, transitionsOf, type TriggeredTransition } from "../effects.ts";
import { statusText } from "../errors/expected.ts";
import { truth } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { solve } from "../solve.ts";
import { incomingFor, payloadInput, payloadOf, payloadWhere } from "./incoming.ts";
import type { Input } from "./inputs.ts";
import { type KnownRecord, millisecondsOf, textOf } from "./known.ts";
import { lookAround, readId } from "./looking.ts";
import type { Wish } from "./records.ts";
import { momentOf } from "./patience.ts";
import type { Trial } from "./trial.ts";
import { findRecord, presentOf, recordsOf } from "./world.ts";

/** Makes a record in a state. */
export async function reach(trial: Trial, resource: string, state: string, wish: Wish): Promise<KnownRecord> {
  const stored = await fromStock(trial, resource, state, wish);
  if (stored !== undefined) return stored;
  const start = startOf(trial.contract, resource);
  const paths = start === undefined ? [] : pathsBetween(trial, resource, start, state);
  const none = `the test cannot bring ${withArticle(resource)} into the state ${state}`;
  return firstResult(paths, (path) => follow(trial, resource, path, wish), none);
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
  const values = { ...guardedValues(trial, path), ...wish.values };
  const record =
    event === undefined ? await trial.make(resource, { ...wish, values }) : await causeChoosing(trial, event);
  const rest = path.slice(last + 1);
  const others = event === undefined && rest.some(isTimed) ? await companions(trial, resource, wish) : [];
  for (const transition of rest) {
    const fellows = others.filter(({ values }) => transition.from.includes(textOf(values.get("state"))));
    if (!isTimed(transition))
      for (const one of fellows) await ifPossible(() => reachNext(trial, one, transition, wish));
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

/** Returns the values that a new record needs so that the guards of transitions can be true. */
export function guardedValues(trial: Trial, path: readonly TriggeredTransition[]): Readonly<Record<string, Json>> {
  const { model, typed } = trial.contract;
  const solved = path.flatMap(({ path: at, resource }) => {
    const guard = typed.get(`${at}/if`);
    const fields = guard === undefined ? [] : [...solve(guard, { ...trial.scope(anonymous), resource }).fields];
    return fields.filter(([name]) => {
      const field = lookup(fieldsOf(model, resource), name);
      return field !== undefined && !isServerSet(field);
    });
  });
  return Object.fromEntries(solved) as JsonObject;
}

/** Makes a record with fixed values in one of the states before a transition, if possible one of which the guard can be true. */
export async function recordBefore(
  trial: Trial,
  transition: TriggeredTransition,
  state: string | undefined,
  fixed: Readonly<Record<string, Json>> = {},
): Promise<KnownRecord> {
  const { resource } = transition;
  const values = { ...guardedValues(trial, [transition]), ...fixed };
  const guarded =
    Object.keys(values).length === 0 ? undefined : await ifPossible(() => trial.make(resource, { state, values }));
  return guarded ?? trial.make(resource, { state, values: fixed });
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
    const record = await ifPossible(() => trial.make(resource, wish));
    if (record === undefined) break;
    found.push(record);
  }
  return found;
}

/** Whether any record of the same creator will do. */
function isPlain({ creator: _, state: __, expectsLimit: ___, ...others }: Wish): boolean {
  return Object.values(others).every((one) => one === undefined);
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

/** Brings a record from its state to another one. @throws NotTried if the test cannot */
export async function advanceTo(trial: Trial, record: KnownRecord, state: string, wish: Wish = {}): Promise<void> {
  const from = record.values.get("state");
  if (from === state) return;
  const [path] = typeof from === "string" ? pathsBetween(trial, record.resource, from, state) : [];
  if (path === undefined)
    throw new NotTried(`the test cannot bring ${withArticle(record.resource)} into the state ${state}`);
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
          `${trigger.on.operation} answered ${statusText(trial.contract, response)} when the test brought ${withArticle(record.resource)} into the state ${to}`,
        );
      break;
    }
    case "when":
      await causeEvent(trial, record, transition);
      break;
    default:
      await wake(trial, record, transition);
      await trial.pass(timerMilliseconds(trial, record, transition) + marginMilliseconds);
      record.values.delete("state");
      await trial.look(record);
      if (!record.values.has("state")) await assumeState(trial, record);
  }
  // If no response shows the state, the next request shows whether the record has reached it.
  if (!record.values.has("state")) record.values.set("state", to);
  if (record.values.get("state") !== to)
    throw new NotTried(`${withArticle(record.resource)} did not enter the state ${to}`);
}

/**
 * No response shows whether the timer has fired. Another process may fire it, a moment late, so what follows from it is only broken if
 * it is also broken after that moment.
 */
async function assumeState(trial: Trial, record: KnownRecord): Promise<void> {
  record.isStateAssumed = true;
  if (trial.patience > 1) await trial.world.target.wait(momentOf(trial));
}

/** Makes the guard of a timer true. @throws NotTried if no change does */
async function wake(trial: Trial, record: KnownRecord, { path }: TriggeredTransition): Promise<void> {
  const guard = trial.contract.typed.get(`${path}/if`);
  if (guard === undefined) return;
  await lookAround(trial, record);
  if (truth(guard, trial.scope(record.creator, record)) !== false || (await trial.makeTrue(record, guard))) return;
  throw new NotTried(`no change of the ${record.resource} makes the guard of its timer true`);
}

/** How much longer than a timer the test waits: a timer may fire a second late. */
export const marginMilliseconds = 2000;

/** Returns how long it takes until a timer of the record is due. */
export function timerMilliseconds(trial: Trial, record: KnownRecord, { trigger: { on } }: TriggeredTransition): number {
  if (on.kind === "after") return clockMilliseconds(on.duration);
  const due =
    on.kind === "at"
      ? millisecondsOf(
          lookup(fieldsOf(trial.contract.model, record.resource), on.field)?.type,
          record.values.get(on.field),
        )
      : Number.NaN;
  if (Number.isNaN(due)) throw new NotTried(`the test does not know when the timer of the ${record.resource} is due`);
  return Math.max(due - presentOf(trial.world), 0);
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

function triggersOf({ contract }: Trial, { resource, trigger }: TriggeredTransition): readonly Cause[] {
  const { model } = contract;
  const { on } = trigger;
  const events = on.kind === "when" && !isSelecting(trigger) ? on.events : [];
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
  await learnState(trial, record, made.history, transition);
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
  if (isSelecting(transition.trigger)) return causeSelecting(trial, record, transition);
  const {
    trigger: { on },
    resource,
    from,
  } = transition;
  const transitioned = record ?? (await trial.make(resource, { state: from[0] }));
  const [cause] = triggersOf(trial, transition);
  if (cause === undefined) {
    const incoming = incomingFor(trial.contract, transition);
    if (incoming !== undefined) return transitionByIncoming(trial, transitioned, incoming, transition);
    throw new NotTried(`the test cannot cause ${on.kind === "when" ? on.events.join(" or ") : "the event"}`);
  }
  const id = transitioned.values.get("id") ?? null;
  const values = { [cause.field]: id };
  const isAbout = (one: KnownRecord): boolean => one.values.get(cause.field) === id;
  const known = recordsOf(trial.world, cause.resource).find((one) => !one.isDeleted && isAbout(one));
  const causing = known ?? (await trial.make(cause.resource, { state: cause.state, values }));
  if (!causing.values.has("state") || !causing.values.has(cause.field)) await trial.look(causing);
  // On the way to its state another operation may have chosen the record.
  if (!isAbout(causing)) throw new NotTried(`the test cannot choose the ${resource} that ${cause.event} is about`);
  await advanceTo(trial, causing, cause.state, { values });
  trial.used.add(causing);
  await learnState(trial, transitioned, causing.history, transition);
  return transitioned;
}

/** Causes an event that selects the record. @throws NotTried if the test cannot, or does not know which record the event selects */
async function causeSelecting(
  trial: Trial,
  record: KnownRecord | undefined,
  transition: TriggeredTransition,
): Promise<KnownRecord> {
  const { contract } = trial;
  const { path, resource, trigger } = transition;
  const selected = record ?? (await makeSeparate(trial, transition));
  await lookAround(trial, selected);
  const [where, guard] = ["where", "if"].map((member) => contract.typed.get(`${path}/${member}`));
  const scope = trial.scope(anonymous, selected);
  const wanted = (where === undefined ? {} : Object.fromEntries(solve(where, scope).input)) as JsonObject;
  const expectSelected = (input: JsonObject): void => {
    const isTrue = [where, guard].every((one) => one === undefined || truth(one, { ...scope, input }) === true);
    if (!isTrue) throw new NotTried(`the test finds no event that selects the ${resource}`);
  };
  const history = await firstResult(
    trigger.on.kind === "when" ? trigger.on.events : [],
    (event) => causeWith(trial, event, wanted, expectSelected),
    "the transition has no event",
  );
  await learnState(trial, selected, history, transition);
  return selected;
}

/** Makes a record that an event selects, and no other record with it: one that refers to new records. */
async function makeSeparate(
  trial: Trial,
  { from, path, resource, to, trigger }: TriggeredTransition,
): Promise<KnownRecord> {
  const { contract } = trial;
  const where = contract.typed.get(`${path}/where`);
  const values: Record<string, Json> = {};
  for (const name of where === undefined ? [] : fieldsIn(where)) {
    const type = lookup(fieldsOf(contract.model, resource), name)?.type;
    const of = type === undefined ? undefined : referenceOf(contract.model, type);
    if (of !== undefined) values[name] = (await readId(trial, await trial.make(of))) ?? null;
  }
  const following = eventsOfEntering(contract, resource, to);
  const moves = ({ on }: Trigger): boolean => on.kind === "when" && on.events.some((one) => following.includes(one));
  const isAmongOthers = Object.keys(values).length === 0;
  if (isAmongOthers && (trigger.first !== undefined || transitionsOf(contract).some((one) => moves(one.trigger))))
    throw new NotTried(`the event may move another ${resource} first`);
  return trial.make(resource, { state: from[0], values });
}

/** Causes an event with these members. Returns the requests that led to it. */
async function causeWith(
  trial: Trial,
  event: string,
  wanted: JsonObject,
  expectSelected: (input: JsonObject) => void,
): Promise<readonly Interaction[]> {
  const { contract, world } = trial;
  const { in: incoming = {}, out = {} } = contract.model.events;
  if (lookup(incoming, event) !== undefined) {
    const payload = await payloadOf(trial, event, wanted);
    expectSelected(payloadInput(contract, event, payload));
    return [await sendAccepted(trial, event, payload)];
  }
  const { carries, when } = lookup(out, event) ?? {};
  if (when?.kind !== "enters") throw new NotTried(`the test cannot cause ${event}`);
  const { resource, state } = when;
  const { id, ...values } = wanted;
  const start = startOf(contract, resource) ?? state;
  const known = id === undefined ? undefined : findRecord(world, resource, id);
  if (id !== undefined && (known === undefined || known.values.get("state") === state))
    throw new NotTried(`the test does not know the ${resource} that causes ${event}, or it has caused it already`);
  const last = pathsBetween(trial, resource, start, state)[0]?.at(-1);
  const causing = known ?? (await trial.make(resource, { state: last?.from[0], values }));
  await trial.look(causing);
  expectSelected(Object.fromEntries([...causing.values].filter(([name]) => carries?.includes(name) ?? true)));
  await advanceTo(trial, causing, state);
  trial.used.add(causing);
  return causing.history;
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
  await learnState(trial, record, [await sendAccepted(trial, event, payload)], transition);
  return record;
}

/** Sends an incoming event. @throws NotTried if it is not accepted */
async function sendAccepted(trial: Trial, event: string, payload: JsonObject): Promise<Interaction> {
  const interaction = await trial.sendIncoming(event, payload);
  const response = trial.responseOf(interaction);
  if (response.status < 300) return interaction;
  throw new NotTried(`the implementation answered ${statusText(trial.contract, response)} to ${event}`);
}

/** Learns the state of a record after an event. `history`: the requests that led to the event. */
async function learnState(
  trial: Trial,
  record: KnownRecord,
  history: readonly Interaction[],
  { to }: TriggeredTransition,
): Promise<void> {
  record.history.push(...history.filter((one) => !record.history.includes(one)));
  record.values.delete("state");
  await trial.look(record);
  if (!record.values.has("state")) record.values.set("state", to);
}

/** A transition of a trial, with what was sent. */
export interface MadeTransition {
  readonly interaction: Interaction;
  readonly input: Input;
  readonly caller: Caller;
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
      ? await guardedInput(trial, record, transition, caller)
      : await trial.inputFor(on.operation, caller, record, fixed);
  if (input === undefined)
    throw new NotTried(`the test finds no input with which the guard of ${on.operation} is true`);
  return { interaction: await trial.call(on.operation, { caller, record, ...input }), input, caller };
}

/**
 * Returns an input with which the guard of a transition is true; undefined if the test finds none. If the guard reads what other
 * transitions set, such as `steps > 0`, the record makes one of these first.
 */
export async function guardedInput(
  trial: Trial,
  record: KnownRecord,
  { path, resource, trigger: { on } }: TriggeredTransition,
  caller: Caller,
): Promise<Input | undefined> {
  if (on.kind !== "by") return undefined;
  const guard = trial.contract.typed.get(`${path}/if`);
  if (guard === undefined) return trial.inputFor(on.operation, caller, record);
  const search = (): Promise<Input | undefined> => trial.inputWhere(on.operation, caller, record, `${path}/if`, true);
  const found = await search();
  if (found !== undefined) return found;
  const state = record.values.get("state");
  const read = fieldsIn(guard);
  const others = transitionsOf(trial.contract).filter(
    (one) =>
      one.resource === resource &&
      one.path !== path &&
      one.to === state &&
      one.from.includes(one.to) &&
      one.trigger.on.kind === "by" &&
      one.trigger.if === undefined &&
      Object.keys(one.trigger.set ?? {}).some((field) => read.includes(field)),
  );
  for (const other of others) {
    const response = trial.responseOf((await trial.makeTransition(record, other)).interaction);
    await trial.look(record);
    if (response.status >= 300 || record.values.get("state") !== state) return undefined;
    const input = await search();
    if (input !== undefined) return input;
  }
  return undefined;
}
