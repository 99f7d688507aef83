/** An ownership that no permission uses. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/unused-own",
  severity: "warning",
  why: "It looks as if ownership protected the records, but it does not.",
  *run({ model, grants, endpoints, outEvents }) {
    const ownerGrants = grants.filter(({ grant }) => grant.if !== undefined && /(?<![\w.])own(?!\w)/.test(grant.if));
    const usedResources = new Set(
      ownerGrants.flatMap(({ at, operation }) => {
        if (operation !== undefined) {
          const resolved = endpoints.get(operation);
          return resolved === undefined || resolved.kind === "unclear" ? [] : [resolved.resource];
        }
        const field = /^authentication\/show\/([^./]+)/.exec(at)?.[1];
        return field === undefined ? [...outEvents.values()].map(({ resource }) => resource) : [field];
      }),
    );
    for (const resource of Object.keys(model.authentication.own)) {
      if (usedResources.has(resource) || !Object.hasOwn(model.resources.resources, resource)) continue;
      yield {
        at: `authentication/own/${resource}#key`,
        message: `No permission uses the owner of ${withArticle(resource)}`,
        help: "write `role if own` in a permission, or remove the line",
      };
    }
  },
};
