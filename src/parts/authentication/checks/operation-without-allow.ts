/** An operation that no line allows. */
import { isWritten, says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "authentication/operation-without-allow",
  severity: "error",
  why: "What no line allows is refused (R5.1), so nobody could ever run it.",
  *run(facts) {
    if (!says(facts, "authentication", "endpoints") || facts.gaps.has("authentication/allow")) return;
    for (const operation of facts.endpoints.keys()) {
      const path = `authentication/allow/${operation}`;
      if (isWritten(facts, path) || facts.gaps.has(path)) continue;
      yield {
        at: `endpoints/endpoints/${operation}#key`,
        message: `No line of part 5 allows \`${operation}\``,
        help: `write \`${operation}: role\`, \`signed-in\`, \`anyone\` or \`none\` below \`allow\``,
      };
    }
  },
};
