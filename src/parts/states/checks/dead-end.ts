/** A state that records get into and never out of, without being final. */
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/dead-end",
  severity: "warning",
  why: "A record that is stuck there counts as unfinished for ever: for quotas, for retention, for people.",
  *run({ lives, model }) {
    for (const { resource, lifecycle, reachable, final, out } of lives) {
      // Without `final` the question is open, which is said elsewhere.
      if (lifecycle.final === undefined || model.gaps.some((path) => path.startsWith(`states/${resource}/moves`)))
        continue;
      for (const state of reachable) {
        const leaves = out.get(state)?.some(({ to }) => to !== state) ?? true;
        if (leaves || final.includes(state)) continue;
        yield {
          at: `states/${resource}/states/${state}`,
          message: `A ${resource} never leaves \`${state}\`, which is not final`,
          help: `add \`${state}\` to \`final\`, or a move that leads out of it`,
        };
      }
    }
  },
};
