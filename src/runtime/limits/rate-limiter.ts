/**
 * One limit with what it counts for each key. Its memory is bounded: what is over is dropped, and once as many keys as there
 * may be are live, further ones share what is counted among themselves. So a flood of keys makes a limit stricter for some,
 * and never lets a live window be forgotten.
 */
import type { RatePlan } from "../../plan/limits/types.ts";
import type { Counted } from "../../store/port/store.ts";
import { shapeOf, type Slot } from "./bucket.ts";

export interface RateLimiter {
  /** As an item of `RateLimit-Policy`. */
  readonly policy: string;
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  /** What is counted for a key, to be read, or taken from before anything else happens. */
  look(key: string, now: number): BucketRef;
  left(bucketRef: BucketRef, now: number): number;
  /** Whether nothing is counted there any more. */
  isOver(bucketRef: BucketRef, now: number): boolean;
  /** Whole seconds until there is more, at least 1. */
  waitSeconds(bucketRef: BucketRef, now: number): number;
  consume(bucketRef: BucketRef, now: number): void;
  /** As if it had not been taken. */
  refund(bucketRef: BucketRef): void;
  /** What changed since this was asked last and is not over. */
  changes(now: number): ReadonlyMap<string, Counted>;
  /** The result of `changes` could not be stored: the next call returns it again. */
  again(keys: Iterable<string>): void;
  restore(key: string, counted: Counted, now: number): void;
  /** Whoever asks for the key from now on finds this place, though nothing was taken from it yet. */
  hold(bucketRef: BucketRef): void;
  /** What several processes have counted takes the place of what was; `owed` is what they do not know of yet. */
  applyShared(bucketRef: BucketRef, counted: Slot, owed: number): void;
}

/** Where a key's requests are counted. */
export interface BucketRef {
  readonly slot: Slot;
  /** The key, or the one that several share. */
  readonly key: string;
  listed: boolean;
}

export interface RateLimiterOptions {
  readonly rate: Pick<RatePlan, "name" | "count" | "windowMilliseconds" | "burst">;
  /** Live keys that have a count of their own. */
  readonly maximumKeys: number;
  /** Says which keys fall together beyond it, so that nobody who does not know it can choose whose company to keep. */
  readonly seed: number;
  /** Called at each change; absent if the counts are not stored. */
  readonly changed?: () => void;
}

/** Counts that keys share beyond the maximum. */
const sharedCounts = 1024;

export function createRateLimiter({ rate, maximumKeys, seed, changed }: RateLimiterOptions): RateLimiter {
  const shape = shapeOf(rate);
  /** The one that is over first stands first. */
  const bucketRefs = new Map<string, BucketRef>();
  const shared = new Map<string, BucketRef>();
  const pending = new Set<string>();

  const live = (among: Map<string, BucketRef>, key: string, now: number): BucketRef | undefined => {
    const bucketRef = among.get(key);
    if (bucketRef === undefined) return undefined;
    shape.rewind(bucketRef.slot, now);
    if (!shape.over(bucketRef.slot, now)) return bucketRef;
    among.delete(key);
    return undefined;
  };
  const list = (bucketRef: BucketRef): void => {
    bucketRef.listed = true;
    (isShared(bucketRef.key) ? shared : bucketRefs).set(bucketRef.key, bucketRef);
  };
  /** One that is live must not be forgotten, so what is over is looked for only at the front. */
  const isFull = (now: number): boolean => {
    for (const [key, { slot }] of bucketRefs) {
      if (!shape.over(slot, now)) break;
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
    quota: shape.quota,
    windowSeconds: shape.windowSeconds,
    policy: `"${rate.name}";q=${shape.quota};w=${shape.windowSeconds}`,
    look(key, now) {
      const reference = live(bucketRefs, key, now);
      if (reference !== undefined) return reference;
      // Whoever was counted with others stays with them until that is over: a count of its own would be a second one.
      const common = shared.size === 0 ? undefined : live(shared, sharedKey(seed, key), now);
      if (common !== undefined) return common;
      return { key: isFull(now) ? sharedKey(seed, key) : key, slot: shape.open(now), listed: false };
    },
    left: ({ slot }, now) => shape.left(slot, now),
    isOver: ({ slot }, now) => shape.over(slot, now),
    waitSeconds: ({ slot }, now) => Math.max(1, Math.ceil(shape.wait(slot, now) / 1000)),
    consume(bucketRef, now) {
      // A bucket is over the later the later it was used.
      if (bucketRef.listed && rate.burst !== undefined) bucketRefs.delete(bucketRef.key);
      if (!bucketRef.listed || rate.burst !== undefined) list(bucketRef);
      shape.consume(bucketRef.slot, now);
      setChanged(bucketRef);
    },
    refund(bucketRef) {
      shape.refund(bucketRef.slot);
      setChanged(bucketRef);
    },
    hold(bucketRef) {
      if (!bucketRef.listed) list(bucketRef);
    },
    applyShared(bucketRef, counted, owed) {
      shape.put(bucketRef.slot, counted, owed);
    },
    changes(now) {
      const found = new Map<string, Counted>();
      for (const key of pending) {
        const bucketRef = bucketRefs.get(key) ?? shared.get(key);
        if (bucketRef !== undefined && !shape.over(bucketRef.slot, now)) found.set(key, shape.save(bucketRef.slot));
      }
      pending.clear();
      return found;
    },
    again(keys) {
      for (const key of keys) pending.add(key);
    },
    restore(key, counted, now) {
      const slot = shape.restore(counted, now);
      if (shape.over(slot, now)) return;
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

/** No other key begins like this. */
function sharedKey(seed: number, key: string): string {
  // FNV-1a from another start.
  let hash = seed;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `*${(hash >>> 0) % sharedCounts}`;
}

function isShared(key: string): boolean {
  return key.startsWith("*");
}
