/**
 * How one key's requests are counted: in a window that begins at the first of them, or with a bucket that is refilled all
 * the time. Times are epoch milliseconds. All numbers are whole, so that the last request that a limit allows is allowed
 * and the next one is not (R8.3).
 */
import type { RatePlan } from "../../plan/limits/types.ts";

/** What is counted for one key. */
export interface Slot {
  /** Of a window: requests. Of a bucket: what is missing in it at `at`, in the shape's own unit. */
  used: number;
  /** Of a window: its end. Of a bucket: the last request. */
  at: number;
}

export interface Shape {
  /** `q` and `w` of the policy: so many, in so many seconds. */
  readonly quota: number;
  readonly windowSeconds: number;
  open(now: number): Slot;
  /** Brings it down from a future that a clock which was set back has taken away: nobody waits for that once more. */
  rewind(slot: Slot, now: number): void;
  /** Whether it counts nothing any more, and may be forgotten. */
  over(slot: Slot, now: number): boolean;
  left(slot: Slot, now: number): number;
  /** Milliseconds until there is more of it than now. */
  wait(slot: Slot, now: number): number;
  consume(slot: Slot, now: number): void;
  refund(slot: Slot): void;
  /** What was counted elsewhere, and so many more. */
  put(slot: Slot, counted: Slot, more: number): void;
  /** Its stored form, and back. */
  save(slot: Slot): { readonly used: number; readonly until: number };
  restore(saved: { readonly used: number; readonly until: number }, now: number): Slot;
}

export function shapeOf(rate: Pick<RatePlan, "count" | "windowMilliseconds" | "burst">): Shape {
  return rate.burst === undefined ? windowOf(rate) : bucketOf(rate, rate.burst);
}

function windowOf({ count, windowMilliseconds: length }: Pick<RatePlan, "count" | "windowMilliseconds">): Shape {
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

/** The unit is one of `length` parts of a request, so that each millisecond refills exactly `count` units. */
function bucketOf(
  { count, windowMilliseconds: length }: Pick<RatePlan, "count" | "windowMilliseconds">,
  burst: number,
): Shape {
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
