/**
 * Limits failed credentials (R5.7): at most ten a minute from one address, and at most ten a minute for one key from all
 * addresses. All processes share the counts.
 */
import type { Awaitable } from "../../store/port/store.ts";
import { concealed, seedOf } from "../limits/limiter.ts";
import { createRateLimiter, type Reservation, reserve } from "../limits/rate-limiter.ts";
import type { Sharing } from "../limits/shared-counts.ts";

/** Returns the reservation of a failure for a name; nothing is consumed yet. */
export type FailureLimit = (name: string, now: number) => Reservation;

const rate = { count: 10, windowMilliseconds: 60_000 };
/** The maximum number of names with a separate counter, which limits the memory; further names share counters. */
const maximumKeys = 100_000;

/** Creates the limit called `name`, which must be unique. */
export type FailureLimits = (name: string) => FailureLimit;

/** Creates the limits. `secret`: the key of the HMAC that replaces names in the store of shared counts. */
export function createFailureLimits(sharing: Sharing | undefined, secret: string): FailureLimits {
  return (what) => {
    const limiter = createRateLimiter({
      rate: { name: `failed ${what}`, ...rate },
      sharedRate: sharing && { sharing, keyOf: (key) => concealed(secret, key), lenient: false },
      maximumKeys,
      seed: seedOf(secret),
    });
    return (name, now) => ({ limiter, bucket: limiter.look(name, now) });
  };
}

/** The result of an attempt: its reservations, or the limits that are used up. */
export type Attempted =
  | { readonly reservations: readonly Reservation[] }
  | { readonly full: readonly Reservation[]; readonly waitSeconds: number };

/**
 * Counts one failure in each of the limits, or in none if one of them is used up. Returns a promise if the counts are shared.
 * Refund the reservations of an attempt that succeeds.
 */
export function attempt(wanted: readonly Reservation[], now: number): Awaitable<Attempted> {
  const outcome = (full: readonly Reservation[]): Attempted => {
    if (full.length === 0) return { reservations: wanted };
    return {
      full,
      waitSeconds: Math.max(...full.map(({ limiter, bucket }) => limiter.waitSeconds(bucket, now))),
    };
  };
  const full = reserve(wanted, now);
  return full instanceof Promise ? full.then(outcome) : outcome(full);
}
