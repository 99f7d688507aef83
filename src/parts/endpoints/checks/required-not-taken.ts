/** An operation that creates and does not take what every record must have. */
import { fieldsOf, isNullable, isServerSet } from "../../resources/fields.ts";
import type { Check } from "../../finding.ts";
import { boundFields } from "../input.ts";
import { takenShape } from "../shape.ts";

export const check: Check = {
  code: "endpoints/required-not-taken",
  severity: "error",
  why: "No record could ever be created with it.",
  *run({ endpoints, model }) {
    for (const meaning of endpoints.values()) {
      if (meaning.kind !== "resource" || meaning.deed !== "create") continue;
      const takes = takenShape(model, meaning.endpoint)?.fields;
      if (takes === undefined) continue;
      const bound = boundFields(model, meaning);
      const lacking = Object.entries(fieldsOf(model, meaning.resource)).find(([name, field]) => {
        const given = Object.hasOwn(takes, name) || field.default !== undefined || bound.includes(name);
        return !given && !isServerSet(field) && !isNullable(field);
      });
      if (lacking === undefined) continue;
      yield {
        at: `endpoints/endpoints/${meaning.operation}/takes#key`,
        message: `\`${meaning.operation}\` does not take \`${lacking[0]}\`, which every ${meaning.resource} has`,
        help: `take it, give it a default in part 2, or write \`${lacking[0]}?\` there`,
      };
    }
  },
};
