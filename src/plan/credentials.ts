/** The credentials that are served, with every default taken. */
import { lengthOf, parseDuration } from "../base/duration.ts";
import type { Credential } from "../parts/authentication/model.ts";
import { isRenewed } from "../parts/authentication/login.ts";
import type { CredentialPlan, LoginPlan } from "./plan.ts";
import { type Sources, unique } from "./sources.ts";

export function credentialPlans({ model }: Sources): readonly CredentialPlan[] {
  return Object.entries(model.authentication.credentials).flatMap(([name, credential]) =>
    unservedCredential(credential) === undefined ? [credentialPlan(name, credential)] : [],
  );
}

/** Why a credential is not served yet; undefined where it is. */
export function unservedCredential({ kind }: Credential): string | undefined {
  if (kind === "oauth2") return "no token of an OAuth server is taken";
  return undefined;
}

function credentialPlan(name: string, credential: Credential): CredentialPlan {
  const { kind, secret, issuer, audience, jwks, lasts, revoked = "at once", scopes = [] } = credential;
  const lifetime =
    lasts === undefined ? (kind === "password" ? sessionMilliseconds : undefined) : millisecondsOf(lasts);
  const login = loginPlan(credential);
  return {
    name,
    kind,
    sent: credential.sent ?? { header: "Authorization", scheme: kind === "basic" ? "Basic" : "Bearer" },
    // A prefix makes a leaked key recognisable (R5.4).
    prefix: credential.prefix ?? (kind === "api-key" || kind === "password" ? `${name}_` : ""),
    ...(lifetime === undefined ? {} : { lastsMilliseconds: lifetime }),
    revokedAfterMilliseconds: revoked === "none" ? null : (millisecondsOf(revoked) ?? 0),
    scopes,
    ...(secret === undefined ? {} : { secret }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    ...(jwks === undefined ? {} : { jwks }),
    userClaim: credential.user ?? "sub",
    roles: rolesOf(credential),
    ...(login === undefined ? {} : { login }),
  };
}

/** How long a session lasts where the document does not say it. */
const sessionMilliseconds = 30 * 86_400_000;

function loginPlan(credential: Credential): LoginPlan | undefined {
  const { of, name, field, renewed } = credential;
  if (of === undefined || name === undefined || field === undefined) return undefined;
  const renewal = isRenewed(credential) ? millisecondsOf(renewed ?? "") : undefined;
  return { resource: of, name, secret: field, ...(renewal === undefined ? {} : { renewedMilliseconds: renewal }) };
}

function rolesOf({ kind, roles, of }: Credential): CredentialPlan["roles"] {
  if (roles !== undefined && "field" in roles) return { kind: "column", column: roles.field };
  if (kind === "password" || of !== undefined)
    return { kind: "fixed", roles: roles === undefined ? [] : (roles as readonly string[]) };
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
