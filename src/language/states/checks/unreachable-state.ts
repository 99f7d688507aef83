/** A state that no record can ever be in. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/unreachable-state",
  severity: "warning",
  why: "Whatever the document says about it never happens.",
  *run({ lives }) {
    for (const { resource, states, start, reachable, closed } of lives) {
      // A move that says that it is open may lead anywhere.
      if (!closed) continue;
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
