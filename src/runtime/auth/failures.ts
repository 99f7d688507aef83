/**
 * Failed credentials (R5.7): at most ten in a minute from one address, and at most ten for one key, wherever they come
 * from. Several processes count them together.
 */
import type { Awaitable } from "../../store/port/store.ts";
import { concealed, seedOf } from "../limits/limiter.ts";
import { createRateLimiter } from "../limits/rate-limiter.ts";
import { refund, type Reservation, reserve, type SharedCounts } from "../limits/reservation.ts";
import type { Sharing } from "../limits/shared-counts.ts";

/** The failures of one name that are counted at a moment. */
export type FailureLimit = (name: string, now: number) => Reservation;

const rate = { count: 10, windowMilliseconds: 60_000 };
/** Beyond this many names several share a count: the table protects the server, it must not fill it. */
const maximumKeys = 100_000;

/** A limit under a name that no other one has. */
export type FailureLimits = (name: string) => FailureLimit;

/** `secret`: conceals names from the store of the other processes' counts. */
export function createFailureLimits(sharing: Sharing | undefined, secret: string): FailureLimits {
  return (what) => {
    const limiter = createRateLimiter({ rate: { name: `failed ${what}`, ...rate }, maximumKeys, seed: seedOf(secret) });
    const sharedCounts: SharedCounts | undefined = sharing && {
      sharing,
      sharedOf: ({ key }) => ({ name: limiter.name, key: concealed(secret, key), limit: rate }),
      lenient: false,
    };
    return (name, now) => ({ limiter, bucketRef: limiter.look(name, now), sharedCounts });
  };
}

/** The reservations of an attempt, or those limits that have none left. */
export type Attempted =
  | { readonly reservations: readonly Reservation[] }
  | { readonly full: readonly Reservation[]; readonly waitSeconds: number };

/** Counts one failure in each of the limits, or in none where one of them is full. A promise where other processes are asked. */
export function attempt(wanted: readonly Reservation[], now: number): Awaitable<Attempted> {
  const outcome = (full: readonly Reservation[]): Attempted => {
    if (full.length === 0) return { reservations: wanted };
    return {
      full,
      waitSeconds: Math.max(...full.map(({ limiter, bucketRef }) => limiter.waitSeconds(bucketRef, now))),
    };
  };
  const full = reserve(wanted, now);
  return full instanceof Promise ? full.then(outcome) : outcome(full);
}

/** It was no failure. */
export function noFailure(reservations: readonly Reservation[], now: number): void {
  refund(reservations, now);
}
