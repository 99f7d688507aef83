/** A version that is to end, without saying when. */
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "versioning/deprecated-without-sunset",
  severity: "warning",
  why: "Callers migrate when they know the deadline.",
  *run({ model, gaps }) {
    for (const [version, { sunset }] of Object.entries(model.versioning.deprecated ?? {})) {
      const at = `versioning/deprecated/${version}`;
      if (sunset !== undefined || gaps.has(`${at}/sunset`)) continue;
      yield {
        at,
        message: `\`${version}\` is deprecated but has no sunset date`,
        help: "add `, sunset 2027-03-01`",
      };
    }
  },
};
