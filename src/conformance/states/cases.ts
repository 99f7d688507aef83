/**
 * What clients can observe of part 3: each transition happens from its states and leads to its target, no other does, guards hold on
 * both sides, timers fire in time and not before, and of concurrent transitions one succeeds.
 */
import { withArticle } from "../../base/case.ts";
import { fieldsOf, lifecycleOf, lookup } from "../../language/resources/fields.ts";
import { type Aspect, Broken, type Case, NotTried, type PartCases, type Unobservable } from "../case.ts";
import { nodesOf } from "../../expression/typed.ts";
import { ifPossible } from "../attempts.ts";
import type { Contract } from "../contract.ts";
import { eventsOfEntering, startOf, transitionsBy, transitionsOf, type TriggeredTransition } from "../effects.ts";
import { isFurtherError, statusText } from "../errors/expected.ts";
import { expectError, expectSuccess } from "../expect.ts";
import { isResponse } from "../interaction.ts";
import { causeEvent, guardedInput, recordBefore } from "../trial/states.ts";
import { expressionInput } from "../trial/inputs.ts";
import { type KnownRecord, textOf } from "../trial/known.ts";
import type { Trial } from "../trial/trial.ts";
import { findRecord } from "../trial/world.ts";
import { expectObservedState, expectState } from "./expected-state.ts";
import { beginnings } from "./new-records.ts";
import { expectSet } from "./set-values.ts";
import { fires, isOver, wakes } from "./timers.ts";

export function stateCases(contract: Contract): PartCases {
  const transitions = transitionsOf(contract);
  return {
    cases: [
      ...Object.keys(contract.model.states).flatMap((resource) => starts(contract, resource)),
      ...[...contract.operations.keys()].flatMap((operation) => beginnings(contract, operation)),
      ...transitions.flatMap((transition) => happens(contract, transition)),
      ...transitions.flatMap((transition) => isGuarded(contract, transition)),
      ...forbidden(contract),
      ...transitions.flatMap((transition) => isOverheard(contract, transition)),
      ...transitions.flatMap((transition) => races(contract, transition)),
    ],
    unobservable: Object.keys(contract.model.states).flatMap((resource) => unreadable(contract, resource)),
  };
}

/** A new record is in the start state, and no request can set its state. */
function starts(contract: Contract, resource: string): readonly Case[] {
  const start = startOf(contract, resource);
  if (start === undefined) return [];
  const path = `states/${resource}/start`;
  return [
    {
      id: `${path}: new`,
      aspects: [{ path, expects: `a new ${resource} is in the state ${start}` }],
      run: async (trial) => {
        const record = await trial.make(resource);
        const { firstState = start } = record;
        if (firstState !== start) throw new NotTried(`the creation of ${withArticle(resource)} may move it on at once`);
        if (leavesAtOnce(contract, resource, start))
          throw new NotTried(`an event may move a new ${resource} on at once`);
        await expectState(trial, record, start);
      },
    },
  ];
}

/** Whether the event of a new record may move the record on. */
function leavesAtOnce(contract: Contract, resource: string, start: string): boolean {
  const events = eventsOfEntering(contract, resource, start);
  return transitionsOf(contract).some(
    ({ from, resource: of, trigger: { on } }) =>
      of === resource &&
      from.includes(start) &&
      on.kind === "when" &&
      on.events.some((event) => events.includes(event)),
  );
}

/** From each of its states the transition leads to its target, with the values that it sets. */
function happens(contract: Contract, transition: TriggeredTransition): readonly Case[] {
  const { resource, trigger, from, to, path } = transition;
  const { on } = trigger;
  switch (on.kind) {
    case "by":
      return from.map((state) => ({
        id: `${path}: from ${state}`,
        aspects: [
          { path, expects: `${on.operation} moves ${withArticle(resource)} from ${state} to ${to}` },
          ...Object.keys(trigger.set ?? {}).map((field) => ({
            path: `${path}/set/${field}`,
            expects: `\`${field}\` is set`,
          })),
        ],
        operation: on.operation,
        run: async (trial) => {
          const record = await recordBefore(trial, transition, state);
          await trial.look(record);
          const before = new Map(record.values);
          const { interaction, input, caller } = await trial.makeTransition(record, transition);
          expectSuccess(trial, interaction);
          await expectObservedState(trial, record, [to]);
          expectSet(trial, transition, {
            ...{ before, record, caller },
            input: expressionInput(trial, trial.operation(on.operation), input),
          });
        },
      }));
    case "when":
      return on.events.map((event) => ({
        id: `${path}: ${event}`,
        aspects: [{ path, expects: `${event} moves ${withArticle(resource)} to ${to}` }],
        run: async (trial) => {
          const record = await causeEvent(trial, undefined, {
            ...transition,
            trigger: { ...trigger, on: { ...on, events: [event] } },
          });
          await expectState(trial, record, to);
        },
      }));
    case "after":
    case "at":
      return [...fires(contract, transition), ...isOver(contract, transition), ...wakes(contract, transition)];
  }
}

