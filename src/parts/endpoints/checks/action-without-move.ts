/** An operation on a record that makes none of its moves. */
import { withArticle } from "../../../base/case.ts";
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "endpoints/action-without-move",
  severity: "error",
  why: "Without a move there is nothing for it to do, whatever the record.",
  *run(facts) {
    if (!says(facts, "states")) return;
    for (const meaning of facts.endpoints.values()) {
      if (meaning.kind !== "resource" || meaning.deed !== "move" || facts.movesBy.has(meaning.operation)) continue;
      // A move that says that it is open may be this one.
      if (facts.model.gaps.some((path) => path.startsWith(`states/${meaning.resource}`))) continue;
      yield {
        at: `endpoints/endpoints/${meaning.operation}/at`,
        message: `\`${meaning.operation}\` makes no move of ${withArticle(meaning.resource)}`,
        help: `write \`from -> to: by ${meaning.operation}\` in part 3, or say here what it \`does\``,
      };
    }
  },
};
