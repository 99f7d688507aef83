/** An operation on a record that makes none of its moves. */
import { withArticle } from "../../../base/case.ts";
import { declares } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "endpoints/action-without-move",
  severity: "error",
  why: "Without a transition the operation has nothing to do.",
  *run(documentIndex) {
    if (!declares(documentIndex, "states")) return;
    for (const resolved of documentIndex.endpoints.values()) {
      if (
        resolved.kind !== "resource" ||
        resolved.action !== "move" ||
        documentIndex.transitionsBy.has(resolved.operation)
      )
        continue;
      // An open transition may be the missing one.
      if (documentIndex.model.gaps.some((path) => path.startsWith(`states/${resolved.resource}`))) continue;
      yield {
        at: `endpoints/endpoints/${resolved.operation}/at`,
        message: `\`${resolved.operation}\` triggers no transition of ${withArticle(resolved.resource)}`,
        help: `write \`from -> to: by ${resolved.operation}\` in part 3, or declare here what it \`does\``,
      };
    }
  },
};
