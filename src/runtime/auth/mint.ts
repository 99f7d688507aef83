/** Creates API keys (R5.4): the store has the hash, and the secret is shown once. */
import type { Clock } from "../../base/clock.ts";
import { createIds } from "../../base/id.ts";
import type { AuthenticationPart, CredentialPlan } from "../../plan/authentication/types.ts";
import type { Key, KeyStore } from "../../store/port/store.ts";
import { hashSecret, hintOf, mintSecret } from "./api-key.ts";

export interface Minting {
  readonly user: string;
  readonly roles: readonly string[];
  readonly credential: CredentialPlan;
  /** The lifetime of the key in milliseconds; absent: until it is revoked. */
  readonly milliseconds?: number | undefined;
}

export async function mintKey(
  keys: KeyStore,
  { user, roles, credential, milliseconds }: Minting,
  clock: Clock,
  random: (bytes: number) => Uint8Array,
): Promise<{ readonly key: Key; readonly secret: string }> {
  const created = clock.now();
  const secret = mintSecret(credential.prefix, random);
  const key: Key = {
    id: createIds(clock, random)("key"),
    credential: credential.name,
    hash: hashSecret(secret),
    hint: hintOf(credential.prefix, secret),
    user,
    roles,
    created,
    ...(milliseconds === undefined ? {} : { expires: created + milliseconds }),
  };
  await keys.create(key);
  return { key, secret };
}

/** Returns the credentials whose keys Nonet creates; those of the others are created by another issuer. */
export function keyCredentials({ credentials }: AuthenticationPart): readonly CredentialPlan[] {
  return credentials.filter(
    ({ kind, oauth, login }) => kind === "api-key" || (kind === "basic" && login === undefined) || oauth !== undefined,
  );
}

/** Returns the default lifetime of a key. For OAuth the document declares the lifetime of tokens, not of client keys. */
export function keyMilliseconds({ oauth, lastsMilliseconds }: CredentialPlan): number | undefined {
  return oauth === undefined ? lastsMilliseconds : undefined;
}

/** A key to try a service with. */
export interface DemoKey {
  readonly role: string;
  readonly user: string;
  readonly secret: string;
}

/** The user of the demo key of a role. */
export function demoUser(role: string): string {
  return `demo-${role}`;
}

/** Returns the credential of the demo keys; OAuth clients get tokens instead. */
export function demoCredential(plan: AuthenticationPart): CredentialPlan | undefined {
  return keyCredentials(plan).find(({ oauth }) => oauth === undefined);
}

/** Creates a key for each role. */
export async function mintDemoKeys(
  { roles }: AuthenticationPart,
  credential: CredentialPlan,
  store: KeyStore,
  clock: Clock,
  random: (bytes: number) => Uint8Array,
): Promise<readonly DemoKey[]> {
  const keys: DemoKey[] = [];
  for (const role of roles) {
    const user = demoUser(role);
    const minting = { user, roles: [role], credential, milliseconds: credential.lastsMilliseconds };
    const { secret } = await mintKey(store, minting, clock, random);
    keys.push({ role, user, secret });
  }
  return keys;
}
