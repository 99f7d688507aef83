/** Reports a `counter per` whose field cannot be counted without gaps. */
import type { Check } from "../../analysis/finding.ts";
import { lookup, referenceOf } from "../fields.ts";

export const check: Check = {
  code: "resources/counter-unfit",
  severity: "error",
  why: "The numbers of the records of one parent are 1, 2, 3 without gaps, and no two records of it have the same number.",
  *run({ model }) {
    for (const [resource, { fields }] of Object.entries(model.resources.resources)) {
      for (const [name, { default: made, marks }] of Object.entries(fields)) {
        if (made?.kind !== "counter-per") continue;
        const at = `resources/${resource}/${name}/default`;
        const parent = lookup(fields, made.per);
        if (parent === undefined) {
          const unknown = { name: made.per, known: Object.keys(fields) };
          yield { at, message: `${resource} has no field \`${made.per}\``, unknown };
        } else if (referenceOf(model, parent.type) === undefined)
          yield {
            at,
            message: `\`${made.per}\` refers to no record`,
            help: "write `counter per` and a reference field",
          };
        else if (!parent.marks.includes("create-only") && !parent.marks.includes("read-only"))
          yield {
            at,
            message: `\`${made.per}\` can change, and the record would need another number`,
            help: `write \`${made.per}: …, create-only\``,
          };
        else if (name === "id" || !marks.includes("read-only"))
          yield { at, message: `Only the service may set \`${name}\``, help: `write \`${name}: …, read-only\`` };
      }
    }
  },
};
