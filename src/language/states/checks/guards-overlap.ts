/** Two moves that one trigger makes from one state, to two others, where both guards can hold. */
import { exclusive } from "../../../expression/prove.ts";
import type { TriggeredTransition } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/guards-overlap",
  severity: "warning",
  why: "The first transition in the document would win, which readers overlook and an edit can change.",
  *run({ lives }) {
    for (const { states, out } of lives) {
      const reported = new Set<TriggeredTransition>();
      for (const state of states) {
        const byTrigger = Map.groupBy(out.get(state) ?? [], triggerKey);
        for (const [trigger, alternatives] of byTrigger) {
          if (trigger === undefined) continue;
          for (const [index, second] of alternatives.entries()) {
            const first = alternatives.slice(0, index).find((one) => overlaps(one, second));
            if (first === undefined || reported.has(second)) continue;
            reported.add(second);
            yield {
              at: second.at.replace(/\/\d+$/, "#key"),
              message: `From \`${state}\`, \`${trigger}\` leads to \`${first.to}\` and to \`${second.to}\` at once`,
              help: "guard both with `if` conditions that exclude each other",
            };
          }
        }
      }
    }
  },
};

/** Timers fire one after the other, so only what happens at one moment can overlap. */
function triggerKey({ trigger: { on } }: TriggeredTransition): string | undefined {
  if (on.kind === "by") return on.operation;
  return on.kind === "when" ? on.events.join(" | ") : undefined;
}

function overlaps(first: TriggeredTransition, second: TriggeredTransition): boolean {
  if (first.guard === undefined || second.guard === undefined) {
    // A guard with an error is ignored here.
    return first.trigger.if === undefined || second.trigger.if === undefined;
  }
  return !exclusive(first.guard, second.guard);
}
