/** A guard without `else`: the operation can fail without a declared error. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/guard-without-error",
  severity: "error",
  why: "The caller needs to know why the service rejected the request.",
  *run({ transitions, gaps }) {
    for (const { trigger, at } of transitions) {
      if (trigger.on.kind !== "by" || trigger.if === undefined || trigger.else !== undefined) continue;
      // The only trigger of a transition has no number in its path.
      if (gaps.has(`${at}/else`) || gaps.has(`${at.replace(/\/\d+$/, "")}/else`)) continue;
      yield {
        at: `${at}/if`,
        message: `\`${trigger.on.operation}\` has no error for the case that this is false`,
        help: "add `else:` with the name of an error of part 7",
      };
    }
  },
};
