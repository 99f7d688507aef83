/** From the credential fields of a request to its caller (R5.2 to R5.7). */
import { createHmac } from "node:crypto";
import { defined } from "../../base/defined.ts";
import type { Clock } from "../../base/clock.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { CredentialPlan, Operation, Plan } from "../../plan/plan.ts";
import type { GrantStore, KeyStore, SessionStore } from "../../store/store.ts";
import { subscriberOf } from "../address.ts";
import type { Caller, CallerKinds } from "../caller.ts";
import { anonymous } from "../caller.ts";
import { resourceMetadataPath } from "../oauth/paths.ts";
import { findToken } from "../oauth/tokens.ts";
import type { Exchange } from "../exchange.ts";
import { idText } from "../keys-in-path.ts";
import { Refusal } from "../refusal.ts";
import { endOf, hashSecret, isSecret, nameOfSecret } from "./api-key.ts";
import { challengeOf } from "./challenge.ts";
import type { Sharing } from "../limits/sharing.ts";
import type { FailureLimits } from "./failures.ts";
import type { LoginGuard } from "./guard.ts";
import { createSignatureVerifier, goodMilliseconds } from "./hmac.ts";
import type { SignatureVerifier, Verified } from "./hmac.ts";
import type { VerifyToken } from "./jwt.ts";
import { isPassword } from "./password.ts";
import { type LoginRecords, loginRecordsOf } from "./records.ts";
import { isAccessToken, isOver } from "./session.ts";

export interface Authentication {
  /**
   * The caller, anonymous where no credential was sent; refuses bad ones with 401, malformed ones with 400. `mayRepeat`: a
   * signature that was seen before is good again, since whoever asks knows what it did then.
   */
  authenticate(exchange: Exchange, body: () => Promise<Uint8Array>, mayRepeat?: boolean): Caller | Promise<Caller>;
  /**
   * The caller of a request that is still being answered, as it is now; undefined where its credential has ended (R5.10). A
   * signature was good once and does not end.
   */
  still(exchange: Exchange, caller: Caller): Promise<Caller | undefined>;
  /** Whether the request carries a credential, good or bad. */
  carries(exchange: Exchange): boolean;
  /** The refusal of a caller without credentials (401, R5.2). */
  challenge(): Refusal;
  /** That of a caller who may not do what only these grants allow; says which scope would let it (RFC 6750 section 3.1). */
  forbidden(caller: Caller, allow: Operation["allow"]): Refusal;
}

export interface AuthenticationOptions {
  readonly plan: Pick<Plan, "service" | "credentials">;
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
  readonly baseUrl: () => string;
  /** Whose callers are records, by credential. */
  readonly logins: ReadonlyMap<string, LoginRecords>;
  readonly guard: LoginGuard;
  readonly failures: FailureLimits;
  /** What is counted together with other processes. */
  readonly sharing: Sharing | undefined;
  /** The same for all of them, and known to nobody else. */
  readonly salt: string;
  readonly kinds: CallerKinds;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** The environment variables that secrets come from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What one credential field may hold: several kinds may share `Authorization Bearer`. */
interface Method {
  readonly credential: CredentialPlan;
  readonly scheme: string | undefined;
  /** Whose credential it says to be: the beginning of a key, the user of a password; not all of them say it. */
  names?(secret: string): string | undefined;
  prove(secret: string, exchange: Exchange, body: () => Promise<Uint8Array>): Promise<Proof | undefined>;
}

interface Proof {
  readonly user: string;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, Value>>;
  /** Epoch milliseconds until which it may be taken from memory. */
  readonly until: number;
  /** Where it is a signature of this request. */
  readonly signed?: Verified;
  readonly session?: Caller["session"];
}

/** A proved caller is taken from memory for this long, and so a revoked one too (R5.4: at most one second). */
const rememberMilliseconds = 500;

/**
 * Two clocks say when it is over. One that can be set says how long the credential itself is good. It may be set back, and come to the
 * same moment once more: how long is remembered is measured with the one that never is.
 */
interface Remembered {
  readonly caller: Caller;
  readonly since: number;
  readonly until: number;
  readonly elapsed: number;
}

function isFresh({ elapsed, since, until }: Remembered, now: number): boolean {
  return now >= since && now < until && performance.now() - elapsed < rememberMilliseconds;
}
const maximumRemembered = 10_000;

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { plan, kinds, clock } = options;
  const fields = groupByField(plan.credentials.flatMap((credential) => methodsOf(credential, options)));
  const fromAddress = options.failures("keys from an address");
  const forKey = options.failures("keys of a name");
  // Parts of secrets are in no table: what they are counted by cannot be turned back.
  const hashed = (text: string) => createHmac("sha256", options.salt).update(text).digest("base64url");
  const challenges = challengeFields(plan, options.baseUrl);

