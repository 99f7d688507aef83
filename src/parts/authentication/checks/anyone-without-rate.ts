/** An operation that is open to anyone and limited by nothing. */
import { allowedTo, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "authentication/anyone-without-rate",
  severity: "warning",
  why: "One script can use up what everybody shares.",
  *run(facts) {
    const { rate } = facts.model.limits;
    // What limits there are is a question; this is about one that leaves a hole.
    if (!says(facts, "limits") || rate === undefined || Object.hasOwn(rate, "anyone")) return;
    if ((rate["all"] ?? []).some(({ per }) => per === "ip")) return;
    for (const operation of facts.endpoints.keys()) {
      const index = allowedTo(facts, operation).findIndex(({ who }) => who.kind === "anyone");
      if (index < 0 || Object.hasOwn(rate, operation)) continue;
      const meaning = facts.endpoints.get(operation);
      // Failures are limited wherever somebody logs in (R5.7).
      if (meaning?.kind === "resource" && meaning.deed === "login") continue;
      yield {
        at: `authentication/allow/${operation}/${index}`,
        message: `Anyone may run \`${operation}\` as often as they like`,
        help: "write `anyone: 30/min per ip` below `rate` of part 8",
      };
    }
  },
};
