/** A rule of uniqueness over several fields of which one may be absent, without a word on what holds then. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf, isNullable, lookup } from "../fields.ts";

export const check: Check = {
  code: "resources/unique-absent-unclear",
  severity: "warning",
  why: "To a database an absent value is distinct from all others, so that records without it are never the same.",
  *run({ model }) {
    for (const [resource, rules] of Object.entries(model.resources.rules)) {
      const fields = fieldsOf(model, resource);
      for (const [index, rule] of rules.entries()) {
        if (rule.kind !== "unique" || rule.fields.length === 1 || rule.absent !== undefined) continue;
        const optional = rule.fields.filter((name) => {
          const field = lookup(fields, name);
          return field !== undefined && isNullable(field);
        });
        const [first] = optional;
        if (first === undefined) continue;
        const line = `unique ${rule.fields.join(" + ")}`;
        yield {
          at: `resources/rules/${resource}/${index}/unique/${first}`,
          message: `Two records of ${resource} without \`${first}\` are never the same under \`${line}\`: say whether that is meant`,
          help: `write \`${line}, absent equal\` where two without it may not be the same, or \`${line}, absent distinct\` where they may`,
        };
      }
    }
  },
};