  const refuse = (
    error: "invalid_token" | "invalid_request" | undefined,
    detail: string,
    tried: readonly Method[] = [],
  ): Refusal =>
    new Refusal(error === "invalid_request" ? "invalid-request" : "unauthenticated", {
      ...(error === "invalid_request" ? { status: 400 } : {}),
      detail,
      headers: challenges(tried, error, detail),
    });

  async function prove(
    field: Field,
    value: string,
    exchange: Exchange,
    body: () => Promise<Uint8Array>,
    mayRepeat: boolean,
  ): Promise<Caller> {
    const now = clock.now();
    const { scheme, secret } = splitScheme(field, value);
    const methods = methodsFor(field, scheme);
    if (methods.length === 0) throw refuse(undefined, "This scheme is not taken here");
    if (secret === "") throw refuse("invalid_request", "The credential is empty", methods);
    if (/\s/.test(secret)) throw refuse("invalid_request", "The credential is not one word", methods);
    const caller = await provedBy(methods, { field, value, secret, exchange, body, mayRepeat });
    if (caller !== undefined) return caller;
    limitFailures(exchange.address, methods, secret, now);
    throw refuse("invalid_token", "The credential is unknown, expired or revoked", methods);
  }

  async function provedBy(methods: readonly Method[], sent: SentSecret): Promise<Caller | undefined> {
    const { field, value, secret, exchange, body, mayRepeat } = sent;
    const [now, elapsed] = [clock.now(), performance.now()];
    for (const method of methods) {
      const proof = await method.prove(secret, exchange, body);
      if (proof === undefined || (proof.signed?.again === true && !mayRepeat)) continue;
      const caller: Caller = {
        id: proof.user,
        roles: proof.roles,
        claims: proof.claims,
        credential: method.credential.name,
        ...(proof.signed === undefined ? {} : { signature: proof.signed.signature }),
        ...(proof.session === undefined ? {} : { session: proof.session }),
        kind: kinds.of(proof.roles),
      };
      if (proof.until > now) {
        const { remembered } = field;
        if (remembered.size >= maximumRemembered) remembered.clear();
        remembered.set(value, {
          caller,
          since: now,
          until: Math.min(proof.until, now + rememberMilliseconds),
          elapsed,
        });
      }
      return caller;
    }
    return undefined;
  }

  /** R5.7: only failures are limited. Whoever shares the address, or whose key is guessed, has a credential that is good. */
  function limitFailures(address: string, methods: readonly Method[], secret: string, now: number): void {
    const named = methods.flatMap((method) => {
      const name = method.names?.(secret);
      return name === undefined ? [] : [hashed(`${method.credential.name}\0${name}`)];
    });
    const subscriber = subscriberOf(address);
    const wait = Math.max(
      fromAddress.waitSeconds(subscriber, now),
      ...named.map((name) => forKey.waitSeconds(name, now)),
    );
    if (wait > 0) {
      throw new Refusal("rate-limited", {
        detail: "Too many failed credentials from this address, or for this key",
        headers: ["Retry-After", String(wait)],
      });
    }
    fromAddress.note(subscriber, now);
    for (const name of named) forKey.note(name, now);
  }

  function presentedIn(exchange: Exchange): { readonly field: Field; readonly value: string } | undefined {
    let presented: { readonly field: Field; readonly value: string } | undefined;
    for (const field of fields) {
      const value = exchange.headers.get(field.name);
      if (value === undefined) continue;
      if (presented !== undefined || exchange.headers.repeated(field.name)) {
        const tried = [...(presented?.field.methods ?? []), ...field.methods];
        throw refuse("invalid_request", "Send one credential, once", tried);
      }
      presented = { field, value };
    }
    return presented;
  }

