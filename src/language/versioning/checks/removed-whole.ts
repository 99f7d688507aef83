/** An operation or a resource that a version removed, while the version before it is still served. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "versioning/removed-whole",
  severity: "warning",
  why: "The document no longer describes it, so older callers get 404.",
  *run({ model }) {
    for (const { name, changes } of model.versioning.versions ?? []) {
      for (const [index, change] of changes.entries()) {
        if (change.kind !== "remove" || change.target.field !== undefined) continue;
        yield {
          at: `versioning/versions/${name}/${index}`,
          message: `Callers of the version before ${name} lose \`${change.target.of}\``,
          help: `keep \`${change.target.of}\` until that version is past its sunset, then remove both`,
        };
      }
    }
  },
};
