/**
 * Reports a `unique` rule over several fields of which one may be absent, unless the rule declares what holds for absent
 * values.
 */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf, isNullable, lookup } from "../fields.ts";

export const check: Check = {
  code: "resources/unique-absent-unclear",
  severity: "warning",
  why: "A database treats absent values as distinct, so two records without a value never conflict.",
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
          message: `\`${line}\` allows any number of ${resource} records without \`${first}\`: write whether that is intended`,
          help: `write \`${line}, absent equal\` if two records without it conflict, or \`${line}, absent distinct\` if they do not`,
        };
      }
    }
  },
};
