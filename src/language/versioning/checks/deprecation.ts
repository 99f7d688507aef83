/** Checks deprecated versions and their dates. */
import { addDuration, parseDuration } from "../../../base/duration.ts";
import type { Check } from "../../analysis/finding.ts";

/** Reports a deprecated version without a sunset date. */
const deprecatedWithoutSunset: Check = {
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

/** Reports a newest version that is deprecated. */
const newestDeprecated: Check = {
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

/** Reports a version that ends earlier than the policy promises. */
const noticeTooShort: Check = {
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

export const checks: readonly Check[] = [deprecatedWithoutSunset, newestDeprecated, noticeTooShort];
