/** Plans timed jobs: transitions `after` and `at` (part 3), and retention (part 8). */
import { type Duration, parseDuration } from "../../base/duration.ts";
import { lifecycleOf, lookup, fieldsOf, isStored } from "../../language/resources/fields.ts";
import type { TriggerSource } from "../../language/states/model.ts";
import { effectsOfState, transitionPlans, startsOf, triggered } from "./transitions.ts";
import type { TimedJob } from "./types.ts";
import { assert, type PlanInput, unique } from "../input.ts";
import { erasedValue } from "../../language/resources/erased-value.ts";
import type { Erasure } from "../limits/types.ts";

export function timedJobs(planInput: PlanInput, resource: string): readonly TimedJob[] {
  return [...timedTransitions(planInput, resource), ...retention(planInput, resource)];
}

function timedTransitions(planInput: PlanInput, resource: string): readonly TimedJob[] {
  return triggered(planInput, resource).flatMap((one): TimedJob[] => {
    const { on } = one.trigger;
    if (on.kind !== "after" && on.kind !== "at") return [];
    const moves = transitionPlans(planInput, resource, one);
    const targetStates = unique(
      moves.filter((transition) => transition.changesState).map((transition) => transition.to),
    );
    const effects = targetStates.flatMap((state) => effectsOfState(planInput, resource, state, []));
    const states = startsOf(planInput, resource, one.transition);
    return [{ states, ...startAndDelayOf(on), action: { kind: "move", moves, effects } }];
  });
}

function startAndDelayOf(on: TriggerSource & { kind: "after" | "at" }): Pick<TimedJob, "since" | "after" | "cause"> {
  if (on.kind === "at")
    return { since: { kind: "column", column: on.field }, after: durationOf("0s"), cause: `at ${on.field}` };
  return { since: { kind: "entered" }, after: durationOf(on.duration), cause: `after ${on.duration}` };
}

/** Plans retention: `90d after final`, after a state, or after the time in a field. */
function retention(planInput: PlanInput, resource: string): readonly TimedJob[] {
  const { model } = planInput;
  const keep = lookup(model.limits.keep ?? {}, resource);
  if (keep === undefined) return [];
  const lifecycle = lifecycleOf(model, resource);
  const states = keep.after === "final" ? (lifecycle?.final ?? []) : [keep.after];
  const isField = keep.after !== "final" && lookup(lifecycle?.states ?? {}, keep.after) === undefined;
  return [
    {
      ...(isField
        ? { since: { kind: "column", column: keep.after } }
        : { states, since: { kind: "entered" } as const }),
      after: durationOf(keep.duration),
      cause: `keep ${keep.duration} after ${keep.after}`,
      action: keep.act === "delete" ? { kind: "delete" } : { kind: "erase", columns: erasures(planInput, resource) },
    },
  ];
}

function durationOf(text: string): Duration {
  const duration = parseDuration(text);
  assert(duration !== undefined, `${text} is no duration`);
  return duration;
}

function erasures({ model }: PlanInput, resource: string): readonly Erasure[] {
  const fields = Object.entries(fieldsOf(model, resource));
  // Erases computed fields too, since they change with the erased ones.
  const personal = fields.filter(
    ([, field]) => field.marks.includes("personal") && isStored(field) && field.computed === undefined,
  );
  return personal.map(([column, field]) => {
    const to = erasedValue(model, resource, column, field);
    assert(to !== undefined, `${resource}.${column} cannot be erased`);
    return { column, to };
  });
}
