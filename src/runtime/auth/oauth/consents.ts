/**
 * What a user has let a client do: the record that they are, for as long as it has the secret that it had then. A changed
 * password ends what was let before it, as it ends sessions.
 */
import type { CredentialPlan } from "../../../plan/authentication/types.ts";
import type { Grant, GrantStore } from "../../../store/port/store.ts";
import { hashSecret } from "../api-key.ts";
import type { LoginRecord, LoginRecords } from "../../context/login.ts";

export interface ConsentDependencies {
  readonly grants: GrantStore;
  readonly logins: ReadonlyMap<string, LoginRecords>;
}

/** As `oidc-provider` names it. */
const kind = "Grant";

export function findUser(
  { oauth }: CredentialPlan,
  { logins }: ConsentDependencies,
  id: string,
): Promise<LoginRecord | undefined> {
  return logins.get(oauth?.users?.credential ?? "")?.byId(id) ?? Promise.resolve(undefined);
}

/** What is stored with a consent about the verified secret. */
export function proofOf({ secret }: LoginRecord): string {
  return hashSecret(secret ?? "");
}

export interface Consent {
  readonly grant: Grant;
  readonly user: LoginRecord;
}

/** Undefined for one that is over, or of a user who is gone or has another secret. */
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
