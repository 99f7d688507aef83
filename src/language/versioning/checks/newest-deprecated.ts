/** The newest version is deprecated. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "versioning/newest-deprecated",
  severity: "warning",
  why: "There is nothing that its callers could move to.",
  *run({ model }) {
    const newest = model.versioning.versions?.[0]?.name;
    if (newest === undefined || !Object.hasOwn(model.versioning.deprecated ?? {}, newest)) return;
    yield {
      at: `versioning/deprecated/${newest}`,
      message: `\`${newest}\` is the newest version, and deprecated`,
      help: "list the version that follows it, or leave it supported",
    };
  },
};
