/** Plans when the guard of a timed transition is evaluated again, because a record that it reads has changed. */
import { reachOf } from "../../expression/reach.ts";
import { transitionName } from "../../language/states/model.ts";
import { type PlanInput, typedAt, unique } from "../input.ts";
import { triggered } from "./transitions.ts";
import type { WakePlan } from "./types.ts";

/** Returns the timed transitions whose guards read records of the written resource. */
export function wakePlans(planInput: PlanInput, written: string): readonly WakePlan[] {
  // Older versions have no timers, since only the newest version runs.
  if (planInput.older === true) return [];
  return Object.keys(planInput.model.states).flatMap((resource) =>
    timedGuards(planInput, resource).flatMap((guard) =>
      reachOf(guard)
        .others.filter((other) => other.resource === written)
        .map(({ affected, columns, kind }): WakePlan => {
          const isMembership = kind === "records";
          return {
            resource,
            on: { insert: isMembership, delete: isMembership, columns },
            find:
              affected === undefined
                ? {}
                : {
                    column: affected.column,
                    where: affected.where,
                    ...(affected.absent === undefined ? {} : { absent: affected.absent }),
                  },
          };
        }),
    ),
  );
}

/** Returns the columns by which records with such a guard are found; each gets an index. */
export function wakeColumns(planInput: PlanInput, resource: string): readonly string[] {
  const columns = Object.keys(planInput.model.states).flatMap((of) =>
    timedGuards(planInput, of).flatMap((guard) => {
      const { columns: read, others } = reachOf(guard);
      if (others.length === 0) return [];
      return read.flatMap((one) => ((one.resource === "" ? of : one.resource) === resource ? [one.column] : []));
    }),
  );
  return unique(columns);
}

function timedGuards(planInput: PlanInput, resource: string) {
  return triggered(planInput, resource).flatMap(({ index, transition, trigger }) => {
    const isTimed = trigger.on.kind === "after" || trigger.on.kind === "at";
    if (!isTimed || trigger.if === undefined) return [];
    return [typedAt(planInput, `states/${resource}/moves/${transitionName(transition)}/${index}/if`)];
  });
}
