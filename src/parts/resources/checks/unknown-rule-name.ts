/** A rule of a resource, or over a field, that does not exist. */
import { isWritten } from "../../facts.ts";
import type { Check } from "../../finding.ts";
import { fieldsOf } from "../fields.ts";

export const check: Check = {
  code: "resources/unknown-rule-name",
  severity: "error",
  why: "A rule over something that is not there holds nothing.",
  *run(facts) {
    const { resources, rules } = facts.model.resources;
    for (const [resource, lines] of Object.entries(rules)) {
      if (!Object.hasOwn(resources, resource)) {
        if (isWritten(facts, `resources/${resource}`)) continue;
        const known = Object.keys(resources);
        yield {
          at: `resources/rules/${resource}#key`,
          message: `There is no resource \`${resource}\``,
          unknown: { name: resource, known },
        };
        continue;
      }
      const fields = fieldsOf(facts.model, resource);
      for (const [index, rule] of lines.entries()) {
        for (const name of rule.kind === "unique" ? rule.fields : []) {
          if (Object.hasOwn(fields, name) || (name === "state" && facts.lifeOf.has(resource))) continue;
          if (isWritten(facts, `resources/${resource}/${name}`)) continue;
          yield {
            at: `resources/rules/${resource}/${index}/unique/${name}`,
            message: `${resource} has no field \`${name}\``,
            unknown: { name, known: Object.keys(fields) },
          };
        }
      }
    }
  },
};
