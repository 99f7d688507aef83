/** Counts that are over at some moment, in memory. */
import type { Count, CountStore, Counted } from "../store.ts";

/** By name and key. */
export type Counts = Map<string, Count>;

export function countStore(counts: Counts): CountStore {
  return {
    all: (now) => [...counts.values()].filter(({ until }) => until > now),
    save: (saved) => {
      for (const count of saved) counts.set(placeOf(count), count);
    },
  };
}

/** One more than in `before`, as a part of what one transaction counts; a count that is over begins anew. */
export function countUp(
  before: ReadonlyMap<string, Count>,
  own: Counts,
  { name, key }: Pick<Count, "name" | "key">,
  now: number,
  until: number,
): Counted {
  const place = placeOf({ name, key });
  const present = own.get(place) ?? before.get(place);
  const live = present !== undefined && present.until > now;
  const counted = live ? { used: present.used + 1, until: present.until } : { used: 1, until };
  own.set(place, { name, key, ...counted });
  return counted;
}

export function purgeCounts(counts: Counts, now: number): void {
  for (const [place, { until }] of counts) if (until <= now) counts.delete(place);
}

function placeOf({ name, key }: Pick<Count, "name" | "key">): string {
  return JSON.stringify([name, key]);
}
