/** A rule of a resource, or over a field, that does not exist. */
import { isWritten } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf } from "../fields.ts";

export const check: Check = {
  code: "resources/unknown-rule-name",
  severity: "error",
  why: "A rule over something that is not there holds nothing.",
  *run(documentIndex) {
    const { resources, rules } = documentIndex.model.resources;
    for (const [resource, lines] of Object.entries(rules)) {
      if (!Object.hasOwn(resources, resource)) {
        if (isWritten(documentIndex, `resources/${resource}`)) continue;
        const known = Object.keys(resources);
        yield {
          at: `resources/rules/${resource}#key`,
          message: `There is no resource \`${resource}\``,
          unknown: { name: resource, known },
        };
        continue;
      }
      const fields = fieldsOf(documentIndex.model, resource);
      for (const [index, rule] of lines.entries()) {
        for (const name of rule.kind === "unique" ? rule.fields : []) {
          if (Object.hasOwn(fields, name) || (name === "state" && documentIndex.lifeOf.has(resource))) continue;
          if (isWritten(documentIndex, `resources/${resource}/${name}`)) continue;
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
