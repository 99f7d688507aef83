/**
 * Decides whether a request is within its rate limits: `reserve` consumes one request from each limit or from none. A limit
 * counts the requests of each key in a window that begins with the first request or ends at a local midnight, or with a token
 * bucket that refills continuously. Times are epoch milliseconds. All numbers are integers, so the limit is exact (R8.3).
 */
import type { RatePlan } from "../../plan/limits/types.ts";
import type { Awaitable } from "../../store/port/store.ts";
import { type Bucket, type BucketLife, type Buckets, type BucketsOptions, createBuckets } from "./buckets.ts";
import { windowEnds } from "./calendar.ts";
import { createSharedCounts, type SharedCounts, type SharedRate } from "./shared-counts.ts";

/** A request that is counted in one limit. */
export interface Reservation {
  readonly limiter: RateLimiter;
  readonly bucket: Bucket;
}

/**
 * Consumes one request from each limit or from none; returns the limits that are used up. Returns a promise if processes share
 * a count and only the shared count can decide.
 */
export function reserve(wanted: readonly Reservation[], now: number): Awaitable<readonly Reservation[]> {
  const full = wanted.filter(({ limiter, bucket }) => limiter.left(bucket, now) === 0);
  if (full.length > 0) {
    for (const { limiter, bucket } of full) limiter.shared?.renew(bucket, now);
    return full;
  }
  const unsure = wanted.filter(({ limiter, bucket }) => limiter.shared?.isUnsure(bucket));
  for (const one of wanted) if (!unsure.includes(one)) one.limiter.consume(one.bucket, now);
  return unsure.length === 0 ? none : reserveShared(wanted, unsure, now);
}

const none: readonly Reservation[] = [];

async function reserveShared(
  wanted: readonly Reservation[],
  unsure: readonly Reservation[],
  now: number,
): Promise<readonly Reservation[]> {
  const granted = await Promise.all(unsure.map(({ limiter, bucket }) => limiter.consumeShared(bucket, now)));
  const full = unsure.filter((_, index) => !granted[index]);
  if (full.length > 0) {
    const reserved = wanted.filter((reservation) => !full.includes(reservation));
    refund(reserved, now);
  }
  return full;
}

export function refund(reserved: readonly Reservation[], now: number): void {
  for (const { limiter, bucket } of reserved) limiter.refund(bucket, now);
}

/** One rate limit, with a bucket for each key. */
export interface RateLimiter extends Pick<Buckets, "look" | "changes" | "again" | "restore"> {
  /** The limit as an item of `RateLimit-Policy`. */
  readonly policy: string;
  readonly name: string;
  /** `q` of `RateLimit-Policy`, the number of requests. */
  readonly quota: number;
  /** The window for callers: `60 s`, or `a day of Europe/Oslo`. */
  readonly window: string;
  /** The counts of all processes, if they share them. */
  readonly shared: SharedCounts | undefined;
  left(bucket: Bucket, now: number): number;
  /** Returns the whole seconds until the next request is possible, at least 1. */
  waitSeconds(bucket: Bucket, now: number): number;
  consume(bucket: Bucket, now: number): void;
  /** Consumes one request if the shared count has room for it; returns whether it has. */
  consumeShared(bucket: Bucket, now: number): Promise<boolean>;
  /** Undoes one call of `consume`. */
  refund(bucket: Bucket, now: number): void;
}

export interface RateLimiterOptions extends Omit<BucketsOptions, "life"> {
  readonly rate: Pick<RatePlan, "name" | "count" | "windowMilliseconds" | "burst" | "calendar">;
  readonly sharedRate?: SharedRate | undefined;
}

