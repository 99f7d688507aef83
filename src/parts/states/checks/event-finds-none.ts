/** An event that refers to no record of the resource it is to move. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../finding.ts";
import { referredBy } from "../referred.ts";

export const check: Check = {
  code: "states/event-finds-none",
  severity: "error",
  why: "An event moves the record that its payload refers to.",
  *run(facts) {
    for (const [event, transitions] of facts.movesWhen) {
      for (const { resource, trigger, at } of transitions) {
        const members = referredBy(facts, event, resource);
        const named = trigger.on.kind === "when" ? trigger.on.field : undefined;
        if (members === undefined || (named === undefined ? members.length > 0 : members.includes(named))) continue;
        yield {
          at: `${at}/when/${event}`,
          message:
            named === undefined
              ? `\`${event}\` carries nothing that refers to ${withArticle(resource)}`
              : `\`${named}\` of \`${event}\` does not refer to ${withArticle(resource)}`,
          help: `let it carry a field that refers to the ${resource}`,
        };
      }
    }
  },
};
