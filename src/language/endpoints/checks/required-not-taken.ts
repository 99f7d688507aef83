/** An operation that creates and does not take what every record must have. */
import { fieldsOf, isNullable, isServerSet } from "../../resources/fields.ts";
import type { Check } from "../../analysis/finding.ts";
import { boundFields } from "../input.ts";
import { inputShape } from "../shape.ts";

export const check: Check = {
  code: "endpoints/required-not-taken",
  severity: "error",
  why: "No request could create a record with it.",
  *run({ endpoints, model }) {
    for (const resolved of endpoints.values()) {
      if (resolved.kind !== "resource" || resolved.action !== "create") continue;
      const accepted = inputShape(model, resolved.endpoint)?.fields;
      if (accepted === undefined) continue;
      const bound = boundFields(model, resolved);
      const lacking = Object.entries(fieldsOf(model, resolved.resource)).find(([name, field]) => {
        const isSet = Object.hasOwn(accepted, name) || field.default !== undefined || bound.includes(name);
        return !isSet && !isServerSet(field) && !isNullable(field);
      });
      if (lacking === undefined) continue;
      yield {
        at: `endpoints/endpoints/${resolved.operation}/takes#key`,
        message: `\`${resolved.operation}\` does not take \`${lacking[0]}\`, which every ${resolved.resource} needs`,
        help: `take it, give it a default in part 2, or write \`${lacking[0]}?\` there`,
      };
    }
  },
};
