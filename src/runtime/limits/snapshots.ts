/**
 * Saves the counts of long windows and loads them (R8.3): one second after the first change, and when the service stops. So a
 * stop loses no counts, and a killed process loses at most those of one second.
 */
import type { Clock } from "../../base/clock.ts";
import type { Count, CountStore } from "../../store/port/store.ts";
import type { RateLimiter } from "./rate-limiter.ts";

export interface RateSnapshots {
  /** Pending until the stored counts are loaded; then undefined. */
  readonly loading: Promise<void> | undefined;
  changed(): void;
  flush(): Promise<void>;
}

export interface RateSnapshotsOptions {
  readonly counts: CountStore;
  readonly clock: Clock;
  /** Returns the limiters whose counts are stored. */
  readonly limiters: () => readonly RateLimiter[];
  readonly failed: (failure: unknown) => void;
}

const delayMilliseconds = 1000;
/** The prefix of the names in the store, which also contains quotas. */
const prefix = "rate ";

export function createRateSnapshots({ counts, clock, limiters, failed }: RateSnapshotsOptions): RateSnapshots {
  let timer: NodeJS.Timeout | undefined;
  let flushing = Promise.resolve();

  const save = async (): Promise<void> => {
    const now = clock.now();
    const changes = limiters().map((limiter) => ({ limiter, changed: limiter.changes(now) }));
    const all = changes.flatMap(({ limiter, changed }) =>
      [...changed].map(([key, counted]): Count => ({ name: prefix + limiter.name, key, ...counted })),
    );
    if (all.length === 0) return;
    try {
      await counts.save(all);
    } catch (thrown) {
      for (const { limiter, changed } of changes) limiter.again(changed.keys());
      throw thrown;
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.catch(() => undefined).then(save);
    return flushing;
  };
  const load = async (): Promise<void> => {
    const now = clock.now();
    const byName = new Map(limiters().map((limiter) => [prefix + limiter.name, limiter]));
    const stored = await counts.all(now);
    // Limiters remove ended buckets from the front, so the counts are ordered by their end.
    for (const { name, key, ...counted } of stored.toSorted((one, other) => one.until - other.until))
      byName.get(name)?.restore(key, counted, now);
  };

  let loading: Promise<void> | undefined;
  const snapshots: RateSnapshots = {
    get loading() {
      return loading;
    },
    changed: () => {
      timer ??= setTimeout(() => void flush().catch(failed), delayMilliseconds).unref();
    },
    flush,
  };
  if (limiters().length > 0) {
    loading = load()
      .catch(failed)
      .finally(() => {
        loading = undefined;
      });
  }
  return snapshots;
}
