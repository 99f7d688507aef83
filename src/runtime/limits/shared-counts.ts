/**
 * Shares rate counts between processes (R8.3). A process knows the last shared count and the requests that it has not reported
 * yet. It rejects a request above the limit without a round trip. It admits a request at once if there is no other unreported
 * one and the limit is high enough for one extra request; otherwise it waits for the shared count. So each process admits at
 * most one request too many, none for small limits and long windows, and a client that sends its requests one after another
 * never waits.
 *
 * One call contains all requests of an event-loop tick, or all that arrive during the previous call; requests with the same key
 * share one entry. If the shared store is unavailable, each process counts separately: a limit protects a service, and must not
 * stop it. Quotas are different: the transaction counts them or fails.
 */
import { getOrMake, onceFor } from "../../base/once.ts";
import type { RateRequest, RateCount, RateLimit, Rates } from "../../store/port/store.ts";
import type { Bucket } from "./buckets.ts";
import { sharedLimitOf, type Windowed } from "./calendar.ts";

/** How processes share the counts of a limit. */
export interface SharedRate {
  readonly sharing: Sharing;
  /** Returns the key in the shared store for the key of a bucket; without it they are the same. */
  readonly keyOf?: (key: string) => string;
  /** Whether one request may pass before it is reported. */
  readonly lenient: boolean;
}

/** The counts of all processes in the buckets of one limit, as far as this process knows them. */
export interface SharedCounts {
  /** Whether a request must wait for the shared count. */
  isUnsure(bucket: Bucket): boolean;
  /** Adds `consumed` requests to the shared count (negative: refunds). */
  report(bucket: Bucket, consumed: number, now: number): void;
  /** Reads the shared count of a used-up limit again: other processes may have refunded. */
  renew(bucket: Bucket, now: number): void;
  /** Consumes one request of the shared count: false if it is used up, undefined if the shared store is unavailable. */
  want(bucket: Bucket, now: number): Promise<boolean | undefined>;
}

/** What this process knows about a bucket: the number of unreported requests, and the time of the last shared count. */
interface Known {
  owed: number;
  syncedAt: number;
}

/** After how many milliseconds the shared count of a used-up limit is read again. */
const renewedMilliseconds = 250;

/** `put`: sets a bucket to a shared count, plus the requests that this process has not reported yet. */
export function createSharedCounts(
  limit: RateLimit & Windowed & { readonly name: string },
  { sharing, keyOf = (key) => key, lenient }: SharedRate,
  put: (bucket: Bucket, counted: RateCount, owed: number) => void,
): SharedCounts {
  const knownOf = onceFor((_: Bucket): Known => ({ owed: 0, syncedAt: Number.NEGATIVE_INFINITY }));
  const limitAt = sharedLimitOf(limit);
  const sharedOf = ({ key }: Bucket): Shared => ({ name: limit.name, key: keyOf(key), limitAt });
  /** Returns a listener that applies a shared count. `reported`: how many requests the report contained. */
  const countListener = (bucket: Bucket, reported: number, now: number): CountListener => {
    const known = knownOf(bucket);
    return (counted) => {
      known.owed -= reported;
      if (counted === undefined) return;
      known.syncedAt = now;
      put(bucket, counted, known.owed);
    };
  };
  const report = (bucket: Bucket, consumed: number, now: number): void => {
    knownOf(bucket).owed += consumed;
    sharing.report(sharedOf(bucket), consumed, countListener(bucket, consumed, now));
  };
  return {
    isUnsure: (bucket) => !(lenient && knownOf(bucket).owed === 0),
    report,
    renew(bucket, now) {
      if (Math.abs(now - knownOf(bucket).syncedAt) >= renewedMilliseconds) report(bucket, 0, now);
    },
    want: (bucket, now) => sharing.want(sharedOf(bucket), countListener(bucket, 0, now)),
  };
}

/** What identifies a shared count. */
interface Shared {
  readonly name: string;
  readonly key: string;
  readonly limitAt: (now: number) => RateLimit;
}

/** Called with the current count; undefined if it is not known. */
type CountListener = (count: RateCount | undefined) => void;

/** The shared counts of all limits of a process. */
export interface Sharing {
  /** Adds `consumed` requests (negative: refunds; 0: only reads the count). */
  report(shared: Shared, consumed: number, onCount: CountListener): void;
  /**
   * Consumes one request: returns false if the limit is used up, undefined if the store is unavailable. Calls `onCount` first.
   */
  want(shared: Shared, onCount: CountListener): Promise<boolean | undefined>;
}

export interface SharingOptions {
  readonly rates: Rates;
  readonly now: () => number;
  /** Called with a message when the shared store becomes unavailable, and when it is available again. */
  readonly notice: (message: string) => void;
}

interface Entry {
  readonly shared: Shared;
  consumed: number;
  readonly onCount: CountListener[];
  readonly waiting: ((granted: boolean | undefined) => void)[];
}

/** The timeout of a shared count in milliseconds; after it the process counts separately. */
const patienceMilliseconds = 2_000;
/** How long, in milliseconds, this process counts separately after a failure before it tries again. */
const standaloneMilliseconds = 1000;

export function createSharing({ rates, now, notice }: SharingOptions): Sharing {
  let pending = new Map<string, Entry>();
  let running = false;
  /** Until when this process counts separately, in milliseconds of the monotonic clock. */
  let standaloneUntil = 0;
  let standalone = false;

  function entryOf(shared: Shared): Entry {
    const entry = getOrMake(pending, `${shared.name}\0${shared.key}`, () => {
      return { shared, consumed: 0, onCount: [], waiting: [] };
    });
    if (!running) {
      running = true;
      setImmediate(() => void run());
    }
    return entry;
  }

  async function run(): Promise<void> {
    while (pending.size > 0) {
      const batch = [...pending.values()];
      pending = new Map();
      const counts = await countAll(batch);
      for (const [index, { onCount, waiting }] of batch.entries()) {
        const count = counts?.[index];
        for (const notify of onCount) notify(count);
        for (const [id, resolve] of waiting.entries()) resolve(count && id < count.granted);
      }
    }
    running = false;
  }

  /** Counts requests in the shared store; undefined if it is unavailable. */
  async function countAll(batch: readonly Entry[]): Promise<readonly RateCount[] | undefined> {
    const time = now();
    const requests = batch.map(({ shared: { name, key, limitAt }, consumed, waiting }): RateRequest => {
      return { name, key, limit: limitAt(time), consumed, wanted: waiting.length };
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("no answer in time")), patienceMilliseconds);
    try {
      const counts = await Promise.race([rates.count(requests, time), late.promise]);
      if (standalone) notice("rates are counted together again");
      standalone = false;
      return counts;
    } catch (thrown) {
      standaloneUntil = performance.now() + standaloneMilliseconds;
      if (!standalone)
        notice(`rates cannot be counted together, and each process counts for itself: ${String(thrown)}`);
      standalone = true;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  const isStandalone = (): boolean => standalone && performance.now() < standaloneUntil;
  return {
    report(shared, consumed, onCount) {
      if (isStandalone()) return onCount(undefined);
      const entry = entryOf(shared);
      entry.consumed += consumed;
      entry.onCount.push(onCount);
    },
    want(shared, onCount) {
      if (isStandalone()) return Promise.resolve(undefined);
      const entry = entryOf(shared);
      entry.onCount.push(onCount);
      return new Promise((resolve) => entry.waiting.push(resolve));
    },
  };
}
