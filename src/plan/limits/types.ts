/** Limits of the server, rates, quotas and retention. */
import type { CountedBy } from "../../language/limits/counted.ts";
import type { Erased } from "../../language/resources/erased-value.ts";

/** Part 8 of the plan. */
export interface LimitsPart {
  readonly limits: ServerLimits;
  /** In the document's order; operations refer to their rates by index. */
  readonly rates: readonly RatePlan[];
  /** The rates of every request, also of one to an unknown operation. */
  readonly generalRates: readonly Limited[];
  readonly quotas: readonly QuotaPlan[];
}

/** Limits that protect the server itself; from part 8 where it says so, else the engine's defaults (R8.8). */
export interface ServerLimits {
  readonly requestBytes: number;
  readonly requestMilliseconds: number;
}

/**
 * How often. A window begins at the first request of a key and takes `count` of them; with `burst` it is a bucket that holds
 * so many and is refilled by `count` in each window.
 */
export interface RatePlan {
  /**
   * In `RateLimit` fields and in refusals: `collect-per-Parcel`, and with its window where another limit would have the same
   * name. Letters, digits, `-` and `_` only, so that it needs no escapes (RFC 9651 section 3.3.3).
   */
  readonly name: string;
  /** Every request, or only those that carry no credential. */
  readonly of: "all" | "anonymous";
  readonly count: number;
  readonly windowMilliseconds: number;
  /** `user`, `ip`, or a resource. */
  readonly per: string;
  readonly burst?: number;
}

export type QuotaPlan =
  /** So many successes in a window, or records made. */
  | {
      readonly kind: "window";
      readonly name: string;
      readonly of: "operation" | "creation";
      readonly count: number;
      readonly windowMilliseconds: number;
      readonly per: string;
    }
  /** So many records at a time with the same value in `column`; where states are given, in one of these. */
  | {
      readonly kind: "live";
      readonly name: string;
      readonly resource: string;
      readonly column: string;
      readonly states?: readonly string[];
      readonly count: number;
    };

/** A limit that holds for an operation: the index of its plan, and what tells one key from another. */
export interface Limited {
  readonly limit: number;
  readonly by: CountedBy;
}

export interface Erasure {
  readonly column: string;
  readonly to: Erased;
}
