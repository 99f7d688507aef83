/** Personal fields of which nothing is left to say once they are erased. */
import { fieldsOf, isDistinguishing } from "../../resources/fields.ts";
import { erasedValue } from "../../resources/erased-value.ts";
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "limits/cannot-erase",
  severity: "error",
  why: "A record that is erased still has to be as the document says, so each personal field needs a value that says nothing.",
  *run({ model }) {
    for (const [resource, { act }] of Object.entries(model.limits.keep ?? {})) {
      if (act !== "erase") continue;
      for (const [name, field] of Object.entries(fieldsOf(model, resource))) {
        if (!field.marks.includes("personal") || field.computed !== undefined) continue;
        if (erasedValue(model, field, isDistinguishing(model, resource, name)) !== undefined) continue;
        yield {
          at: `resources/${resource}/${name}`,
          message: `\`${name}\` is personal and has to be there, and every value of its type says something`,
          help: `let it be absent, \`${name}?:\`, or let part 8 delete the record instead of erasing it`,
        };
      }
    }
  },
};
