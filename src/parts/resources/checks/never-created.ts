/** A resource that operations read and move, and that none creates. */
import { withArticle } from "../../../base/case.ts";
import { creates } from "../../endpoints/input.ts";
import { says } from "../../facts.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "resources/never-created",
  severity: "warning",
  why: "There will never be a record for its operations to find.",
  *run(facts) {
    if (!says(facts, "endpoints") || facts.hasHandlers) return;
    for (const resource of Object.keys(facts.model.resources.resources)) {
      const endpoints = facts.endpointsOf.get(resource) ?? [];
      if (endpoints.length === 0) continue;
      if (endpoints.some((meaning) => meaning.deed === "create" || creates(facts.model, meaning))) continue;
      yield {
        at: `resources/${resource}#key`,
        message: `No operation creates ${withArticle(resource)}`,
        help: "add an endpoint with `POST` to its collection, or say in `# ok never-created: …` where its records come from",
      };
    }
  },
};
