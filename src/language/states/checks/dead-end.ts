/** A state that records get into and never out of, without being final. */
import { capital, withArticle } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/dead-end",
  severity: "warning",
  why: "Quotas and retention would count a record in this state as unfinished for ever.",
  *run({ lives }) {
    for (const { resource, lifecycle, reachable, final, out, closed } of lives) {
      // Without `final`, the open question is reported elsewhere.
      if (lifecycle.final === undefined || !closed) continue;
      for (const state of reachable) {
        const leaves = out.get(state)?.some(({ to }) => to !== state) ?? true;
        if (leaves || final.includes(state)) continue;
        yield {
          at: `states/${resource}/states/${state}`,
          message: `${capital(withArticle(resource))} never leaves \`${state}\`, which is not final`,
          help: `add \`${state}\` to \`final\`, or a transition out of it`,
        };
      }
    }
  },
};
