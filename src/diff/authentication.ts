/** Differences of part 5: permissions, field visibility and credentials. */
import { readsCaller } from "../expression/typed.ts";
import { type ConditionalGrant, covers, nameOf } from "../language/authentication/grants.ts";
import type { Authentication, Credential, Grant } from "../language/authentication/model.ts";
import { makesTokens } from "../language/authentication/oauth.ts";
import { lookup } from "../language/resources/fields.ts";
import { spanOf } from "./amounts.ts";
import { type Side, strictnessOf } from "./conditions.ts";
import { type Difference, difference, measured, pairs, restated, same, unhandledKeys } from "./difference.ts";
import type { Both } from "./resources.ts";

export function* authenticationDifferences(both: Both): Iterable<Difference> {
  const { authentication: old } = both.old.model;
  const { authentication: now } = both.now.model;
  for (const pair of pairs(old.credentials, now.credentials))
    yield* credentialDifferences(pair.name, pair.old, pair.now);
  yield* roleDifferences(old, now);
  yield* ownershipDifferences(both);
  for (const { name, old: before, now: after } of pairs(old.allow, now.allow)) {
    const isNew = lookup(both.old.model.endpoints.endpoints, name) === undefined;
    const isRemoved = lookup(both.now.model.endpoints.endpoints, name) === undefined;
    const site = { kind: "right", subject: name, at: `authentication/allow/${name}`, may: `run \`${name}\`` };
    if (!isNew && !isRemoved) yield* grantDifferences(both, site, before ?? [], after ?? []);
    else if (!same(before, after))
      yield difference("neutral", "right-said", name, site.at, `Who may run \`${name}\` is said differently`);
  }
  for (const { name, old: before, now: after } of pairs(old.show, now.show)) {
    // Without a `show` line, every caller who sees the record sees the field.
    const site = { kind: "sight", subject: name, at: `authentication/show/${name}`, may: `see \`${name}\`` };
    yield* grantDifferences(both, site, before ?? [everybody], after ?? [everybody]);
  }
  const unseen = {
    kind: "unseen-changed",
    subject: "unseen",
    at: "authentication/unseen",
    what: "The answer for what a caller may not see",
  };
  yield* restated(unseen, old.unseen, now.unseen, old.unseen === undefined ? "neutral" : "breaking");
  yield* unhandledKeys({ subject: "authentication", at: "authentication" }, old, now, [
    "credentials",
    "roles",
    "own",
    "allow",
    "show",
    "unseen",
  ]);
}

const everybody: Grant = { who: { kind: "anyone" } };

function* roleDifferences(old: Authentication, now: Authentication): Iterable<Difference> {
  for (const role of old.roles ?? [])
    if (!now.roles?.includes(role))
      yield difference("breaking", "role-removed", role, "authentication/roles", `The role \`${role}\` is gone`, {
        category: "right",
      });
  for (const role of now.roles ?? [])
    if (!old.roles?.includes(role))
      yield difference("additive", "role-added", role, "authentication/roles", `The role \`${role}\` is new`, {
        category: "right",
      });
}

function* ownershipDifferences(both: Both): Iterable<Difference> {
  for (const { name, old, now } of pairs(both.old.model.authentication.own, both.now.model.authentication.own)) {
    const at = `authentication/own/${name}`;
    const statement = { kind: "own-changed", subject: name, at, what: `Whose a \`${name}\` is` };
    if (old === undefined || now === undefined) {
      // The grants that use `own` have differences for the changed permissions.
      yield* restated(statement, old, now, "neutral");
      continue;
    }
    const strictness = strictnessOf({ side: both.old, path: at, text: old }, { side: both.now, path: at, text: now });
    if (strictness !== "same")
      yield* restated(statement, old, now, strictness === "tighter" ? "breaking" : "additive", { category: "right" });
  }
}

// ── Grants ─────────────────────────────────────────────────────────────────────────────────────────────────────────

interface GrantSite {
  readonly kind: string;
  readonly subject: string;
  readonly at: string;
  /** The permission in words, after "may": `run \`collect\``. */
  readonly may: string;
}

export function* grantDifferences(
  both: Both,
  { kind, subject, at, may }: GrantSite,
  old: readonly Grant[],
  now: readonly Grant[],
): Iterable<Difference> {
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
    return { ...grant, readsCaller: grant.if !== undefined && (typed === undefined || readsCaller(typed)) };
  };
  for (const [index, grant] of old.entries()) {
    if (covered(grant, index, now, "old")) continue;
    const message = `${whoText(grant)} may not ${may} any more`;
    yield difference("breaking", `${kind}-narrowed`, subject, at, message, { category: "right" });
  }
  for (const [index, grant] of now.entries()) {
    if (covered(grant, index, old, "now")) continue;
    yield difference("additive", `${kind}-widened`, subject, `${at}/${index}`, `${whoText(grant)} may ${may}`, {
      category: "right",
    });
  }
}

function whoText(grant: Grant): string {
  return `\`${nameOf(grant)}${grant.if === undefined ? "" : ` if ${grant.if}`}\``;
}

// ── Credentials ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Members of a credential whose change callers notice; those in `unnoticed` only concern how a caller obtains it. */
const noticed = [
  "kind",
  "at",
  "scopeRoles",
  "sent",
  "issuer",
  "audience",
  "user",
  "roles",
  "of",
  "name",
  "field",
  "changed",
  "login",
] as const;
const unnoticed = ["obtained", "renewed", "prefix", "revoked", "secret", "jwks"] as const;

function* credentialDifferences(
  name: string,
  old: Credential | undefined,
  now: Credential | undefined,
): Iterable<Difference> {
  const at = `authentication/credentials/${name}`;
  const subject = name;
  if (old === undefined || now === undefined) {
    const [effect, kind, verb] =
      old === undefined
        ? (["additive", "credential-added", "is new"] as const)
        : (["breaking", "credential-removed", "is gone"] as const);
    yield difference(effect, kind, subject, at, `The credential \`${name}\` ${verb}`, { category: "right" });
    return;
  }
  const statement = (member: string) => ({
    kind: "credential-changed",
    subject,
    at: `${at}/${member}`,
    what: `\`${member}\` of the credential \`${name}\``,
  });
  for (const member of noticed)
    yield* restated(statement(member), old[member], now[member], "breaking", { category: "right" });
  for (const member of unnoticed) yield* restated(statement(member), old[member], now[member], "neutral");
  const lasts = { ...statement("lasts"), kind: "credential-lasts-changed" };
  const length = (text: string | number) => (text === "until revoked" ? Number.POSITIVE_INFINITY : spanOf(text));
  yield* measured(lasts, old.lasts, now.lasts, length, { less: "breaking", more: "additive" });
  const [before, after] = [old.scopes ?? [], now.scopes ?? []];
  // A token of another server needs all scopes, so more scopes are stricter; a token of this service may have any of them.
  const [lost, more] = makesTokens(now) ? [before, after] : [after, before];
  const isNarrower = lost.some((scope) => !more.includes(scope)) || (makesTokens(now) && old.scopes === undefined);
  yield* restated(statement("scopes"), before.toSorted(), after.toSorted(), isNarrower ? "breaking" : "additive", {
    category: "right",
  });
  yield* unhandledKeys({ subject, at }, old, now, [...noticed, ...unnoticed, "lasts", "scopes"]);
}
