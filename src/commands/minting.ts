/** Making keys that callers send: for `nonet key create`, and for the demonstration of `nonet start`. */
import { didYouMean } from "../base/suggest.ts";
import { createIds } from "../base/id.ts";
import type { CredentialPlan, Plan } from "../plan/plan.ts";
import { hashSecret, hintOf, mintSecret } from "../serve/credentials/api-key.ts";
import type { Key, Store } from "../store/store.ts";
import { UsageError } from "./command-line.ts";
import { listed } from "./layout.ts";
import { clock, random } from "./served.ts";

export interface Minting {
  readonly user: string;
  readonly roles: readonly string[];
  readonly credential: CredentialPlan;
  /** How long from now; absent: until it is revoked. */
  readonly milliseconds?: number | undefined;
}

/** Makes a key and keeps its hash. */
export async function mintKey(
  store: Pick<Store, "keys">,
  minting: Minting,
): Promise<{ readonly key: Key; readonly secret: string }> {
  const { user, roles, credential, milliseconds } = minting;
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
  await store.keys.create(key);
  return { key, secret };
}

/** The credentials whose keys are made here; other ones are made by who signs their tokens. */
export function keyCredentials({ credentials }: Plan): readonly CredentialPlan[] {
  return credentials.filter(({ kind }) => kind === "api-key" || kind === "basic");
}

/** The credential of this name, or the only one there is. */
export function keyCredential(plan: Plan, name: string | undefined): CredentialPlan {
  const candidates = keyCredentials(plan);
  const names = candidates.map((each) => each.name);
  if (candidates.length === 0) throw new UsageError("the document has no credential of kind api-key or basic");
  if (name === undefined && candidates.length > 1)
    throw new UsageError(`say which credential: --credential ${names.join(" or --credential ")}`);
  const found = name === undefined ? candidates[0] : candidates.find((each) => each.name === name);
  if (found === undefined) throw new UsageError(unknown("credential with keys called", name ?? "", names));
  return found;
}

export function assertRoles({ roles }: Plan, given: readonly string[]): void {
  const stranger = given.find((role) => !roles.includes(role));
  if (stranger !== undefined) throw new UsageError(unknown("role", stranger, roles));
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const near = didYouMean(name, known);
  const all = known.length === 0 ? "it has none" : `it has ${listed(known)}`;
  return `the document has no ${what} ${name}; ${near === undefined ? all : `did you mean ${near}?`}`;
}
