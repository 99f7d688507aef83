/** What became of part 3: states, where records start, and what moves them. */
import { own } from "../parts/resources/fields.ts";
import type { Cause, Lifecycle, Trigger } from "../parts/states/model.ts";
import { moveName } from "../parts/states/model.ts";
import { spanOf } from "./amounts.ts";
import { strictnessOf } from "./conditions.ts";
import { type Difference, difference, measured, pairs, restated, same, unforeseen } from "./difference.ts";
import { type Both, refusalDifference } from "./resources.ts";

export function* stateDifferences(both: Both): Iterable<Difference> {
  for (const { name, old, now } of pairs(both.old.model.states, both.now.model.states)) {
    if (old !== undefined && old !== "none" && now !== undefined && now !== "none")
      yield* lifeDifferences(both, name, old, now);
    else if (old !== undefined && old !== "none") {
      yield difference("breaking", "states-removed", name, `states/${name}`, `\`${name}\` has no states any more`);
    } else if (now !== undefined && now !== "none") {
      const isNew = own(both.old.model.resources.resources, name) === undefined;
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
    const place = `${at}/states/${name}`;
    if (before === undefined) {
      const entry = { kind: "state", resource, name, seen: formerStart ?? name } as const;
      const message = `\`${resource}\` has the new state \`${name}\``;
      yield difference("breaking", "state-added", subject, place, message, { entry });
    } else if (after === undefined) {
      yield difference(
        "breaking",
        "state-removed",
        subject,
        place,
        `\`${resource}\` has no state \`${name}\` any more`,
      );
    } else
      yield* restated(
        { kind: "sentence-changed", subject, at: place, what: `What \`${subject}\` means` },
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
  yield* moveDifferences(both, resource, old, now);
  yield* unforeseen({ subject: resource, at }, old, now, ["states", "start", "final", "moves"]);
}

function startOf({ start, states }: Lifecycle): string | undefined {
  return start ?? Object.keys(states)[0];
}

// ── Moves ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One way out of one state. */
interface Way {
  readonly from: string;
  readonly to: string;
  readonly trigger: Trigger;
  readonly at: string;
}

function* moveDifferences(both: Both, resource: string, old: Lifecycle, now: Lifecycle): Iterable<Difference> {
  const [before, after] = [waysOf(resource, old), waysOf(resource, now)];
  for (const [key, ways] of Map.groupBy(after, keyOf)) {
    const former = before.filter((way) => keyOf(way) === key);
    for (const [index, way] of ways.entries()) {
      const like = former[index];
      yield* like === undefined ? wayAdded(resource, way, old) : wayDifferences(both, resource, like, way);
    }
    for (const way of former.slice(ways.length)) yield wayGone(resource, way, now);
  }
  const known = new Set(after.map(keyOf));
  for (const way of before) if (!known.has(keyOf(way))) yield wayGone(resource, way, now);
}

function waysOf(resource: string, { states, final = [], moves }: Lifecycle): readonly Way[] {
  return moves.flatMap((move) => {
    const from =
      move.from === "any"
        ? Object.keys(states).filter((state) => state !== move.to && !final.includes(state))
        : move.from;
    return move.triggers.flatMap((trigger, index) =>
      (from.length === 0 ? ["any"] : from).map((state) => ({
        from: state,
        to: move.to,
        trigger,
        at: `states/${resource}/moves/${moveName(move)}/${index}`,
      })),
    );
  });
}

/** Two ways with one key are the same move, told differently; where a timer stands does not tell it apart from another. */
function keyOf({ from, to, trigger: { on } }: Way): string {
  return JSON.stringify([from, to, on.kind, on.kind === "by" ? on.operation : on.kind === "at" ? on.field : ""]);
}

function causeText(cause: Cause): string {
  switch (cause.kind) {
    case "by":
      return `by ${cause.operation}`;
    case "after":
      return `after ${cause.duration}`;
    case "at":
      return `at ${cause.field}`;
    case "when":
      return `when ${cause.events.join(" | ")}${cause.field === undefined ? "" : ` at ${cause.field}`}`;
  }
}

function wayText({ from, to, trigger }: Way): string {
  return `\`${from} -> ${to}: ${causeText(trigger.on)}\``;
}

function* wayAdded(resource: string, way: Way, old: Lifecycle): Iterable<Difference> {
  // A record that moves by itself is not where its client left it; out of a state that is new, nobody was left.
  const byItself = way.trigger.on.kind === "after" || way.trigger.on.kind === "at";
  const effect = byItself && Object.hasOwn(old.states, way.from) ? "breaking" : "additive";
  const told = { matter: byItself ? "limit" : "right" } as const;
  yield difference(
    effect,
    byItself ? "timer-added" : "move-added",
    resource,
    way.at,
    `\`${resource}\` moves ${wayText(way)}`,
    told,
  );
}

function wayGone(resource: string, way: Way, now: Lifecycle): Difference {
  // That the state is gone says it already.
  const effect = way.from === "any" || Object.hasOwn(now.states, way.from) ? "breaking" : "neutral";
  const { kind } = way.trigger.on;
  const name = kind === "after" || kind === "at" ? "timer-removed" : "move-removed";
  return difference(effect, name, resource, way.at, `\`${resource}\` does not move ${wayText(way)} any more`, {
    matter: "right",
  });
}

function* wayDifferences(both: Both, resource: string, old: Way, now: Way): Iterable<Difference> {
  const what = `${wayText(now)} of \`${resource}\``;
  const statement = (kind: string, at: string, start: string) => ({
    kind,
    subject: resource,
    at,
    what: `${start} ${what}`,
  });
  const [before, after] = [old.trigger, now.trigger];
  if (before.on.kind === "after" && after.on.kind === "after") {
    const timer = statement("timer-changed", `${now.at}/after`, "The time of");
    yield* measured(timer, before.on.duration, after.on.duration, spanOf, { less: "breaking", more: "additive" });
  } else if (!same(before.on, after.on)) {
    yield* restated(
      statement("cause-changed", now.at, "What makes"),
      causeText(before.on),
      causeText(after.on),
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
    yield* restated(guard, before.if, after.if, effect, { matter: "right", oldAt: `${old.at}/if` });
  }
  if ((before.if === undefined) === (after.if === undefined)) {
    const subject = after.on.kind === "by" ? after.on.operation : resource;
    yield* refusalDifference(both, subject, now.at, before.else, after.else);
  }
  for (const { name, old: former, now: value } of pairs(before.set, after.set))
    yield* restated(
      statement("set-changed", `${now.at}/set/${name}`, `What \`${name}\` is set to in`),
      former,
      value,
      "neutral",
    );
  yield* unforeseen({ subject: resource, at: now.at }, before, after, ["on", "if", "else", "set"]);
}
