/** Authenticates a request: determines its caller from its credential fields (R5.2 to R5.7). */
import { createHmac } from "node:crypto";
import { defined } from "../../base/defined.ts";
import type { EndpointsPart, Operation } from "../../plan/endpoints/types.ts";
import { schemeOf } from "../../plan/authentication/places.ts";
import type { AuthenticationPart } from "../../plan/authentication/types.ts";
import type { PurposePart } from "../../plan/purpose/types.ts";
import { subscriberOf } from "../limits/limiter.ts";
import { anonymous, type Caller, type CallerKinds } from "../context/caller.ts";
import type { HttpRequest } from "../../http/message.ts";
import { resourceMetadataPath, challengeOf, lacking } from "./challenge.ts";
import { ApiError } from "../errors/api-error.ts";
import { attempt, type FailureLimits } from "./failures.ts";
import { type Method, methodsOf, type ProvingOptions } from "./methods.ts";
import { forgeryCheck, locationKey, type Presented, readerOf, setCookies } from "./locations.ts";

export interface Authentication {
  /**
   * Returns the caller, an anonymous one for a request without a credential; throws 401 for an invalid credential, 400 for a
   * malformed one. `allowsRepeat` accepts a signature that was used before, because the stored response is sent again.
   */
  authenticate(
    httpRequest: HttpRequest,
    body: () => Promise<Uint8Array>,
    allowsRepeat?: boolean,
  ): Caller | Promise<Caller>;
  /**
   * Authenticates the caller of an open response (a stream) again; undefined if the credential has ended (R5.10). A request
   * signature does not end.
   */
  still(httpRequest: HttpRequest, caller: Caller): Promise<Caller | undefined>;
  /** Whether the request has a credential, valid or not. */
  carries(httpRequest: HttpRequest): boolean;
  /** Returns the 401 error for a caller without a credential (R5.2). */
  challenge(): ApiError;
  /** Returns the 403 error for a caller without a matching grant; it names the missing scope (RFC 6750 section 3.1). */
  forbidden(caller: Caller, allow: Operation["allow"]): ApiError;
}

export interface AuthenticationOptions extends ProvingOptions {
  readonly plan: Pick<PurposePart & AuthenticationPart & EndpointsPart, "service" | "credentials" | "cors">;
  /** Returns the service's absolute URL, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly failures: FailureLimits;
  /** The secret key for HMACs, the same in all processes that serve the data. */
  readonly salt: string;
  readonly kinds: CallerKinds;
}

/**
 * How long an authenticated caller is cached, in milliseconds, and so how long a revoked one may still pass (R5.4: at most one
 * second).
 */
const cacheMilliseconds = 500;

/**
 * A caller in the cache. The wall clock (`since`, `until`), which can be set back, decides whether the credential is valid.
 * The monotonic clock (`elapsed`) decides how long the entry is cached.
 */
interface CachedCaller {
  readonly caller: Caller;
  readonly since: number;
  readonly until: number;
  readonly elapsed: number;
}

function isFresh({ elapsed, since, until }: CachedCaller, now: number): boolean {
  return now >= since && now < until && performance.now() - elapsed < cacheMilliseconds;
}

const maximumCached = 10_000;

