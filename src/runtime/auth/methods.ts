/** Verifies each kind of credential (R5.3 to R5.10). */
import { createHmac } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { defined } from "../../base/defined.ts";
import type { Value } from "../../expression/evaluate.ts";
import { type SentIn, schemeOf } from "../../plan/authentication/places.ts";
import type { CredentialPlan } from "../../plan/authentication/types.ts";
import type { GrantStore, KeyStore, SessionStore } from "../../store/port/store.ts";
import { type Caller, idText } from "../context/caller.ts";
import type { HttpRequest } from "../../http/message.ts";
import type { Sharing } from "../limits/shared-counts.ts";
import { findToken } from "./oauth/tokens.ts";
import { endOf, findKey, hashSecret, isSecret, nameOfSecret } from "./api-key.ts";
import { lacking } from "./challenge.ts";
import type { LoginGuard, LoginRecords } from "../context/login.ts";
import { createSignatureVerifier, type SignatureVerifier, type Verified } from "./hmac.ts";
import type { VerifyToken } from "./jwt.ts";
import { isPassword } from "./password.ts";
import { loginRecordsOf } from "./records.ts";
import { isOver } from "./session.ts";

/** What the verification of credentials needs. */
export interface ProvingOptions {
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
  /** The records that can log in, by name of the credential. */
  readonly logins: ReadonlyMap<string, LoginRecords>;
  readonly guard: LoginGuard;
  /** The counts that processes share. */
  readonly sharing: Sharing | undefined;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** The environment variables with the secrets. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** One method to authenticate by a credential field: several kinds may share `Authorization: Bearer`. */
export interface Method {
  readonly credential: CredentialPlan;
  /** The place in the request. */
  readonly sentIn: SentIn;
  readonly scheme: string | undefined;
  /**
   * Returns the name for failure counts: the beginning of a key, or the login name of a password. Absent for kinds without
   * one.
   */
  names?(secret: string): string | undefined;
  prove(secret: string, httpRequest: HttpRequest, body: () => Promise<Uint8Array>): Promise<Proof | undefined>;
}

export interface Proof {
  readonly user: string;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, Value>>;
  /** Until when the proof may be cached, in epoch milliseconds; 0: never. */
  readonly until: number;
  /** The verified signature; present for a signed request. */
  readonly signed?: Verified;
  readonly session?: Caller["session"];
}

/** Returns the authentication methods of one credential of the document, in each of its places. */
export function methodsOf(credential: CredentialPlan, options: ProvingOptions): readonly Method[] {
  const byLocation = provesOf(credential, options);
  return credential.sent.flatMap((sentIn) => byLocation(schemeOf(sentIn)).map((method) => ({ ...method, sentIn })));
}

/** Returns the methods for a scheme. What they remember is shared by all places. */
function provesOf(
  credential: CredentialPlan,
  options: ProvingOptions,
): (scheme: string | undefined) => readonly Omit<Method, "sentIn">[] {
  const secret = credential.secret === undefined ? undefined : options.environment[credential.secret];
  switch (credential.kind) {
    case "api-key": {
      const names = (text: string) => nameOfSecret(credential.prefix, text);
      const prove = (text: string) => proveKey(credential, options, text);
      const asUser = {
        credential,
        scheme: "Basic",
        names: (text: string) => names(userOf(text)),
        prove: proveKeyAsUser(credential, options),
      };
      return (scheme) => [{ credential, scheme, names, prove }, ...(scheme === "Bearer" ? [asUser] : [])];
    }
    case "basic": {
      const prove =
        credential.login === undefined
          ? (text: string) => proveBasic(credential, options, text)
          : proveRecord(credential, options);
      return (scheme) => [{ credential, scheme, names: userOf, prove }];
    }
    case "password":
      return (scheme) => [{ credential, scheme, prove: (text) => proveSession(credential, options, text) }];
    case "oauth2":
    case "jwt": {
      const prove =
        credential.oauth !== undefined
          ? (text: string) => proveIssuedToken(credential, options, text)
          : proveToken(credential, options.clock, tokenVerifier(credential, secret));
      return (scheme) => [{ credential, scheme, prove }];
    }
    case "hmac-sha256": {
      const prove = proveSignature(credential, options, signatureVerifier(credential, options));
      return (scheme) => [{ credential, scheme, prove }];
    }
  }
}

async function proveKey(
  credential: CredentialPlan,
  { keys, clock }: ProvingOptions,
  text: string,
): Promise<Proof | undefined> {
  if (!isSecret(credential.prefix, text)) return undefined;
  const key = await findKey(credential, keys, hashSecret(text), clock.now());
  if (key === undefined) return undefined;
  return { user: key.user, roles: rolesOf(credential, key.roles, {}), claims: {}, until: endOf(key, credential) };
}

/** Returns the user name and the password of `Basic`; only a user name if the text has no colon. */
export function readBasic(text: string): readonly [user: string, password?: string] {
  const decoded = Buffer.from(text, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  return colon === -1 ? [decoded] : [decoded.slice(0, colon), decoded.slice(colon + 1)];
}

function userOf(text: string): string {
  return readBasic(text)[0];
}

/** Verifies a key that is sent as the user name of `Basic` with an empty password, as `curl -u key:` does (R5.3). */
function proveKeyAsUser(credential: CredentialPlan, options: ProvingOptions): Method["prove"] {
  return async (text) => {
    const [user, password] = readBasic(text);
    return password === "" ? proveKey(credential, options, user) : undefined;
  };
}

/** Verifies `user:secret` of `Basic`, where the secret is a key of that user. */
async function proveBasic(
  credential: CredentialPlan,
  options: ProvingOptions,
  text: string,
): Promise<Proof | undefined> {
  const [user, password] = readBasic(text);
  const proof = password === undefined ? undefined : await proveKey(credential, options, password);
  return proof?.user === user ? proof : undefined;
}

/** Verifies a session. Its record must still exist, and has its current roles (R5.10); therefore sessions are never cached. */
async function proveSession(
  credential: CredentialPlan,
  { sessions, logins, clock }: ProvingOptions,
  text: string,
): Promise<Proof | undefined> {
  if (!isSecret(credential.prefix, text)) return undefined;
  const found = await sessions.find(hashSecret(text));
  if (found?.use !== "access" || found.credential !== credential.name || isOver(found, clock.now())) return undefined;
  const record = await loginRecordsOf(logins, credential.name).byId(found.user);
  if (record === undefined) return undefined;
  const { session, user, expires } = found;
  const known = { session, token: text, ...(expires === undefined ? {} : { expires }) };
  return { user, roles: record.roles, claims: {}, until: 0, session: known };
}

/** The most verified secrets that are recognised without hashing. */
const maximumRecognised = 10_000;

/**
 * Verifies `name:secret` of a record. Hashing is slow on purpose, but clients send such a credential with every request. So
 * the server remembers, for each verified secret, the stored hash that it matched; the entry is valid as long as the record
 * has that hash.
 */
function proveRecord(credential: CredentialPlan, { logins, guard, clock, random }: ProvingOptions): Method["prove"] {
  const salt = random(32);
  const recognised = new Map<string, string>();
  return async (text, { address }) => {
    const [name, password] = readBasic(text);
    if (password === undefined) return undefined;
    const found = await loginRecordsOf(logins, credential.name).byName(name);
    const storedHash = found?.secret ?? null;
    const proof = found && { user: idText(found.id), roles: found.roles, claims: {}, until: 0 };
    const known = createHmac("sha256", salt).update(`${name}:${password}`).digest("base64url");
    if (storedHash !== null && recognised.get(known) === storedHash) return proof;
    const attempt = { credential: credential.name, name: name.normalize("NFC"), address };
    const isRight = await guard.verified(attempt, clock.now(), () => isPassword(password, storedHash));
    if (!isRight || storedHash === null) return undefined;
    if (recognised.size >= maximumRecognised) recognised.clear();
    recognised.set(known, storedHash);
    return proof;
  };
}

/** Verifies an access token that the service has issued. */
async function proveIssuedToken(
  credential: CredentialPlan,
  options: ProvingOptions,
  text: string,
): Promise<Proof | undefined> {
  const found = await findToken(credential, text, options, options.clock.now());
  if (found === undefined) return undefined;
  const { client, user, isRecord, expires, roles, scopes } = found;
  const claims = { client_id: client.id, scope: scopes.join(" ") };
  return { user, roles, claims, until: isRecord ? 0 : expires };
}

/** Loads the JWT library only for documents that use tokens, without delaying the start of the service. */
function tokenVerifier(credential: CredentialPlan, secret: string | undefined): VerifyToken {
  const loaded = import("./jwt.ts").then(({ createTokenVerifier }) => createTokenVerifier(credential, secret));
  return async (token, now) => (await loaded)(token, now);
}

/**
 * A regular expression for signed tokens. They are base64url without padding (RFC 7515 section 7.1), so each token has exactly
 * one spelling.
 */
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
    const byScope = scopesIn(claims).flatMap((scope) => rolesOfScope(credential, scope));
    return {
      user,
      roles: [...new Set([...rolesOf(credential, [], claims), ...byScope])],
      claims,
      until: defined(payload.exp, "when a token ends") * 1000,
    };
  };
}

