/** A life without a single state. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/no-states",
  severity: "error",
  why: "A record has to start in a state.",
  *run({ lives, gaps }) {
    for (const { resource, states } of lives) {
      if (states.length > 0 || gaps.has(`states/${resource}/states`)) continue;
      yield {
        at: `states/${resource}#key`,
        message: `${resource} has a lifecycle but no states`,
        help: `list them below \`states:\`, or write \`${resource}: none\``,
      };
    }
  },
};
