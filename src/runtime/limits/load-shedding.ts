/**
 * Sheds load (R8.9): rejects requests above the capacity before they use resources, so that active requests still end in time.
 * It also tracks lasting store failures, which are reported to the operator once a minute instead of for each request.
 */
import { isDamage, isLasting } from "../../store/port/error.ts";
import type { Awaitable } from "../../store/port/store.ts";
import type { Account } from "../../http/memory-budget.ts";
import { ApiError } from "../errors/api-error.ts";

export interface Load {
  /** Throws if the service is overloaded; called before an operation's request is read. @throws ApiError `overloaded` */
  assertRoom(account?: Account): void;
  /** Runs a task, which counts as active until it ends. */
  during<T>(task: () => Awaitable<T>): Awaitable<T>;
  /** Reports how many milliseconds the event loop is late. */
  late(milliseconds: number): void;
  /** Notes a durable write, which ends a lasting failure. */
  wrote(): void;
  /**
   * Returns whether an operator has to fix the failure ("lasting"), and whether it was reported in the last minute ("told").
   */
  failed(thrown: unknown): "lasting, not told" | "lasting, told" | "other";
  /** Whether the last write failed, or a read found damaged data. */
  readonly impaired: boolean;
  /** Returns `Retry-After` with a random delay, so that rejected clients do not retry at the same time. */
  retryAfter(): readonly string[];
}

export interface LoadOptions {
  readonly random: (bytes: number) => Uint8Array;
  readonly now: () => number;
}

/**
 * The maximum number of active operations, which wait for the store or for functions. Their bodies are in memory, and with more
 * operations, at a few thousand writes per second, the callers would time out.
 */
const mostActive = 4096;

/**
 * How late the event loop may be, in milliseconds. One late tick may be a GC pause or a blocking function; after two in a row
 * the service is overloaded.
 */
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