/** Throws 403 for a valid token without the scopes of the document (R5.2, RFC 6750 section 3.1). */
function assertScopes(credential: CredentialPlan, claims: Readonly<Record<string, Value>>): void {
  const granted = scopesIn(claims);
  const missing = credential.scopes.filter((scope) => !granted.includes(scope));
  if (missing.length === 0) return;
  throw lacking(credential, missing);
}

function scopesIn(claims: Readonly<Record<string, Value>>): readonly string[] {
  const claim = claimAt(claims, "scope") ?? claimAt(claims, "scp");
  const all = typeof claim === "string" ? claim.split(" ") : Array.isArray(claim) ? claim : [];
  return all.filter((scope) => typeof scope === "string");
}

function rolesOfScope({ scopeRoles = {} }: CredentialPlan, scope: string): readonly string[] {
  return Object.hasOwn(scopeRoles, scope) ? (scopeRoles[scope] ?? []) : [];
}

function signatureVerifier(
  { secret, formerSecrets = [], scheme, toleranceSeconds }: CredentialPlan,
  { environment }: ProvingOptions,
): SignatureVerifier {
  const secrets = [...(secret === undefined ? [] : [secret]), ...formerSecrets].map((name) => environment[name]);
  return createSignatureVerifier(secrets, {
    ...(scheme === undefined ? {} : { scheme }),
    ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }),
  });
}

