/** Two resources whose ids start alike. */
import type { Check } from "../../analysis/finding.ts";
import { lookup } from "../fields.ts";

export const check: Check = {
  code: "resources/same-id-prefix",
  severity: "warning",
  why: "A prefix shows which resource an id belongs to, in a log or in a wrong field.",
  *run({ model }) {
    const first = new Map<string, string>();
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const type = lookup(fields, "id")?.type;
      const prefix = type?.kind === "id" ? type.prefix : undefined;
      if (prefix === undefined) continue;
      const before = first.get(prefix);
      if (before === undefined) first.set(prefix, resource);
      else {
        yield {
          at: `resources/${resource}/id`,
          message: `The ids of ${resource} and of ${before} both start with \`${prefix}_\``,
          help: "give each resource its own prefix",
        };
      }
    }
  },
};
