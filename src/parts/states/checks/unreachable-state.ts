/** A state that no record can ever be in. */
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/unreachable-state",
  severity: "warning",
  why: "Whatever the document says about it never happens.",
  *run({ lives, model }) {
    for (const { resource, states, start, reachable } of lives) {
      // A move that says that it is open may lead anywhere.
      if (model.gaps.some((path) => path.startsWith(`states/${resource}/moves`))) continue;
      for (const state of states) {
        if (reachable.has(state)) continue;
        yield {
          at: `states/${resource}/states/${state}`,
          message: `No ${resource} ever becomes \`${state}\`: no move leads there from \`${start}\``,
          help: `add a move such as \`${start} -> ${state}\`, or remove the state`,
        };
      }
    }
  },
};
