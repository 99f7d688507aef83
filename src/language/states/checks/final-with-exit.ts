/** A final state that a move leads out of. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/final-with-exit",
  severity: "error",
  why: "Retention and quotas treat a final record as finished, so it must not leave that state.",
  *run({ lives }) {
    for (const { resource, final, transitions } of lives) {
      const ends = new Set(final);
      for (const { from, to, at } of transitions) {
        const left = from.find((state) => ends.has(state));
        if (left === undefined) continue;
        yield {
          at: at.replace(/\/\d+$/, "#key"),
          message: `\`${left}\` is final, but this transition leads ${withArticle(resource)} from there to \`${to}\``,
          help: `take \`${left}\` out of \`final\`, or remove the transition`,
        };
      }
    }
  },
};
