/** A state that no record can ever be in. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/unreachable-state",
  severity: "warning",
  why: "No statement about this state has an effect.",
  *run({ lives }) {
    for (const { resource, states, start, reachable, closed } of lives) {
      // An open transition may lead to any state.
      if (!closed) continue;
      for (const state of states) {
        if (reachable.has(state)) continue;
        yield {
          at: `states/${resource}/states/${state}`,
          message: `No ${resource} ever becomes \`${state}\`: no transition leads there from \`${start}\``,
          help: `add a transition such as \`${start} -> ${state}\`, or remove the state`,
        };
      }
    }
  },
};
