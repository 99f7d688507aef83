/**
 * One limit with what it counts for each key. Its memory is bounded: what is over is dropped, and once as many keys as there
 * may be are live, further ones share what is counted among themselves. So a flood of keys makes a limit stricter for some,
 * and never lets a live window be forgotten.
 */
import type { RatePlan } from "../../plan/plan.ts";
import type { Counted } from "../../store/store.ts";
import { shapeOf } from "./shape.ts";
import type { Slot } from "./shape.ts";

export interface Meter {
  /** As an item of `RateLimit-Policy`. */
  readonly policy: string;
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  /** What is counted for a key, to be read, or taken from before anything else happens. */
  look(key: string, now: number): Place;
  left(place: Place, now: number): number;
  /** Whether nothing is counted there any more. */
  isOver(place: Place, now: number): boolean;
  /** Whole seconds until there is more, at least 1. */
  waitSeconds(place: Place, now: number): number;
  take(place: Place, now: number): void;
  /** As if it had not been taken. */
  giveBack(place: Place): void;
  /** What changed since this was asked last and is not over. */
  changes(now: number): ReadonlyMap<string, Counted>;
  /** What `changes` gave could not be kept, and is to be given again. */
  again(keys: Iterable<string>): void;
  restore(key: string, counted: Counted, now: number): void;
  /** Whoever asks for the key from now on finds this place, though nothing was taken from it yet. */
  hold(place: Place): void;
  /** What several processes have counted takes the place of what was; `owed` is what they do not know of yet. */
  hear(place: Place, counted: Slot, owed: number): void;
}

/** Where a key's requests are counted. */
export interface Place {
  readonly slot: Slot;
  /** The key, or the one that several share. */
  readonly key: string;
  listed: boolean;
}

export interface MeterOptions {
  readonly rate: Pick<RatePlan, "name" | "count" | "windowMilliseconds" | "burst">;
  /** Live keys that have a count of their own. */
  readonly maximumKeys: number;
  /** Says which keys fall together beyond it, so that nobody who does not know it can choose whose company to keep. */
  readonly seed: number;
  /** Told of each change; absent where nobody keeps what is counted. */
  readonly changed?: () => void;
}

/** Counts that keys share beyond the maximum. */
const sharedCounts = 1024;

export function createMeter({ rate, maximumKeys, seed, changed }: MeterOptions): Meter {
  const shape = shapeOf(rate);
  /** The one that is over first stands first. */
  const places = new Map<string, Place>();
  const shared = new Map<string, Place>();
  const pending = new Set<string>();

  const live = (among: Map<string, Place>, key: string, now: number): Place | undefined => {
    const place = among.get(key);
    if (place === undefined) return undefined;
    shape.rewind(place.slot, now);
    if (!shape.over(place.slot, now)) return place;
    among.delete(key);
    return undefined;
  };
  const list = (place: Place): void => {
    place.listed = true;
    (isShared(place.key) ? shared : places).set(place.key, place);
  };
  /** One that is live must not be forgotten, so what is over is looked for only at the front. */
  const isFull = (now: number): boolean => {
    for (const [key, { slot }] of places) {
      if (!shape.over(slot, now)) break;
      places.delete(key);
    }
    return places.size >= maximumKeys;
  };
  const note = (place: Place): void => {
    if (changed === undefined) return;
    pending.add(place.key);
    changed();
  };

  return {
    name: rate.name,
    quota: shape.quota,
    windowSeconds: shape.windowSeconds,
    policy: `"${rate.name}";q=${shape.quota};w=${shape.windowSeconds}`,
    look(key, now) {
      const own = live(places, key, now);
      if (own !== undefined) return own;
      // Whoever was counted with others stays with them until that is over: a count of its own would be a second one.
      const common = shared.size === 0 ? undefined : live(shared, sharedKey(seed, key), now);
      if (common !== undefined) return common;
      return { key: isFull(now) ? sharedKey(seed, key) : key, slot: shape.open(now), listed: false };
    },
    left: ({ slot }, now) => shape.left(slot, now),
    isOver: ({ slot }, now) => shape.over(slot, now),
    waitSeconds: ({ slot }, now) => Math.max(1, Math.ceil(shape.wait(slot, now) / 1000)),
    take(place, now) {
      // A bucket is over the later the later it was used.
      if (place.listed && rate.burst !== undefined) places.delete(place.key);
      if (!place.listed || rate.burst !== undefined) list(place);
      shape.take(place.slot, now);
      note(place);
    },
    giveBack(place) {
      shape.giveBack(place.slot);
      note(place);
    },
    hold(place) {
      if (!place.listed) list(place);
    },
    hear(place, counted, owed) {
      shape.put(place.slot, counted, owed);
    },
    changes(now) {
      const found = new Map<string, Counted>();
      for (const key of pending) {
        const place = places.get(key) ?? shared.get(key);
        if (place !== undefined && !shape.over(place.slot, now)) found.set(key, shape.save(place.slot));
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
      const place = { key: !isShared(key) && isFull(now) ? sharedKey(seed, key) : key, slot, listed: true };
      const common = shared.get(place.key);
      if (common === undefined) list(place);
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
