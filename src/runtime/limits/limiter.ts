/**
 * Limits request rates (R0.1, R8.1 to R8.5) by two checks: before authentication the limits per address and for anonymous
 * callers, after it the others. A check consumes from all its limits or from none; a rejection by the second check refunds the
 * first.
 */
import { hash } from "node:crypto";
import type { Limited, LimitsPart, QuotaPlan } from "../../plan/limits/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Counted } from "../../store/port/store.ts";
import type { HttpResponse, HttpRequest } from "../../http/message.ts";
import { ApiError } from "../errors/api-error.ts";
import { createRateLimiter, type RateLimiter, refund, type Reservation, reserve } from "./rate-limiter.ts";
import type { Sharing } from "./shared-counts.ts";

export interface Limiter {
  /** Returns the limits of an operation; undefined if it has none. */
  of(operation: Operation): OperationLimits | undefined;
  /** The limits by address for requests without an operation: pages, and unknown paths and methods. */
  readonly others: OperationLimits;
  /** The limits by address for `OPTIONS`, which carries no credential. */
  readonly preflights: OperationLimits;
  /** The limits by address for unauthenticated requests that write to the store. */
  readonly stored: OperationLimits;
  /** The limiters whose counts survive a restart. */
  readonly durable: readonly RateLimiter[];
}

/** The limits of one operation. */
export interface OperationLimits {
  readonly before: readonly OperationRate[];
  readonly after: readonly OperationRate[];
  /** The `RateLimit-Policy` of requests with a credential; the next member is that of requests without one. */
  readonly policy: string;
  readonly anonymousPolicy: string;
}

interface OperationRate {
  readonly limiter: RateLimiter;
  readonly by: Limited["by"];
  /** Whether only requests without a credential count. */
  readonly anonymous: boolean;
  readonly keyOf: (key: string) => string;
}

/** One request to an operation with limits, and its reservations so far. */
export interface Admission {
  readonly limits: OperationLimits;
  readonly httpRequest: HttpRequest;
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether the request has a credential, valid or not. */
  readonly carries: boolean;
  readonly reservations: Reservation[];
  /** The items of `RateLimit` for the quotas in a window that counted the request. */
  readonly counted: string[];
  /** The used-up limits of a rejected request, for the response header. */
  exceeded: readonly Reservation[];
  signedIn: boolean;
}

export interface LimiterOptions {
  readonly plan: Pick<LimitsPart, "rates" | "generalRates" | "quotas">;
  /** The key of the hash for stored counter keys; the same after every restart. */
  readonly secret: string;
  /** Called when the counts of a long window have changed. */
  readonly changed: () => void;
  /** Shares counts; present if several processes do so. */
  readonly sharing?: Sharing | undefined;
}

/** The length in milliseconds from which the counts of a window survive a restart (R8.3). */
const durableMilliseconds = 3_600_000;
const maximumKeys = 100_000;
/** The requests per minute and address if the document declares no rate (R8.8). */
const defaultCount = 1200;
const storedCount = 120;
/** The quota from which one extra request per process exceeds it by at most 1%. */
const lenientFrom = 100;

