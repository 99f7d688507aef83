/** A version that ends sooner than the policy promises. */
import { addDuration, parseDuration } from "../../../base/duration.ts";
import type { Check } from "../../analysis/finding.ts";

export const check: Check = {
  code: "versioning/notice-too-short",
  severity: "error",
  why: "Callers rely on the dates that the policy promises.",
  *run({ model }) {
    const { policy, deprecated = {} } = model.versioning;
    for (const [version, { since, sunset }] of Object.entries(deprecated)) {
      if (sunset === undefined) continue;
      const promises = [
        { from: since, length: policy?.notice, what: "notice" },
        { from: version, length: policy?.support, what: "support" },
      ];
      for (const { from, length, what } of promises) {
        const earliest = endOf(from, length);
        if (earliest === undefined || Date.parse(sunset) >= earliest) continue;
        yield {
          at: `versioning/deprecated/${version}`,
          message: `\`${version}\` ends on ${sunset}, before the ${length} of ${what} that the policy promises`,
          help: `write \`sunset ${new Date(earliest).toISOString().slice(0, 10)}\` or later`,
        };
      }
    }
  },
};

function endOf(from: string | undefined, length: string | undefined): number | undefined {
  const start = from === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(from) ? Number.NaN : Date.parse(from);
  const duration = length === undefined ? undefined : parseDuration(length);
  if (duration === undefined || Number.isNaN(start)) return undefined;
  const end = addDuration(start, duration);
  return Number.isNaN(new Date(end).getTime()) ? undefined : end;
}
