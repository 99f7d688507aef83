/** Clients of an `oauth2` credential whose tokens the service itself issues (RFC 6749, section 4.4): the test gets tokens for them. */
import { isImpossible } from "../attempts.ts";
import { isObject } from "../../base/json.ts";
import type { Credential } from "../../language/authentication/model.ts";
import { bindsByScopes, rolesByScope, tokenMilliseconds } from "../../language/authentication/oauth.ts";
import { lookup } from "../../language/resources/fields.ts";
import { Broken, NotTried } from "../case.ts";
import type { Caller } from "../caller.ts";
import { withToken } from "../credentials.ts";
import type { Interaction } from "../interaction.ts";
import { operationsAddress } from "../request.ts";
import type { Trial } from "./trial.ts";
import { sendAfterLimits } from "./used-up.ts";
import { presentOf } from "./world.ts";

/** Returns the declared credential of a client. @throws NotTried if the document has no such credential */
export function credentialOf({ contract }: Trial, { credential = "" }: Caller): Credential {
  const found = lookup(contract.model.authentication.credentials, credential);
  if (found === undefined) throw new NotTried(`the document has no credential ${credential}`);
  return found;
}

/** Asks for a token. `login`: the id and the secret of the client. `scopes`: by default all that the client may have. */
export function requestToken(
  trial: Trial,
  client: Caller,
  { login = client.client ?? "", scopes }: { readonly login?: string; readonly scopes?: readonly string[] } = {},
): Promise<Interaction> {
  const { at = "/oauth/token" } = credentialOf(trial, client);
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes !== undefined) form.set("scope", scopes.join(" "));
  return sendAfterLimits(
    trial,
    {
      method: "POST",
      url: `${operationsAddress(trial.contract, trial.world.target.address)}${at}`,
      headers: { Authorization: `Basic ${btoa(login)}`, "Content-Type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    },
    client,
  );
}

/** What a response to a request for a token contains. */
export interface IssuedToken {
  readonly token: string;
  readonly milliseconds: number;
}

/** Returns the token in a response; undefined if there is none. */
export function issuedToken(trial: Trial, interaction: Interaction): IssuedToken | undefined {
  const { json, status } = trial.responseOf(interaction);
  const { access_token: token, expires_in: seconds } = status === 200 && isObject(json) ? json : {};
  if (typeof token !== "string") return undefined;
  return { token, milliseconds: typeof seconds === "number" ? seconds * 1000 : tokenMilliseconds };
}

/** Returns a caller with tokens of a client; undefined if the service issues none that have exactly the roles of the client. */
export async function clientCaller(trial: Trial, client: Caller): Promise<Caller | undefined> {
  const { contract, world } = trial;
  const definition = credentialOf(trial, client);
  const granted = rolesFor(definition, client.roles);
  if (!client.roles.every((role) => granted.has(role))) return undefined;
  const request = async (): Promise<IssuedToken | undefined> => {
    try {
      return issuedToken(trial, await requestToken(trial, client));
    } catch (thrown) {
      // Other cases are about the tokens themselves.
      if (isImpossible(thrown) || thrown instanceof Broken) return undefined;
      throw thrown;
    }
  };
  const issued = await request();
  if (issued === undefined) return undefined;
  const session = {
    ...{ ...issued, since: presentOf(world), isOver: false },
    renew: async () => (await request())?.token,
    madeBy: trial,
  };
  const caller: Caller = {
    ...{ ...client, scoped: bindsByScopes(definition), isRenewed: true },
    authorize: (sent) => withToken(contract, client.credential ?? "", session.token, sent),
  };
  world.sessions.set(caller, session);
  return caller;
}

/** Returns the roles of a token with all scopes that a client with these roles may have. */
function rolesFor(definition: Credential, roles: readonly string[]): ReadonlySet<string> {
  const scopes = rolesByScope(definition);
  if (scopes === undefined) return new Set(roles);
  const granted = Object.values(scopes).filter((some) => some.every((role) => roles.includes(role)));
  return new Set(granted.flat());
}
