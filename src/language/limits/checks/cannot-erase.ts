/** Personal fields whose type has no neutral value for erasure. */
import { fieldsOf, isNullable } from "../../resources/fields.ts";
import { erasedValue } from "../../resources/erased-value.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "limits/cannot-erase",
  severity: "error",
  why: "An erased record still has to fit the document, so each personal field needs a neutral value.",
  *run({ model }) {
    for (const [resource, { act }] of Object.entries(model.limits.keep ?? {})) {
      if (act !== "erase") continue;
      for (const [name, field] of Object.entries(fieldsOf(model, resource))) {
        if (!field.marks.includes("personal") || field.computed !== undefined) continue;
        if (erasedValue(model, resource, name, field) !== undefined) continue;
        // In a rule with `absent equal` it cannot be absent in any number of records.
        const [why, help] = isNullable(field)
          ? ["two erased records would break a `unique` rule", "write `absent distinct` in its rule"]
          : ["is required", `make it optional, \`${name}?:\``];
        yield {
          at: `resources/${resource}/${name}`,
          message: `\`${name}\` is personal and ${why}, and its type has no neutral value`,
          help: `${help}, or let part 8 delete the record instead of erasing it`,
        };
      }
    }
  },
};