/** A false guard rejects the transition with its error, and changes nothing. */
function isGuarded(contract: Contract, transition: TriggeredTransition): readonly Case[] {
  const { resource, trigger, from, path } = transition;
  const { on, else: code } = trigger;
  const [state] = from;
  if (on.kind !== "by" || trigger.if === undefined || code === undefined || state === undefined) return [];
  // Another transition of the same operation from the same state may be possible although this one is not.
  const others = transitionsBy(contract, on.operation).filter(
    (one) => one.path !== path && one.resource === resource && one.from.includes(state),
  );
  if (others.length > 0) return [];
  return [
    {
      id: `${path}: guard`,
      aspects: [{ path: `${path}/if`, expects: `while \`${trigger.if}\` is false, ${on.operation} gets ${code}` }],
      operation: on.operation,
      run: async (trial) => {
        const record = await trial.make(resource, { state });
        const caller = await trial.callerFor(on.operation, record);
        const input = await inputThatFails(trial, record, transition);
        const interaction = await trial.call(on.operation, { caller, record, ...input });
        expectError(trial, interaction, { code });
        await expectObservedState(trial, record, [state]);
      },
    },
  ];
}

/** How often the test repeats a transition until its guard is false. */
const mostRepeats = 10;

/** Returns an input with which the guard is false; repeats the transition if the guard depends on what it changes. */
async function inputThatFails(trial: Trial, record: KnownRecord, transition: TriggeredTransition) {
  const { on } = transition.trigger;
  if (on.kind !== "by") throw new NotTried("no operation makes this transition");
  for (let count = 0; count < mostRepeats; count += 1) {
    const caller = await trial.callerFor(on.operation, record);
    const input = await trial.inputWhere(on.operation, caller, record, `${transition.path}/if`, false);
    if (input !== undefined) return input;
    if (!transition.from.includes(transition.to)) break;
    const response = trial.responseOf((await trial.makeTransition(record, transition)).interaction);
    if (response.status >= 300) break;
    await trial.look(record);
  }
  const input = await afterReferred(trial, record, transition);
  if (input !== undefined) return input;
  throw new NotTried("the test finds no input with which the guard is false");
}

/** Moves a record whose state the guard reads, until an input makes the guard false; undefined if none does. */
async function afterReferred(trial: Trial, record: KnownRecord, { path, trigger: { on } }: TriggeredTransition) {
  const { contract, world } = trial;
  const guard = contract.typed.get(`${path}/if`);
  if (guard === undefined || on.kind !== "by") return undefined;
  for (const node of nodesOf(guard)) {
    if (node.kind !== "walk" || node.name !== "state" || node.reference.kind !== "field") continue;
    const referred = findRecord(world, node.resource, record.values.get(node.reference.name) ?? null);
    const next = transitionsOf(contract).filter(
      (one) =>
        one.resource === node.resource &&
        one.trigger.on.kind === "by" &&
        one.from.includes(textOf(referred?.values.get("state"))),
    );
    if (referred === undefined) continue;
    for (const one of next) {
      if ((await ifPossible(() => trial.makeTransition(referred, one))) === undefined) continue;
      await trial.look(referred);
      const caller = await trial.callerFor(on.operation, record);
      return trial.inputWhere(on.operation, caller, record, `${path}/if`, false);
    }
  }
  return undefined;
}

/** From every other state the operation of a transition is a conflict, and changes nothing. */
function forbidden(contract: Contract): readonly Case[] {
  const operations = [...contract.operations.values()].filter(({ action }) => action === "move");
  return operations.flatMap((called): readonly Case[] => {
    const { operation, resource } = called;
    const lifecycle = resource === undefined ? undefined : lifecycleOf(contract.model, resource);
    if (resource === undefined || lifecycle === undefined) return [];
    const own = transitionsBy(contract, operation).filter((one) => one.resource === resource);
    const possible = new Set(own.flatMap(({ from }) => from));
    const [first] = own;
    if (first === undefined) return [];
    return Object.keys(lifecycle.states)
      .filter((state) => !possible.has(state))
      .map((state) => ({
        id: `${first.path}: not from ${state}`,
        aspects: forbiddenAspects(resource, {
          state,
          operation,
          path: first.path,
          isFinal: lifecycle.final?.includes(state) === true,
        }),
        operation,
        run: async (trial: Trial) => {
          const record = await trial.make(resource, { state });
          const caller = await trial.callerFor(operation, record);
          const interaction = await trial.call(operation, { caller, record });
          expectError(trial, interaction, { code: "state-conflict" });
          await expectObservedState(trial, record, [state]);
        },
      }));
  });
}

