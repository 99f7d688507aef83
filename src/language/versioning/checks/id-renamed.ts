/** An id that an entry renames. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "versioning/id-renamed",
  severity: "error",
  why: "A definition with `id` is a resource; without it the older version would not have this resource.",
  *run({ model }) {
    for (const { name, changes } of model.versioning.versions ?? []) {
      for (const [index, change] of changes.entries()) {
        if (change.kind !== "rename" || change.from.field === undefined) continue;
        if (change.to !== "id" && change.from.field !== "id") continue;
        yield {
          at: `versioning/versions/${name}/${index}`,
          message: `The id of ${change.from.of} is called \`id\` in every version`,
          help: `for another name that older callers read, add a field: \`${change.to === "id" ? change.from.field : change.to} := id\``,
        };
      }
    }
  },
};
