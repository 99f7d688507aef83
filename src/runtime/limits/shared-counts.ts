/**
 * What several processes count together (R8.3). All that is asked in a turn of the event loop, or while an answer is under
 * way, is one call; two requests of one key are one entry of it.
 *
 * Where the others cannot be asked, each process counts for itself: a limit protects a service, and one that is down is not
 * protected. Quotas are no part of this: they are counted with what they count, or it is not done.
 */
import type { RateRequest, RateCount, RateLimit, Rates } from "../../store/port/store.ts";

/** What is counted. */
export interface Shared {
  readonly name: string;
  readonly key: string;
  readonly limit: RateLimit;
}

/** Called with the current count; undefined if it is not known. */
export type CountListener = (count: RateCount | undefined) => void;

export interface Sharing {
  /** So many were let pass, or given back where negative; none: what is counted is only asked. */
  report(shared: Shared, consumed: number, onCount: CountListener): void;
  /** Whether one more may pass; undefined where nobody can say. It is heard of before this resolves. */
  want(shared: Shared, onCount: CountListener): Promise<boolean | undefined>;
}

export interface SharingOptions {
  readonly rates: Rates;
  readonly now: () => number;
  /** Called with a sentence when the shared store cannot be reached, and when it can again. */
  readonly notice: (message: string) => void;
}

interface Entry {
  readonly shared: Shared;
  consumed: number;
  readonly onCount: CountListener[];
  readonly waiting: ((granted: boolean | undefined) => void)[];
}

/** A request does not wait longer for what others count. */
const patienceMilliseconds = 2_000;
/** So long each counts for itself before the others are asked again. */
const standaloneMilliseconds = 1000;

export function createSharing({ rates, now, notice }: SharingOptions): Sharing {
  let pending = new Map<string, Entry>();
  let running = false;
  /** By a clock that nobody sets. */
  let standaloneUntil = 0;
  let standalone = false;

  function entryOf(shared: Shared): Entry {
    const id = `${shared.name}\0${shared.key}`;
    let entry = pending.get(id);
    if (entry === undefined) pending.set(id, (entry = { shared, consumed: 0, onCount: [], waiting: [] }));
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

  /** Undefined where they cannot be asked. */
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