  return {
    challenge: () => refuse(undefined, "A credential is needed"),
    forbidden(caller, allow) {
      const credential = plan.credentials.find(({ name }) => name === caller.credential);
      const missing = Object.entries(credential?.oauth?.scopes ?? {}).flatMap(([scope, roles]) =>
        allow.some(({ who }) => who.kind === "role" && roles.includes(who.role)) ? [scope] : [],
      );
      return credential === undefined || missing.length === 0
        ? new Refusal("forbidden")
        : lacking(credential, missing.slice(0, 1));
    },
    carries: ({ headers }) => fields.some(({ name }) => headers.get(name) !== undefined),
    authenticate(exchange, body, mayRepeat = false) {
      const presented = presentedIn(exchange);
      if (presented === undefined) return anonymous;
      const { field, value } = presented;
      const known = field.remembered.get(value);
      if (known !== undefined && isFresh(known, clock.now())) return known.caller;
      return prove(field, value, exchange, body, mayRepeat);
    },
    async still(exchange, caller) {
      const presented = presentedIn(exchange);
      if (presented === undefined || caller.signature !== undefined) return caller;
      const { field, value } = presented;
      const { scheme, secret } = splitScheme(field, value);
      const body = () => Promise.resolve(new Uint8Array());
      return provedBy(methodsFor(field, scheme), { field, value, secret, exchange, body, mayRepeat: false });
    },
  };
}

interface Field {
  /** Lower case. */
  readonly name: string;
  readonly methods: readonly Method[];
  /** Who was proved lately, by what was sent in the field. */
  readonly remembered: Map<string, Remembered>;
}

interface SentSecret {
  readonly field: Field;
  /** Of the field, as it was sent. */
  readonly value: string;
  readonly secret: string;
  readonly exchange: Exchange;
  readonly body: () => Promise<Uint8Array>;
  readonly mayRepeat: boolean;
}

function groupByField(methods: readonly Method[]): readonly Field[] {
  const names = new Set(methods.map(({ credential }) => credential.sent.header.toLowerCase()));
  return [...names].map((name) => ({
    name,
    methods: methods.filter(({ credential }) => credential.sent.header.toLowerCase() === name),
    remembered: new Map(),
  }));
}

/** `scheme` in lower case. */
function methodsFor(field: Field, scheme: string | undefined): readonly Method[] {
  return field.methods.filter((method) => method.scheme === undefined || method.scheme.toLowerCase() === scheme);
}

/** `scheme` in lower case; a field without schemes is all secret. */
function splitScheme(field: Field, value: string): { scheme: string | undefined; secret: string } {
  if (field.methods.every(({ scheme }) => scheme === undefined)) return { scheme: undefined, secret: value.trim() };
  const space = value.indexOf(" ");
  if (space === -1) return { scheme: value.toLowerCase(), secret: "" };
  return { scheme: value.slice(0, space).toLowerCase(), secret: value.slice(space + 1).trim() };
}

/**
 * The WWW-Authenticate fields of a refusal, as names and values in turn: one for each way to send a credential, with the
 * error where it was tried. Basic has no place for one (RFC 7617).
 */
function challengeFields(
  { service, credentials }: Pick<Plan, "service" | "credentials">,
  baseUrl: () => string,
): (tried: readonly Method[], error: string | undefined, detail: string) => string[] {
  const challenges = [...Map.groupBy(credentials, (credential) => challengeOf(service, credential))];
  return (tried, error, detail) =>
    challenges.flatMap(([plain, ways]) => {
      // RFC 9728 section 5.1: where a client learns who gives tokens.
      const metadata = `, resource_metadata="${baseUrl().replace(/\/+$/, "")}${resourceMetadataPath}"`;
      const challenge = ways.some(({ oauth }) => oauth !== undefined) ? plain + metadata : plain;
      const told =
        error !== undefined &&
        !challenge.startsWith("Basic ") &&
        tried.some(({ credential, scheme }) => ways.includes(credential) && scheme === credential.sent.scheme);
      return ["WWW-Authenticate", told ? `${challenge}, error="${error}", error_description="${detail}"` : challenge];
    });
}

function methodsOf(credential: CredentialPlan, options: AuthenticationOptions): readonly Method[] {
  const secret = credential.secret === undefined ? undefined : options.environment[credential.secret];
  const scheme = credential.sent.scheme;
  switch (credential.kind) {
    case "api-key": {
      const names = (text: string) => nameOfSecret(credential.prefix, text);
      const asUser: Method = {
        credential,
        scheme: "Basic",
        names: (text) => names(userOf(text)),
        prove: proveKeyAsUser(credential, options),
      };
      return [
        { credential, scheme, names, prove: (text) => proveKey(credential, options, text) },
        ...(scheme === "Bearer" ? [asUser] : []),
      ];
    }
    case "basic":
      return [
        {
          credential,
          scheme,
          names: userOf,
          prove:
            credential.login === undefined
              ? (text) => proveBasic(credential, options, text)
              : proveRecord(credential, options),
        },
      ];
    case "password":
      return [{ credential, scheme, prove: (text) => proveSession(credential, options, text) }];
    case "oauth2":
      if (credential.oauth !== undefined)
        return [{ credential, scheme, prove: (text) => proveOwnToken(credential, options, text) }];
      return [{ credential, scheme, prove: proveToken(credential, options.clock, tokenVerifier(credential, secret)) }];
    case "jwt":
      return [{ credential, scheme, prove: proveToken(credential, options.clock, tokenVerifier(credential, secret)) }];
    case "hmac-sha256":
      return [{ credential, scheme, prove: proveSignature(credential, options, createSignatureVerifier(secret)) }];
  }
}

