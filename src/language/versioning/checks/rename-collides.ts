/** A renaming from a name that is still, or again, in use. */
import type { Check } from "../../analysis/finding.ts";
import { fieldsOf } from "../../resources/fields.ts";

export const check: Check = {
  code: "versioning/rename-collides",
  severity: "error",
  why: "The service could not tell which field an older caller's value belongs to.",
  *run({ model }) {
    const [newest] = model.versioning.versions ?? [];
    for (const [index, change] of (newest?.changes ?? []).entries()) {
      if (change.kind !== "rename" || change.from.field === undefined) continue;
      const { of, field } = change.from;
      if (!Object.hasOwn(fieldsOf(model, of), field)) continue;
      yield {
        at: `versioning/versions/${newest?.name}/${index}`,
        message: `\`${of}.${field}\` is renamed, but ${of} still has a field of that name`,
        help: `remove the field, or write \`add ${of}.${change.to}\` if it is a new one`,
      };
    }
  },
};
