/** A field that callers set and no caller sees. */
import { fieldsOf, isServerSet, lookup } from "../../resources/fields.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "authentication/shown-to-nobody",
  severity: "hint",
  why: "The field's mark has to say whether callers may set a value that nobody sees.",
  *run({ model, gaps }) {
    for (const [subject, grants] of Object.entries(model.authentication.show)) {
      if (grants.length > 0 || gaps.has(`authentication/show/${subject}`)) continue;
      const [resource = "", name = ""] = subject.split(".");
      const field = lookup(fieldsOf(model, resource), name);
      // For a field that callers do not set, `show` alone declares this.
      if (field === undefined || isServerSet(field)) continue;
      const isMade = field.default !== undefined && field.default.kind !== "literal";
      yield {
        at: `authentication/show/${subject}`,
        message: `\`${subject}\` is hidden from everybody, but callers may set it`,
        help: isMade
          ? "mark it `read-only` in part 2 if only the service sets it, or `write-only` if callers set it"
          : "mark it `write-only` in part 2 if callers set it and no response returns it, or `read-only` if they do not set it",
      };
    }
  },
};
