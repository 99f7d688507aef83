/**
 * Rates that several processes count together, a part of the store's port: in the store itself, or in one of their own beside
 * it. Numbers are whole and times epoch milliseconds, as in `runtime/limits/bucket.ts`, which counts the same for one process.
 */

export interface Rates {
  /**
   * Counts, and answers each in its place: one call for all that was asked in a turn of the event loop. No two are of the same
   * name and key. Rejects where it cannot be reached, when it is not known what of it was counted.
   */
  count(requests: readonly RateRequest[], now: number): Promise<readonly RateCount[]>;
}

export interface RateRequest {
  readonly name: string;
  readonly key: string;
  readonly limit: RateLimit;
  /** So many are counted, whatever there is; negative: so many are given back. */
  readonly consumed: number;
  /** So many are asked for: as many are counted as there is room for. */
  readonly wanted: number;
}

export interface RateLimit {
  readonly count: number;
  readonly windowMilliseconds: number;
  /** A bucket of this size instead of a window. */
  readonly burst?: number;
}

export interface RateCount {
  /** Of those that were asked for. */
  readonly granted: number;
  /** Of a window: requests. Of a bucket: what is missing in it at `at`, in parts of `windowMilliseconds` to a request. */
  readonly used: number;
  /** Of a window: its end. Of a bucket: until when it is refilled. */
  readonly at: number;
}

/**
 * A bucket is refilled for each moment once, whoever asks: with clocks that are apart, and where a call is late, somebody has been
 * told a later time before. What is further ahead than this is the time of a clock that was set back, and nobody waits for it.
 */
export const aheadMilliseconds = 10_000;

/** What is counted after an ask; `before` is what was kept, undefined where nothing was. */
export function counted(
  before: Pick<RateCount, "used" | "at"> | undefined,
  { limit, consumed, wanted }: RateRequest,
  now: number,
): RateCount {
  const { burst, count, windowMilliseconds: length } = limit;
  if (burst === undefined) {
    const isLive = before !== undefined && before.at > now;
    const used = Math.max(0, (isLive ? before.used : 0) + consumed);
    const granted = Math.min(wanted, Math.max(0, count - used));
    // A clock that was set back makes nobody wait for what it has taken away.
    return { granted, used: used + granted, at: isLive ? Math.min(before.at, now + length) : now + length };
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
