/** Plans the transitions of an operation, and the transitions and further writes of other records that these cause. */
import { eventResource, typeCondition } from "../../language/analysis/expressions.ts";
import { fieldsOf, lifecycleOf, lookup, referenceOf, referencesTo } from "../../language/resources/fields.ts";
import { recordMembers } from "../../language/resources/value-type.ts";
import { isSelecting, type Selection } from "../../language/states/further-writes.ts";
import { type FurtherWrite, type Transition, transitionName, type Trigger } from "../../language/states/model.ts";
import type { EffectPlan, FurtherWritePlan, SelectionPlan, TransitionPlan } from "./types.ts";
import { both, type PlanInput, typedAt, unique } from "../input.ts";

/** Returns the transitions of the resource by the operation, in document order. */
export function transitionsBy(planInput: PlanInput, resource: string, operation: string): readonly TransitionPlan[] {
  return triggered(planInput, resource).flatMap((one) =>
    one.trigger.on.kind === "by" && one.trigger.on.operation === operation
      ? transitionPlans(planInput, resource, one)
      : [],
  );
}

interface Triggered {
  readonly transition: Transition;
  readonly trigger: Trigger;
  readonly index: number;
}

export function triggered({ model }: PlanInput, resource: string): readonly Triggered[] {
  const moves = lifecycleOf(model, resource)?.moves ?? [];
  return moves.flatMap((transition) => transition.triggers.map((trigger, index) => ({ transition, trigger, index })));
}

/**
 * Returns the plans of a transition. `before`: the events that led to it. If its target is also one of its sources, there are two plans, because a record that is
 * already in the target state does not enter it.
 */
export function transitionPlans(
  planInput: PlanInput,
  resource: string,
  { transition, trigger, index }: Triggered,
  before: readonly string[] = [],
): readonly TransitionPlan[] {
  const path = `states/${resource}/moves/${transitionName(transition)}/${index}`;
  const from = startsOf(planInput, resource, transition);
  const rest = {
    to: transition.to,
    ...(trigger.if === undefined ? {} : { if: typedAt(planInput, `${path}/if`) }),
    ...(trigger.else === undefined ? {} : { else: trigger.else }),
    set: Object.keys(trigger.set ?? {}).map((field) => ({
      field,
      expression: typedAt(planInput, `${path}/set/${field}`),
    })),
    ...(trigger.also === undefined ? {} : { also: furtherWritePlans(planInput, path, trigger.also, before) }),
    ...(isSelecting(trigger) ? { selection: selectionInStates(planInput, resource, path, trigger, from) } : {}),
  };
  const entering = from.filter((state) => state !== transition.to);
  const staying = from.filter((state) => state === transition.to);
  return [
    ...(entering.length === 0 ? [] : [{ from: entering, changesState: true, ...rest }]),
    ...(staying.length === 0 ? [] : [{ from: staying, changesState: false, ...rest }]),
  ];
}

export function startsOf({ model }: PlanInput, resource: string, { from, to }: Transition): readonly string[] {
  if (from !== "any") return from;
  const { states = {}, final = [] } = lifecycleOf(model, resource) ?? {};
  return Object.keys(states).filter((state) => state !== to && !final.includes(state));
}

/**
 * Plans the effects of an operation on other records. Its events, and those of the states that it enters, trigger transitions
 * of the records to which their payloads refer; these transitions cause events in turn.
 */
export function effectsOf(
  planInput: PlanInput,
  resource: string,
  operation: string,
  states: readonly string[],
): readonly EffectPlan[] {
  const { out = {} } = planInput.model.events;
  const caused = Object.entries(out).filter(
    ([, { when }]) => when.kind === "operation" && when.operation === operation,
  );
  return [
    ...caused.flatMap(([event]) => effectsOfEvent(planInput, event, resource, undefined, [])),
    ...states.flatMap((state) => effectsOfState(planInput, resource, state, [])),
  ];
}

/** Plans the effects of entering a state. `before`: the events that led to the state. */
export function effectsOfState(
  planInput: PlanInput,
  resource: string,
  state: string,
  before: readonly string[],
): readonly EffectPlan[] {
  const { out = {} } = planInput.model.events;
  return Object.entries(out).flatMap(([event, { when }]) => {
    // `nonet check` rejects events that cause themselves; this test stops at cycles that the check does not find.
    const emitted =
      when.kind === "enters" && when.resource === resource && when.state === state && !before.includes(event);
    return emitted ? effectsOfEvent(planInput, event, resource, state, [...before, event]) : [];
  });
}

/** Plans the effects of an incoming event on the records to which its payload refers. */
export function effectsOfInbound(planInput: PlanInput, event: string): readonly EffectPlan[] {
  return effectsOfEvent(planInput, event, undefined, undefined, [event]);
}

/**
 * Plans the effects of an event. `resource`: the event's resource; undefined for an incoming event, whose payload refers to
 * the records.
 */
