/** An operation that is open to anyone and limited by nothing. */
import { allowedTo, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/anyone-without-rate",
  severity: "warning",
  why: "One script can use up the capacity that all callers share.",
  *run(documentIndex) {
    const { rate } = documentIndex.model.limits;
    // A questionnaire asks for missing rates; this check is about `rate` lines that omit anonymous callers.
    if (!declares(documentIndex, "limits") || rate === undefined || Object.hasOwn(rate, "anyone")) return;
    if ((rate["all"] ?? []).some(({ per }) => per === "ip")) return;
    for (const operation of documentIndex.endpoints.keys()) {
      const index = allowedTo(documentIndex, operation).findIndex(({ who }) => who.kind === "anyone");
      if (index < 0 || Object.hasOwn(rate, operation)) continue;
      const resolved = documentIndex.endpoints.get(operation);
      // Failures are limited wherever somebody logs in (R5.7).
      if (resolved?.kind === "resource" && resolved.action === "login") continue;
      yield {
        at: `authentication/allow/${operation}/${index}`,
        message: `Anyone may run \`${operation}\` without a rate limit`,
        help: "write `anyone: 30/min per ip` below `rate` of part 8",
      };
    }
  },
};