function forbiddenAspects(
  resource: string,
  {
    state,
    operation,
    path,
    isFinal,
  }: { readonly state: string; readonly operation: string; readonly path: string; readonly isFinal: boolean },
): readonly [Aspect, ...Aspect[]] {
  const expects = `${operation} is a conflict for ${withArticle(resource)} in the state ${state}`;
  return isFinal
    ? [
        { path, expects },
        { path: `states/${resource}/final`, expects },
      ]
    : [{ path, expects }];
}

/** An event does not move a record that is in another state. */
function isOverheard(contract: Contract, transition: TriggeredTransition): readonly Case[] {
  const { path, resource, to, trigger } = transition;
  const { on } = trigger;
  if (on.kind !== "when" || on.events.length > 1) return [];
  const origins = originsOf(contract, on.events);
  // What causes the event may cause another one before, and time may pass meanwhile.
  const isLeft = (state: string): boolean =>
    transitionsOf(contract).some((one) => {
      if (one.resource !== resource || !one.from.includes(state)) return false;
      const { on: other } = one.trigger;
      if (other.kind === "when")
        return one.path === path || originsOf(contract, other.events).some((of) => origins.includes(of));
      return other.kind !== "by";
    });
  const states = Object.keys(lifecycleOf(contract.model, resource)?.states ?? {});
  return states
    .filter((state) => state !== to && !isLeft(state))
    .map((state) => ({
      id: `${path}: not from ${state}`,
      aspects: [{ path, expects: `${on.events.join()} does not move ${withArticle(resource)} in the state ${state}` }],
      run: async (trial) => {
        const record = await trial.make(resource, { state });
        if ((await causeEvent(trial, record, transition)) !== record)
          throw new NotTried(`the test cannot choose the ${resource} that the event is about`);
        await expectObservedState(trial, record, [state]);
      },
    }));
}

/** Returns the resources whose records cause the events by entering a state. */
function originsOf({ model }: Contract, events: readonly string[]): readonly string[] {
  return events.flatMap((event) => {
    const when = lookup(model.events.out ?? {}, event)?.when;
    return when?.kind === "enters" ? [when.resource] : [];
  });
}

/** How many requests race. */
const racers = 8;

/** Of concurrent transitions out of a state exactly one succeeds. */
function races(contract: Contract, transition: TriggeredTransition): readonly Case[] {
  const { resource, trigger, from, to, path } = transition;
  const { on } = trigger;
  const [state] = from;
  if (on.kind !== "by" || state === undefined || from.includes(to)) return [];
  const own = transitionsBy(contract, on.operation).filter((one) => one.resource === resource);
  if (own.some((one) => one.from.includes(to))) return [];
  const rates = lookup(contract.model.limits.rate ?? {}, on.operation) ?? [];
  const count = Math.min(racers, ...rates.map((rate) => rate.burst ?? rate.count));
  if (count < 2) return [];
  return [
    {
      id: `${path}: race`,
      aspects: [{ path, expects: `of ${count} concurrent requests for ${on.operation} one succeeds` }],
      operation: on.operation,
      run: async (trial) => {
        const record = await recordBefore(trial, transition, state);
        const caller = await trial.callerFor(on.operation, record);
        const input = await guardedInput(trial, record, transition, caller);
        if (input === undefined)
          throw new NotTried(`the test finds no input with which the guard of ${on.operation} is true`);
        const all = await Promise.all(
          Array.from({ length: count }, () =>
            trial.call(on.operation, { caller, record, ...input, expectsLimit: true }),
          ),
        );
        const successes = all.filter(({ response }) => isResponse(response) && response.status < 300);
        const limited = all.some(({ response }) => isResponse(response) && response.status === 429);
        if (successes.length === 1) return;
        if (successes.length === 0 && limited) throw new NotTried("a rate limit of the document is used up");
        // All requests fail if a further write of the transition finds no record.
        const called = trial.operation(on.operation);
        const lacks = all.every((one) => isFurtherError(contract, trial.responseOf(one), called));
        if (lacks) throw new NotTried(`${on.operation} finds no record that it has to write besides`);
        const got = all.map((one) => statusText(contract, trial.responseOf(one))).join(", ");
        throw new Broken("one success", `${successes.length}: ${got}`, successes.at(-1) ?? all.at(-1));
      },
    },
  ];
}

/** The names of states are observable only if some response shows them. */
function unreadable(contract: Contract, resource: string): readonly Unobservable[] {
  const lifecycle = lifecycleOf(contract.model, resource);
  if (lifecycle === undefined) return [];
  const isMade = [...contract.operations.values()].some((one) => one.resource === resource);
  if (isMade || Object.keys(fieldsOf(contract.model, resource)).length === 0) return [];
  return Object.keys(lifecycle.states).map((state) => ({
    path: `states/${resource}/states/${state}`,
    expects: `${withArticle(resource)} can be in the state ${state}`,
    reason: `no operation is about ${resource}`,
  }));
}