function effectsOfEvent(
  planInput: PlanInput,
  event: string,
  resource: string | undefined,
  state: string | undefined,
  before: readonly string[],
): readonly EffectPlan[] {
  const { model } = planInput;
  return Object.keys(model.states).flatMap((target) => {
    // Of the transitions by the same field at most one happens; those that select records are separate effects.
    const byField = new Map<string, TransitionPlan[]>();
    const selecting: TransitionPlan[][] = [];
    for (const one of triggered(planInput, target)) {
      const { on } = one.trigger;
      if (isSelecting(one.trigger)) {
        const isCaused = on.kind === "when" && on.events.includes(event) && eventResource(model, event) === resource;
        if (isCaused) selecting.push([...transitionPlans(planInput, target, one, before)]);
        continue;
      }
      const field = referringField(planInput, event, resource, target, one.trigger);
      if (field !== undefined)
        byField.set(field, [...(byField.get(field) ?? []), ...transitionPlans(planInput, target, one, before)]);
    }
    const all = [...byField, ...selecting.map((moves) => [undefined, moves] as const)];
    return all.map(([field, moves]): EffectPlan => {
      const targetStates = unique(
        moves.filter((transition) => transition.changesState).map((transition) => transition.to),
      );
      return {
        event,
        ...(state === undefined ? {} : { state }),
        ...(field === undefined ? {} : { field }),
        resource: target,
        moves,
        payload: payloadOf(planInput, event, resource),
        effects: targetStates.flatMap((next) => effectsOfState(planInput, target, next, before)),
      };
    });
  });
}

/** Returns the members of an event's payload: those in `carries`, else all stored members. */
function payloadOf({ model }: PlanInput, event: string, resource: string | undefined): readonly string[] {
  if (resource === undefined) return Object.keys(lookup(model.events.in ?? {}, event)?.carries ?? {});
  const names = Object.keys(recordMembers(model, resource));
  const carries = lookup(model.events.out ?? {}, event)?.carries;
  return carries === undefined ? names : names.filter((name) => carries.includes(name));
}

/**
 * Returns the payload member that refers to the record to change; undefined if the trigger is not for this event or resource.
 */
function referringField(
  { model }: PlanInput,
  event: string,
  resource: string | undefined,
  target: string,
  { on }: Trigger,
): string | undefined {
  if (on.kind !== "when" || !on.events.includes(event) || eventResource(model, event) !== resource) return undefined;
  if (resource === undefined) {
    const members = Object.entries(lookup(model.events.in ?? {}, event)?.carries ?? {});
    const referring = members.filter(([, type]) => referenceOf(model, type) === target).map(([name]) => name);
    return on.field === undefined ? referring[0] : referring.find((name) => name === on.field);
  }
  if (on.field !== undefined) return lookup(fieldsOf(model, resource), on.field) === undefined ? undefined : on.field;
  const carries = lookup(model.events.out ?? {}, event)?.carries;
  const references = referencesTo(model, resource, target).filter((field) => carries?.includes(field) ?? true);
  return resource === target ? "id" : references[0];
}

/** Returns the events that the operation itself emits, apart from those of states. */
export function emitsOf({ model }: PlanInput, operation: string): readonly string[] {
  return Object.entries(model.events.out ?? {}).flatMap(([event, { when }]) =>
    when.kind === "operation" && when.operation === operation ? [event] : [],
  );
}

/** Returns the events that records emit when they enter a state, by state. */
export function emitsByState({ model }: PlanInput, resource: string): Readonly<Record<string, readonly string[]>> {
  const entering = Object.entries(model.events.out ?? {}).flatMap(([event, { when }]) =>
    when.kind === "enters" && when.resource === resource ? [{ event, state: when.state }] : [],
  );
  const byState = Map.groupBy(entering, ({ state }) => state);
  return Object.fromEntries([...byState].map(([state, all]) => [state, all.map(({ event }) => event)]));
}

/** Plans the further writes of the statement at `at`. `before`: the events that led to them. */
export function furtherWritePlans(
  planInput: PlanInput,
  at: string,
  writes: readonly FurtherWrite[] | undefined,
  before: readonly string[],
): readonly FurtherWritePlan[] {
  return (writes ?? []).map((write, index): FurtherWritePlan => {
    const path = `${at}/also/${index}`;
    const { each, kind, resource } = write;
    const member = kind === "create" ? "with" : "set";
    return {
      kind,
      resource,
      ...(each === undefined ? {} : { each: { name: each.name, list: typedAt(planInput, `${path}/each`) } }),
      ...(write.if === undefined ? {} : { if: typedAt(planInput, `${path}/if`) }),
      ...selectionPlan(planInput, path, write),
      values: Object.keys(write[member] ?? {}).map((field) => ({
        field,
        expression: typedAt(planInput, `${path}/${member}/${field}`),
      })),
      ...(write.else === undefined ? {} : { else: write.else }),
      effects: kind === "create" ? effectsOfStart(planInput, resource, before) : [],
    };
  });
}

function effectsOfStart(planInput: PlanInput, resource: string, before: readonly string[]): readonly EffectPlan[] {
  const { start, states = {} } = lifecycleOf(planInput.model, resource) ?? {};
  const first = start ?? Object.keys(states)[0];
  return first === undefined ? [] : effectsOfState(planInput, resource, first, before);
}

/** Plans the selection of the records of a transition, which are in its source states. */
function selectionInStates(
  planInput: PlanInput,
  resource: string,
  path: string,
  trigger: Trigger,
  states: readonly string[],
): SelectionPlan {
  const selection = selectionPlan(planInput, path, trigger);
  const text = `state in [${states.map((state) => `'${state}'`).join(", ")}]`;
  // An older version's plan is never run, and may lack the resource's fields.
  if (planInput.older === true) return selection;
  const inStates = typeCondition(planInput.model, text, resource, planInput);
  return { ...selection, where: selection.where === undefined ? inStates : both(inStates, selection.where) };
}

function selectionPlan(planInput: PlanInput, path: string, { first, sort, where }: Selection): SelectionPlan {
  const descending = sort?.startsWith("-") === true;
  return {
    ...(where === undefined ? {} : { where: typedAt(planInput, `${path}/where`) }),
    ...(first === undefined ? {} : { first }),
    ...(sort === undefined ? {} : { sort: { column: descending ? sort.slice(1) : sort, descending } }),
  };
}
