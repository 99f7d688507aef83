/**
 * One rate limit with a count for each key. Its memory is bounded: ended counts are removed, and when the maximum number of
 * keys is active, further keys share counts. So a flood of keys makes a limit stricter for some callers, and never resets an
 * active window.
 */
import type { RatePlan } from "../../plan/limits/types.ts";
import type { Counted } from "../../store/port/store.ts";
import { counterOf, type Slot } from "./counter.ts";

export interface RateLimiter {
  /** The limit as an item of `RateLimit-Policy`. */
  readonly policy: string;
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  /** Returns the bucket of a key, to read or consume; it is not stored before `consume` or `hold`. */
  look(key: string, now: number): BucketRef;
  left(bucketRef: BucketRef, now: number): number;
  /** Whether the bucket is unused or its window has ended. */
  isOver(bucketRef: BucketRef, now: number): boolean;
  /** Returns the whole seconds until the next request is possible, at least 1. */
  waitSeconds(bucketRef: BucketRef, now: number): number;
  consume(bucketRef: BucketRef, now: number): void;
  /** Undoes one call of `consume`. */
  refund(bucketRef: BucketRef): void;
  /** Returns the counts that changed since the last call and have not ended. */
  changes(now: number): ReadonlyMap<string, Counted>;
  /** Notes that the result of `changes` could not be stored: the next call returns it again. */
  again(keys: Iterable<string>): void;
  restore(key: string, counted: Counted, now: number): void;
  /** Stores an unused bucket, so that later calls of `look` for the key return it. */
  hold(bucketRef: BucketRef): void;
  /** Replaces the count by the count of all processes; `owed`: requests that this process has not reported yet. */
  applyShared(bucketRef: BucketRef, counted: Slot, owed: number): void;
}

/** The bucket of one key, or of several keys that share it. */
export interface BucketRef {
  readonly slot: Slot;
  /** The key, or the shared key such as `*17`. */
  readonly key: string;
  listed: boolean;
}

export interface RateLimiterOptions {
  readonly rate: Pick<RatePlan, "name" | "count" | "windowMilliseconds" | "burst">;
  /** The maximum number of active keys with a separate count. */
  readonly maximumKeys: number;
  /** The secret start of the hash that assigns further keys to shared counts, so that clients cannot choose theirs. */
  readonly seed: number;
  /** Called at each change; absent if the counts are not stored. */
  readonly changed?: () => void;
}

/** How many counts the keys beyond the maximum share. */
const sharedCounts = 1024;

export function createRateLimiter({ rate, maximumKeys, seed, changed }: RateLimiterOptions): RateLimiter {
  const counter = counterOf(rate);
  /** The buckets, ordered by the time at which they end. */
  const bucketRefs = new Map<string, BucketRef>();
  const shared = new Map<string, BucketRef>();
  const pending = new Set<string>();

  const live = (among: Map<string, BucketRef>, key: string, now: number): BucketRef | undefined => {
    const bucketRef = among.get(key);
    if (bucketRef === undefined) return undefined;
    counter.rewind(bucketRef.slot, now);
    if (!counter.over(bucketRef.slot, now)) return bucketRef;
    among.delete(key);
    return undefined;
  };
  const list = (bucketRef: BucketRef): void => {
    bucketRef.listed = true;
    (isShared(bucketRef.key) ? shared : bucketRefs).set(bucketRef.key, bucketRef);
  };
  /** Removes ended buckets, which are at the front; returns whether the maximum of active ones is reached. */
  const isFull = (now: number): boolean => {
    for (const [key, { slot }] of bucketRefs) {
      if (!counter.over(slot, now)) break;
      bucketRefs.delete(key);
    }
    return bucketRefs.size >= maximumKeys;
  };
  const setChanged = (bucketRef: BucketRef): void => {
    if (changed === undefined) return;
    pending.add(bucketRef.key);
    changed();
  };

  return {
    name: rate.name,
    quota: counter.quota,
    windowSeconds: counter.windowSeconds,
    policy: `"${rate.name}";q=${counter.quota};w=${counter.windowSeconds}`,
    look(key, now) {
      const reference = live(bucketRefs, key, now);
      if (reference !== undefined) return reference;
      // A key that uses a shared count keeps using it until that count ends; a separate count would double the key's limit.
      const common = shared.size === 0 ? undefined : live(shared, sharedKey(seed, key), now);
      if (common !== undefined) return common;
      return { key: isFull(now) ? sharedKey(seed, key) : key, slot: counter.open(now), listed: false };
    },
    left: ({ slot }, now) => counter.left(slot, now),
    isOver: ({ slot }, now) => counter.over(slot, now),
    waitSeconds: ({ slot }, now) => Math.max(1, Math.ceil(counter.wait(slot, now) / 1000)),
    consume(bucketRef, now) {
      // Each use of a token bucket delays the bucket's end, so the bucket moves to the end of the ordered map.
      if (bucketRef.listed && rate.burst !== undefined) bucketRefs.delete(bucketRef.key);
      if (!bucketRef.listed || rate.burst !== undefined) list(bucketRef);
      counter.consume(bucketRef.slot, now);
      setChanged(bucketRef);
    },
    refund(bucketRef) {
      counter.refund(bucketRef.slot);
      setChanged(bucketRef);
    },
    hold(bucketRef) {
      if (!bucketRef.listed) list(bucketRef);
    },
    applyShared(bucketRef, counted, owed) {
      counter.put(bucketRef.slot, counted, owed);
    },
    changes(now) {
      const found = new Map<string, Counted>();
      for (const key of pending) {
        const bucketRef = bucketRefs.get(key) ?? shared.get(key);
        if (bucketRef !== undefined && !counter.over(bucketRef.slot, now)) found.set(key, counter.save(bucketRef.slot));
      }
      pending.clear();
      return found;
    },
    again(keys) {
      for (const key of keys) pending.add(key);
    },
    restore(key, counted, now) {
      const slot = counter.restore(counted, now);
      if (counter.over(slot, now)) return;
      const bucketRef = { key: !isShared(key) && isFull(now) ? sharedKey(seed, key) : key, slot, listed: true };
      const common = shared.get(bucketRef.key);
      if (common === undefined) list(bucketRef);
      else {
        common.slot.used += slot.used;
        common.slot.at = Math.max(common.slot.at, slot.at);
      }
    },
  };
}

/** Returns the key of a shared count; other keys never start with `*`. */
function sharedKey(seed: number, key: string): string {
  // The hash is FNV-1a, which starts with `seed`.
  let hash = seed;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `*${(hash >>> 0) % sharedCounts}`;
}

function isShared(key: string): boolean {
  return key.startsWith("*");
}
