/** Plans the credentials of the service, with all defaults applied. */
import { lengthOf, parseDuration } from "../../base/duration.ts";
import { schemeOf, withSignatureIn } from "../../base/signature-schemes.ts";
import type { Credential } from "../../language/authentication/model.ts";
import { isRenewed } from "../../language/authentication/login.ts";
import { headerOf } from "../../language/authentication/model.ts";
import { placesOf } from "../../language/authentication/sent.ts";
import { bindsByScopes, makesTokens, rolesByScope, tokenMilliseconds } from "../../language/authentication/oauth.ts";
import type { AuthenticationPart, CredentialPlan, LoginPlan, OAuthPlan, OAuthUsersPlan } from "./types.ts";
import { type PlanInput, unique } from "../input.ts";

export function credentialPlans({ model }: PlanInput): readonly CredentialPlan[] {
  return Object.entries(model.authentication.credentials).map(([name, credential]) => credentialPlan(name, credential));
}

function credentialPlan(name: string, credential: Credential): CredentialPlan {
  const { kind, secret, issuer, audience, jwks, lasts, revoked = "at once", scopes = [] } = credential;
  const lifetime = lasts === undefined ? usualMilliseconds(credential) : millisecondsOf(lasts);
  const oauth = oauthPlan(credential);
  const login = loginPlan(credential);
  return {
    name,
    kind,
    ...(bindsByScopes(credential) ? { scoped: true } : {}),
    ...(oauth === undefined && credential.scopeRoles !== undefined ? { scopeRoles: credential.scopeRoles } : {}),
    ...(credential.openapi === undefined ? {} : { openapi: credential.openapi }),
    sent: placesOf(credential),
    ...signaturePlan(credential),
    // The default prefix makes a leaked key recognisable (R5.4).
    prefix: credential.prefix ?? (kind === "api-key" || kind === "password" || oauth !== undefined ? `${name}_` : ""),
    ...(lifetime === undefined ? {} : { lastsMilliseconds: lifetime }),
    revokedAfterMilliseconds: revoked === "none" ? null : (millisecondsOf(revoked) ?? 0),
    scopes: oauth === undefined ? scopes : [],
    ...(oauth === undefined ? {} : { oauth }),
    ...(secret === undefined ? {} : { secret }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    ...(jwks === undefined ? {} : { jwks }),
    userClaim: credential.user ?? "sub",
    roles: rolesOf(credential),
    ...(login === undefined ? {} : { login }),
  };
}

function signaturePlan({ formerSecrets, scheme, sent = [], tolerance }: Credential) {
  const milliseconds = tolerance === undefined ? undefined : millisecondsOf(tolerance);
  const declared = scheme && schemeOf(scheme);
  const [header] = sent.flatMap((one) => headerOf(one) ?? []);
  return {
    ...(formerSecrets === undefined ? {} : { formerSecrets }),
    ...(declared === undefined ? {} : { scheme: header === undefined ? declared : withSignatureIn(declared, header) }),
    ...(milliseconds === undefined ? {} : { toleranceSeconds: milliseconds / 1000 }),
  };
}

function usualMilliseconds(credential: Credential): number | undefined {
  if (credential.kind === "password") return sessionMilliseconds;
  return makesTokens(credential) ? tokenMilliseconds : undefined;
}

/** Plans the authorization server. Its other endpoints are siblings of the token endpoint. */
function oauthPlan(credential: Credential): OAuthPlan | undefined {
  if (!makesTokens(credential)) return undefined;
  const { at = "/oauth/token" } = credential;
  const siblingPath = (name: string): string => `${at.slice(0, at.lastIndexOf("/"))}/${name}`;
  const scopes = rolesByScope(credential);
  return {
    token: at,
    revoke: siblingPath("revoke"),
    introspect: siblingPath("introspect"),
    ...(credential.login === undefined ? {} : { users: usersPlan(credential, credential.login, siblingPath) }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

function usersPlan(credential: Credential, login: string, siblingPath: (name: string) => string): OAuthUsersPlan {
  const renewal = isRenewed(credential) ? millisecondsOf(credential.renewed ?? "") : undefined;
  return {
    authorize: siblingPath("authorize"),
    consent: siblingPath("ask"),
    credential: login,
    ...(renewal === undefined ? {} : { renewedMilliseconds: renewal }),
  };
}

/** The default lifetime of a session, in milliseconds. */
const sessionMilliseconds = 30 * 86_400_000;

function loginPlan(credential: Credential): LoginPlan | undefined {
  const { of, name, field, renewed } = credential;
  if (of === undefined || name === undefined || field === undefined) return undefined;
  const renewal = isRenewed(credential) ? millisecondsOf(renewed ?? "") : undefined;
  return { resource: of, name, secret: field, ...(renewal === undefined ? {} : { renewedMilliseconds: renewal }) };
}

function rolesOf(credential: Credential): CredentialPlan["roles"] {
  const { kind, roles, of } = credential;
  if (roles !== undefined && "field" in roles) return { kind: "column", column: roles.field };
  if (kind === "password" || of !== undefined)
    return { kind: "fixed", roles: roles === undefined ? [] : (roles as readonly string[]) };
  if (roles === undefined && credential.scopeRoles !== undefined && !makesTokens(credential))
    return { kind: "fixed", roles: [] };
  if (roles !== undefined) return "claim" in roles ? { kind: "claim", claim: roles.claim } : { kind: "fixed", roles };
  if (kind === "jwt" || (kind === "oauth2" && !makesTokens(credential))) return { kind: "claim", claim: "roles" };
  return kind === "hmac-sha256" ? { kind: "fixed", roles: [] } : { kind: "own" };
}

/** Returns the milliseconds of a duration; undefined for `until revoked` and `at once`. */
function millisecondsOf(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined ? undefined : lengthOf(duration);
}

/** Returns the roles of the document, in order; if it lists none, those in its permissions. */
export function roleNames({ model }: PlanInput): readonly string[] {
  const { roles, allow, show } = model.authentication;
  const named = [...Object.values(allow), ...Object.values(show)].flat();
  return unique([...(roles ?? []), ...named.flatMap(({ who }) => (who.kind === "role" ? [who.role] : []))]);
}

/** Returns the environment variables with the document's secrets. */
export function secretNames({ credentials }: Pick<AuthenticationPart, "credentials">): readonly string[] {
  return credentials.flatMap(({ secret, formerSecrets = [] }) => [...(secret ? [secret] : []), ...formerSecrets]);
}
