/** Differences of part 9: how a caller selects a version, which versions are served, and for how long. */
import { lookup } from "../language/resources/fields.ts";
import type { Deprecation, Versioning } from "../language/versioning/model.ts";
import { spanOf } from "./amounts.ts";
import { type Difference, difference, measured, pairs, restated, same, unhandledKeys } from "./difference.ts";

export function* versioningDifferences(old: Versioning, now: Versioning): Iterable<Difference> {
  // Callers of a service without versions send no version, so that new declarations break nobody.
  const first = (old.versions ?? []).length === 0 && old.scheme !== "dated" && old.scheme !== "numbered";
  const effect = first ? "additive" : "breaking";
  const statement = (member: string, what: string) => ({
    kind: `${member}-changed`,
    subject: member,
    at: `versioning/${member}`,
    what,
  });
  yield* restated(statement("scheme", "The scheme of versions"), old.scheme, now.scheme, effect);
  yield* restated(statement("sent", "Where a version is sent"), old.sent, now.sent, effect);
  const absentEffect = now.absent === "refuse" ? "breaking" : effect;
  yield* restated(statement("absent", "What a call without a version gets"), old.absent, now.absent, absentEffect);
  yield* policyDifferences(old, now);
  yield* servedDifferences(old, now);
  for (const pair of pairs(old.deprecated, now.deprecated))
    yield* deprecationDifferences(pair.name, pair.old, pair.now, now);
  yield* unhandledKeys({ subject: "versioning", at: "versioning" }, old, now, [
    "scheme",
    "sent",
    "absent",
    "policy",
    "versions",
    "deprecated",
  ]);
}

function* policyDifferences({ policy: old = {} }: Versioning, { policy: now = {} }: Versioning): Iterable<Difference> {
  const subject = "policy";
  const at = "versioning/policy";
  const statement = (member: string, what: string) => ({
    kind: "policy-changed",
    subject,
    at: `${at}/${member}`,
    what,
  });
  const weights = { less: "breaking", more: "additive", category: "support" } as const;
  yield* restated(
    statement("breaking", "What the policy says of breaking changes"),
    old.breaking,
    now.breaking,
    "neutral",
  );
  const notice = { ...statement("notice", "The notice that the policy promises"), kind: "notice-changed" };
  yield* measured(notice, old.notice, now.notice, spanOf, { ...weights, none: "least" });
  const support = { ...statement("support", "The support that the policy promises"), kind: "support-changed" };
  yield* measured(support, old.support, now.support, spanOf, { ...weights, none: "least" });
  const sunset = statement("after sunset", "The answer after the sunset");
  yield* restated(sunset, old.afterSunset, now.afterSunset, old.afterSunset === undefined ? "additive" : "breaking");
  const unknown = statement("unknown", "The answer to an unknown version");
  yield* restated(unknown, old.unknown, now.unknown, "breaking");
  yield* unhandledKeys({ subject, at }, old, now, ["breaking", "notice", "support", "afterSunset", "unknown"]);
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

function* deprecationDifferences(
  name: string,
  old: Deprecation | undefined,
  now: Deprecation | undefined,
  { versions = [] }: Versioning,
): Iterable<Difference> {
  const at = `versioning/deprecated/${name}`;
  const subject = `version ${name}`;
  if (old === undefined) {
    yield difference("neutral", "version-deprecated", subject, at, `The version \`${name}\` is deprecated`);
    return;
  }
  if (now === undefined) {
    // For a removed version, `version-removed` already reports it.
    const served = versions.some((version) => version.name === name);
    const message = `The version \`${name}\` is not ${served ? "deprecated" : "served"} any more`;
    yield difference(served ? "additive" : "neutral", "deprecation-removed", subject, at, message);
    return;
  }
  const statement = (member: string, what: string) => ({
    kind: "deprecation-changed",
    subject,
    at,
    what: `${what} of the version \`${name}\``,
  });
  yield* restated(statement("since", "The deprecation"), old.since, now.since, "neutral");
  const sunset = { ...statement("sunset", "The sunset"), kind: "sunset-changed" };
  const moment = (text: string | number): number | undefined => {
    const time = Date.parse(String(text));
    return Number.isNaN(time) ? undefined : time;
  };
  yield* measured(sunset, old.sunset, now.sunset, moment, { less: "breaking", more: "additive", category: "support" });
  yield* restated(statement("guide", "The guide"), old.guide, now.guide, "neutral");
  yield* unhandledKeys({ subject, at }, old, now, ["since", "sunset", "guide"]);
}
