/**
 * Issues and finds the access tokens of the service. They are random, and stored as their SHA-256 with the granted scopes. The
 * permissions of a token are read from its client at each request, so revoking a client revokes its tokens (R5.4, R5.10).
 */
import { defined } from "../../../base/defined.ts";
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { GrantStore, Key } from "../../../store/port/store.ts";
import { endOf, findKey, hashSecret, isSecret, mintSecret, refreshPrefix } from "../api-key.ts";
import { idText } from "../../context/caller.ts";
import { findConsent, findGrant } from "./consents.ts";
import type { TokenDependencies } from "./options.ts";
import { findClient } from "./registered.ts";

export interface AccessToken {
  readonly client: Key;
  /** The id of the caller: the client's own user, or the user who consented. */
  readonly user: string;
  /** Whether the user is a record, whose roles are read at each request (R5.10). */
  readonly isRecord: boolean;
  readonly scopes: readonly string[];
  /** When the token was issued, in epoch milliseconds. */
  readonly issued: number;
  readonly expires: number;
  /** The roles of the granted scopes, limited to those of the client and of the consenting user. */
  readonly roles: readonly string[];
}

/**
 * What is stored with the hash of a token. `oidc-provider` stores these members, except `hash`, and others for a user's token.
 */
interface StoredToken {
  readonly clientId: string;
  /** The hash of the client's key. Only in a token for the client itself, which may have no registration. */
  readonly hash?: string;
  /** The id of the consent. Only in a user's token. */
  readonly grantId?: string;
  readonly scope?: string;
  /** When the token was issued, in Unix seconds. */
  readonly iat: number;
}

/** The name of the tokens' model in `oidc-provider`. */
const kind = "AccessToken";

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
  const stored: StoredToken = {
    clientId: client.id,
    hash: client.hash,
    scope: scopes.join(" "),
    iat: Math.floor(now / 1000),
  };
  await grants.put({
    kind,
    id: hashSecret(token),
    group: client.id,
    text: JSON.stringify(stored),
    expires: now + milliseconds,
  });
  return { token, seconds: Math.floor(milliseconds / 1000) };
}

/** Finds a token; undefined if it is invalid, expired or revoked. */
export async function findToken(
  credential: CredentialPlan,
  text: string,
  dependencies: TokenDependencies,
  now: number,
): Promise<AccessToken | undefined> {
  if (!isSecret(tokenPrefix(credential), text)) return undefined;
  const { grants, keys } = dependencies;
  const grant = await findGrant(grants, kind, text, now);
  if (grant === undefined) return undefined;
  const { clientId, hash, grantId, scope = "", iat } = JSON.parse(grant.text) as StoredToken;
  const client =
    hash === undefined
      ? (await findClient(credential, dependencies, clientId, now))?.key
      : await findKey(credential, keys, hash, now);
  if (client === undefined) return undefined;
  const scopes = scope.split(" ").filter((one) => one !== "");
  const roles = rolesOf(credential, client, scopes);
  const token = { client, scopes, issued: iat * 1000, expires: Math.min(grant.expires, endOf(client, credential)) };
  if (grantId === undefined) return { ...token, user: client.user, isRecord: false, roles };
  // The token has the user's current roles, so the user is looked up.
  const consent = await findConsent(credential, dependencies, grantId, now);
  if (consent === undefined) return undefined;
  const { id, roles: held } = consent.user;
  return { ...token, user: idText(id), isRecord: true, roles: roles.filter((role) => held.includes(role)) };
}

export async function endToken(text: string, grants: GrantStore): Promise<void> {
  await grants.end(kind, hashSecret(text));
}

/**
 * Ends a consent: revoking a refresh token revokes all tokens of the same consent (RFC 7009 section 2.1). Returns false for
 * another client's token.
 */
export async function endConsent(
  credential: CredentialPlan,
  text: string,
  client: Key,
  grants: GrantStore,
): Promise<boolean> {
  const found = isSecret(refreshPrefix(credential), text)
    ? await grants.find("RefreshToken", hashSecret(text))
    : undefined;
  if (found === undefined) return true;
  if ((JSON.parse(found.text) as StoredToken).clientId !== client.id) return false;
  await grants.endGroup(found.group);
  return true;
}

/** Returns the scopes that a client may be granted: those of which it has every role. */
export function scopesOf(credential: CredentialPlan, client: Key): readonly string[] {
  const roles = clientRoles(credential, client);
  return Object.entries(credential.oauth?.scopes ?? {}).flatMap(([scope, scopeRoles]) =>
    scopeRoles.every((role) => roles.includes(role)) ? [scope] : [],
  );
}

/** Returns the roles of the granted scopes; all roles of the client if the document declares no scopes. */
function rolesOf(credential: CredentialPlan, client: Key, granted: readonly string[]): readonly string[] {
  const scopes = credential.oauth?.scopes;
  const roles = clientRoles(credential, client);
  if (scopes === undefined) return roles;
  const scopeRoles = new Set(granted.flatMap((scope) => (Object.hasOwn(scopes, scope) ? (scopes[scope] ?? []) : [])));
  return roles.filter((role) => scopeRoles.has(role));
}

/** Returns the roles of the client's key, or those that the document declares for every client. */
function clientRoles({ roles }: CredentialPlan, client: Key): readonly string[] {
  return roles.kind === "fixed" ? roles.roles : client.roles;
}