export function createLimiter({ plan, secret, changed, sharing }: LimiterOptions): Limiter {
  const seed = seedOf(secret);
  const rates = plan.rates.map((rate) => {
    const long = rate.windowMilliseconds >= durableMilliseconds;
    const durable = long && sharing === undefined;
    const sharedRate = sharing && { sharing, lenient: !long && (rate.burst ?? rate.count) >= lenientFrom };
    const limiter = createRateLimiter({ rate, sharedRate, maximumKeys, seed, ...(durable ? { changed } : {}) });
    // Long keys are hashed to limit memory, stored or shared keys to conceal addresses.
    const conceals = long || sharing !== undefined;
    const keyOf = (key: string) => (conceals || key.length > 64 ? concealed(secret, key) : key);
    return { rate, durable, limiter, keyOf };
  });
  const byAddress = ({ limit }: Limited): OperationRate => {
    const { limiter, keyOf } = rates[limit] as (typeof rates)[number];
    return { limiter, by: { kind: "ip" }, keyOf, anonymous: false };
  };
  const defaultRule = (name: string, count: number): OperationRate => {
    const limiter = createRateLimiter({ rate: { name, count, windowMilliseconds: 60_000 }, maximumKeys, seed });
    return { limiter, by: { kind: "ip" }, keyOf: (key) => key, anonymous: false };
  };
  const unstated = defaultRule("default-per-ip", defaultCount);
  /** Other requests than operations do not advertise their limits (R8.1). */
  const general = (some: readonly Limited[]): OperationLimits => {
    const before = some.length === 0 ? [unstated] : some.map(byAddress);
    return { before, after: [], policy: "", anonymousPolicy: "" };
  };
  const others = general(plan.generalRates);
  return {
    others,
    preflights: general(plan.generalRates.filter(({ limit }) => plan.rates[limit]?.of === "all")),
    stored: { ...others, before: [...others.before, defaultRule("stored-per-ip", storedCount)] },
    durable: rates.flatMap(({ durable, limiter }) => (durable ? [limiter] : [])),
    of(operation) {
      const rules = operation.rates.map(({ limit, by }): OperationRate => {
        const { rate, limiter, keyOf } = rates[limit] as (typeof rates)[number];
        return { limiter, by, keyOf, anonymous: rate.of === "anonymous" };
      });
      const quotas = operation.quotas.map(({ limit }) => plan.quotas[limit] as QuotaPlan);
      if (rules.length === 0 && quotas.length === 0) return undefined;
      const policies = (some: readonly OperationRate[]): string =>
        [...some.map(({ limiter }) => limiter.policy), ...quotas.map(quotaPolicy)].join(", ");
      const isEarly = ({ by, anonymous }: OperationRate): boolean => anonymous || by.kind === "ip";
      return {
        before: rules.filter(isEarly),
        after: rules.filter((rule) => !isEarly(rule)),
        policy: policies(rules.filter(({ anonymous }) => !anonymous)),
        anonymousPolicy: policies(rules),
      };
    },
  };
}

function quotaPolicy(quota: QuotaPlan): string {
  const window = quota.kind === "window" ? Math.max(1, Math.ceil(quota.windowMilliseconds / 1000)) : 1;
  return `"${quota.name}";q=${quota.count};w=${window}`;
}

/**
 * Returns the seed that selects which keys share a count if there are too many; clients cannot predict it without the secret.
 */
export function seedOf(secret: string): number {
  return Number.parseInt(hash("sha256", secret, "hex").slice(0, 8), 16);
}

/** Returns a hash that identifies the key and conceals it. */
export function concealed(secret: string, key: string): string {
  return hash("sha256", `${secret}\0${key}`, "base64url").slice(0, 22);
}

/** Returns the partition key: the caller, the address of an anonymous caller (R8.4), or the record. */
export function partitionOf(
  by: Limited["by"],
  httpRequest: HttpRequest,
  caller: string | null,
  parameters: Readonly<Record<string, string>>,
): string {
  switch (by.kind) {
    case "parameter":
      if (by.before === undefined) return `r${parameters[by.parameter] ?? ""}`;
      return `r${[...by.before, by.parameter].map((name) => parameters[name] ?? "").join("\0")}`;
    case "user":
      if (caller !== null) return `u${caller}`;
      return `a${subscriberOf(httpRequest.address)}`;
    default:
      return `a${subscriberOf(httpRequest.address)}`;
  }
}

export function admissionOf(
  limits: OperationLimits,
  httpRequest: HttpRequest,
  parameters: Readonly<Record<string, string>>,
  carries: boolean,
): Admission {
  return { limits, httpRequest, parameters, carries, reservations: [], counted: [], exceeded: [], signedIn: false };
}

/** Runs the first check; returns a promise if the counts are shared. @throws ApiError `rate-limited` */
export function limitBeforeAuth(admission: Admission, now: number): Promise<void> | undefined {
  const { before } = admission.limits;
  return before.length > 0 ? pass(admission, before, null, now) : undefined;
}

/**
 * Counts the request in the rates that depend on the caller or the record. `barred`: the caller will get 403, so the request
 * does not count in the rates of the record. @throws ApiError `rate-limited`
 */
