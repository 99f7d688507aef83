/** What clients can observe of credentials: valid ones are accepted, others are not, and none is valid for longer than it lasts. */
import { lengthOf, parseDuration } from "../../base/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Credential } from "../../language/authentication/model.ts";
import { makesTokens } from "../../language/authentication/oauth.ts";
import { Broken, type Case, NotTried, type PartCases, type Unobservable } from "../case.ts";
import type { Caller } from "../caller.ts";
import { type Contract, needsRecord } from "../contract.ts";
import { placesIn, sentText, sending, withToken } from "../credentials.ts";
import { expectError } from "../expect.ts";
import { mayRun } from "../permissions.ts";
import type { Trial } from "../trial/trial.ts";
import { presentOf } from "../trial/world.ts";
import { claimsFor, secretFor, signedToken } from "../web-token.ts";
import { expectAccepted, expectRejected, expectRejectedEverywhere, sender, withoutRenewal } from "./accepted.ts";
import { withAlteredKey } from "./altered-key.ts";
import { oauthCases } from "./oauth.ts";
import { sentCases } from "./sent-in.ts";
import { probesOf, probeWith, probeWithNew } from "./probe.ts";
import { roleText } from "./kinds.ts";
import { isRevocable, revocationCases } from "./revocation.ts";

export function credentialCases(contract: Contract): PartCases {
  const all = Object.entries(contract.model.authentication.credentials);
  return {
    cases: all.flatMap(([name, credential]) => {
      if (credential.kind === "hmac-sha256" || probesOf(contract).length === 0) return [];
      return [
        ...isAccepted(contract, name, credential),
        ...sentCases(contract, name, credential),
        ...rejects(contract, name, credential),
        ...(credential.secret === undefined ? [] : tokens(contract, name, credential)),
        ...expires(name, credential),
        ...revocationCases(name, credential),
        ...oauthCases(contract, name, credential),
      ];
    }),
    unobservable: all.flatMap(([name, credential]) => unobservable(name, credential)),
  };
}

function isAccepted(contract: Contract, name: string, { roles, sent }: Credential): readonly Case[] {
  const path = `authentication/credentials/${name}`;
  return placesIn(contract, name).map((location, index): Case => {
    const where = index === 0 ? "" : ` in ${sentText(location)}`;
    return {
      id: `${path}: accepted${where}`,
      aspects: [
        { path: sent === undefined ? path : `${path}/sent`, expects: `a valid credential${where} is accepted` },
        ...(roles === undefined || index > 0
          ? []
          : [{ path: `${path}/roles`, expects: "its holder has the roles of the credential" }]),
      ],
      run: async (trial) => {
        const probe = await probeWith(trial, name, 1);
        const { caller, operation, record } = probe;
        // The caller itself gets another token if the present one is old.
        const first = await expectAccepted(trial, probe);
        const interaction =
          index === 0 ? first : await expectAccepted(trial, probe, sending(contract, name, caller, location));
        const isDenied = trial.responseOf(interaction).status === 403;
        if (isDenied && mayRun(trial.contract, operation, caller, trial.around(record)) === true)
          throw new Broken(`no 403 for a caller with ${roleText(caller.roles)}`, "403", interaction, path);
      },
    };
  });
}

/** A credential that nobody got is rejected. */
function rejects(contract: Contract, name: string, { kind, prefix }: Credential): readonly Case[] {
  const path = `authentication/credentials/${name}`;
  const called = probesOf(contract).find((one) => !needsRecord(one));
  if (called === undefined) return [];
  const isIssued = kind === "api-key" || kind === "basic" || kind === "password";
  return placesIn(contract, name).flatMap((location, index): readonly Case[] => {
    const where = index === 0 ? "" : ` in ${sentText(location)}`;
    const wrong: Case = {
      id: `${path}: wrong${where}`,
      aspects: [{ path, expects: `a credential that nobody got${where} is rejected` }],
      operation: called.operation,
      run: async (trial) => {
        const text = `${prefix ?? `${name}_`}${trial.random.text(33)}`;
        const token = kind === "basic" ? `nobody:${text}` : text;
        const caller = sender(trial, name, token, "a wrong credential", location);
        await expectRejected(trial, { caller, operation: called.operation }, caller);
      },
    };
    const altered: Case = {
      id: `${path}: altered${where}`,
      aspects: [
        { path, expects: `a text${where} that differs from a valid credential in some characters is rejected` },
      ],
      operation: called.operation,
      run: async (trial) => {
        const probe = await probeWith(trial, name, 1);
        await expectAccepted(trial, probe);
        await expectRejected(trial, probe, withAlteredKey(trial.contract, name, probe.caller, location));
      },
    };
    return isIssued ? [wrong, altered] : [wrong];
  });
}

// ── Tokens of an issuer ────────────────────────────────────────────────────────────────────────────────────────────

/** What a wrong token differs in from a valid one. */
interface WrongToken {
  readonly what: string;
  /** The member of the credential that it contradicts; absent: the kind. */
  readonly member?: string;
  readonly claims?: (claims: JsonObject, seconds: number) => JsonObject;
  readonly secret?: string;
  readonly algorithm?: "none";
}

