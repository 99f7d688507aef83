/** A reference that deleting another record clears, in a rule by which two records without it may be the same. */
import type { Check } from "../../finding.ts";
import { fieldsOf, own } from "../fields.ts";

export const check: Check = {
  code: "resources/clear-may-clash",
  severity: "error",
  why: "Deleting what it refers to would leave two records that may not both be there.",
  *run({ model }) {
    for (const [resource, rules] of Object.entries(model.resources.rules)) {
      const fields = fieldsOf(model, resource);
      for (const [index, rule] of rules.entries()) {
        if (rule.kind !== "unique" || rule.absent !== "equal") continue;
        const cleared = rule.fields.find((name) => own(fields, name)?.marks.includes("clear"));
        if (cleared === undefined) continue;
        const line = `unique ${rule.fields.join(" + ")}`;
        yield {
          at: `resources/rules/${resource}/${index}/absent`,
          message: `\`${cleared}\` is cleared when what it refers to is deleted, and two records without it may then be the same`,
          help: `leave the mark \`clear\` out, which refuses the deletion; write \`delete with\`; or write \`${line}, absent distinct\``,
        };
      }
    }
  },
};
