/** A field that is shown to nobody. */
import type { Check } from "../../finding.ts";

export const check: Check = {
  code: "authentication/shown-to-nobody",
  severity: "hint",
  why: "The mark says the same where the field is defined, and keeps it out of the exports.",
  *run({ model, gaps }) {
    for (const [field, grants] of Object.entries(model.authentication.show)) {
      if (grants.length > 0 || gaps.has(`authentication/show/${field}`)) continue;
      yield {
        at: `authentication/show/${field}`,
        message: `\`${field}\` is shown to nobody`,
        help: "mark it `write-only` in part 2 instead",
      };
    }
  },
};
