/**
 * The buckets of one rate limit, by key, in bounded memory: ended buckets are removed, and when the maximum number of keys is
 * active, further keys have common buckets. So a flood of keys makes a limit stricter for some callers, and never resets an
 * active window.
 */
import type { Counted } from "../../store/port/store.ts";

/** The count of one key, or of several keys that have a common bucket. */
export interface Bucket {
  /** The key, or the key of a common bucket such as `*17`. */
  readonly key: string;
  /** For a window: the number of requests. For a token bucket: the missing tokens at `at`, in units of the counter. */
  used: number;
  /** For a window: its end. For a token bucket: the time of the last request. */
  at: number;
  listed: boolean;
}

export interface Buckets {
  /** Returns the bucket of a key, to read or consume; it is not stored before `hold`. */
  look(key: string, now: number): Bucket;
  /** Stores a bucket, so that later calls of `look` for the key return it. `last`: its end is now later than all others. */
  hold(bucket: Bucket, last: boolean): void;
  /** Notes that a bucket has changed. */
  touch(bucket: Bucket): void;
  /** Returns the counts that changed since the last call and have not ended. */
  changes(now: number): ReadonlyMap<string, Counted>;
  /** Notes that the result of `changes` could not be stored: the next call returns it again. */
  again(keys: Iterable<string>): void;
  restore(key: string, counted: Counted, now: number): void;
}

/** When a bucket begins and ends, and its stored form: different for windows and token buckets. */
export interface BucketLife {
  open(key: string, now: number): Bucket;
  /** After the clock was set back, moves timestamps in the future back to now, so that no work waits for them. */
  rewind(bucket: Bucket, now: number): void;
  /** Whether the count is zero again, so that the bucket can be removed. */
  over(bucket: Bucket, now: number): boolean;
  /** Converts a count to its stored form; the next function converts it back. */
  save(bucket: Bucket): Counted;
  restore(key: string, saved: Counted, now: number): Bucket;
}

export interface BucketsOptions {
  readonly life: BucketLife;
  /** The maximum number of active keys with a separate bucket. */
  readonly maximumKeys: number;
  /** The secret start of the hash that assigns further keys to common buckets, so that clients cannot choose theirs. */
  readonly seed: number;
  /** Called at each change; absent if the counts are not stored. */
  readonly changed?: () => void;
}

/** How many buckets the keys beyond the maximum have in common. */
const commonBuckets = 1024;

export function createBuckets({ life, maximumKeys, seed, changed }: BucketsOptions): Buckets {
  /** The buckets of one key, ordered by the time at which they end. */
  const separate = new Map<string, Bucket>();
  const common = new Map<string, Bucket>();
  const pending = new Set<string>();

  const live = (among: Map<string, Bucket>, key: string, now: number): Bucket | undefined => {
    const bucket = among.get(key);
    if (bucket === undefined) return undefined;
    life.rewind(bucket, now);
    if (!life.over(bucket, now)) return bucket;
    among.delete(key);
    return undefined;
  };
  const list = (bucket: Bucket): void => {
    bucket.listed = true;
    (isCommon(bucket.key) ? common : separate).set(bucket.key, bucket);
  };
  /** Removes ended buckets, which are at the front; returns whether the maximum of active ones is reached. */
  const isFull = (now: number): boolean => {
    for (const [key, bucket] of separate) {
      if (!life.over(bucket, now)) break;
      separate.delete(key);
    }
    return separate.size >= maximumKeys;
  };

  return {
    look(key, now) {
      const own = live(separate, key, now);
      if (own !== undefined) return own;
      // A key that uses a common bucket keeps using it until that bucket ends; a separate one would double the key's limit.
      const bucket = common.size === 0 ? undefined : live(common, commonKey(seed, key), now);
      return bucket ?? life.open(isFull(now) ? commonKey(seed, key) : key, now);
    },
    hold(bucket, last) {
      if (bucket.listed && !last) return;
      if (bucket.listed) separate.delete(bucket.key);
      list(bucket);
    },
    touch(bucket) {
      if (changed === undefined) return;
      pending.add(bucket.key);
      changed();
    },
    changes(now) {
      const found = new Map<string, Counted>();
      for (const key of pending) {
        const bucket = separate.get(key) ?? common.get(key);
        if (bucket !== undefined && !life.over(bucket, now)) found.set(key, life.save(bucket));
      }
      pending.clear();
      return found;
    },
    again(keys) {
      for (const key of keys) pending.add(key);
    },
    restore(key, counted, now) {
      const bucket = life.restore(key, counted, now);
      if (life.over(bucket, now)) return;
      const stored = !isCommon(key) && isFull(now) ? { ...bucket, key: commonKey(seed, key) } : bucket;
      const other = common.get(stored.key);
      if (other === undefined) list(stored);
      else {
        other.used += stored.used;
        other.at = Math.max(other.at, stored.at);
      }
    },
  };
}

/** Returns the key of a common bucket; other keys never start with `*`. */
function commonKey(seed: number, key: string): string {
  // The hash is FNV-1a, which starts with `seed`.
  let hash = seed;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `*${(hash >>> 0) % commonBuckets}`;
}

function isCommon(key: string): boolean {
  return key.startsWith("*");
}