const hourSeconds = 3600;

function wrongTokens({ audience, issuer, lasts, user }: Credential): readonly WrongToken[] {
  const longest = lasts === undefined ? undefined : parseDuration(lasts);
  const seconds = longest === undefined ? undefined : lengthOf(longest) / 1000;
  return [
    {
      what: "a token with another secret's signature",
      member: "secret",
      secret: "another secret, of enough bytes for HS256",
    },
    { what: "a token without a signature", algorithm: "none" },
    {
      what: "an expired token",
      claims: (claims, now) => ({ ...claims, iat: now - 2 * hourSeconds, exp: now - hourSeconds }),
    },
    ...(issuer === undefined
      ? []
      : [
          {
            what: "a token of another issuer",
            member: "issuer",
            claims: (claims: JsonObject) => ({ ...claims, iss: `${issuer}.other.example` }),
          },
        ]),
    ...(audience === undefined
      ? []
      : [
          {
            what: "a token for another audience",
            member: "audience",
            claims: (claims: JsonObject) => ({ ...claims, aud: `not-${audience}` }),
          },
        ]),
    ...(seconds === undefined
      ? []
      : [
          {
            what: `a token that is valid for longer than ${lasts}`,
            member: "lasts",
            claims: (claims: JsonObject, now: number) => ({ ...claims, exp: now + seconds + marginSeconds(seconds) }),
          },
        ]),
    ...(user === undefined
      ? []
      : [
          {
            what: `a token without the claim ${user}`,
            member: "user",
            claims: (claims: JsonObject) => ({ ...claims, [user]: null, sub: "somebody" }),
          },
        ]),
  ];
}

/** How far from the end of a time the test looks, in seconds: services may have a minute of leeway. */
function marginSeconds(seconds: number): number {
  return Math.max(180, Math.min(hourSeconds / 2, seconds / 4));
}

function tokens(contract: Contract, name: string, credential: Credential): readonly Case[] {
  const path = `authentication/credentials/${name}`;
  if (credential.kind !== "jwt" && credential.kind !== "oauth2") return [];
  const wrong = wrongTokens(credential).map(
    ({ what, member, claims = (all) => all, secret, algorithm }): Case => ({
      id: `${path}: ${what}`,
      aspects: [{ path: member === undefined ? path : `${path}/${member}`, expects: `${what} is rejected` }],
      run: async (trial) => {
        const signing = signingSecret(trial, name, credential);
        const probe = await probeWith(trial, name, 1);
        const { caller } = probe;
        // Only if the valid token is accepted, the difference is what the service rejects.
        await expectAccepted(trial, probe);
        const now = presentOf(trial.world);
        const valid = claimsFor(credential, caller.id ?? caller.name, caller.roles, now);
        const token = signedToken(claims(valid, Math.floor(now / 1000)), secret ?? signing, algorithm);
        await expectRejected(trial, probe, sender(trial, name, token, what));
      },
    }),
  );
  return [...wrong, ...lastingTokens(name, credential), ...scopes(contract, name, credential)];
}

function signingSecret({ world }: Trial, name: string, credential: Credential): string {
  const secret = secretFor(credential, world.target.secrets);
  if (secret !== undefined) return secret;
  throw new NotTried(
    `the test does not know the secret of ${name}`,
    credential.secret === undefined ? undefined : `the value of ${credential.secret}, as a secret of the test`,
  );
}

/** A token that is valid for a little less than the longest time is accepted. */
function lastingTokens(name: string, credential: Credential): readonly Case[] {
  const path = `authentication/credentials/${name}/lasts`;
  const longest = credential.lasts === undefined ? undefined : parseDuration(credential.lasts);
  if (longest === undefined) return [];
  const seconds = lengthOf(longest) / 1000;
  if (seconds < 600) return [];
  return [
    {
      id: `${path}: long`,
      aspects: [{ path, expects: `a token that is valid for almost ${credential.lasts} is accepted` }],
      run: async (trial) => {
        const secret = signingSecret(trial, name, credential);
        const probe = await probeWith(trial, name, 1);
        const { caller } = probe;
        const now = presentOf(trial.world);
        const exp = Math.floor(now / 1000 + seconds - marginSeconds(seconds));
        const token = signedToken({ ...claimsFor(credential, caller.id ?? "", caller.roles, now), exp }, secret);
        const long: Caller = { ...caller, authorize: (request) => withToken(trial.contract, name, token, request) };
        await expectAccepted(trial, probe, long);
      },
    },
  ];
}

