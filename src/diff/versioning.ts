/** Differences of part 9: how a caller selects a version, which versions are served, and for how long. */
import type { Effect } from "../language/grammar/changes.ts";
import { lookup } from "../language/resources/fields.ts";
import { versioning } from "../language/versioning/grammar.ts";
import type { Versioning } from "../language/versioning/model.ts";
import { type Difference, difference, pairs, restated, same } from "./difference.ts";
import { partDifferences, type Site } from "./walk.ts";

export function versioningDifferences(old: Versioning, now: Versioning): Iterable<Difference> {
  // Callers of a service without versions send no version, so that new declarations break nobody.
  const first = (old.versions ?? []).length === 0 && old.scheme !== "dated" && old.scheme !== "numbered";
  const general = (before: unknown, after: unknown, site: Site): Iterable<Difference> => {
    const effect: Effect = first && after !== "refuse" ? "additive" : "breaking";
    return restated({ ...site, kind: `${site.kind}-changed` }, before, after, effect);
  };
  return partDifferences("versioning", versioning, old, now, {
    scheme: general,
    sent: general,
    absent: general,
    versions: () => servedDifferences(old, now),
    "deprecated/*": (before, after, { at, name, subject }) => {
      if (before === undefined)
        return [difference("neutral", "version-deprecated", subject, at, `The version \`${name}\` is deprecated`)];
      if (after !== undefined) return undefined;
      // For a removed version, `version-removed` already reports it.
      const served = now.versions?.some((version) => version.name === name) === true;
      const message = `The version \`${name}\` is not ${served ? "deprecated" : "served"} any more`;
      return [difference(served ? "additive" : "neutral", "deprecation-removed", subject, at, message)];
    },
  });
}

function* servedDifferences(old: Versioning, now: Versioning): Iterable<Difference> {
  const named = ({ versions = [] }: Versioning) =>
    Object.fromEntries(versions.map((version) => [version.name, version]));
  const oldest = now.versions?.at(-1)?.name;
  for (const { name, old: before, now: after } of pairs(named(old), named(now))) {
    const at = `versioning/versions/${name}`;
    const subject = `version ${name}`;
    if (before === undefined)
      yield difference("additive", "version-added", subject, at, `The version \`${name}\` is new`);
    else if (after === undefined) {
      const sunset = lookup(old.deprecated ?? {}, name)?.sunset;
      const message = `The version \`${name}\` is not served any more`;
      yield difference("breaking", "version-removed", subject, at, message, {
        category: "support",
        ...(sunset === undefined ? {} : { sunset }),
      });
    } else if (!same(before.changes, after.changes) && name !== oldest)
      // The oldest served version may drop its entries, since no callers of earlier versions remain.
      yield difference(
        "breaking",
        "version-rewritten",
        subject,
        at,
        `What the version \`${name}\` changed is written differently`,
      );
    else if (!same(before.changes, after.changes))
      yield difference("neutral", "version-rewritten", subject, at, `\`${name}\` is the oldest version now`);
  }
}
