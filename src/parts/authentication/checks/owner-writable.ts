/** An owner that callers can write themselves. */
import { withArticle } from "../../../base/case.ts";
import { inputOf } from "../../endpoints/input.ts";
import type { Check } from "../../finding.ts";
import { ownerFields } from "../owner.ts";

export const check: Check = {
  code: "authentication/owner-writable",
  severity: "warning",
  why: "Whoever may create or edit a record can make it somebody else's, or take somebody else's for their own.",
  *run(facts) {
    for (const resource of Object.keys(facts.model.authentication.own)) {
      const typed = facts.typed.get(`authentication/own/${resource}`);
      if (typed === undefined) continue;
      const owners = new Set(ownerFields(typed));
      for (const meaning of facts.endpointsOf.get(resource) ?? []) {
        const taken = inputOf(facts.model, meaning).find(({ name, sets }) => sets && owners.has(name));
        if (taken === undefined) continue;
        owners.delete(taken.name);
        yield {
          at: `resources/${resource}/${taken.name}`,
          message: `\`${taken.name}\` says whose ${withArticle(resource)} is, and \`${meaning.operation}\` lets callers set it`,
          help: `write \`${taken.name}: user = caller, read-only\`; if callers may set it for others, add \`# ok owner-writable: …\` with the reason`,
        };
      }
    }
  },
};
