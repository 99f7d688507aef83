/** An event that carries a field which its resource does not have. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "events/unknown-field",
  severity: "error",
  *run({ outEvents, model, lifeOf, places }) {
    for (const [name, { event, resource }] of outEvents) {
      if (resource === undefined || !Object.hasOwn(model.resources.resources, resource)) continue;
      const fields = fieldsOf(model, resource);
      for (const field of event.carries ?? []) {
        if (Object.hasOwn(fields, field) || (field === "state" && lifeOf.has(resource))) continue;
        if (places.has(`resources/${resource}/${field}`)) continue;
        yield {
          at: `events/out/${name}/carries`,
          message: `${resource} has no field \`${field}\``,
          unknown: { name: field, known: Object.keys(fields) },
        };
      }
    }
  },
};
