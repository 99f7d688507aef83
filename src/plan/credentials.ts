/** The credentials that are served, with every default taken. */
import { lengthOf, parseDuration } from "../base/duration.ts";
import type { Credential } from "../parts/authentication/model.ts";
import type { CredentialPlan } from "./plan.ts";
import { type Sources, unique } from "./sources.ts";

export function credentialPlans({ model }: Sources): readonly CredentialPlan[] {
  return Object.entries(model.authentication.credentials).flatMap(([name, credential]) =>
    unservedCredential(credential) === undefined ? [credentialPlan(name, credential)] : [],
  );
}

/** Why a credential is not served yet; undefined where it is. */
export function unservedCredential({ kind, of }: Credential): string | undefined {
  if (kind === "password") return "nobody can log in with a password";
  if (kind === "oauth2") return "no token of an OAuth server is taken";
  if (kind === "basic" && of !== undefined) return `nobody can log in as a ${of}`;
  return undefined;
}

function credentialPlan(name: string, credential: Credential): CredentialPlan {
  const { kind, secret, issuer, audience, jwks, lasts, revoked = "at once", scopes = [] } = credential;
  const lifetime = lasts === undefined ? undefined : millisecondsOf(lasts);
  return {
    name,
    kind,
    sent: credential.sent ?? { header: "Authorization", scheme: kind === "basic" ? "Basic" : "Bearer" },
    // A prefix makes a leaked key recognisable (R5.4).
    prefix: credential.prefix ?? (kind === "api-key" ? `${name}_` : ""),
    ...(lifetime === undefined ? {} : { lastsMilliseconds: lifetime }),
    revokedAfterMilliseconds: revoked === "none" ? null : (millisecondsOf(revoked) ?? 0),
    scopes,
    ...(secret === undefined ? {} : { secret }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    ...(jwks === undefined ? {} : { jwks }),
    userClaim: credential.user ?? "sub",
    roles: rolesOf(credential),
  };
}

function rolesOf({ kind, roles }: Credential): CredentialPlan["roles"] {
  if (roles !== undefined) return "claim" in roles ? { kind: "claim", claim: roles.claim } : { kind: "fixed", roles };
  if (kind === "jwt") return { kind: "claim", claim: "roles" };
  return kind === "hmac-sha256" ? { kind: "fixed", roles: [] } : { kind: "own" };
}

/** Undefined for `until revoked` and `at once`. */
function millisecondsOf(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined ? undefined : lengthOf(duration);
}

/** The roles of the document, in its order; where it lists none, those that its permissions name. */
export function roleNames({ model }: Sources): readonly string[] {
  const { roles, allow, show } = model.authentication;
  const named = [...Object.values(allow), ...Object.values(show)].flat();
  return unique([...(roles ?? []), ...named.flatMap(({ who }) => (who.kind === "role" ? [who.role] : []))]);
}
