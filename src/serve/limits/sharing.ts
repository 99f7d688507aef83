/**
 * What several processes count together (R8.3). All that is asked in a turn of the event loop, or while an answer is under
 * way, is one call; two requests of one key are one entry of it.
 *
 * Where the others cannot be asked, each process counts for itself: a limit protects a service, and one that is down is not
 * protected. Quotas are no part of this: they are counted with what they count, or it is not done.
 */
import type { RateAsk, RateCount, RateLimit, Rates } from "../../store/store.ts";

/** What is counted. */
export interface Shared {
  readonly name: string;
  readonly key: string;
  readonly limit: RateLimit;
}

/** Told what is counted now; undefined where that is not known. */
export type Heard = (count: RateCount | undefined) => void;

export interface Sharing {
  /** So many were let pass, or given back where negative; none: what is counted is only asked. */
  tell(shared: Shared, taken: number, heard: Heard): void;
  /** Whether one more may pass; undefined where nobody can say. It is heard of before this resolves. */
  want(shared: Shared, heard: Heard): Promise<boolean | undefined>;
}

export interface SharingOptions {
  readonly rates: Rates;
  readonly now: () => number;
  /** Told, in a sentence, when they cannot be asked, and when they can again. */
  readonly notice: (sentence: string) => void;
}

interface Entry {
  readonly shared: Shared;
  taken: number;
  readonly heard: Heard[];
  readonly waiting: ((granted: boolean | undefined) => void)[];
}

/** A request does not wait longer for what others count. */
const patienceMilliseconds = 2_000;
/** So long each counts for itself before the others are asked again. */
const aloneMilliseconds = 1000;

export function createSharing({ rates, now, notice }: SharingOptions): Sharing {
  let pending = new Map<string, Entry>();
  let running = false;
  /** By a clock that nobody sets. */
  let aloneUntil = 0;
  let alone = false;

  function entryOf(shared: Shared): Entry {
    const place = `${shared.name}\0${shared.key}`;
    let entry = pending.get(place);
    if (entry === undefined) pending.set(place, (entry = { shared, taken: 0, heard: [], waiting: [] }));
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
      for (const [index, { heard, waiting }] of batch.entries()) {
        const count = counts?.[index];
        for (const hear of heard) hear(count);
        for (const [place, resolve] of waiting.entries()) resolve(count && place < count.granted);
      }
    }
    running = false;
  }

  /** Undefined where they cannot be asked. */
  async function countAll(batch: readonly Entry[]): Promise<readonly RateCount[] | undefined> {
    const asks = batch.map(({ shared, taken, waiting }): RateAsk => ({ ...shared, taken, wanted: waiting.length }));
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("no answer in time")), patienceMilliseconds);
    try {
      const counts = await Promise.race([rates.count(asks, now()), late.promise]);
      if (alone) notice("rates are counted together again");
      alone = false;
      return counts;
    } catch (thrown) {
      aloneUntil = performance.now() + aloneMilliseconds;
      if (!alone) notice(`rates cannot be counted together, and each process counts for itself: ${String(thrown)}`);
      alone = true;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  const isAlone = (): boolean => alone && performance.now() < aloneUntil;
  return {
    tell(shared, taken, heard) {
      if (isAlone()) return heard(undefined);
      const entry = entryOf(shared);
      entry.taken += taken;
      entry.heard.push(heard);
    },
    want(shared, heard) {
      if (isAlone()) return Promise.resolve(undefined);
      const entry = entryOf(shared);
      entry.heard.push(heard);
      return new Promise((resolve) => entry.waiting.push(resolve));
    },
  };
}
