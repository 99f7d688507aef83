/** Differences of part 3: states, the initial state and transitions. */
import { durationOf } from "../language/grammar/amounts.ts";
import { lookup } from "../language/resources/fields.ts";
import type { TriggerSource, Lifecycle, Trigger } from "../language/states/model.ts";
import { transitionName } from "../language/states/model.ts";
import { selectionMembers } from "../language/states/further-writes.ts";
import { conditionDifferences } from "./conditions.ts";
import { furtherWriteDifferences, selectionDifferences } from "./further-writes.ts";
import {
  below,
  type Difference,
  difference,
  measured,
  pairs,
  type Site,
  restated,
  same,
  unhandledKeys,
} from "./difference.ts";
import { type Both, errorCodeDifference } from "./resources.ts";

export function* stateDifferences(both: Both): Iterable<Difference> {
  for (const { name, old, now } of pairs(both.old.model.states, both.now.model.states)) {
    const site = { subject: name, at: `states/${name}` };
    if (old !== undefined && old !== "none" && now !== undefined && now !== "none")
      yield* lifeDifferences(both, name, old, now);
    else if (old !== undefined && old !== "none")
      yield difference("breaking", "states-removed", site, `\`${name}\` no longer has states`);
    else if (now !== undefined && now !== "none") {
      const isNew = lookup(both.old.model.resources.resources, name) === undefined;
      yield difference("additive", "states-added", site, `\`${name}\` has states${isNew ? "" : " now"}`);
    } else if (old !== now)
      yield difference(
        "neutral",
        "states-said",
        site,
        `The statement that \`${name}\` has no states is written differently`,
      );
  }
}

function* lifeDifferences(both: Both, resource: string, old: Lifecycle, now: Lifecycle): Iterable<Difference> {
  const site = { subject: resource, at: `states/${resource}` };
  const [start, formerStart] = [startOf(now), startOf(old)];
  for (const { name, old: before, now: after } of pairs(old.states, now.states)) {
    const state = { subject: `${resource}.${name}`, at: `${site.at}/states/${name}` };
    if (before === undefined) {
      const entry = { kind: "state", resource, name, seen: formerStart ?? name } as const;
      yield difference("breaking", "state-added", state, `\`${resource}\` has the new state \`${name}\``, { entry });
    } else if (after === undefined)
      yield difference("breaking", "state-removed", state, `\`${resource}\` no longer has the state \`${name}\``);
    else
      yield* restated("neutral", "sentence-changed", state, `The description of \`${state.subject}\``, [before, after]);
  }
  const starting = below(site, "start");
  const what = `The initial state of \`${resource}\``;
  yield* restated("breaking", "start-changed", starting, what, [formerStart, start]);
  if (old.start !== now.start && start === formerStart)
    yield difference("neutral", "start-said", starting, `The initial state of \`${resource}\` is written differently`);
  yield* restated("neutral", "final-changed", below(site, "final"), `The final states of \`${resource}\``, [
    old.final?.toSorted(),
    now.final?.toSorted(),
  ]);
  yield* transitionDifferences(both, resource, old, now);
  yield* unhandledKeys(site, old, now, ["states", "start", "final", "moves"]);
}

function startOf({ start, states }: Lifecycle): string | undefined {
  return start ?? Object.keys(states)[0];
}

// ── Moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One transition from one state, with its path. */
interface Transition extends Site {
  readonly from: string;
  readonly to: string;
  readonly trigger: Trigger;
}

function* transitionDifferences(both: Both, resource: string, old: Lifecycle, now: Lifecycle): Iterable<Difference> {
  const [before, after] = [transitionsOf(resource, old), transitionsOf(resource, now)];
  for (const [key, transitions] of Map.groupBy(after, keyOf)) {
    const former = before.filter((transition) => keyOf(transition) === key);
    for (const [index, transition] of transitions.entries()) {
      const like = former[index];
      yield* like === undefined ? addedTransition(transition, old) : changedTransition(both, like, transition);
    }
    for (const transition of former.slice(transitions.length)) yield removedTransition(transition, now);
  }
  const known = new Set(after.map(keyOf));
  for (const transition of before) if (!known.has(keyOf(transition))) yield removedTransition(transition, now);
}

