/** Differences of part 5: permissions, field visibility and credentials. */
import { readsVariable } from "../expression/typed.ts";
import { authentication } from "../language/authentication/grammar.ts";
import { type ConditionalGrant, covers, nameOf } from "../language/authentication/grants.ts";
import type { Authentication, Credential, Grant } from "../language/authentication/model.ts";
import type { Effect } from "../language/grammar/changes.ts";
import { makesTokens } from "../language/authentication/oauth.ts";
import { sentEffect } from "../language/authentication/sent.ts";
import { lookup } from "../language/resources/fields.ts";
import { conditionDifferences, type Side, strictnessOf } from "./conditions.ts";
import { below, type Difference, difference, pairs, type Site, restated, same } from "./difference.ts";
import type { Both } from "./resources.ts";
import { partDifferences, type Statement } from "./walk.ts";

export function authenticationDifferences(both: Both): Iterable<Difference> {
  const models = [both.old.model.authentication, both.now.model.authentication] as const;
  return partDifferences("authentication", authentication, ...models, {
    "credentials/*/scopes": (before: Credential, after: Credential, site) =>
      scopeDifferences(before, after, site, models[1].roles ?? []),
    "credentials/*/sent": (before: Credential["sent"], after: Credential["sent"], site) => {
      const [old, now] = models.map(({ credentials }) => lookup(credentials, site.name));
      const effect = old === undefined || now === undefined ? "breaking" : sentEffect(old, now);
      return restated(effect, "credential-changed", site, site.what, [before, after], { category: "right" });
    },
    "credentials/*/roles": (before: Credential["roles"], after: Credential["roles"], site) => {
      const effect = fixedRolesEffect(before, after, models[1].roles ?? []);
      return restated(effect, "credential-changed", site, site.what, [before, after], { category: "right" });
    },
    roles: (before: readonly string[] | undefined, after: readonly string[] | undefined, site) =>
      roleDifferences(before, after, site, models[0]),
    "own/*": (before: string | undefined, after: string | undefined, site) =>
      ownershipDifferences(both, site, before, after),
    "allow/*": (before: Grants, after: Grants, site) => {
      const { name } = site;
      const [isOld, isNow] = [both.old, both.now].map(({ model }) => Object.hasOwn(model.endpoints.endpoints, name));
      if (isOld && isNow)
        return grantDifferences(both, { ...site, kind: "right", may: `run \`${name}\`` }, before ?? [], after ?? []);
      // The difference that the operation is new or removed says enough.
      if (isOld !== isNow) return [];
      const message = `Who may run \`${name}\` is written differently`;
      return same(before, after) ? [] : [difference("neutral", "right-said", site, message)];
    },
    "show/*": (before: Grants, after: Grants, site) => {
      // Without a `show` line, every caller who sees the record sees the field.
      const [old, now] = [before ?? [everybody], after ?? [everybody]];
      return grantDifferences(both, { ...site, kind: "sight", may: `see \`${site.name}\`` }, old, now);
    },
  });
}

type Grants = readonly Grant[] | undefined;

const everybody: Grant = { who: { kind: "anyone" } };

function* roleDifferences(
  old: readonly string[] = [],
  now: readonly string[] = [],
  { at }: Statement,
  { credentials }: Authentication,
): Iterable<Difference> {
  const details = { category: "right" } as const;
  // What a scope or a credential allowed and no longer allows is a difference of the permissions.
  const given = new Set(
    Object.values(credentials).flatMap(({ roles, scopeRoles = {} }) => [
      ...Object.values(scopeRoles).flat(),
      ...(isFixed(roles) ? roles : []),
    ]),
  );
  for (const role of old.filter((one) => !now.includes(one))) {
    const effect = given.has(role) ? "neutral" : "breaking";
    yield difference(effect, "role-removed", { subject: role, at }, `The role \`${role}\` is removed`, details);
  }
  for (const role of now.filter((one) => !old.includes(one)))
    yield difference("additive", "role-added", { subject: role, at }, `The role \`${role}\` is new`, details);
}

function isFixed(roles: Credential["roles"]): roles is readonly string[] {
  return Array.isArray(roles);
}

/** Returns the effect of other roles of all callers with a credential. A removed role takes nothing more than its permissions. */
function fixedRolesEffect(old: Credential["roles"], now: Credential["roles"], roles: readonly string[]): Effect {
  if (!isFixed(old) || !isFixed(now)) return "breaking";
  const lost = old.filter((role) => !now.includes(role));
  if (lost.some((role) => roles.includes(role))) return "breaking";
  return lost.length > 0 ? "neutral" : "additive";
}

