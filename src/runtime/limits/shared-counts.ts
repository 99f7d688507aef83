/**
 * Shares rate counts between processes (R8.3). One call contains all requests of an event-loop tick, or all that arrive during
 * the previous call; requests with the same key share one entry.
 *
 * If the shared store is unavailable, each process counts separately: a limit protects a service, and must not stop it. Quotas
 * are different: the transaction counts them or fails.
 */
import { getOrMake } from "../../base/once.ts";
import type { RateRequest, RateCount, RateLimit, Rates } from "../../store/port/store.ts";

/** What identifies a shared count. */
export interface Shared {
  readonly name: string;
  readonly key: string;
  readonly limit: RateLimit;
}

/** Called with the current count; undefined if it is not known. */
export type CountListener = (count: RateCount | undefined) => void;

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
    const requests = batch.map(
      ({ shared, consumed, waiting }): RateRequest => ({ ...shared, consumed, wanted: waiting.length }),
    );
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("no answer in time")), patienceMilliseconds);
    try {
      const counts = await Promise.race([rates.count(requests, now()), late.promise]);
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
