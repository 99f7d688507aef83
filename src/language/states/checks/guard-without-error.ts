/** An operation that can be refused, without saying with what. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/guard-without-error",
  severity: "error",
  why: "The caller has to be told why the operation was refused.",
  *run({ transitions, gaps }) {
    for (const { trigger, at } of transitions) {
      if (trigger.on.kind !== "by" || trigger.if === undefined || trigger.else !== undefined) continue;
      // A trigger that is alone in its move has no number of its own in the document.
      if (gaps.has(`${at}/else`) || gaps.has(`${at.replace(/\/\d+$/, "")}/else`)) continue;
      yield {
        at: `${at}/if`,
        message: `Nothing says what \`${trigger.on.operation}\` answers where this does not hold`,
        help: "add `else:` with the name of an error of part 7",
      };
    }
  },
};
