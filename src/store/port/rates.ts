/**
 * Rate limits that several processes share, in the store or in a separate database such as Valkey. Numbers are integers and
 * times epoch milliseconds, as in `runtime/limits/rate-limiter.ts`, which counts for one process.
 */

export interface Rates {
  /**
   * Counts the requests of one event-loop tick; results have the order of `requests`, whose names and keys are distinct. Rejects
   * if the server is unreachable; the caller then does not know which were counted.
   */
  count(requests: readonly RateRequest[], now: number): Promise<readonly RateCount[]>;
}

export interface RateRequest {
  readonly name: string;
  readonly key: string;
  readonly limit: RateLimit;
  /** How many requests to count whether or not the limit allows them; negative: a refund. */
  readonly consumed: number;
  /** How many requests to count at most, as far as the limit allows. */
  readonly wanted: number;
}

export interface RateLimit {
  readonly count: number;
  readonly windowMilliseconds: number;
  /**
   * The end of a window that begins now, in epoch milliseconds; absent: `windowMilliseconds` from now. Never later than that.
   */
  readonly until?: number;
  /** The size of a token bucket, which is then used instead of a window. */
  readonly burst?: number;
}

export interface RateCount {
  /** How many of the `wanted` requests the limit allowed. */
  readonly granted: number;
  /** For a window: the requests. For a token bucket: the missing tokens at `at`, times `windowMilliseconds`. */
  readonly used: number;
  /** For a window: its end. For a token bucket: the time of its last refill. */
  readonly at: number;
}

/**
 * How far a stored refill time may be ahead of `now`, in milliseconds: clocks of processes differ, and no process refills the
 * same span twice. A time further ahead is from a clock that was set back since, and is cut to this bound.
 */
export const aheadMilliseconds = 10_000;

/** Returns the count after a request. `before`: the stored count, undefined for none. */
export function counted(
  before: Pick<RateCount, "used" | "at"> | undefined,
  { limit, consumed, wanted }: RateRequest,
  now: number,
): RateCount {
  const { burst, count, windowMilliseconds: length, until = now + length } = limit;
  if (burst === undefined) {
    const isLive = before !== undefined && before.at > now;
    const used = Math.max(0, (isLive ? before.used : 0) + consumed);
    const granted = Math.min(wanted, Math.max(0, count - used));
    // If a clock was set back, a window still ends within its length.
    return { granted, used: used + granted, at: isLive ? Math.min(before.at, now + length) : until };
  }
  const elapsed = before === undefined ? 0 : Math.max(0, now - before.at);
  const missing = Math.max(0, Math.max(0, (before?.used ?? 0) - elapsed * count) + consumed * length);
  const granted = Math.min(wanted, Math.max(0, Math.floor((burst * length - missing) / length)));
  return {
    granted,
    used: missing + granted * length,
    at: Math.max(now, Math.min(before?.at ?? now, now + aheadMilliseconds)),
  };
}
