/** Reports a required field that is set to the caller, in an operation that anonymous callers may run. */
import { allowedTo } from "../../analysis/document-index.ts";
import type { Check } from "../../analysis/finding.ts";
import { isNullable } from "../fields.ts";

export const check: Check = {
  code: "resources/caller-may-be-nobody",
  severity: "error",
  why: "A caller who is not signed in has no id to store in the field.",
  *run(documentIndex) {
    for (const [resource, { fields }] of Object.entries(documentIndex.model.resources.resources)) {
      const open = (documentIndex.endpointsOf.get(resource) ?? []).find(({ action, operation }) => {
        return action === "create" && allowedTo(documentIndex, operation).some(({ who }) => who.kind === "anyone");
      });
      if (open === undefined) continue;
      for (const [name, field] of Object.entries(fields)) {
        if (field.default?.kind !== "caller" || isNullable(field)) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `\`${name}\` stores the caller, but \`${open.operation}\` is open to anyone`,
          help: `write \`${name}?\`, or allow \`${open.operation}\` to signed-in callers`,
        };
      }
    }
  },
};