function proveSignature(
  credential: CredentialPlan,
  { clock, sharing }: ProvingOptions,
  verifier: SignatureVerifier,
): Method["prove"] {
  return async (text, httpRequest, body) => {
    const signed = {
      method: httpRequest.method,
      target: httpRequest.target,
      body: await body(),
      header: (name: string) => httpRequest.headers.get(name.toLowerCase()),
    };
    let verified = verifier.verify(text, signed, clock.now());
    if (verified === undefined) return undefined;
    // Tests whether another process has already accepted the same signature.
    if (!verified.again && sharing !== undefined && (await isReplayed(sharing, credential, verified)))
      verified = { ...verified, again: true };
    return { user: credential.name, roles: rolesOf(credential, [], {}), claims: {}, until: 0, signed: verified };
  };
}

/** The key is the valid signature alone: a sender of the same request may change the rest of the field. */
async function isReplayed(
  sharing: Sharing,
  { name }: CredentialPlan,
  { goodMilliseconds, valid }: Verified,
): Promise<boolean> {
  const limit = { count: 1, windowMilliseconds: goodMilliseconds };
  return (await sharing.want({ name: `signatures of ${name}`, key: valid, limitAt: () => limit }, () => {})) === false;
}

/** Returns a claim: `realm.roles` is the claim with that name, or else the member `roles` of the claim `realm`. */
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
  declaredRoles: readonly string[],
  claims: Readonly<Record<string, Value>>,
): readonly string[] {
  switch (credential.roles.kind) {
    case "own":
    // The roles are a column of the record.
    case "column":
      return declaredRoles;
    case "fixed":
      return credential.roles.roles;
    case "claim": {
      const claim = claimAt(claims, credential.roles.claim);
      if (typeof claim === "string") return claim.split(" ");
      return Array.isArray(claim) ? claim.filter((role) => typeof role === "string") : [];
    }
  }
}
