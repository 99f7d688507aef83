/** An ownership that no permission asks for. */
import { withArticle } from "../../../base/case.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "authentication/unused-own",
  severity: "warning",
  why: "It reads as if records were protected by their owner, and they are not.",
  *run({ model, grants, endpoints, outEvents }) {
    const asking = grants.filter(({ grant }) => grant.if !== undefined && /(?<![\w.])own(?!\w)/.test(grant.if));
    const asked = new Set(
      asking.flatMap(({ at, operation }) => {
        if (operation !== undefined) {
          const meaning = endpoints.get(operation);
          return meaning === undefined || meaning.kind === "unclear" ? [] : [meaning.resource];
        }
        const field = /^authentication\/show\/([^./]+)/.exec(at)?.[1];
        return field === undefined ? [...outEvents.values()].map(({ resource }) => resource) : [field];
      }),
    );
    for (const resource of Object.keys(model.authentication.own)) {
      if (asked.has(resource) || !Object.hasOwn(model.resources.resources, resource)) continue;
      yield {
        at: `authentication/own/${resource}#key`,
        message: `No permission asks whose ${withArticle(resource)} is`,
        help: "write `role if own` where it matters, or remove the line",
      };
    }
  },
};
