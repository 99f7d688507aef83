/** Differences of part 9: how a caller selects a version, which versions are served, and for how long. */
import type { Effect } from "../language/grammar/changes.ts";
import { lookup } from "../language/resources/fields.ts";
import { deprecation, versioning } from "../language/versioning/grammar.ts";
import {
  type ChangeTarget,
  deprecatedTarget,
  type Deprecation,
  targetName,
  type Versioning,
} from "../language/versioning/model.ts";
import { type Difference, difference, pairs, restated, same } from "./difference.ts";
import { partDifferences, type Statement, statementDifferences } from "./walk.ts";

export function versioningDifferences(old: Versioning, now: Versioning): Iterable<Difference> {
  // Callers of a service without versions send no version, so new declarations about versions do not affect them.
  const first = (old.versions ?? []).length === 0 && old.scheme !== "dated" && old.scheme !== "numbered";
  const general = (before: unknown, after: unknown, site: Statement): Iterable<Difference> => {
    const effect: Effect = first && after !== "refuse" ? "additive" : "breaking";
    return restated(effect, `${site.kind}-changed`, site, site.what, [before, after]);
  };
  return partDifferences("versioning", versioning, old, now, {
    scheme: general,
    sent: general,
    absent: general,
    versions: () => servedDifferences(old, now),
    "deprecated/*": (before: Deprecation | undefined, after: Deprecation | undefined, site) => {
      const target = deprecatedTarget(site.name);
      if (target !== undefined) return deprecationDifferences(target, before, after, site);
      const version = `The version \`${site.name}\``;
      if (before === undefined) return [difference("neutral", "version-deprecated", site, `${version} is deprecated`)];
      if (after !== undefined) return undefined;
      // For a removed version, `version-removed` already reports it.
      const served = now.versions?.some(({ name }) => name === site.name) === true;
      const message = `${version} is no longer ${served ? "deprecated" : "served"}`;
      return [difference(served ? "additive" : "neutral", "deprecation-removed", site, message)];
    },
  });
}

/** Compares the deprecations of an operation, a field or a member. `dated` adjusts the effect of a removal after a sunset. */
function deprecationDifferences(
  target: ChangeTarget,
  before: Deprecation | undefined,
  after: Deprecation | undefined,
  { at }: Statement,
): Iterable<Difference> {
  const subject = targetName(target);
  const site = { subject, at };
  const kind = target.field === undefined ? "operation-deprecated" : "field-deprecated";
  if (before === undefined) return [difference("neutral", kind, site, `\`${subject}\` is deprecated`)];
  if (after === undefined)
    return [difference("neutral", "deprecation-removed", site, `\`${subject}\` is no longer deprecated`)];
  return statementDifferences(site, "deprecation", deprecation, [before, after]);
}

function* servedDifferences(old: Versioning, now: Versioning): Iterable<Difference> {
  const named = ({ versions = [] }: Versioning) =>
    Object.fromEntries(versions.map((version) => [version.name, version]));
  const oldest = now.versions?.at(-1)?.name;
  for (const { name, old: before, now: after } of pairs(named(old), named(now))) {
    const site = { subject: `version ${name}`, at: `versioning/versions/${name}` };
    if (before === undefined) yield difference("additive", "version-added", site, `The version \`${name}\` is new`);
    else if (after === undefined) {
      const sunset = lookup(old.deprecated ?? {}, name)?.sunset;
      const message = `The version \`${name}\` is no longer served`;
      const details = { category: "support", ...(sunset === undefined ? {} : { sunset }) } as const;
      yield difference("breaking", "version-removed", site, message, details);
    } else if (!same(before.changes, after.changes)) {
      // The oldest served version may drop its entries, since no callers of earlier versions remain.
      const isOldest = name === oldest;
      const message = isOldest
        ? `\`${name}\` is the oldest version now`
        : `The list of changes of the version \`${name}\` is written differently`;
      yield difference(isOldest ? "neutral" : "breaking", "version-rewritten", site, message);
    }
  }
}
