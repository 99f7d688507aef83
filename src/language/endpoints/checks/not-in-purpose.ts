/** Reports an endpoint of an operation that part 1 does not name. */
import { isWritten } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "endpoints/not-in-purpose",
  severity: "error",
  why: "Part 1 lists the operations; the other parts refer to these names.",
  *run(documentIndex) {
    const known = Object.keys(documentIndex.model.purpose.operations);
    // If part 1 lists no operation, only the missing list is reported.
    if (known.length === 0) return;
    for (const operation of Object.keys(documentIndex.model.endpoints.endpoints)) {
      if (
        Object.hasOwn(documentIndex.model.purpose.operations, operation) ||
        isWritten(documentIndex, `purpose/operations/${operation}`)
      )
        continue;
      yield {
        at: `endpoints/endpoints/${operation}#key`,
        message: `Part 1 has no operation \`${operation}\``,
        unknown: { name: operation, known },
        help: `add \`${operation}: what a caller gets from it\` to \`operations\` of part 1`,
      };
    }
  },
};
