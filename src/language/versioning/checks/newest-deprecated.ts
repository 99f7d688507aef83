/** The newest version is deprecated. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "versioning/newest-deprecated",
  severity: "warning",
  why: "Its callers would have no version to migrate to.",
  *run({ model }) {
    const newest = model.versioning.versions?.[0]?.name;
    if (newest === undefined || !Object.hasOwn(model.versioning.deprecated ?? {}, newest)) return;
    yield {
      at: `versioning/deprecated/${newest}`,
      message: `\`${newest}\` is deprecated, but it is the newest version`,
      help: "list a newer version, or remove the deprecation",
    };
  },
};
