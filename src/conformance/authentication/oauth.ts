/** What clients can observe of an `oauth2` credential whose tokens the service itself issues: who gets a token, and what it may do. */
import { isObject } from "../../base/json.ts";
import type { Credential } from "../../language/authentication/model.ts";
import { makesTokens, rolesByScope } from "../../language/authentication/oauth.ts";
import { Broken, type Case, NotTried } from "../case.ts";
import { anonymous, type Caller } from "../caller.ts";
import { type Contract, needsRecord } from "../contract.ts";
import { withToken } from "../credentials.ts";
import { statusText } from "../errors/expected.ts";
import { expectError } from "../expect.ts";
import type { Interaction } from "../interaction.ts";
import { mayEverRun } from "../permissions.ts";
import { operationsAddress } from "../request.ts";
import { rolesOf } from "../roles.ts";
import { issuedToken, requestToken } from "../trial/oauth.ts";
import type { Trial } from "../trial/trial.ts";
import { probesOf } from "./probe.ts";

export function oauthCases(contract: Contract, name: string, credential: Credential): readonly Case[] {
  if (!makesTokens(credential)) return [];
  const path = `authentication/credentials/${name}`;
  return [
    issues(path, name, credential),
    rejectsOthers(path, name),
    ...limitsScopes(contract, path, name, credential),
    ...(credential.login === undefined ? [] : [representsUsers(path)]),
  ];
}

/** Returns a client of the credential. @throws NotTried if the test has none */
async function clientOf({ contract, world }: Trial, name: string): Promise<Caller> {
  for (const roles of rolesOf(contract)) {
    const lent = await world.target.caller(roles, 1, name);
    if (lent?.client !== undefined) return lent;
  }
  throw new NotTried(`the test has no client of ${name}`, "a command that makes one: --obtain");
}

function issues(path: string, name: string, { at = "/oauth/token" }: Credential): Case {
  return {
    id: `${path}: token`,
    aspects: [
      { path, expects: "a client gets a token (RFC 6749, section 4.4)" },
      { path: `${path}/at`, expects: `the token endpoint is POST ${at}` },
    ],
    run: async (trial) => {
      const interaction = await requestToken(trial, await clientOf(trial, name));
      const { status } = trial.responseOf(interaction);
      const got = statusText(trial.contract, trial.responseOf(interaction));
      if (status === 404 || status === 405) throw new Broken(`a token from ${at}`, got, interaction, `${path}/at`);
      if (issuedToken(trial, interaction) === undefined)
        throw new Broken("200 with an `access_token`", got, interaction, path);
    },
  };
}

/** A client with a wrong secret gets no token. */
function rejectsOthers(path: string, name: string): Case {
  return {
    id: `${path}: wrong secret`,
    aspects: [{ path, expects: "a client with a wrong secret gets no token" }],
    run: async (trial) => {
      const client = await clientOf(trial, name);
      const login = `${client.client?.split(":")[0] ?? ""}:${name}_${trial.random.text(33)}`;
      expectNoToken(trial, await requestToken(trial, client, { login }));
    },
  };
}

function expectNoToken(trial: Trial, interaction: Interaction): void {
  const { status } = trial.responseOf(interaction);
  if (status < 400) throw new Broken("an error of the client (RFC 6749, section 5.2)", String(status), interaction);
}

/** A token of one scope may not do what only the roles of other scopes may do. */
function limitsScopes(contract: Contract, path: string, name: string, credential: Credential): readonly Case[] {
  const scopes = Object.entries(rolesByScope(credential) ?? {});
  return scopes.flatMap(([scope, roles]): readonly Case[] => {
    const narrow: Caller = { ...anonymous, roles, signedIn: true, scoped: true };
    const beyond = probesOf(contract).find((one) => !needsRecord(one) && !mayEverRun(contract, one.operation, narrow));
    if (beyond === undefined) return [];
    return [
      {
        id: `${path}/scopes: ${scope} alone`,
        aspects: [
          { path: `${path}/scopes`, expects: `a token with the scope ${scope} may not run ${beyond.operation}` },
        ],
        operation: beyond.operation,
        run: async (trial) => {
          const client = await clientOf(trial, name);
          const issued = issuedToken(trial, await requestToken(trial, client, { scopes: [scope] }));
          if (issued === undefined) throw new NotTried(`the test has no client that may have the scope ${scope}`);
          const caller: Caller = {
            ...{ ...client, roles, scoped: true },
            authorize: (request) => withToken(contract, name, issued.token, request),
          };
          expectError(trial, await trial.call(beyond.operation, { caller, body: null }), { code: "forbidden" });
        },
      },
    ];
  });
}

/** The pages where users consent are for people; programs find them in the metadata of the server (RFC 8414). */
function representsUsers(path: string): Case {
  return {
    id: `${path}/login: metadata`,
    aspects: [{ path: `${path}/login`, expects: "the metadata name the page where users consent" }],
    run: async (trial) => {
      const url = `${operationsAddress(trial.contract, trial.world.target.address)}/.well-known/oauth-authorization-server`;
      const interaction = await trial.send({ method: "GET", url, headers: {} });
      const { json, status } = trial.responseOf(interaction);
      if (status !== 200 || !isObject(json)) throw new NotTried("the service has no metadata (RFC 8414)");
      if (typeof json["authorization_endpoint"] === "string") return;
      throw new Broken("`authorization_endpoint` in the metadata", "no such member", interaction);
    },
  };
}