async function proveKey(
  credential: CredentialPlan,
  { keys, clock }: AuthenticationOptions,
  text: string,
): Promise<Proof | undefined> {
  if (!isSecret(credential.prefix, text)) return undefined;
  const key = await keys.find(hashSecret(text));
  if (key === undefined || key.credential !== credential.name) return undefined;
  const until = endOf(key, credential);
  if (until <= clock.now()) return undefined;
  return {
    user: key.user,
    roles: rolesOf(credential, key.roles, {}),
    claims: {},
    until,
  };
}

/** Of the credentials of `Basic`. */
function userOf(text: string): string {
  return Buffer.from(text, "base64").toString("utf8").split(":", 1)[0] ?? "";
}

/** A key as the user of `Basic` with an empty password, as `curl -u key:` sends it (R5.3). */
function proveKeyAsUser(credential: CredentialPlan, options: AuthenticationOptions): Method["prove"] {
  return async (text) => {
    const decoded = Buffer.from(text, "base64").toString("utf8");
    return decoded.endsWith(":") ? proveKey(credential, options, decoded.slice(0, -1)) : undefined;
  };
}

/** `user:secret`; the secret is a key of that user. */
async function proveBasic(
  credential: CredentialPlan,
  options: AuthenticationOptions,
  text: string,
): Promise<Proof | undefined> {
  const decoded = Buffer.from(text, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon === -1) return undefined;
  const proof = await proveKey(credential, options, decoded.slice(colon + 1));
  return proof?.user === decoded.slice(0, colon) ? proof : undefined;
}

/** A session of a record that there still is, with its roles as they are now (R5.10): so it is never taken from memory. */
async function proveSession(
  credential: CredentialPlan,
  { sessions, logins, clock }: AuthenticationOptions,
  text: string,
): Promise<Proof | undefined> {
  if (!isAccessToken(credential, text)) return undefined;
  const found = await sessions.find(hashSecret(text));
  if (found?.use !== "access" || found.credential !== credential.name || isOver(found, clock.now())) return undefined;
  const record = await loginRecordsOf(logins, credential.name).byId(found.user);
  if (record === undefined) return undefined;
  const { session, user, expires } = found;
  const known = { session, token: text, ...(expires === undefined ? {} : { expires }) };
  return { user, roles: record.roles, claims: {}, until: 0, session: known };
}

/** So many secrets that were right are recognised without being hashed again. */
const maximumRecognised = 10_000;

/**
 * `name:secret` of a record. Hashing takes long on purpose, and such a credential is sent with every request: of a secret that
 * was right it is remembered which kept one it is, so that it is good for as long as that one is kept, and no longer.
 */
function proveRecord(
  credential: CredentialPlan,
  { logins, guard, clock, random }: AuthenticationOptions,
): Method["prove"] {
  const salt = random(32);
  const recognised = new Map<string, string>();
  return async (text, { address }) => {
    const decoded = Buffer.from(text, "base64").toString("utf8");
    const colon = decoded.indexOf(":");
    if (colon === -1) return undefined;
    const name = decoded.slice(0, colon);
    const found = await loginRecordsOf(logins, credential.name).byName(name);
    const kept = found?.secret ?? null;
    const proof = found && { user: idText(found.id), roles: found.roles, claims: {}, until: 0 };
    const known = createHmac("sha256", salt).update(decoded).digest("base64url");
    if (kept !== null && recognised.get(known) === kept) return proof;
    const attempt = { credential: credential.name, name: name.normalize("NFC"), address };
    guard.admit(attempt, clock.now());
    if (!(await isPassword(decoded.slice(colon + 1), kept)) || kept === null) {
      guard.failed(attempt, clock.now());
      return undefined;
    }
    guard.succeeded(attempt);
    if (recognised.size >= maximumRecognised) recognised.clear();
    recognised.set(known, kept);
    return proof;
  };
}

