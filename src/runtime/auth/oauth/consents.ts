/**
 * Finds the consents of users to clients. A consent is valid while the user has the same secret: a changed password ends earlier
 * consents, as it ends sessions.
 */
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { Grant, GrantStore } from "../../../store/port/store.ts";
import { hashSecret } from "../api-key.ts";
import type { LoginRecord, LoginRecords } from "../../context/login.ts";

export interface ConsentDependencies {
  readonly grants: GrantStore;
  readonly logins: ReadonlyMap<string, LoginRecords>;
}

/** The name of the model in `oidc-provider`. */
const kind = "Grant";

export function findUser(
  { oauth }: CredentialPlan,
  { logins }: ConsentDependencies,
  id: string,
): Promise<LoginRecord | undefined> {
  return logins.get(oauth?.users?.credential ?? "")?.byId(id) ?? Promise.resolve(undefined);
}

/** Hash of the user's secret hash, stored with the consent to detect a changed password. */
export function proofOf({ secret }: LoginRecord): string {
  return hashSecret(secret ?? "");
}

export interface Consent {
  readonly grant: Grant;
  readonly user: LoginRecord;
}

/** Undefined for an expired consent, a deleted user, or a user with a changed secret. */
export async function findConsent(
  credential: CredentialPlan,
  planInput: ConsentDependencies,
  id: string,
  now: number,
): Promise<Consent | undefined> {
  const grant = await planInput.grants.find(kind, hashSecret(id));
  if (grant === undefined || grant.expires <= now) return undefined;
  const { accountId, proof } = JSON.parse(grant.text) as { readonly accountId: string; readonly proof: string };
  const user = await findUser(credential, planInput, accountId);
  return user === undefined || proofOf(user) !== proof ? undefined : { grant, user };
}
