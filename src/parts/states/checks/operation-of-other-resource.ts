/** A move by an operation that is about another resource. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "states/operation-of-other-resource",
  severity: "error",
  why: "An operation moves the record that its path names; others follow by an event.",
  *run({ movesBy, endpoints }) {
    for (const [operation, transitions] of movesBy) {
      const meaning = endpoints.get(operation);
      if (meaning === undefined || meaning.kind === "unclear" || meaning.key === undefined) continue;
      for (const { resource, at } of transitions) {
        if (resource === meaning.resource) continue;
        yield {
          at: `${at}/by`,
          message: `\`${operation}\` is about ${meaning.resource}, so it cannot move ${withArticle(resource)}`,
          help: `move the ${resource} with \`when\` and an event of the ${meaning.resource}`,
        };
      }
    }
  },
};
