/** Which moves an operation makes, and which moves of other records that causes. */
import { eventResource } from "../parts/expressions.ts";
import { fieldsOf, lifecycleOf, own, referenceOf, referencesTo } from "../parts/resources/fields.ts";
import { recordMembers } from "../parts/resources/value-type.ts";
import { type Move, moveName, type Trigger } from "../parts/states/model.ts";
import type { EffectPlan, MovePlan } from "./plan.ts";
import { type Sources, typedAt, unique } from "./sources.ts";

/** The moves of the resource that the operation makes, in the document's order. */
export function movesBy(sources: Sources, resource: string, operation: string): readonly MovePlan[] {
  return triggered(sources, resource).flatMap((one) =>
    one.trigger.on.kind === "by" && one.trigger.on.operation === operation ? movePlans(sources, resource, one) : [],
  );
}

interface Triggered {
  readonly move: Move;
  readonly trigger: Trigger;
  readonly index: number;
}

export function triggered({ model }: Sources, resource: string): readonly Triggered[] {
  const moves = lifecycleOf(model, resource)?.moves ?? [];
  return moves.flatMap((move) => move.triggers.map((trigger, index) => ({ move, trigger, index })));
}

/** One plan, or two where a move with several starts leads to one of them: only from the others does it enter. */
export function movePlans(
  sources: Sources,
  resource: string,
  { move, trigger, index }: Triggered,
): readonly MovePlan[] {
  const path = `states/${resource}/moves/${moveName(move)}/${index}`;
  const from = startsOf(sources, resource, move);
  const rest = {
    to: move.to,
    ...(trigger.if === undefined ? {} : { if: typedAt(sources, `${path}/if`) }),
    ...(trigger.else === undefined ? {} : { else: trigger.else }),
    set: Object.keys(trigger.set ?? {}).map((field) => ({
      field,
      expression: typedAt(sources, `${path}/set/${field}`),
    })),
  };
  const entering = from.filter((state) => state !== move.to);
  const staying = from.filter((state) => state === move.to);
  return [
    ...(entering.length === 0 ? [] : [{ from: entering, enters: true, ...rest }]),
    ...(staying.length === 0 ? [] : [{ from: staying, enters: false, ...rest }]),
  ];
}

export function startsOf({ model }: Sources, resource: string, { from, to }: Move): readonly string[] {
  if (from !== "any") return from;
  const { states = {}, final = [] } = lifecycleOf(model, resource) ?? {};
  return Object.keys(states).filter((state) => state !== to && !final.includes(state));
}

/**
 * What an operation causes in other records: its own events, and those of the states that it can lead its record into,
 * move the records that their payloads refer to, which enter states in turn.
 */
export function effectsOf(
  sources: Sources,
  resource: string,
  operation: string,
  states: readonly string[],
): readonly EffectPlan[] {
  const { out = {} } = sources.model.events;
  const caused = Object.entries(out).filter(
    ([, { when }]) => when.kind === "operation" && when.operation === operation,
  );
  return [
    ...caused.flatMap(([event]) => effectsOfEvent(sources, event, resource, undefined, [])),
    ...states.flatMap((state) => effectsOfState(sources, resource, state, [])),
  ];
}

/** What entering a state causes; `before` are the events that led there. */
export function effectsOfState(
  sources: Sources,
  resource: string,
  state: string,
  before: readonly string[],
): readonly EffectPlan[] {
  const { out = {} } = sources.model.events;
  return Object.entries(out).flatMap(([event, { when }]) => {
    // The check refuses events that cause themselves; without this a document that it does not see through would not end.
    const emitted =
      when.kind === "enters" && when.resource === resource && when.state === state && !before.includes(event);
    return emitted ? effectsOfEvent(sources, event, resource, state, [...before, event]) : [];
  });
}

/** What an event that comes in causes in the records that its payload refers to. */
export function effectsOfInbound(sources: Sources, event: string): readonly EffectPlan[] {
  return effectsOfEvent(sources, event, undefined, undefined, [event]);
}

/** `resource`: what it is about; undefined for one that comes in, which is about what its payload says. */
function effectsOfEvent(
  sources: Sources,
  event: string,
  resource: string | undefined,
  state: string | undefined,
  before: readonly string[],
): readonly EffectPlan[] {
  return Object.keys(sources.model.states).flatMap((target) => {
    const byField = new Map<string, MovePlan[]>();
    for (const one of triggered(sources, target)) {
      const field = referringField(sources, event, resource, target, one.trigger);
      if (field !== undefined) byField.set(field, [...(byField.get(field) ?? []), ...movePlans(sources, target, one)]);
    }
    return [...byField].map(([field, moves]): EffectPlan => {
      const entered = unique(moves.filter((move) => move.enters).map((move) => move.to));
      return {
        event,
        ...(state === undefined ? {} : { state }),
        field,
        resource: target,
        moves,
        payload: payloadOf(sources, event, resource),
        effects: entered.flatMap((next) => effectsOfState(sources, target, next, before)),
      };
    });
  });
}

/** What `carries` says, else all that is stored of the record. */
function payloadOf({ model }: Sources, event: string, resource: string | undefined): readonly string[] {
  if (resource === undefined) return Object.keys(own(model.events.in ?? {}, event)?.carries ?? {});
  const names = Object.keys(recordMembers(model, resource));
  const carries = own(model.events.out ?? {}, event)?.carries;
  return carries === undefined ? names : names.filter((name) => carries.includes(name));
}

/** The member of the event's payload that refers to the record which the trigger moves; undefined where it is not meant. */
function referringField(
  { model }: Sources,
  event: string,
  resource: string | undefined,
  target: string,
  { on }: Trigger,
): string | undefined {
  if (on.kind !== "when" || !on.events.includes(event) || eventResource(model, event) !== resource) return undefined;
  if (resource === undefined) {
    const members = Object.entries(own(model.events.in ?? {}, event)?.carries ?? {});
    const referring = members.filter(([, type]) => referenceOf(model, type) === target).map(([name]) => name);
    return on.field === undefined ? referring[0] : referring.find((name) => name === on.field);
  }
  if (on.field !== undefined) return own(fieldsOf(model, resource), on.field) === undefined ? undefined : on.field;
  const carries = own(model.events.out ?? {}, event)?.carries;
  const references = referencesTo(model, resource, target).filter((field) => carries?.includes(field) ?? true);
  return resource === target ? "id" : references[0];
}

/** The events that running an operation emits by itself. */
export function emitsOf({ model }: Sources, operation: string): readonly string[] {
  return Object.entries(model.events.out ?? {}).flatMap(([event, { when }]) =>
    when.kind === "operation" && when.operation === operation ? [event] : [],
  );
}

/** The events that entering each state emits. */
export function emitsByState({ model }: Sources, resource: string): Readonly<Record<string, readonly string[]>> {
  const entering = Object.entries(model.events.out ?? {}).flatMap(([event, { when }]) =>
    when.kind === "enters" && when.resource === resource ? [{ event, state: when.state }] : [],
  );
  const byState = Map.groupBy(entering, ({ state }) => state);
  return Object.fromEntries([...byState].map(([state, all]) => [state, all.map(({ event }) => event)]));
}
