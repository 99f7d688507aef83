/** Stores counts with an expiry in memory. */
import type { Count, CountStore, Counted } from "../port/store.ts";

/** The counts by name and key. */
export type Counts = Map<string, Count>;

export function countStore(counts: Counts): CountStore {
  return {
    all: (now) => [...counts.values()].filter(({ until }) => until > now),
    save: (saved) => {
      for (const count of saved) counts.set(keyOf(count), count);
    },
  };
}

/** Increments a count among those of one transaction; `before`: the committed counts. An expired count starts again at 1. */
export function countUp(
  before: ReadonlyMap<string, Count>,
  transactionCounts: Counts,
  { name, key, more }: Pick<Count, "name" | "key"> & { readonly more: number },
  now: number,
  until: number,
): Counted {
  const countKey = keyOf({ name, key });
  const present = transactionCounts.get(countKey) ?? before.get(countKey);
  const live = present !== undefined && present.until > now;
  const counted = live ? { used: present.used + more, until: present.until } : { used: more, until };
  transactionCounts.set(countKey, { name, key, ...counted });
  return counted;
}

export function purgeCounts(counts: Counts, now: number): void {
  for (const [countKey, { until }] of counts) if (until <= now) counts.delete(countKey);
}

function keyOf({ name, key }: Pick<Count, "name" | "key">): string {
  return JSON.stringify([name, key]);
}
