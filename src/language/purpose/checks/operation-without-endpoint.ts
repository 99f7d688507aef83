/** Part 1 names an operation that part 4 gives no method and path. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "purpose/operation-without-endpoint",
  severity: "error",
  why: "Callers reach an operation by its endpoint; without one they cannot call it.",
  *run(documentIndex) {
    if (!declares(documentIndex, "endpoints") || documentIndex.gaps.has("endpoints/endpoints")) return;
    for (const operation of Object.keys(documentIndex.model.purpose.operations)) {
      if (documentIndex.endpoints.has(operation) || isWritten(documentIndex, `endpoints/endpoints/${operation}`))
        continue;
      yield {
        at: `purpose/operations/${operation}#key`,
        message: `\`${operation}\` has no endpoint`,
        help: `write \`${operation}: METHOD /path\` in part 4, or \`${operation}: not shown\` while it is undecided`,
      };
    }
  },
};
