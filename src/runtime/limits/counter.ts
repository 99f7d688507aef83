/**
 * Counts the requests of one key: in a window that begins with the first request, or with a token bucket that refills
 * continuously. Times are epoch milliseconds. All numbers are integers, so the limit is exact (R8.3).
 */
import type { RatePlan } from "../../plan/limits/types.ts";

/** The count of one key. */
export interface Slot {
  /** For a window: the number of requests. For a token bucket: the missing tokens at `at`, in units of the counter. */
  used: number;
  /** For a window: its end. For a token bucket: the time of the last request. */
  at: number;
}

export interface Counter {
  /** `q` of `RateLimit-Policy`, the number of requests; the next member is `w`, the seconds. */
  readonly quota: number;
  readonly windowSeconds: number;
  open(now: number): Slot;
  /** After the clock was set back, moves timestamps in the future back to now, so that no work waits for them. */
  rewind(slot: Slot, now: number): void;
  /** Whether the count is zero again, so that the slot can be removed. */
  over(slot: Slot, now: number): boolean;
  left(slot: Slot, now: number): number;
  /** Returns the milliseconds until the next request is possible. */
  wait(slot: Slot, now: number): number;
  consume(slot: Slot, now: number): void;
  refund(slot: Slot): void;
  /** Sets a slot to the count of other processes, plus `more` requests. */
  put(slot: Slot, counted: Slot, more: number): void;
  /** Converts a slot to its stored form; the next function converts it back. */
  save(slot: Slot): { readonly used: number; readonly until: number };
  restore(saved: { readonly used: number; readonly until: number }, now: number): Slot;
}

export function counterOf(rate: Pick<RatePlan, "count" | "windowMilliseconds" | "burst">): Counter {
  return rate.burst === undefined ? windowOf(rate) : bucketOf(rate, rate.burst);
}

function windowOf({ count, windowMilliseconds: length }: Pick<RatePlan, "count" | "windowMilliseconds">): Counter {
  return {
    quota: count,
    windowSeconds: secondsOf(length),
    open: (now) => ({ used: 0, at: now + length }),
    rewind: (slot, now) => {
      slot.at = Math.min(slot.at, now + length);
    },
    over: (slot, now) => slot.at <= now,
    left: (slot) => Math.max(0, count - slot.used),
    wait: (slot, now) => slot.at - now,
    consume: (slot) => {
      slot.used += 1;
    },
    refund: (slot) => {
      slot.used -= 1;
    },
    put: (slot, { used, at }, more) => {
      slot.used = used + more;
      slot.at = at;
    },
    save: ({ used, at }) => ({ used, until: at }),
    restore: ({ used, until }, now) => ({ used, at: Math.min(until, now + length) }),
  };
}

/** Creates a token bucket. One unit is 1/`length` of a request, so each millisecond refills exactly `count` units. */
function bucketOf(
  { count, windowMilliseconds: length }: Pick<RatePlan, "count" | "windowMilliseconds">,
  burst: number,
): Counter {
  const capacity = burst * length;
  const missing = ({ used, at }: Slot, now: number): number => Math.max(0, used - Math.max(0, now - at) * count);
  return {
    quota: burst,
    windowSeconds: secondsOf(capacity / count),
    open: (now) => ({ used: 0, at: now }),
    rewind: (slot, now) => {
      slot.at = Math.min(slot.at, now);
    },
    over: (slot, now) => missing(slot, now) === 0,
    left: (slot, now) => Math.floor((capacity - missing(slot, now)) / length),
    wait: (slot, now) => {
      const short = missing(slot, now) % length;
      return Math.ceil((short === 0 ? length : short) / count);
    },
    consume: (slot, now) => {
      slot.used = missing(slot, now) + length;
      slot.at = Math.max(slot.at, now);
    },
    refund: (slot) => {
      slot.used = Math.max(0, slot.used - length);
    },
    put: (slot, { used, at }, more) => {
      slot.used = Math.max(0, used + more * length);
      slot.at = at;
    },
    save: ({ used, at }) => ({ used: 0, until: at + Math.ceil(used / count) }),
    restore: ({ until }, now) => ({ used: Math.min(capacity, Math.max(0, until - now) * count), at: now }),
  };
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