export function createRateLimiter({ rate, sharedRate, ...options }: RateLimiterOptions): RateLimiter {
  const counter = rate.burst === undefined ? windowOf(rate) : tokenBucketOf(rate, rate.burst);
  const buckets = createBuckets({ life: counter, ...options });
  const shared =
    sharedRate && createSharedCounts(rate, sharedRate, (bucket, counted, owed) => counter.put(bucket, counted, owed));
  const consume = (bucket: Bucket, now: number): void => {
    // Each use of a token bucket delays the bucket's end.
    buckets.hold(bucket, rate.burst !== undefined);
    counter.consume(bucket, now);
    buckets.touch(bucket);
  };
  return {
    ...buckets,
    name: rate.name,
    quota: counter.quota,
    window:
      rate.calendar === undefined ? `${counter.windowSeconds} s` : `a ${rate.calendar.unit} of ${rate.calendar.zone}`,
    policy: `"${rate.name}";q=${counter.quota};w=${counter.windowSeconds}`,
    shared,
    left: (bucket, now) => counter.left(bucket, now),
    waitSeconds: (bucket, now) => Math.max(1, Math.ceil(counter.wait(bucket, now) / 1000)),
    consume(bucket, now) {
      consume(bucket, now);
      shared?.report(bucket, 1, now);
    },
    async consumeShared(bucket, now) {
      buckets.hold(bucket, false);
      const granted = await shared?.want(bucket, now);
      if (granted !== undefined) return granted;
      // If the shared count is unavailable, the count of this process applies.
      if (counter.left(bucket, now) === 0) return false;
      consume(bucket, now);
      return true;
    },
    refund(bucket, now) {
      // The refund of a request in an ended window must not reduce the count of the next window. A refund may also end a token
      // bucket, by filling it, so this is decided before.
      const isOver = counter.over(bucket, now);
      counter.refund(bucket);
      buckets.touch(bucket);
      if (!isOver) shared?.report(bucket, -1, now);
    },
  };
}

/** How a limit counts the requests of one key. */
interface Counter extends BucketLife {
  readonly quota: number;
  readonly windowSeconds: number;
  left(bucket: Bucket, now: number): number;
  /** Returns the milliseconds until the next request is possible. */
  wait(bucket: Bucket, now: number): number;
  consume(bucket: Bucket, now: number): void;
  refund(bucket: Bucket): void;
  /** Sets a bucket to the count of all processes, plus `more` requests. */
  put(bucket: Bucket, counted: Pick<Bucket, "used" | "at">, more: number): void;
}

function windowOf(rate: Pick<RatePlan, "count" | "windowMilliseconds" | "calendar">): Counter {
  const { count } = rate;
  const endAt = windowEnds(rate);
  return {
    quota: count,
    windowSeconds: secondsOf(rate.windowMilliseconds),
    open: (key, now) => ({ key, used: 0, at: endAt(now), listed: false }),
    rewind: (bucket, now) => {
      bucket.at = Math.min(bucket.at, endAt(now));
    },
    over: (bucket, now) => bucket.at <= now,
    left: (bucket) => Math.max(0, count - bucket.used),
    wait: (bucket, now) => bucket.at - now,
    consume: (bucket) => {
      bucket.used += 1;
    },
    refund: (bucket) => {
      bucket.used -= 1;
    },
    put: (bucket, { used, at }, more) => {
      bucket.used = used + more;
      bucket.at = at;
    },
    save: ({ used, at }) => ({ used, until: at }),
    restore: (key, { used, until }, now) => ({ key, used, at: Math.min(until, endAt(now)), listed: false }),
  };
}

/** Creates a token bucket. One unit is 1/`length` of a request, so each millisecond refills exactly `count` units. */
function tokenBucketOf(
  { count, windowMilliseconds: length }: Pick<RatePlan, "count" | "windowMilliseconds">,
  burst: number,
): Counter {
  const capacity = burst * length;
  const missing = ({ used, at }: Bucket, now: number): number => Math.max(0, used - Math.max(0, now - at) * count);
  return {
    quota: burst,
    windowSeconds: secondsOf(capacity / count),
    open: (key, now) => ({ key, used: 0, at: now, listed: false }),
    rewind: (bucket, now) => {
      bucket.at = Math.min(bucket.at, now);
    },
    over: (bucket, now) => missing(bucket, now) === 0,
    left: (bucket, now) => Math.floor((capacity - missing(bucket, now)) / length),
    wait: (bucket, now) => {
      const short = missing(bucket, now) % length;
      return Math.ceil((short === 0 ? length : short) / count);
    },
    consume: (bucket, now) => {
      bucket.used = missing(bucket, now) + length;
      bucket.at = Math.max(bucket.at, now);
    },
    refund: (bucket) => {
      bucket.used = Math.max(0, bucket.used - length);
    },
    put: (bucket, { used, at }, more) => {
      bucket.used = Math.max(0, used + more * length);
      bucket.at = at;
    },
    save: ({ used, at }) => ({ used: 0, until: at + Math.ceil(used / count) }),
    restore: (key, { until }, now) => {
      return { key, used: Math.min(capacity, Math.max(0, until - now) * count), at: now, listed: false };
    },
  };
}

function secondsOf(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000));
}
