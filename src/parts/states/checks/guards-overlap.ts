/** Two moves that one trigger makes from one state, to two others, where both guards can hold. */
import { exclusive } from "../../../expression/prove.ts";
import type { Transition } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/guards-overlap",
  severity: "warning",
  why: "The first that is written is made, which a reader cannot see and an edit can change.",
  *run({ lives }) {
    for (const { states, out } of lives) {
      const told = new Set<Transition>();
      for (const state of states) {
        const byCause = Map.groupBy(out.get(state) ?? [], causeOf);
        for (const [cause, alternatives] of byCause) {
          if (cause === undefined) continue;
          for (const [index, second] of alternatives.entries()) {
            const first = alternatives.slice(0, index).find((one) => overlaps(one, second));
            if (first === undefined || told.has(second)) continue;
            told.add(second);
            yield {
              at: second.at.replace(/\/\d+$/, "#key"),
              message: `From \`${state}\`, \`${cause}\` leads to \`${first.to}\` and to \`${second.to}\` at once`,
              help: "guard both with `if`, so that never both hold",
            };
          }
        }
      }
    }
  },
};

/** Timers fire one after the other, so only what happens at one moment can overlap. */
function causeOf({ trigger: { on } }: Transition): string | undefined {
  if (on.kind === "by") return on.operation;
  return on.kind === "when" ? on.events.join(" | ") : undefined;
}

function overlaps(first: Transition, second: Transition): boolean {
  if (first.guard === undefined || second.guard === undefined) {
    // A guard with a problem of its own says nothing yet.
    return first.trigger.if === undefined || second.trigger.if === undefined;
  }
  return !exclusive(first.guard, second.guard);
}
