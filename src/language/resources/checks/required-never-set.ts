/** A required field that callers cannot set and the server never does. */
import { withArticle } from "../../../base/case.ts";
import { boundFields } from "../../endpoints/input.ts";
import type { Check } from "../../analysis/finding.ts";
import { isNullable, isServerSet } from "../fields.ts";

export const check: Check = {
  code: "resources/required-never-set",
  severity: "error",
  why: "The field is required and nothing sets it, so no record could ever be created.",
  *run({ model, endpointsOf, hasHandlers, places }) {
    if (hasHandlers) return;
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      const creating = (endpointsOf.get(resource) ?? []).filter(({ action }) => action === "create");
      const bound = creating.map((resolved) => ({
        operation: resolved.operation,
        names: boundFields(model, resolved),
      }));
      for (const [name, field] of Object.entries(fields)) {
        const isSet = field.default !== undefined || field.computed !== undefined || field.type.kind === "id";
        if (!isServerSet(field) || isSet || isNullable(field)) continue;
        // An invalid `choose` is reported at its own location.
        const lacking = bound.find(({ operation, names }) => {
          return !names.includes(name) && !places.has(`endpoints/endpoints/${operation}/choose/${name}`);
        });
        if (lacking === undefined) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `Nothing sets \`${name}\` when \`${lacking.operation}\` creates ${withArticle(resource)}`,
          help: `give it a default, let \`choose\` find it, write \`${name}?\` if it is set later, or drop \`read-only\``,
        };
      }
    }
  },
};
