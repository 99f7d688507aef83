/**
 * Issues and finds the access tokens of the service: random, stored as their SHA-256 with the granted scopes. The permissions of
 * a token are read from its client at each request, so revoking a client revokes its tokens (R5.4, R5.10).
 */
import { defined } from "../../../base/defined.ts";
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { GrantStore, Key, KeyStore } from "../../../store/port/store.ts";
import { endOf, hashSecret, isSecret, mintSecret } from "../api-key.ts";
import { isGoodClient } from "./clients.ts";
import { type ConsentDependencies, findConsent } from "./consents.ts";
import { findRegistered } from "./registered.ts";

export interface AccessToken {
  readonly client: Key;
  /** The client's own user, or the user who consented. */
  readonly user: string;
  /** Whether the user is a record; its roles are read at each request (R5.10). */
  readonly isRecord: boolean;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly issued: number;
  readonly expires: number;
  /** The roles of the granted scopes, limited to those of the client and of the consenting user. */
  readonly roles: readonly string[];
}

const kind = "access-token";

/** Stored with the hash of a token that a client got for itself. */
interface StoredToken {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly issued: number;
}

/** The models of `oidc-provider` for tokens that users consented to. */
const consented = "AccessToken";
const refresh = "RefreshToken";

export function refreshPrefix({ prefix }: CredentialPlan): string {
  return `${prefix}r_`;
}

export function tokenPrefix({ prefix }: CredentialPlan): string {
  return `${prefix}t_`;
}

export async function issueToken(
  credential: CredentialPlan,
  { client, scopes, now }: { readonly client: Key; readonly scopes: readonly string[]; readonly now: number },
  grants: GrantStore,
  random: (bytes: number) => Uint8Array,
): Promise<{ readonly token: string; readonly seconds: number }> {
  const token = mintSecret(tokenPrefix(credential), random);
  const lasts = defined(credential.lastsMilliseconds, "how long a token is good");
  const milliseconds = Math.min(lasts, endOf(client, credential) - now);
  const stored: StoredToken = { client: client.hash, scopes, issued: now };
  await grants.put({
    kind,
    id: hashSecret(token),
    group: client.id,
    text: JSON.stringify(stored),
    expires: now + milliseconds,
  });
  return { token, seconds: Math.floor(milliseconds / 1000) };
}

export interface TokenDependencies extends ConsentDependencies {
  readonly keys: KeyStore;
}

/** Undefined for an invalid, expired or revoked token. */
export async function findToken(
  credential: CredentialPlan,
  text: string,
  planInput: TokenDependencies,
  now: number,
): Promise<AccessToken | undefined> {
  if (!isSecret(tokenPrefix(credential), text)) return undefined;
  const { grants, keys } = planInput;
  const grant = await grants.find(kind, hashSecret(text));
  if (grant === undefined) return findConsented(credential, text, planInput, now);
  if (grant.expires <= now) return undefined;
  const { client: hash, scopes, issued } = JSON.parse(grant.text) as StoredToken;
  const client = await keys.find(hash);
  if (client === undefined || !isGoodClient(client, credential, now)) return undefined;
  const roles = rolesOf(credential, client, scopes);
  const expires = Math.min(grant.expires, endOf(client, credential));
  return { client, user: client.user, isRecord: false, scopes, issued, expires, roles };
}

/** The part of an `oidc-provider` token that Nonet reads. */
interface Consented {
  readonly accountId: string;
  readonly clientId: string;
  readonly grantId: string;
  readonly scope?: string;
  /** Unix seconds. */
  readonly iat: number;
}

/** The roles are the user's current ones, limited to those of the client and the scopes. */
async function findConsented(
  credential: CredentialPlan,
  text: string,
  planInput: TokenDependencies,
  now: number,
): Promise<AccessToken | undefined> {
  const { grants, keys } = planInput;
  const grant = await grants.find(consented, hashSecret(text));
  if (grant === undefined || grant.expires <= now) return undefined;
  const { accountId, clientId, grantId, scope = "", iat } = JSON.parse(grant.text) as Consented;
  const registered = await findRegistered(grants, clientId);
  const client = registered && (await keys.find(registered.hash));
  if (client === undefined || !isGoodClient(client, credential, now)) return undefined;
  const consent = await findConsent(credential, planInput, grantId, now);
  if (consent === undefined) return undefined;
  const scopes = scope.split(" ").filter((one) => one !== "");
  const roles = rolesOf(credential, client, scopes).filter((role) => consent.user.roles.includes(role));
  const expires = Math.min(grant.expires, endOf(client, credential));
  return { client, user: accountId, isRecord: true, scopes, issued: iat * 1000, expires, roles };
}

export async function endToken(text: string, grants: GrantStore): Promise<void> {
  for (const each of [kind, consented]) await grants.end(each, hashSecret(text));
}

/** Revoking a refresh token revokes all tokens of the same consent (RFC 7009 section 2.1). False for another client's token. */
export async function endConsent(
  credential: CredentialPlan,
  text: string,
  client: Key,
  grants: GrantStore,
): Promise<boolean> {
  const found = isSecret(refreshPrefix(credential), text) ? await grants.find(refresh, hashSecret(text)) : undefined;
  if (found === undefined) return true;
  if ((JSON.parse(found.text) as Consented).clientId !== client.id) return false;
  await grants.endGroup(found.group);
  return true;
}

/** The scopes that a client may be granted: those of which it has every role. */
export function scopesOf(credential: CredentialPlan, client: Key): readonly string[] {
  const roles = clientRoles(credential, client);
  return Object.entries(credential.oauth?.scopes ?? {}).flatMap(([scope, scopeRoles]) =>
    scopeRoles.every((role) => roles.includes(role)) ? [scope] : [],
  );
}

/** All roles of the client if the document declares no scopes. */
function rolesOf(credential: CredentialPlan, client: Key, granted: readonly string[]): readonly string[] {
  const scopes = credential.oauth?.scopes;
  const roles = clientRoles(credential, client);
  if (scopes === undefined) return roles;
  const scopeRoles = new Set(granted.flatMap((scope) => (Object.hasOwn(scopes, scope) ? (scopes[scope] ?? []) : [])));
  return roles.filter((role) => scopeRoles.has(role));
}

/** The roles of the client's key, or those that the document declares for every client. */
function clientRoles({ roles }: CredentialPlan, client: Key): readonly string[] {
  return roles.kind === "fixed" ? roles.roles : client.roles;
}