/** A token without the scopes that the document asks for gets 403. */
function scopes(contract: Contract, name: string, credential: Credential): readonly Case[] {
  const path = `authentication/credentials/${name}/scopes`;
  const [first] = credential.scopes ?? [];
  if (first === undefined || credential.scopeRoles !== undefined) return [];
  return [
    {
      id: `${path}: missing`,
      aspects: [{ path, expects: `a token without the scope ${first} may do nothing` }],
      run: async (trial) => {
        const secret = signingSecret(trial, name, credential);
        const probe = await probeWith(trial, name, 1);
        const { caller, operation, record } = probe;
        await expectAccepted(trial, probe);
        const { scope: _, ...claims } = claimsFor(credential, caller.id ?? "", caller.roles, presentOf(trial.world));
        const narrow: Caller = {
          ...caller,
          authorize: (request) => withToken(contract, name, signedToken(claims, secret), request),
        };
        const options = { caller: narrow, ...(record === undefined ? {} : { record }) };
        expectError(trial, await trial.call(operation, options), { code: "forbidden" });
      },
    },
  ];
}

// ── The end of a credential ────────────────────────────────────────────────────────────────────────────────────────

/** A key or a session is valid for as long as it lasts, and not for longer. */
function expires(name: string, credential: Credential): readonly Case[] {
  const path = `authentication/credentials/${name}/lasts`;
  const { kind, lasts } = credential;
  const duration = parseDuration(lasts ?? "");
  const isIssued = kind === "api-key" || kind === "basic" || kind === "password" || makesTokens(credential);
  if (lasts === undefined || !isIssued) return [];
  if (duration === undefined) return [lastsForYears(path, name, lasts)];
  const length = lengthOf(duration);
  const early = Math.min(hourSeconds * 1000, length / 4);
  const isSession = kind === "password" || kind === "oauth2";
  return [
    {
      id: `${path}: expires`,
      aspects: [{ path, expects: `a credential is accepted until it is ${lasts} old, and not after that` }],
      // The other credentials of the test expire, too.
      ...(isSession ? { exclusive: true } : { endsCredentials: true }),
      run: async (trial) => {
        const probe = await probeWithNew(trial, name);
        const { caller } = probe;
        if (caller.isNew !== true)
          throw new NotTried("nobody knows how old a lent credential is", "a command that makes one");
        const session = trial.world.sessions.get(caller);
        const old = withoutRenewal(trial, caller);
        // A command that makes keys may go by this machine's clock, and then they end earlier by the implementation's.
        const ahead = session === undefined ? Math.max(0, trial.world.clock.ahead) : 0;
        if (ahead >= length - early) throw new NotTried("the test has moved the clock beyond the end of a new key");
        // What the request needs is made by callers whose credentials will have expired, too.
        await expectAccepted(trial, probe, old);
        const wait = length - early - ahead - (session === undefined ? 0 : presentOf(trial.world) - session.since);
        const pass = (milliseconds: number): Promise<void> => trial.pass(milliseconds, { isExpiryMeant: true });
        await pass(wait);
        await expectAccepted(trial, probe, old);
        const beyond = early + 120_000;
        if (ahead > early + beyond) {
          await pass(beyond);
          // A key that is still accepted goes by the implementation's clock.
          const { caller: _, operation, ...record } = probe;
          const { status } = trial.responseOf(await trial.call(operation, { ...record, caller: old }));
          if (status !== 401) {
            await pass(ahead - early - beyond);
            await expectAccepted(trial, probe, old);
          }
        }
        await pass(beyond + ahead);
        await expectRejectedEverywhere(trial, probe, name, old);
      },
    },
  ];
}

const year = 365 * 86_400_000;

/** A credential that lasts until it is revoked is still accepted after two years. */
function lastsForYears(path: string, name: string, lasts: string): Case {
  return {
    id: `${path}: for years`,
    aspects: [{ path, expects: `a credential is accepted ${lasts}` }],
    endsCredentials: true,
    run: async (trial) => {
      const probe = await probeWithNew(trial, name);
      const { caller } = probe;
      if (caller.isNew !== true) throw new NotTried("a lent credential may end earlier", "a command that makes one");
      await expectAccepted(trial, probe);
      await trial.pass(2 * year, { isExpiryMeant: true });
      await expectAccepted(trial, probe, withoutRenewal(trial, caller));
    },
  };
}

/** What is written for readers, and what no client can bring about. */
function unobservable(name: string, credential: Credential): readonly Unobservable[] {
  const path = `authentication/credentials/${name}`;
  const { obtained, prefix, renewed, revoked } = credential;
  const isDuration = renewed !== undefined && parseDuration(renewed) !== undefined;
  return [
    ...(obtained === undefined
      ? []
      : [{ path: `${path}/obtained`, expects: obtained, reason: "it is written for readers" }]),
    ...(renewed === undefined || isDuration
      ? []
      : [{ path: `${path}/renewed`, expects: renewed, reason: "it is written for readers" }]),
    ...(prefix === undefined
      ? []
      : [
          {
            path: `${path}/prefix`,
            expects: `keys begin with ${prefix}`,
            reason: "the owner of the implementation makes the keys",
          },
        ]),
    ...(revoked === undefined || isRevocable(credential)
      ? []
      : [
          {
            path: `${path}/revoked`,
            expects: `a revocation takes effect ${revoked}`,
            reason: "another server revokes the credential",
          },
        ]),
  ];
}
