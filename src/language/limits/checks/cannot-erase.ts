/** Personal fields of which nothing is left to say once they are erased. */
import { fieldsOf, isNullable } from "../../resources/fields.ts";
import { erasedValue } from "../../resources/erased-value.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "limits/cannot-erase",
  severity: "error",
  why: "A record that is erased still has to be as the document says, so each personal field needs a value that says nothing.",
  *run({ model }) {
    for (const [resource, { act }] of Object.entries(model.limits.keep ?? {})) {
      if (act !== "erase") continue;
      for (const [name, field] of Object.entries(fieldsOf(model, resource))) {
        if (!field.marks.includes("personal") || field.computed !== undefined) continue;
        if (erasedValue(model, resource, name, field) !== undefined) continue;
        // In a rule with `absent equal` it cannot be absent in any number of records.
        const [why, help] = isNullable(field)
          ? ["two records without it may be the same", "write `absent distinct` in its rule"]
          : ["has to be there", `let it be absent, \`${name}?:\``];
        yield {
          at: `resources/${resource}/${name}`,
          message: `\`${name}\` is personal and ${why}, and every value of its type says something`,
          help: `${help}, or let part 8 delete the record instead of erasing it`,
        };
      }
    }
  },
};
