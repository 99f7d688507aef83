/**
 * Rates in front of the pipeline (R0.1, R8.1 to R8.5). A request passes two gates: before its credential is looked at, the
 * limits per address and those of callers without a credential; after it, the others. At each gate all limits have to have
 * something left before any is taken from, and who is refused at the second gets back what the first took.
 */
import { hash } from "node:crypto";
import type { Limited, Operation, Plan, QuotaPlan } from "../../plan/plan.ts";
import type { Counted } from "../../store/store.ts";
import { subscriberOf } from "../address.ts";
import type { Caller } from "../caller.ts";
import type { Answer, Exchange } from "../exchange.ts";
import { Refusal } from "../refusal.ts";
import type { Meter, Place } from "./meter.ts";
import { createMeter } from "./meter.ts";

export interface Limiter {
  /** Undefined where nothing limits how often the operation is run. */
  of(operation: Operation): OperationLimits | undefined;
  /** Those whose counts survive a restart. */
  readonly kept: readonly Meter[];
}

/** What holds for one operation. */
export interface OperationLimits {
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
  /** `RateLimit-Policy`, for requests with and without a credential. */
  readonly policy: string;
  readonly anonymousPolicy: string;
}

interface Rule {
  readonly meter: Meter;
  readonly by: Limited["by"];
  /** Only requests without a credential count. */
  readonly anonymous: boolean;
  readonly keyOf: (key: string) => string;
}

/** One request to an operation with limits, and what it has taken so far. */
export interface Admission {
  readonly limits: OperationLimits;
  readonly exchange: Exchange;
  readonly parameters: Readonly<Record<string, string>>;
  /** Whether it carries a credential, good or bad. */
  readonly carries: boolean;
  readonly taken: Standing[];
  /** By quotas in a window that its success counted for: an item of `RateLimit` each. */
  readonly counted: string[];
  /** What is said of limits that refused it. */
  refused: readonly Standing[];
  signedIn: boolean;
}

interface Standing {
  readonly meter: Meter;
  readonly place: Place;
}

export interface LimiterOptions {
  readonly plan: Pick<Plan, "rates" | "quotas">;
  /** Makes keys of long windows, which are kept, unreadable; the same after every restart. */
  readonly secret: string;
  /** Told when the counts of a long window have changed. */
  readonly changed: () => void;
}

/** Windows from this length on survive a restart (R8.3). */
const keptMilliseconds = 3_600_000;
const maximumKeys = 100_000;