/** A token that the service has made itself. */
async function proveOwnToken(
  credential: CredentialPlan,
  options: AuthenticationOptions,
  text: string,
): Promise<Proof | undefined> {
  const found = await findToken(credential, text, options, options.clock.now());
  if (found === undefined) return undefined;
  const { client, user, isRecord, expires, roles, scopes } = found;
  const claims = { client_id: client.id, scope: scopes.join(" ") };
  return { user, roles, claims, until: isRecord ? 0 : expires };
}

/** What tokens are verified with is loaded where a document takes them, and nobody who starts such a service waits for it. */
function tokenVerifier(credential: CredentialPlan, secret: string | undefined): VerifyToken {
  const loaded = import("./jwt.ts").then(({ createTokenVerifier }) => createTokenVerifier(credential, secret));
  return async (token, now) => (await loaded)(token, now);
}

/** As RFC 7515 section 7.1 has it: base64url without padding, so that a token is spelled in one way only. */
const jws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function proveToken(credential: CredentialPlan, clock: Clock, verify: VerifyToken): Method["prove"] {
  return async (text) => {
    if (!jws.test(text)) return undefined;
    const payload = await verify(text, clock.now());
    if (payload === undefined) return undefined;
    const claims = payload as Readonly<Record<string, Value>>;
    const user = claimAt(claims, credential.userClaim);
    if (typeof user !== "string" || user === "") return undefined;
    assertScopes(credential, claims);
    return {
      user,
      roles: rolesOf(credential, [], claims),
      claims,
      until: defined(payload.exp, "when a token ends") * 1000,
    };
  };
}

/** A token that is good, and not for this: 403, with what it would have to be good for (R5.2, RFC 6750 section 3.1). */
function assertScopes(credential: CredentialPlan, claims: Readonly<Record<string, Value>>): void {
  const { scopes } = credential;
  const said = claimAt(claims, "scope") ?? claimAt(claims, "scp");
  const given = typeof said === "string" ? said.split(" ") : Array.isArray(said) ? said : [];
  const missing = scopes.filter((scope) => !given.includes(scope));
  if (missing.length === 0) return;
  throw lacking(credential, missing);
}

function lacking({ scopes, sent }: CredentialPlan, missing: readonly string[]): Refusal {
  const detail = `The token has not the scope ${missing.join(" ")}`;
  const needed = scopes.length === 0 ? missing : scopes;
  const error = `error="insufficient_scope", error_description="${detail}", scope="${needed.join(" ")}"`;
  return new Refusal("forbidden", { detail, headers: ["WWW-Authenticate", `${sent.scheme ?? "Bearer"} ${error}`] });
}

function proveSignature(
  credential: CredentialPlan,
  { clock, sharing }: AuthenticationOptions,
  verifier: SignatureVerifier,
): Method["prove"] {
  return async (text, exchange, body) => {
    const signed = { method: exchange.method, target: exchange.target, body: await body() };
    let verified = verifier.verify(text, signed, clock.now());
    if (verified === undefined) return undefined;
    // Another process may have seen it.
    if (!verified.again && sharing !== undefined && (await isSeen(sharing, credential, verified.signature)))
      verified = { ...verified, again: true };
    return { user: credential.name, roles: rolesOf(credential, [], {}), claims: {}, until: 0, signed: verified };
  };
}

async function isSeen(sharing: Sharing, { name }: CredentialPlan, signature: string): Promise<boolean> {
  const limit = { count: 1, windowMilliseconds: goodMilliseconds };
  return (await sharing.want({ name: `signatures of ${name}`, key: signature, limit }, () => {})) === false;
}

/** `realm.roles` is a claim of that name, else the member `roles` of the claim `realm`. */
function claimAt(claims: Value, path: string): Value | undefined {
  if (claims === null || typeof claims !== "object" || Array.isArray(claims)) return undefined;
  const members = claims as Readonly<Record<string, Value>>;
  if (Object.hasOwn(members, path)) return members[path];
  const dot = path.indexOf(".");
  const outer = path.slice(0, dot);
  return dot > 0 && Object.hasOwn(members, outer) ? claimAt(members[outer] ?? null, path.slice(dot + 1)) : undefined;
}

function rolesOf(
  credential: CredentialPlan,
  own: readonly string[],
  claims: Readonly<Record<string, Value>>,
): readonly string[] {
  switch (credential.roles.kind) {
    case "own":
    // The record says them.
    case "column":
      return own;
    case "fixed":
      return credential.roles.roles;
    case "claim": {
      const claim = claimAt(claims, credential.roles.claim);
      if (typeof claim === "string") return claim.split(" ");
      return Array.isArray(claim) ? claim.filter((role) => typeof role === "string") : [];
    }
  }
}
