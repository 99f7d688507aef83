/**
 * Access tokens of the service itself: random and kept as their SHA-256 with the scopes that were granted. What a token may do
 * is read at each request, from its client as it is then, so that a revoked client's tokens end with it (R5.4, R5.10).
 */
import type { CredentialPlan } from "../../plan/plan.ts";
import type { GrantStore, Key, KeyStore } from "../../store/store.ts";
import { endOf, hashSecret, isSecret, mintSecret } from "../credentials/api-key.ts";
import { isGoodClient } from "./clients.ts";

export interface AccessToken {
  readonly client: Key;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly issued: number;
  readonly expires: number;
  /** Those of the client that the granted scopes give. */
  readonly roles: readonly string[];
}

const kind = "access-token";

/** What is kept of a token beside its hash. */
interface Kept {
  readonly client: string;
  readonly scopes: readonly string[];
  readonly issued: number;
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
  const milliseconds = Math.min(credential.lastsMilliseconds ?? 0, endOf(client, credential) - now);
  const kept: Kept = { client: client.hash, scopes, issued: now };
  await grants.put({
    kind,
    id: hashSecret(token),
    group: client.id,
    text: JSON.stringify(kept),
    expires: now + milliseconds,
  });
  return { token, seconds: Math.floor(milliseconds / 1000) };
}

/** Undefined for one that is not good, or not any more. */
export async function findToken(
  credential: CredentialPlan,
  text: string,
  { grants, keys }: { readonly grants: GrantStore; readonly keys: KeyStore },
  now: number,
): Promise<AccessToken | undefined> {
  if (!isSecret(tokenPrefix(credential), text)) return undefined;
  const grant = await grants.find(kind, hashSecret(text));
  if (grant === undefined || grant.expires <= now) return undefined;
  const { client: hash, scopes, issued } = JSON.parse(grant.text) as Kept;
  const client = await keys.find(hash);
  if (client === undefined || !isGoodClient(client, credential, now)) return undefined;
  const roles = rolesOf(credential, client, scopes);
  return { client, scopes, issued, expires: Math.min(grant.expires, endOf(client, credential)), roles };
}

export async function endToken(text: string, grants: GrantStore): Promise<void> {
  await grants.end(kind, hashSecret(text));
}

/** The scopes that a client may be granted: those of which it has every role. */
export function scopesOf(credential: CredentialPlan, client: Key): readonly string[] {
  const roles = clientRoles(credential, client);
  return Object.entries(credential.oauth?.scopes ?? {}).flatMap(([scope, given]) =>
    given.every((role) => roles.includes(role)) ? [scope] : [],
  );
}

/** Without scopes in the document, all roles of the client. */
function rolesOf(credential: CredentialPlan, client: Key, granted: readonly string[]): readonly string[] {
  const scopes = credential.oauth?.scopes;
  const roles = clientRoles(credential, client);
  if (scopes === undefined) return roles;
  const given = new Set(granted.flatMap((scope) => (Object.hasOwn(scopes, scope) ? (scopes[scope] ?? []) : [])));
  return roles.filter((role) => given.has(role));
}

/** The client's own, or those that the document gives to every client. */
function clientRoles({ roles }: CredentialPlan, client: Key): readonly string[] {
  return roles.kind === "fixed" ? roles.roles : client.roles;
}