function* ownershipDifferences(
  both: Both,
  site: Statement,
  old: string | undefined,
  now: string | undefined,
): Iterable<Difference> {
  const what = `The ownership of \`${site.name}\``;
  // Differences of the permissions already report the grants that use `own`, so this difference is neutral.
  if (old === undefined || now === undefined) yield* restated("neutral", "own-changed", site, what, [old, now]);
  else
    for (const one of conditionDifferences(both, site, { kind: "own", what }, [old, now]))
      yield { ...one, kind: "own-changed" };
}

/** Compares the scopes of a credential; `old` and `now` are the credential in both documents, `roles` those of the new one. */
function* scopeDifferences(
  old: Credential,
  now: Credential,
  site: Statement,
  roles: readonly string[],
): Iterable<Difference> {
  const stated = (effect: Effect, member: string, values: readonly [unknown, unknown]) => {
    const memberSite = { ...site, at: site.at.replace(/scopes$/, member) };
    const what = `\`${member}\` of the credential \`${site.name}\``;
    return restated(effect, "credential-changed", memberSite, what, values, { category: "right" });
  };
  yield* stated(scopeEffect(old, now, roles), "scopeRoles", [old.scopeRoles, now.scopeRoles]);
  const [before, after] = [old.scopes ?? [], now.scopes ?? []];
  // A token of another server must have all scopes, so more scopes are stricter; a token of this service may have any of them.
  const [lost, more] = makesTokens(now) ? [before, after] : [after, before];
  const isNarrower = lost.some((scope) => !more.includes(scope)) || (makesTokens(now) && old.scopes === undefined);
  yield* stated(isNarrower ? "breaking" : "additive", "scopes", [before.toSorted(), after.toSorted()]);
}

/** Returns the effect of other scopes. The first ones bind tokens that none bound. A scope whose roles are removed takes nothing more than they do. */
function scopeEffect(
  { scopeRoles: old }: Credential,
  { scopeRoles: now }: Credential,
  roles: readonly string[],
): Effect {
  if (old === undefined && now !== undefined) return "breaking";
  const lost = pairs(old, now).filter(({ old: before, now: after }) => before !== undefined && !same(before, after));
  if (lost.some(({ old: granted = [] }) => granted.some((role) => roles.includes(role)))) return "breaking";
  return lost.length > 0 ? "neutral" : "additive";
}

// ── Grants ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface GrantSite extends Site {
  readonly kind: string;
  /** The permission in words, to be printed after "may": `run \`collect\``. */
  readonly may: string;
}

export function* grantDifferences(
  both: Both,
  site: GrantSite,
  old: readonly Grant[],
  now: readonly Grant[],
): Iterable<Difference> {
  const { at, kind, may } = site;
  const covered = (grant: Grant, index: number, by: readonly Grant[], when: "old" | "now"): boolean =>
    by.some((other, otherIndex) => {
      const [mine, others] = when === "old" ? [both.old, both.now] : [both.now, both.old];
      if (!covers(others.model, conditional(others, other, otherIndex), conditional(mine, grant, index))) return false;
      const strictness = strictnessOf(
        { side: mine, path: `${at}/${index}/if`, text: grant.if },
        { side: others, path: `${at}/${otherIndex}/if`, text: other.if },
      );
      return strictness !== "tighter";
    });
  // An untyped condition may exclude tokens, so it counts as reading the caller; otherwise clients get an unannounced 403.
  const conditional = (side: Side, grant: Grant, index: number): ConditionalGrant => {
    const typed = grant.if === undefined ? undefined : side.typed().get(`${at}/${index}/if`);
    return { ...grant, readsCaller: grant.if !== undefined && (typed === undefined || readsVariable(typed, "caller")) };
  };
  for (const [index, grant] of old.entries()) {
    if (covered(grant, index, now, "old")) continue;
    const message = `${whoText(grant)} may no longer ${may}`;
    yield difference("breaking", `${kind}-narrowed`, site, message, { category: "right" });
  }
  for (const [index, grant] of now.entries()) {
    if (covered(grant, index, old, "now")) continue;
    const message = `${whoText(grant)} may ${may}`;
    yield difference("additive", `${kind}-widened`, below(site, index), message, { category: "right" });
  }
}

function whoText(grant: Grant): string {
  return `\`${nameOf(grant)}${grant.if === undefined ? "" : ` if ${grant.if}`}\``;
}