export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { plan, kinds, clock } = options;
  const fields = groupByField(plan.credentials.flatMap((credential) => methodsOf(credential, options)));
  const fromAddress = options.failures("keys from an address");
  const forKey = options.failures("keys of a name");
  // The counters contain HMACs, so that they reveal no parts of secrets.
  const hashed = (text: string) => createHmac("sha256", options.salt).update(text).digest("base64url");
  const challenges = challengeFields(plan, options.baseUrl);
  const assertNoForgery = forgeryCheck(plan, options.baseUrl);

  const unauthorized = (
    error: "invalid_token" | "invalid_request" | undefined,
    detail: string,
    tried: readonly Method[] = [],
  ): ApiError =>
    new ApiError(error === "invalid_request" ? "invalid-request" : "unauthenticated", {
      ...(error === "invalid_request" ? { status: 400 } : {}),
      detail,
      headers: [...challenges(tried, error, detail), ...deletedCookies(tried)],
    });

  /** A browser sends an ended cookie again with each request, also to the login, until the cookie is deleted. */
  const deletedCookies = (tried: readonly Method[]): readonly string[] => {
    const sent = [...new Set(tried.map(({ sentIn }) => sentIn))];
    return setCookies(plan, sent, options.baseUrl(), "", 0);
  };

  async function prove(sent: Sent): Promise<Caller> {
    const { field, value, httpRequest } = sent;
    const now = clock.now();
    const { scheme, secret } = splitScheme(field, value);
    const methods = methodsFor(field, scheme);
    if (methods.length === 0) throw unauthorized(undefined, "This authentication scheme is not supported");
    if (secret === "") throw unauthorized("invalid_request", "The credential is empty", methods);
    if (/\s/.test(secret) && !methods.some(({ credential }) => credential.scheme?.separator === "blank"))
      throw unauthorized("invalid_request", "The credential contains a space", methods);
    const caller = await provedBy(methods, secret, sent);
    if (caller !== undefined) return caller;
    await limitFailures(httpRequest.address, methods, secret, now);
    throw unauthorized("invalid_token", "The credential is unknown, expired or revoked", methods);
  }

  async function provedBy(
    methods: readonly Method[],
    secret: string,
    { field, value, httpRequest, body, allowsRepeat }: Sent,
  ): Promise<Caller | undefined> {
    const [now, elapsed] = [clock.now(), performance.now()];
    for (const method of methods) {
      const proof = await method.prove(secret, httpRequest, body);
      if (proof === undefined || (proof.signed?.again === true && !allowsRepeat)) continue;
      const scoped = method.credential.scoped === true;
      const caller: Caller = {
        id: proof.user,
        roles: proof.roles,
        scoped,
        claims: proof.claims,
        credential: method.credential.name,
        ...(proof.signed === undefined
          ? {}
          : {
              signature: `${method.credential.name} ${proof.signed.signature}`,
              repeatMilliseconds: proof.signed.repeatMilliseconds,
            }),
        ...(proof.session === undefined ? {} : { session: proof.session }),
        kind: kinds.of({ roles: proof.roles, scoped }),
      };
      if (proof.until > now) {
        const { cached } = field;
        if (cached.size >= maximumCached) cached.clear();
        cached.set(value, {
          caller,
          since: now,
          until: Math.min(proof.until, now + cacheMilliseconds),
          elapsed,
        });
      }
      return caller;
    }
    return undefined;
  }

  /** Limits failures only (R5.7), because a caller with a valid credential may share the address with an attacker. */
  async function limitFailures(
    address: string,
    methods: readonly Method[],
    secret: string,
    now: number,
  ): Promise<void> {
    const named = methods.flatMap((method) => {
      const name = method.names?.(secret);
      return name === undefined ? [] : [hashed(`${method.credential.name}\0${name}`)];
    });
    const failed = [
      fromAddress(subscriberOf(address), now),
      ...new Set(named).values().map((name) => forKey(name, now)),
    ];
    const attempted = await attempt(failed, now);
    if ("reservations" in attempted) return;
    throw new ApiError("rate-limited", {
      detail: "Too many failed attempts from this address or for this key",
      headers: ["Retry-After", String(attempted.waitSeconds)],
    });
  }

  /** Returns the credentials of a request, in the order of the document: usually one. */
  function presentedIn(httpRequest: HttpRequest): readonly InField[] {
    let presented: InField[] = noneSent;
    for (const field of fields) {
      const found = field.read(httpRequest);
      if (found === undefined) continue;
      if (found.twice) throw unauthorized("invalid_request", "Send each credential once", field.methods);
      if (presented === noneSent) presented = [];
      presented.push({ field, value: found.value });
    }
    return presented;
  }

  function callerOf({ field, value }: InField, rest: Omit<Sent, "field" | "value">): Caller | Promise<Caller> {
    const known = field.cached.get(value);
    if (known !== undefined && isFresh(known, clock.now())) return known.caller;
    return prove({ field, value, ...rest });
  }

  /** Several credentials must all be valid and of one user; the one that the document declares first makes the caller. */
  async function agreed(presented: readonly InField[], rest: Omit<Sent, "field" | "value">): Promise<Caller> {
    const callers = await Promise.all(presented.map(async (one) => callerOf(one, rest)));
    const [first = anonymous] = callers;
    if (callers.every(({ id }) => id === first.id)) return first;
    const tried = presented.flatMap(({ field }) => field.methods);
    throw unauthorized("invalid_request", "The credentials are of different users", tried);
  }

  return {
    challenge: () => unauthorized(undefined, "A credential is required"),
    forbidden(caller, allow) {
      const credential = plan.credentials.find(({ name }) => name === caller.credential);
      const missing = Object.entries(credential?.oauth?.scopes ?? {}).flatMap(([scope, roles]) =>
        allow.some(({ who }) => who.kind === "role" && roles.includes(who.role)) ? [scope] : [],
      );
      return credential === undefined || missing.length === 0
        ? new ApiError("forbidden")
        : lacking(credential, missing.slice(0, 1));
    },
    carries: (httpRequest) => fields.some(({ read }) => read(httpRequest) !== undefined),
    authenticate(httpRequest, body, allowsRepeat = false) {
      const presented = presentedIn(httpRequest);
      const [first, ...more] = presented;
      if (first === undefined) return anonymous;
      if (presented.every(({ field }) => field.isCookie)) assertNoForgery(httpRequest);
      const rest = { httpRequest, body, allowsRepeat };
      return more.length === 0 ? callerOf(first, rest) : agreed(presented, rest);
    },
    async still(httpRequest, caller) {
      const [presented] = presentedIn(httpRequest);
      if (presented === undefined || caller.signature !== undefined) return caller;
      const { field, value } = presented;
      const { scheme, secret } = splitScheme(field, value);
      const body = () => Promise.resolve(new Uint8Array());
      return provedBy(methodsFor(field, scheme), secret, { field, value, httpRequest, body, allowsRepeat: false });
    },
  };
}