export function limitAfterAuth(
  admission: Admission,
  caller: { readonly id: string | null; readonly credential: string | null },
  barred: boolean,
  now: number,
): Promise<void> | undefined {
  admission.signedIn = caller.credential !== null;
  const { after } = admission.limits;
  const rules = barred ? after.filter(({ by }) => by.kind !== "parameter") : after;
  return rules.length > 0 ? pass(admission, rules, caller.id, now) : undefined;
}

function pass(
  admission: Admission,
  rules: readonly OperationRate[],
  caller: string | null,
  now: number,
): Promise<void> | undefined {
  const { carries, httpRequest, parameters, reservations } = admission;
  const candidates = rules.flatMap(({ anonymous, by, keyOf, limiter }): Reservation[] => {
    if (anonymous && carries) return [];
    return [{ limiter, bucket: limiter.look(keyOf(partitionOf(by, httpRequest, caller, parameters)), now) }];
  });
  const reserved = (full: readonly Reservation[]): void => {
    if (full.length > 0) throw limitError(admission, candidates, full, now);
    reservations.push(...candidates);
  };
  const full = reserve(candidates, now);
  if (full instanceof Promise) return full.then(reserved);
  reserved(full);
  return undefined;
}

function limitError(
  admission: Admission,
  candidates: readonly Reservation[],
  full: readonly Reservation[],
  now: number,
): ApiError {
  refundTokens(admission, now);
  admission.exceeded = [...admission.reservations.splice(0), ...candidates];
  const seconds = Math.max(...full.map(({ limiter, bucket }) => limiter.waitSeconds(bucket, now)));
  const [first] = full;
  const many = first === undefined ? "" : `: at most ${first.limiter.quota} in ${first.limiter.window}`;
  return new ApiError("rate-limited", {
    detail: `Too many requests${many}`,
    members: { "violated-policies": full.map(({ limiter }) => limiter.name) },
    headers: ["Retry-After", String(seconds)],
  });
}

export function refundTokens({ reservations }: Admission, now: number): void {
  refund(reservations, now);
}

/** Adds a quota that the transaction counted to the `RateLimit` header. */
export function reportQuota(admission: Admission, quota: QuotaPlan, { used, until }: Counted, now: number): void {
  const left = Math.max(0, quota.count - used);
  admission.counted.push(`"${quota.name}";r=${left};t=${Math.max(1, Math.ceil((until - now) / 1000))}`);
}

/**
 * Returns the `RateLimit` header fields (R8.1) of 2xx and 4xx responses. A 304 response for an authenticated caller is
 * refunded (R4.17).
 */
export function rateLimitHeaders(
  admission: Admission,
  { status }: Pick<HttpResponse, "status">,
  now: number,
): readonly string[] {
  const { carries, counted, limits, exceeded, signedIn, reservations } = admission;
  if (status === 304 && signedIn) refundTokens(admission, now);
  if (status >= 500 || (status >= 300 && status < 400)) return nothing;
  const policy = carries ? limits.policy : limits.anonymousPolicy;
  if (policy === "") return nothing;
  let items = "";
  for (const one of exceeded.length > 0 ? exceeded : reservations)
    items += items === "" ? item(one, now) : `, ${item(one, now)}`;
  for (const one of counted) items += items === "" ? one : `, ${one}`;
  return items === "" ? ["RateLimit-Policy", policy] : ["RateLimit-Policy", policy, "RateLimit", items];
}

const nothing: readonly string[] = [];

function item({ limiter, bucket }: Reservation, now: number): string {
  return `"${limiter.name}";r=${limiter.left(bucket, now)};t=${limiter.waitSeconds(bucket, now)}`;
}

/** Returns the subscriber of an address: the whole address for IPv4, its /64 network for IPv6 (R8.4). */
export function subscriberOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:")) return address;
  const [head = ""] = address.split("::");
  const groups = (
    address.includes("::") ? [...head.split(":").filter(Boolean), "0", "0", "0", "0"] : address.split(":")
  ).slice(0, 4);
  return groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":");
}
