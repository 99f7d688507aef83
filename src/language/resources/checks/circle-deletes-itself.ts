/** A reference to the own resource by which a circle of records can be made, all of which go when one of them does. */
import type { Check } from "../../analysis/finding.ts";
import { isChangeable, referenceOf } from "../fields.ts";

export const check: Check = {
  code: "resources/circle-deletes-itself",
  severity: "warning",
  why: "If a record becomes its own ancestor, deleting any record of the circle deletes all of them.",
  *run({ model, endpointsOf, lifeOf }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const edits = (endpointsOf.get(resource) ?? []).some(({ action }) => action === "update" || action === "replace");
      const transitions = lifeOf.get(resource)?.transitions ?? [];
      for (const [name, field] of Object.entries(fields)) {
        if (!field.marks.includes("delete with") || field.marks.includes("tree")) continue;
        if (referenceOf(model, field.type) !== resource) continue;
        const isSet = transitions.some(({ trigger }) => Object.hasOwn(trigger.set ?? {}, name));
        if (!isSet && !(edits && isChangeable(name, field))) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `A ${resource} can become its own ancestor by \`${name}\`, and is then deleted with itself`,
          help: "add the mark `tree`, which rejects such a write",
        };
      }
    }
  },
};
