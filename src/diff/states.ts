/** Differences of part 3: states, the initial state and transitions. */
import { lookup } from "../language/resources/fields.ts";
import type { TriggerSource, Lifecycle, Trigger } from "../language/states/model.ts";
import { transitionName } from "../language/states/model.ts";
import { durationOf } from "../language/grammar/amounts.ts";
import { strictnessOf } from "./conditions.ts";
import { type Difference, difference, measured, pairs, restated, same, unhandledKeys } from "./difference.ts";
import { type Both, errorCodeDifference } from "./resources.ts";

export function* stateDifferences(both: Both): Iterable<Difference> {
  for (const { name, old, now } of pairs(both.old.model.states, both.now.model.states)) {
    if (old !== undefined && old !== "none" && now !== undefined && now !== "none")
      yield* lifeDifferences(both, name, old, now);
    else if (old !== undefined && old !== "none") {
      yield difference("breaking", "states-removed", name, `states/${name}`, `\`${name}\` has no states any more`);
    } else if (now !== undefined && now !== "none") {
      const isNew = lookup(both.old.model.resources.resources, name) === undefined;
      yield difference(
        "additive",
        "states-added",
        name,
        `states/${name}`,
        `\`${name}\` has states${isNew ? "" : " now"}`,
      );
    } else if (old !== now)
      yield difference(
        "neutral",
        "states-said",
        name,
        `states/${name}`,
        `Whether \`${name}\` has states is said differently`,
      );
  }
}

function* lifeDifferences(both: Both, resource: string, old: Lifecycle, now: Lifecycle): Iterable<Difference> {
  const at = `states/${resource}`;
  const [start, formerStart] = [startOf(now), startOf(old)];
  for (const { name, old: before, now: after } of pairs(old.states, now.states)) {
    const subject = `${resource}.${name}`;
    const statePath = `${at}/states/${name}`;
    if (before === undefined) {
      const entry = { kind: "state", resource, name, seen: formerStart ?? name } as const;
      const message = `\`${resource}\` has the new state \`${name}\``;
      yield difference("breaking", "state-added", subject, statePath, message, { entry });
    } else if (after === undefined) {
      yield difference(
        "breaking",
        "state-removed",
        subject,
        statePath,
        `\`${resource}\` has no state \`${name}\` any more`,
      );
    } else
      yield* restated(
        { kind: "sentence-changed", subject, at: statePath, what: `What \`${subject}\` means` },
        before,
        after,
        "neutral",
      );
  }
  const beginning = {
    kind: "start-changed",
    subject: resource,
    at: `${at}/start`,
    what: `The state that a \`${resource}\` starts in`,
  };
  yield* restated(beginning, formerStart, start, "breaking");
  if (old.start !== now.start && start === formerStart)
    yield difference(
      "neutral",
      "start-said",
      resource,
      `${at}/start`,
      `Where a \`${resource}\` starts is written differently`,
    );
  const final = {
    kind: "final-changed",
    subject: resource,
    at: `${at}/final`,
    what: `Which states of \`${resource}\` are final`,
  };
  yield* restated(final, old.final?.toSorted(), now.final?.toSorted(), "neutral");
  yield* transitionDifferences(both, resource, old, now);
  yield* unhandledKeys({ subject: resource, at }, old, now, ["states", "start", "final", "moves"]);
}

function startOf({ start, states }: Lifecycle): string | undefined {
  return start ?? Object.keys(states)[0];
}

// ── Moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One transition from one state. */
interface Transition {
  readonly from: string;
  readonly to: string;
  readonly trigger: Trigger;
  readonly at: string;
}

function* transitionDifferences(both: Both, resource: string, old: Lifecycle, now: Lifecycle): Iterable<Difference> {
  const [before, after] = [transitionsOf(resource, old), transitionsOf(resource, now)];
  for (const [key, transitions] of Map.groupBy(after, keyOf)) {
    const former = before.filter((transition) => keyOf(transition) === key);
    for (const [index, transition] of transitions.entries()) {
      const like = former[index];
      yield* like === undefined
        ? addedTransition(resource, transition, old)
        : changedTransition(both, resource, like, transition);
    }
    for (const transition of former.slice(transitions.length)) yield removedTransition(resource, transition, now);
  }
  const known = new Set(after.map(keyOf));
  for (const transition of before)
    if (!known.has(keyOf(transition))) yield removedTransition(resource, transition, now);
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
        at: `states/${resource}/moves/${transitionName(transition)}/${index}`,
      })),
    );
  });
}

/** The identity of a transition in both documents. The duration of a timer is not part of it. */
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

function* addedTransition(resource: string, transition: Transition, old: Lifecycle): Iterable<Difference> {
  // A new timer moves a record away from the state where its client left it; but no client left a record in a new state.
  const byItself = transition.trigger.on.kind === "after" || transition.trigger.on.kind === "at";
  const effect = byItself && Object.hasOwn(old.states, transition.from) ? "breaking" : "additive";
  const details = { category: byItself ? "limit" : "right" } as const;
  yield difference(
    effect,
    byItself ? "timer-added" : "move-added",
    resource,
    transition.at,
    `\`${resource}\` moves ${transitionText(transition)}`,
    details,
  );
}

function removedTransition(resource: string, transition: Transition, now: Lifecycle): Difference {
  // The difference of the removed state already covers its transitions.
  const effect = transition.from === "any" || Object.hasOwn(now.states, transition.from) ? "breaking" : "neutral";
  const { kind } = transition.trigger.on;
  const name = kind === "after" || kind === "at" ? "timer-removed" : "move-removed";
  return difference(
    effect,
    name,
    resource,
    transition.at,
    `\`${resource}\` does not move ${transitionText(transition)} any more`,
    {
      category: "right",
    },
  );
}

function* changedTransition(both: Both, resource: string, old: Transition, now: Transition): Iterable<Difference> {
  const what = `${transitionText(now)} of \`${resource}\``;
  const statement = (kind: string, at: string, start: string) => ({
    kind,
    subject: resource,
    at,
    what: `${start} ${what}`,
  });
  const [before, after] = [old.trigger, now.trigger];
  if (before.on.kind === "after" && after.on.kind === "after") {
    const timer = statement("timer-changed", `${now.at}/after`, "The time of");
    yield* measured(timer, before.on.duration, after.on.duration, durationOf, { less: "breaking", more: "additive" });
  } else if (!same(before.on, after.on)) {
    yield* restated(
      statement("cause-changed", now.at, "What makes"),
      triggerText(before.on),
      triggerText(after.on),
      "breaking",
    );
  }
  const strictness = strictnessOf(
    { side: both.old, path: `${old.at}/if`, text: before.if },
    { side: both.now, path: `${now.at}/if`, text: after.if },
  );
  if (strictness !== "same") {
    const guard = statement(`guard-${strictness}`, `${now.at}/if`, "The guard of");
    const effect = strictness === "tighter" ? "breaking" : "additive";
    yield* restated(guard, before.if, after.if, effect, { category: "right", oldAt: `${old.at}/if` });
  }
  if ((before.if === undefined) === (after.if === undefined)) {
    const subject = after.on.kind === "by" ? after.on.operation : resource;
    yield* errorCodeDifference(both, subject, now.at, before.else, after.else);
  }
  for (const { name, old: former, now: value } of pairs(before.set, after.set))
    yield* restated(
      statement("set-changed", `${now.at}/set/${name}`, `What \`${name}\` is set to in`),
      former,
      value,
      "neutral",
    );
  yield* unhandledKeys({ subject: resource, at: now.at }, before, after, ["on", "if", "else", "set"]);
}
