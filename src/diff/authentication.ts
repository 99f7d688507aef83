/** Differences of part 5: permissions, field visibility and credentials. */
import { readsCaller } from "../expression/typed.ts";
import { authentication } from "../language/authentication/grammar.ts";
import { type ConditionalGrant, covers, nameOf } from "../language/authentication/grants.ts";
import type { Credential, Grant } from "../language/authentication/model.ts";
import { makesTokens } from "../language/authentication/oauth.ts";
import { lookup } from "../language/resources/fields.ts";
import { type Side, strictnessOf } from "./conditions.ts";
import { type Difference, difference, restated, same } from "./difference.ts";
import type { Both } from "./resources.ts";
import { partDifferences, type Site } from "./walk.ts";

export function authenticationDifferences(both: Both): Iterable<Difference> {
  const { authentication: old } = both.old.model;
  const { authentication: now } = both.now.model;
  return partDifferences("authentication", authentication, old, now, {
    "credentials/*/scopes": scopeDifferences,
    roles: roleDifferences,
    "own/*": (before: string | undefined, after: string | undefined, { at, subject }) =>
      ownershipDifferences(both, subject, at, before, after),
    "allow/*": (before: Grants, after: Grants, { at, name }) => {
      const site = { kind: "right", subject: name, at, may: `run \`${name}\`` };
      const stays = [both.old, both.now].every(({ model }) => lookup(model.endpoints.endpoints, name) !== undefined);
      if (stays) return grantDifferences(both, site, before ?? [], after ?? []);
      const message = `Who may run \`${name}\` is said differently`;
      return same(before, after) ? [] : [difference("neutral", "right-said", name, at, message)];
    },
    "show/*": (before: Grants, after: Grants, { at, name }) => {
      // Without a `show` line, every caller who sees the record sees the field.
      const site = { kind: "sight", subject: name, at, may: `see \`${name}\`` };
      return grantDifferences(both, site, before ?? [everybody], after ?? [everybody]);
    },
  });
}

type Grants = readonly Grant[] | undefined;

const everybody: Grant = { who: { kind: "anyone" } };

function* roleDifferences(
  old: readonly string[] = [],
  now: readonly string[] = [],
  { at }: Site,
): Iterable<Difference> {
  for (const role of old.filter((one) => !now.includes(one)))
    yield difference("breaking", "role-removed", role, at, `The role \`${role}\` is gone`, { category: "right" });
  for (const role of now.filter((one) => !old.includes(one)))
    yield difference("additive", "role-added", role, at, `The role \`${role}\` is new`, { category: "right" });
}

function* ownershipDifferences(
  both: Both,
  name: string,
  at: string,
  old: string | undefined,
  now: string | undefined,
): Iterable<Difference> {
  const statement = { kind: "own-changed", subject: name, at, what: `Whose a \`${name}\` is` };
  if (old === undefined || now === undefined) {
    // The grants that use `own` have differences for the changed permissions.
    yield* restated(statement, old, now, "neutral");
    return;
  }
  const strictness = strictnessOf({ side: both.old, path: at, text: old }, { side: both.now, path: at, text: now });
  if (strictness !== "same")
    yield* restated(statement, old, now, strictness === "tighter" ? "breaking" : "additive", { category: "right" });
}

/** `old` and `now` are the credentials. */
function* scopeDifferences(old: Credential, now: Credential, site: Site): Iterable<Difference> {
  const statement = (member: string) => ({
    kind: "credential-changed",
    subject: site.subject,
    at: site.at.replace(/scopes$/, member),
    what: `\`${member}\` of the credential \`${site.name}\``,
  });
  yield* restated(statement("scopeRoles"), old.scopeRoles, now.scopeRoles, "breaking", { category: "right" });
  const [before, after] = [old.scopes ?? [], now.scopes ?? []];
  // A token of another server needs all scopes, so more scopes are stricter; a token of this service may have any of them.
  const [lost, more] = makesTokens(now) ? [before, after] : [after, before];
  const isNarrower = lost.some((scope) => !more.includes(scope)) || (makesTokens(now) && old.scopes === undefined);
  yield* restated(statement("scopes"), before.toSorted(), after.toSorted(), isNarrower ? "breaking" : "additive", {
    category: "right",
  });
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
