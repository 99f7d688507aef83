/** A move by an operation that is about another resource. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "states/operation-of-other-resource",
  severity: "error",
  why: "An operation changes the state of the record in its path; other records follow by an event.",
  *run({ transitionsBy, endpoints }) {
    for (const [operation, transitions] of transitionsBy) {
      const resolved = endpoints.get(operation);
      if (resolved === undefined || resolved.kind === "unclear" || resolved.key === undefined) continue;
      for (const { resource, at } of transitions) {
        if (resource === resolved.resource) continue;
        yield {
          at: `${at}/by`,
          message: `\`${operation}\` is about ${resolved.resource}, so it cannot change the state of ${withArticle(resource)}`,
          help: `change the ${resource} with \`when\` and an event of the ${resolved.resource}`,
        };
      }
    }
  },
};
