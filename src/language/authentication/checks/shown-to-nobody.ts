/** A field that is shown to nobody, and that callers set. */
import { fieldsOf, isServerSet, lookup } from "../../resources/fields.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/shown-to-nobody",
  severity: "hint",
  why: "Whether callers may choose what nobody sees is for the field's mark to say.",
  *run({ model, gaps }) {
    for (const [subject, grants] of Object.entries(model.authentication.show)) {
      if (grants.length > 0 || gaps.has(`authentication/show/${subject}`)) continue;
      const [resource = "", name = ""] = subject.split(".");
      const field = lookup(fieldsOf(model, resource), name);
      // `show` alone says it of what callers do not set.
      if (field === undefined || isServerSet(field)) continue;
      const isMade = field.default !== undefined && field.default.kind !== "literal";
      yield {
        at: `authentication/show/${subject}`,
        message: `\`${subject}\` is shown to nobody, and callers may set it`,
        help: isMade
          ? "mark it `read-only` in part 2 where the service alone makes it, or `write-only` where callers choose it"
          : "mark it `write-only` in part 2 where callers give it and nobody gets it back, or `read-only` where they do not",
      };
    }
  },
};
