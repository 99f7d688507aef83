/** Part 1 names an operation that part 4 gives no method and path. */
import { isWritten, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "purpose/operation-without-endpoint",
  severity: "error",
  why: "Everything about an operation meets at its endpoint; without one nobody can call it.",
  *run(facts) {
    if (!says(facts, "endpoints") || facts.gaps.has("endpoints/endpoints")) return;
    for (const operation of Object.keys(facts.model.purpose.operations)) {
      if (facts.endpoints.has(operation) || isWritten(facts, `endpoints/endpoints/${operation}`)) continue;
      yield {
        at: `purpose/operations/${operation}#key`,
        message: `\`${operation}\` has no endpoint`,
        help: `write \`${operation}: METHOD /path\` in part 4, or \`${operation}: not shown\` while it is open`,
      };
    }
  },
};
