/** A point in time stored as text. */
import type { Check } from "../../analysis/finding.ts";
import { bareType } from "../fields.ts";

export const check: Check = {
  code: "resources/time-as-text",
  severity: "hint",
  why: "The service neither validates nor sorts text as a time, and text cannot trigger a transition.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, field] of Object.entries(fields)) {
        const bare = bareType(field.type);
        if (bare.kind !== "scalar" || bare.name !== "string" || bare.pattern !== undefined) continue;
        const date = /(?:^d|[a-z_]D|_d)ate$/.test(name);
        if (!date && !/(?:[a-z]At|_at|[tT]imestamp|[a-z]Time|_time)$/.test(name)) continue;
        yield {
          at: `resources/${resource}/${name}/type`,
          message: `\`${name}\` looks like a time but is text`,
          help: `write \`${date ? "date" : "datetime"}\``,
        };
      }
    }
  },
};