function transitionsOf(resource: string, { states, final = [], moves }: Lifecycle): readonly Transition[] {
  return moves.flatMap((transition) => {
    const from =
      transition.from === "any"
        ? Object.keys(states).filter((state) => state !== transition.to && !final.includes(state))
        : transition.from;
    return transition.triggers.flatMap((trigger, index) =>
      (from.length === 0 ? ["any"] : from).map((state) => ({
        from: state,
        to: transition.to,
        trigger,
        subject: resource,
        at: `states/${resource}/moves/${transitionName(transition)}/${index}`,
      })),
    );
  });
}

/** Returns what identifies a transition in both documents. The duration of a timer is not part of it. */
function keyOf({ from, to, trigger: { on } }: Transition): string {
  return JSON.stringify([from, to, on.kind, on.kind === "by" ? on.operation : on.kind === "at" ? on.field : ""]);
}

function triggerText(source: TriggerSource): string {
  switch (source.kind) {
    case "by":
      return `by ${source.operation}`;
    case "after":
      return `after ${source.duration}`;
    case "at":
      return `at ${source.field}`;
    case "when":
      return `when ${source.events.join(" | ")}${source.field === undefined ? "" : ` at ${source.field}`}`;
  }
}

function transitionText({ from, to, trigger }: Transition): string {
  return `\`${from} -> ${to}: ${triggerText(trigger.on)}\``;
}

function* addedTransition(transition: Transition, old: Lifecycle): Iterable<Difference> {
  // A new timer moves a record out of the state in which its client left it; but no client left a record in a new state.
  const byItself = isTimer(transition);
  const effect = byItself && Object.hasOwn(old.states, transition.from) ? "breaking" : "additive";
  const message = `\`${transition.subject}\` has the new transition ${transitionText(transition)}`;
  const category = byItself ? "limit" : "right";
  yield difference(effect, byItself ? "timer-added" : "move-added", transition, message, { category });
}

function removedTransition(transition: Transition, now: Lifecycle): Difference {
  // The difference of the removed state already covers its transitions.
  const effect = transition.from === "any" || Object.hasOwn(now.states, transition.from) ? "breaking" : "neutral";
  const kind = isTimer(transition) ? "timer-removed" : "move-removed";
  const message = `\`${transition.subject}\` no longer has the transition ${transitionText(transition)}`;
  const { on } = transition.trigger;
  const ends = on.kind === "by" ? on.operation : on.kind === "at" ? `${transition.subject}.${on.field}` : undefined;
  const details = { category: "right", ...(ends === undefined ? {} : { endsWith: [ends] }) } as const;
  return difference(effect, kind, transition, message, details);
}

function isTimer({ trigger: { on } }: Transition): boolean {
  return on.kind === "after" || on.kind === "at";
}

function* changedTransition(both: Both, old: Transition, now: Transition): Iterable<Difference> {
  const what = `${transitionText(now)} of \`${now.subject}\``;
  const [before, after] = [old.trigger, now.trigger];
  if (before.on.kind === "after" && after.on.kind === "after") {
    const durations = [before.on.duration, after.on.duration] as const;
    yield* measured("timer-changed", below(now, "after"), `The time of ${what}`, durations, durationOf);
  } else if (!same(before.on, after.on)) {
    const texts = [triggerText(before.on), triggerText(after.on)] as const;
    yield* restated("breaking", "cause-changed", now, `The trigger of ${what}`, texts);
  }
  const guard = { what: `The guard of ${what}`, kind: "guard", oldAt: `${old.at}/if` };
  yield* conditionDifferences(both, below(now, "if"), guard, [before.if, after.if]);
  if ((before.if === undefined) === (after.if === undefined)) {
    const subject = after.on.kind === "by" ? after.on.operation : now.subject;
    yield* errorCodeDifference(both, subject, now.at, before.else, after.else);
  }
  for (const { name, old: former, now: value } of pairs(before.set, after.set))
    yield* restated(
      "neutral",
      "set-changed",
      below(now, `set/${name}`),
      `The value that ${what} sets for \`${name}\``,
      [former, value],
    );
  yield* selectionDifferences(now, `of ${what}`, before, after);
  yield* furtherWriteDifferences(both, now, what, before.also, after.also);
  yield* unhandledKeys(now, before, after, ["on", "if", "else", "set", "also", ...selectionMembers]);
}