/** A place in which requests carry credentials. */
interface Field {
  readonly isCookie: boolean;
  readonly read: (httpRequest: HttpRequest) => Presented | undefined;
  readonly methods: readonly Method[];
  /** Recently authenticated callers, by field value. */
  readonly cached: Map<string, CachedCaller>;
}

interface InField {
  readonly field: Field;
  /** The value of the field, not parsed. */
  readonly value: string;
}

const noneSent: InField[] = [];

/** A credential that a request carries. */
interface Sent extends InField {
  readonly httpRequest: HttpRequest;
  readonly body: () => Promise<Uint8Array>;
  readonly allowsRepeat: boolean;
}

function groupByField(methods: readonly Method[]): readonly Field[] {
  const byLocation = Map.groupBy(methods, ({ sentIn }) => locationKey(sentIn));
  return [...byLocation.values()].map((ofField) => {
    const { sentIn } = defined(ofField[0], "a method of the place");
    return { isCookie: "cookie" in sentIn, read: readerOf(sentIn), methods: ofField, cached: new Map() };
  });
}

/** Returns the authentication methods of a field. `scheme` is in lower case. */
function methodsFor(field: Field, scheme: string | undefined): readonly Method[] {
  return field.methods.filter((method) => method.scheme === undefined || method.scheme.toLowerCase() === scheme);
}

/**
 * Splits the value of a field into scheme and secret; the scheme is in lower case. If no method of the field has a scheme, the
 * whole value is the secret.
 */
function splitScheme(field: Field, value: string): { scheme: string | undefined; secret: string } {
  if (field.methods.every(({ scheme }) => scheme === undefined)) return { scheme: undefined, secret: value.trim() };
  const space = value.indexOf(" ");
  if (space === -1) return { scheme: value.toLowerCase(), secret: "" };
  return { scheme: value.slice(0, space).toLowerCase(), secret: value.slice(space + 1).trim() };
}

/**
 * Returns the WWW-Authenticate fields of a 401 response, names and values alternating: one for each credential method, with an
 * error for the methods that the request used. Basic has no parameter for an error (RFC 7617).
 */
function challengeFields(
  { service, credentials }: Pick<PurposePart & AuthenticationPart, "service" | "credentials">,
  baseUrl: () => string,
): (tried: readonly Method[], error: string | undefined, detail: string) => string[] {
  const places = credentials.flatMap((credential) => credential.sent.map((sentIn) => ({ credential, sentIn })));
  const challenges = [...Map.groupBy(places, ({ credential: { kind }, sentIn }) => challengeOf(service, kind, sentIn))];
  return (tried, error, detail) =>
    challenges.flatMap(([plain, plans]) => {
      // The URL at which a client finds the authorization server (RFC 9728 section 5.1).
      const metadata = `, resource_metadata="${baseUrl()}${resourceMetadataPath}"`;
      const challenge = plans.some(({ credential: { oauth } }) => oauth !== undefined) ? plain + metadata : plain;
      const withError =
        error !== undefined &&
        !challenge.startsWith("Basic ") &&
        tried.some(({ credential, scheme, sentIn }) =>
          plans.some((one) => one.credential === credential && one.sentIn === sentIn && scheme === schemeOf(sentIn)),
        );
      return [
        "WWW-Authenticate",
        withError ? `${challenge}, error="${error}", error_description="${detail}"` : challenge,
      ];
    });
}
