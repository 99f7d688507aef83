/** An entry with a value that its field does not have. */
import type { Check } from "../../analysis/finding.ts";
import { bareType, fieldsOf, lookup } from "../../resources/fields.ts";

export const check: Check = {
  code: "versioning/unknown-value",
  severity: "error",
  why: "Older callers would get a value that they do not know.",
  *run({ model }) {
    for (const { name, changes } of model.versioning.versions ?? []) {
      for (const [index, change] of changes.entries()) {
        if (change.kind !== "add-value" || change.target.field === undefined) continue;
        const type = lookup(fieldsOf(model, change.target.of), change.target.field)?.type;
        const bare = type && bareType(type);
        if (bare?.kind !== "one-of") continue;
        for (const [member, value] of [
          ["value", change.value],
          ["seen", change.seen],
        ] as const) {
          if (bare.values.includes(value) || (member === "seen" && !/^[\w-]+$/.test(value))) continue;
          yield {
            at: `versioning/versions/${name}/${index}/${member}`,
            message: `\`${change.target.of}.${change.target.field}\` has no value \`${value}\``,
            unknown: { name: value, known: bare.values },
          };
        }
      }
      // Only the newest version's values are those of part 2.
      return;
    }
  },
};
