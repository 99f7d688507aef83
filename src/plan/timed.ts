/** What time does to records: moves `after` and `at` (part 3), retention (part 8). */
import { type Duration, parseDuration } from "../base/duration.ts";
import { lifecycleOf, own } from "../parts/resources/fields.ts";
import type { Cause } from "../parts/states/model.ts";
import { erasures } from "./erasure.ts";
import { effectsOfState, movePlans, startsOf, triggered } from "./moves.ts";
import type { TimedAct } from "./plan.ts";
import { assert, type Sources, unique } from "./sources.ts";

export function timedActs(sources: Sources, resource: string): readonly TimedAct[] {
  return [...timedMoves(sources, resource), ...retention(sources, resource)];
}

function timedMoves(sources: Sources, resource: string): readonly TimedAct[] {
  return triggered(sources, resource).flatMap((one): TimedAct[] => {
    const { on } = one.trigger;
    if (on.kind !== "after" && on.kind !== "at") return [];
    const moves = movePlans(sources, resource, one);
    const entered = unique(moves.filter((move) => move.enters).map((move) => move.to));
    const effects = entered.flatMap((state) => effectsOfState(sources, resource, state, []));
    const states = startsOf(sources, resource, one.move);
    return [{ states, ...momentSaid(on), act: { kind: "move", moves, effects } }];
  });
}

function momentSaid(on: Cause & { kind: "after" | "at" }): Pick<TimedAct, "since" | "after" | "cause"> {
  if (on.kind === "at")
    return { since: { kind: "column", column: on.field }, after: durationOf("0s"), cause: `at ${on.field}` };
  return { since: { kind: "entered" }, after: durationOf(on.duration), cause: `after ${on.duration}` };
}

/** `90d after final`, after a state, or after the time in a field. */
function retention(sources: Sources, resource: string): readonly TimedAct[] {
  const { model } = sources;
  const keep = own(model.limits.keep ?? {}, resource);
  if (keep === undefined) return [];
  const lifecycle = lifecycleOf(model, resource);
  const states = keep.after === "final" ? (lifecycle?.final ?? []) : [keep.after];
  const isField = keep.after !== "final" && own(lifecycle?.states ?? {}, keep.after) === undefined;
  return [
    {
      ...(isField
        ? { since: { kind: "column", column: keep.after } }
        : { states, since: { kind: "entered" } as const }),
      after: durationOf(keep.duration),
      cause: `keep ${keep.duration} after ${keep.after}`,
      act: keep.act === "delete" ? { kind: "delete" } : { kind: "erase", columns: erasures(sources, resource) },
    },
  ];
}

function durationOf(text: string): Duration {
  const duration = parseDuration(text);
  assert(duration !== undefined, `${text} is no duration`);
  return duration;
}
