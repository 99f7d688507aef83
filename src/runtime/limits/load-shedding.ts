/**
 * What is more than can be done now (R8.9): refused before anything is spent on it, so that what is under way still ends in
 * time. And what a store fails for until somebody has seen to it, which is told to the operator once and not for each request.
 */
import { isDamage, isLasting } from "../../store/port/error.ts";
import type { Awaitable } from "../../store/port/store.ts";
import type { Account } from "../../http/memory-budget.ts";
import { ApiError } from "../errors/api-error.ts";

export interface Load {
  /** Before anything of an operation's request is read. @throws Refusal `overloaded` */
  assertRoom(account?: Account): void;
  /** Counts what an operation does until it is done. */
  during<T>(task: () => Awaitable<T>): Awaitable<T>;
  /** How many milliseconds later than it should have been the event loop came to something; reported at each tick. */
  late(milliseconds: number): void;
  /** Something was written, and is durable. */
  wrote(): void;
  /** Whether the failure lasts until an operator acts, and was reported to one in the last minute. */
  failed(thrown: unknown): "lasting, not told" | "lasting, told" | "other";
  /** Whether the last that was to be written could not be, or something that was to be read was damaged. */
  readonly impaired: boolean;
  /** `Retry-After`: not the same for all, so that those who were refused together do not come back together. */
  retryAfter(): readonly string[];
}

export interface LoadOptions {
  readonly random: (bytes: number) => Uint8Array;
  readonly now: () => number;
}

/**
 * What waits for the store or for functions. Their bodies are in memory, and with a few thousand writes a second more of
 * them would be answered after their callers have gone.
 */
const mostActive = 4096;

/** One turn that long may be a pause or a function that blocked once; two in a row are a service that does not keep up. */
const lateMilliseconds = 1000;

const reportMilliseconds = 60_000;

export function createLoad({ now, random }: LoadOptions): Load {
  let active = 0;
  let [last, before] = [0, 0];
  let impaired = false;
  let damaged = false;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const untilDone = async <T>(task: Promise<T>): Promise<T> => {
    try {
      return await task;
    } finally {
      active -= 1;
    }
  };
  const retryAfter = (): readonly string[] => ["Retry-After", String(1 + ((random(1)[0] ?? 0) % 5))];
  return {
    assertRoom: (account) => {
      const isLate = last > lateMilliseconds && before > lateMilliseconds;
      if (active >= mostActive || isLate || account?.isOver === true)
        throw new ApiError("overloaded", { headers: retryAfter() });
    },
    during: (task) => {
      active += 1;
      let waits = false;
      try {
        const result = task();
        waits = result instanceof Promise;
        return result instanceof Promise ? untilDone(result) : result;
      } finally {
        if (!waits) active -= 1;
      }
    },
    late: (milliseconds) => {
      [last, before] = [milliseconds, last];
    },
    wrote: () => {
      impaired = false;
    },
    failed: (thrown) => {
      if (isDamage(thrown)) damaged = true;
      if (!isLasting(thrown)) return "other";
      impaired = true;
      if (now() >= reportedAt && now() - reportedAt < reportMilliseconds) return "lasting, told";
      reportedAt = now();
      return "lasting, not told";
    },
    get impaired() {
      return impaired || damaged;
    },
    retryAfter,
  };
}
