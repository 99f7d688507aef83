/** A rule that holds for every record, or for none. */
import { always, satisfiable } from "../../../expression/prove.ts";
import type { Check } from "../../analysis/finding.ts";
import { rangesOf } from "../fields.ts";

export const check: Check = {
  code: "resources/rule-without-effect",
  severity: "warning",
  why: "A rule that always holds rejects nothing, and one that never holds rejects everything.",
  *run({ model, typed }) {
    for (const [resource, rules] of Object.entries(model.resources.rules)) {
      for (const index of rules.keys()) {
        const at = `resources/rules/${resource}/${index}`;
        const rule = typed.get(`${at}/holds`);
        if (rule === undefined) continue;
        const ranges = rangesOf(model, resource);
        const never = !satisfiable(rule, ranges);
        if (!never && !always(rule, ranges)) continue;
        yield {
          at: `${at}/holds#value`,
          message: never
            ? `No ${resource} can satisfy this rule`
            : `Every ${resource} satisfies this rule, whatever its values`,
        };
      }
    }
  },
};
