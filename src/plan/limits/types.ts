/** The types of the server's limits, rates, quotas and retention. */
import type { CalendarUnit } from "../../language/limits/model.ts";
import type { CountedBy } from "../../language/limits/counted.ts";
import type { Erased } from "../../language/resources/erased-value.ts";

/** The members of the plan for part 8. */
export interface LimitsPart {
  readonly limits: ServerLimits;
  /** The rates in document order; operations refer to them by index. */
  readonly rates: readonly RatePlan[];
  /** The rates of every request, including requests to unknown operations. */
  readonly generalRates: readonly Limited[];
  readonly quotas: readonly QuotaPlan[];
}

/** Limits that protect the server: from part 8, else the defaults (R8.8). */
export interface ServerLimits {
  readonly requestBytes: number;
  readonly requestMilliseconds: number;
}

/**
 * A rate limit. A window starts at the first request of a key and allows `count` requests. With `burst` the limit is a token
 * bucket of that size, which gains `count` tokens per window.
 */
export interface RatePlan {
  /**
   * The name in `RateLimit` fields and error responses: `collect-per-Parcel`, with its window if another limit has the same
   * name. It has only letters, digits, `-` and `_`, so that it needs no escapes (RFC 9651 section 3.3.3).
   */
  readonly name: string;
  /** Whether the rate counts every request, or only those without a credential. */
  readonly of: "all" | "anonymous";
  readonly count: number;
  readonly windowMilliseconds: number;
  /** What the rate counts by: `user`, `ip`, or a resource. */
  readonly per: string;
  readonly burst?: number;
  readonly calendar?: CalendarWindow;
}

/** A window of the calendar in a time zone, which ends at a local midnight. */
export interface CalendarWindow {
  readonly unit: CalendarUnit;
  readonly zone: string;
}

export type QuotaPlan =
  /** The most successful calls or created records in a window. */
  | {
      readonly kind: "window";
      readonly name: string;
      readonly of: "operation" | "creation";
      readonly count: number;
      readonly windowMilliseconds: number;
      readonly calendar?: CalendarWindow;
      readonly per: string;
    }
  /** The most records at a time with the same value in `column` and, if `states` is present, in one of these states. */
  | {
      readonly kind: "live";
      readonly name: string;
      readonly resource: string;
      readonly column: string;
      readonly states?: readonly string[];
      readonly count: number;
    };

/** A limit of an operation: the index of the limit's plan, and what identifies the counter. */
export interface Limited {
  readonly limit: number;
  readonly by: CountedBy;
}

export interface Erasure {
  readonly column: string;
  readonly to: Erased;
}
