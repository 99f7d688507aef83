/**
 * Finds the consents of users to clients. A consent is valid while the user has the same secret: a changed password ends earlier
 * consents, as it ends sessions.
 */
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { Grant, GrantStore } from "../../../store/port/store.ts";
import { hashSecret } from "../api-key.ts";
import type { LoginRecord } from "../../context/login.ts";
import type { TokenDependencies } from "./options.ts";

/**
 * Returns the stored grant of a secret, found by its hash; undefined for an unknown or expired one. `kind`: a model of
 * `oidc-provider`.
 */
export async function findGrant(
  grants: GrantStore,
  kind: string,
  secret: string,
  now: number,
): Promise<Grant | undefined> {
  const found = await grants.find(kind, hashSecret(secret));
  return found !== undefined && found.expires > now ? found : undefined;
}

export function findUser(
  { oauth }: CredentialPlan,
  { logins }: TokenDependencies,
  id: string,
): Promise<LoginRecord | undefined> {
  return logins.get(oauth?.users?.credential ?? "")?.byId(id) ?? Promise.resolve(undefined);
}

/** Returns the hash of the user's secret hash, which is stored with a consent to detect a changed password. */
export function proofOf({ secret }: LoginRecord): string {
  return hashSecret(secret ?? "");
}

export interface Consent {
  readonly grant: Grant;
  readonly user: LoginRecord;
}

/** Returns a consent; undefined if it has expired, or if the user was deleted or has changed the secret. */
export async function findConsent(
  credential: CredentialPlan,
  dependencies: TokenDependencies,
  id: string,
  now: number,
): Promise<Consent | undefined> {
  const grant = await findGrant(dependencies.grants, "Grant", id, now);
  if (grant === undefined) return undefined;
  const { accountId, proof } = JSON.parse(grant.text) as { readonly accountId: string; readonly proof: string };
  const user = await findUser(credential, dependencies, accountId);
  return user === undefined || proofOf(user) !== proof ? undefined : { grant, user };
}
