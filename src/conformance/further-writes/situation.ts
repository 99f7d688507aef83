/** Requests that cause further writes: of an operation, of a transition by one, of a timer or of an incoming event. */
import type { Json, JsonObject } from "../../base/json.ts";
import type { FurtherWriteSite } from "../../language/states/further-writes.ts";
import { NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import type { Operation } from "../contract.ts";
import { transitionsBy, transitionsOf, transitionsOfNew, type TriggeredTransition } from "../effects.ts";
import { evaluate, type Scope } from "../expressions.ts";
import type { Interaction } from "../interaction.ts";
import { subjectFor } from "../trial/calls.ts";
import { neededCreator } from "../resources/writing.ts";
import { payloadInput, payloadOf } from "../trial/incoming.ts";
import { expressionInput, type Input, recordAfter } from "../trial/inputs.ts";
import type { KnownRecord } from "../trial/known.ts";
import { inputThatStarts, transitionOfNew } from "../trial/new-records.ts";
import { sendCreation } from "../trial/records.ts";
import { guardedInput, recordBefore } from "../trial/states.ts";
import type { Trial } from "../trial/trial.ts";

/** A request that has not been sent, and what its further writes read. */
export interface Situation {
  readonly caller: Caller;
  /** The resource of the record around the writes; undefined for an incoming event. */
  readonly resource: string | undefined;
  /** The input as expressions see it. */
  readonly input: JsonObject;
  /** The record around the writes, after its write or before its deletion, as far as the test knows. */
  readonly after: ReadonlyMap<string, Json>;
  /** The record before its write. */
  readonly before: ReadonlyMap<string, Json> | undefined;
  readonly send: () => Promise<Sent>;
}

export interface Sent {
  readonly interaction: Interaction;
  /** The record around the writes, if there is one after the request. */
  readonly record: KnownRecord | undefined;
}

/** Members of a new record, or fields of the record that makes a transition, that have these values. */
export type Fixed = Readonly<Record<string, Json>>;

/** Returns a request whose transaction contains the further write. */
export async function situationOf(trial: Trial, { of }: FurtherWriteSite, fixed: Fixed = {}): Promise<Situation> {
  if (of.kind === "event") return incoming(trial, of.event);
  if (of.kind === "operation") {
    const called = trial.operation(of.operation);
    if (called.action === "create")
      return creation(trial, called, (caller) => trial.inputFor(called.operation, caller, undefined, fixed));
    const transition = called.action === "move" ? transitionsBy(trial.contract, of.operation)[0] : undefined;
    if (transition !== undefined) return transitioning(trial, transition, fixed);
    return edit(trial, called);
  }
  const { on } = of.trigger;
  if (on.kind !== "by") throw new NotTried("no request makes the transition by itself");
  const isIt = (one: TriggeredTransition): boolean => one.resource === of.resource && one.trigger === of.trigger;
  const ofNew = transitionsOfNew(trial.contract, on.operation).find(isIt);
  if (ofNew !== undefined) return beginning(trial, ofNew, trial.operation(on.operation));
  const transition = transitionsOf(trial.contract).find(isIt);
  if (transition === undefined) throw new NotTried("no request makes the transition by itself");
  return transitioning(trial, transition, fixed);
}

async function incoming(trial: Trial, event: string): Promise<Situation> {
  const payload = await payloadOf(trial, event);
  return {
    ...{ caller: anonymous, resource: undefined, after: new Map(), before: undefined },
    input: payloadInput(trial.contract, event, payload),
    send: async () => ({ interaction: await trial.sendIncoming(event, payload), record: undefined }),
  };
}

/** A creation whose new record makes the transition. */
async function beginning(trial: Trial, transition: TriggeredTransition, called: Operation): Promise<Situation> {
  return creation(trial, called, (caller) =>
    called.kind === "resource" ? inputThatStarts(trial, called, caller, transition) : Promise.resolve(undefined),
  );
}

async function creation(
  trial: Trial,
  called: Operation,
  inputFor: (caller: Caller) => Promise<Input | undefined>,
): Promise<Situation> {
  if (called.kind !== "resource") throw new NotTried(`${called.operation} creates no record`);
  const caller = await neededCreator(trial, called);
  const input = await inputFor(caller);
  if (input === undefined) throw new NotTried(`the guard of ${called.operation} is not true`);
  const above = called.parents.at(-1);
  const parent = above === undefined ? undefined : await trial.reference(above.resource, caller);
  const after = new Map(recordAfter(trial, called, { caller, record: undefined }, input.body ?? {}));
  const id = parent?.values.get("id");
  if (above !== undefined && id !== undefined) after.set(above.field, id);
  const situation: Situation = {
    ...{ caller, resource: called.resource, after, before: undefined, input: expressionInput(trial, called, input) },
    send: () => sendCreation(trial, called, caller, { input, parent }),
  };
  const transition = transitionOfNew(trial, called, caller, input);
  if (transition === null) return situation;
  if (transition !== undefined)
    return { ...situation, after: afterTransition(trial, transition, scopeOf(trial, situation), after) };
  after.delete("state");
  return situation;
}

async function edit(trial: Trial, called: Operation): Promise<Situation> {
  if (called.kind !== "resource" || !["update", "replace", "delete"].includes(called.action))
    throw new NotTried(`the test does not know which record ${called.operation} writes`);
  const { caller, record } = await subjectFor(trial, called);
  await trial.look(record);
  const before = new Map(record.values);
  const isDeletion = called.action === "delete";
  const input: Input = isDeletion ? { query: {} } : await trial.inputFor(called.operation, caller, record);
  return {
    ...{ caller, resource: called.resource, before, input: expressionInput(trial, called, input) },
    after: isDeletion ? before : recordAfter(trial, called, { caller, record }, input.body ?? {}),
    send: async () => ({
      interaction: await trial.call(called.operation, { caller, record, ...input }),
      record: isDeletion ? undefined : record,
    }),
  };
}

async function transitioning(trial: Trial, transition: TriggeredTransition, fixed: Fixed): Promise<Situation> {
  const { from, resource, trigger } = transition;
  if (trigger.on.kind !== "by") throw new NotTried("no operation makes the transition");
  const called = trial.operation(trigger.on.operation);
  const record = await recordBefore(trial, transition, from[0], fixed);
  await trial.look(record);
  const caller = await trial.callerFor(called.operation, record);
  const input = await guardedInput(trial, record, transition, caller);
  if (input === undefined) throw new NotTried(`the guard of ${called.operation} is not true`);
  const before = new Map(record.values);
  const known = expressionInput(trial, called, input);
  const scope: Scope = { ...trial.scope(caller, record, known), record: before, old: before };
  const after = afterTransition(trial, transition, scope, before);
  return {
    ...{ caller, resource, before, after, input: known },
    send: async () => ({ interaction: await trial.call(called.operation, { caller, record, ...input }), record }),
  };
}

/** Returns the values of a record after a transition, as far as the test knows them. */
function afterTransition(
  trial: Trial,
  { path, to, trigger }: TriggeredTransition,
  scope: Scope,
  before: ReadonlyMap<string, Json>,
): ReadonlyMap<string, Json> {
  const after = new Map(before).set("state", to);
  for (const name of Object.keys(trigger.set ?? {})) {
    const typed = trial.contract.typed.get(`${path}/set/${name}`);
    const found = typed === undefined ? undefined : evaluate(typed, scope);
    if (found === undefined) after.delete(name);
    else after.set(name, found.value as Json);
  }
  return after;
}

/** Returns what the expressions of a further write read before a record is selected. */
export function scopeOf(trial: Trial, situation: Situation, after: ReadonlyMap<string, Json> = situation.after): Scope {
  const { before, caller, input, resource } = situation;
  const scope = trial.scope(caller, undefined, input);
  if (resource === undefined) return scope;
  return { ...scope, resource, record: after, around: { resource, record: after, old: before } };
}
