/** Makes callers from the credentials that the owner of the implementation lends the test. */
import { makesTokens } from "../language/authentication/oauth.ts";
import { lookup } from "../language/resources/fields.ts";
import type { Caller } from "./caller.ts";
import type { Contract } from "./contract.ts";
import { bearer } from "./credentials.ts";
import type { LentCaller } from "./settings.ts";
import type { Target } from "./target.ts";

/**
 * Returns a token of a new user with these roles, for a credential of part 5, or the id and the secret of a new client, with a colon
 * between them; undefined if there are no means for that. `isUsual`: whether it is the credential that most callers use.
 */
export type Obtain = (
  user: string,
  roles: readonly string[],
  credential: string,
  isUsual: boolean,
) => Promise<string | undefined>;

/** Returns the callers by their roles: those that were lent, and then those that `obtain` makes. */
export function lend(contract: Contract, lent: readonly LentCaller[], obtain?: Obtain): Target["caller"] {
  const known = new Map<string, Promise<Caller | undefined>>();
  return (roles, number, credential) => {
    const key = `${[...roles].toSorted().join("+")} ${number} ${credential ?? ""}`;
    const found = known.get(key) ?? callerOf(roles, number, credential);
    known.set(key, found);
    return found;
  };

  async function callerOf(
    roles: readonly string[],
    number: number,
    wanted: string | undefined,
  ): Promise<Caller | undefined> {
    const same = lent.filter(
      (one) =>
        one.roles.length === roles.length &&
        roles.every((role) => one.roles.includes(role)) &&
        (wanted === undefined || (one.credential ?? tokenCredential(contract)) === wanted),
    );
    const one = same[number - 1];
    const label = `${roles.length === 0 ? "caller" : roles.join("+")}-${number}`;
    if (one !== undefined)
      return made(one.token, { name: one.user ?? label, id: one.user, roles, credential: one.credential });
    const user = `test-${label}`;
    const usual = tokenCredential(contract);
    const credential = wanted ?? usual;
    const token = credential === undefined ? undefined : await obtain?.(user, roles, credential, credential === usual);
    const caller = token === undefined ? undefined : made(token, { name: user, id: user, roles, credential });
    return caller === undefined ? undefined : { ...caller, isNew: true };
  }

  function made(
    token: string,
    {
      name,
      id,
      roles,
      credential,
    }: {
      readonly name: string;
      readonly id: string | undefined;
      readonly roles: readonly string[];
      readonly credential?: string | undefined;
    },
  ): Caller | undefined {
    const used = credential ?? tokenCredential(contract);
    if (used === undefined) return undefined;
    const definition = lookup(contract.model.authentication.credentials, used);
    const isBasic = definition?.kind === "basic";
    const caller = bearer(contract, used, isBasic && !token.includes(":") ? `${id ?? name}:${token}` : token, {
      name,
      id,
      roles,
    });
    return definition !== undefined && makesTokens(definition)
      ? { ...caller, client: token, authorize: (request) => request }
      : caller;
  }
}

/** Returns the first credential whose holder sends a key, a token or a name with a secret; else one whose clients get tokens. */
export function tokenCredential({ model }: Contract): string | undefined {
  const kinds = Object.entries(model.authentication.credentials);
  const found =
    kinds.find(([, { kind, of }]) => kind === "api-key" || (kind === "basic" && of === undefined)) ??
    kinds.find(
      ([, credential]) => credential.kind === "jwt" || (credential.kind === "oauth2" && !makesTokens(credential)),
    ) ??
    kinds.find(([, credential]) => makesTokens(credential));
  return found?.[0];
}
