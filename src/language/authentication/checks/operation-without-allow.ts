/** An operation that no line allows. */
import { isWritten, declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/operation-without-allow",
  severity: "error",
  why: "The service denies everything that no line allows (R5.1), so no caller could ever run it.",
  *run(documentIndex) {
    if (!declares(documentIndex, "authentication", "endpoints") || documentIndex.gaps.has("authentication/allow"))
      return;
    for (const operation of documentIndex.endpoints.keys()) {
      const path = `authentication/allow/${operation}`;
      if (isWritten(documentIndex, path) || documentIndex.gaps.has(path)) continue;
      yield {
        at: `endpoints/endpoints/${operation}#key`,
        message: `No line of part 5 allows \`${operation}\``,
        help: `write \`${operation}: role\`, \`signed-in\`, \`anyone\` or \`none\` below \`allow\``,
      };
    }
  },
};