export function createLimiter({ plan, secret, changed }: LimiterOptions): Limiter {
  const seed = Number.parseInt(hash("sha256", secret, "hex").slice(0, 8), 16);
  const rates = plan.rates.map((rate) => {
    const kept = rate.windowMilliseconds >= keptMilliseconds;
    const meter = createMeter({ rate, maximumKeys, seed, ...(kept ? { changed } : {}) });
    // A long key must not make a short-lived count dear, and one that is kept says nobody's address.
    const keyOf = (key: string) => (kept || key.length > 64 ? concealed(secret, key) : key);
    return { rate, kept, meter, keyOf };
  });
  return {
    kept: rates.flatMap(({ kept, meter }) => (kept ? [meter] : [])),
    of(operation) {
      const rules = operation.rates.map(({ limit, by }): Rule => {
        const { rate, meter, keyOf } = rates[limit] as (typeof rates)[number];
        return { meter, by, keyOf, anonymous: rate.of === "anonymous" };
      });
      const quotas = operation.quotas.map(({ limit }) => plan.quotas[limit] as QuotaPlan);
      if (rules.length === 0 && quotas.length === 0) return undefined;
      const policies = (some: readonly Rule[]): string =>
        [...some.map(({ meter }) => meter.policy), ...quotas.map(quotaPolicy)].join(", ");
      const isEarly = ({ by, anonymous }: Rule): boolean => anonymous || by.kind === "ip";
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

/** A key that can be told from others, and not read. */
export function concealed(secret: string, key: string): string {
  return hash("sha256", `${secret}\0${key}`, "base64url").slice(0, 22);
}

/** Whose request it is: the caller, or without a credential the address (R8.4); or which record it is about. */
export function partitionOf(
  by: Limited["by"],
  exchange: Exchange,
  caller: string | null,
  parameters: Readonly<Record<string, string>>,
): string {
  switch (by.kind) {
    case "parameter":
      return `r${parameters[by.parameter] ?? ""}`;
    case "user":
      if (caller !== null) return `u${caller}`;
      return `a${subscriberOf(exchange.address)}`;
    default:
      return `a${subscriberOf(exchange.address)}`;
  }
}

export function admissionOf(
  limits: OperationLimits,
  exchange: Exchange,
  parameters: Readonly<Record<string, string>>,
  carries: boolean,
): Admission {
  return { limits, exchange, parameters, carries, taken: [], counted: [], refused: [], signedIn: false };
}

/** The first gate. @throws Refusal `rate-limited` */
export function arrive(admission: Admission, now: number): void {
  const { before } = admission.limits;
  if (before.length > 0) pass(admission, before, null, false, now);
}

/**
 * The second gate. `barred`: the caller may not run the operation at all and is about to learn so; then it must not use up
 * what others may do with the record. @throws Refusal `rate-limited`
 */
export function enter(admission: Admission, caller: Caller, barred: boolean, now: number): void {
  admission.signedIn = caller.credential !== null;
  const { after } = admission.limits;
  if (after.length > 0) pass(admission, after, caller.id, barred, now);
}

function pass(admission: Admission, rules: readonly Rule[], caller: string | null, barred: boolean, now: number): void {
  const { carries, exchange, parameters, taken } = admission;
  const asked: Standing[] = [];
  let full = false;
  for (const { anonymous, by, keyOf, meter } of rules) {
    if ((anonymous && carries) || (barred && by.kind === "parameter")) continue;
    const place = meter.look(keyOf(partitionOf(by, exchange, caller, parameters)), now);
    if (meter.left(place, now) === 0) full = true;
    asked.push({ meter, place });
  }
  if (full) refuse(admission, asked, now);
  for (const standing of asked) {
    standing.meter.take(standing.place, now);
    taken.push(standing);
  }
}

function refuse(admission: Admission, asked: readonly Standing[], now: number): never {
  giveBack(admission);
  admission.refused = [...admission.taken.splice(0), ...asked];
  const violated = asked.filter(({ meter, place }) => meter.left(place, now) === 0);
  const seconds = Math.max(...violated.map(({ meter, place }) => meter.waitSeconds(place, now)));
  const [first] = violated;
  const many = first === undefined ? "" : `: at most ${first.meter.quota} in ${first.meter.windowSeconds} s`;
  throw new Refusal("rate-limited", {
    detail: `Too many requests${many}`,
    members: { "violated-policies": violated.map(({ meter }) => meter.name) },
    headers: ["Retry-After", String(seconds)],
  });
}

export function giveBack({ taken }: Admission): void {
  for (const { meter, place } of taken) meter.giveBack(place);
}

/** What the transaction counted, to be told with the answer. */
export function tellCount(admission: Admission, quota: QuotaPlan, { used, until }: Counted, now: number): void {
  const left = Math.max(0, quota.count - used);
  admission.counted.push(`"${quota.name}";r=${left};t=${Math.max(1, Math.ceil((until - now) / 1000))}`);
}

/**
 * The answer with what is left (R8.1), on 2xx and 4xx. A signed-in caller who has the representation already has used nothing
 * up (R4.17).
 */
export function settle(admission: Admission, answer: Answer, now: number): Answer {
  const { carries, counted, limits, refused, signedIn, taken } = admission;
  const { status } = answer;
  if (status === 304 && signedIn) giveBack(admission);
  if (status >= 500 || (status >= 300 && status < 400)) return answer;
  const policy = carries ? limits.policy : limits.anonymousPolicy;
  if (policy === "") return answer;
  const headers = [...answer.headers, "RateLimit-Policy", policy];
  const items: string[] = [];
  for (const { meter, place } of refused.length > 0 ? refused : taken) items.push(item(meter, place, now));
  items.push(...counted);
  if (items.length > 0) headers.push("RateLimit", items.join(", "));
  return { ...answer, headers };
}

function item(meter: Meter, place: Place, now: number): string {
  return `"${meter.name}";r=${meter.left(place, now)};t=${meter.waitSeconds(place, now)}`;
}
