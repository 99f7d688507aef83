/**
 * Delivers events to webhook endpoints at least once, in order per record; an endpoint that does not respond delays no other
 * (R6.4, R6.8). The store has the whole state: if a process ends, another one continues after its leases expire.
 * `fan-out.ts` creates deliveries from events, `deliver.ts` schedules attempts, `attempt.ts` runs one, `complete.ts`
 * stores its outcome.
 */
import type { Clock } from "../base/clock.ts";
import type { EventsPlan, WebhookPlan } from "../plan/events/types.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import type { Awaitable, JournalRecord, Key, Row, Store, Transaction } from "../store/port/store.ts";
import { createAttempts } from "./deliver.ts";
import { createFanOut } from "./fan-out.ts";
import type { Post } from "./post.ts";
import { createRows, type Endpoint } from "./tables.ts";

export interface DeliveryOptions {
  readonly plan: ResourcesPart;
  readonly store: Store;
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly renderer: DeliveryRenderer;
  /**
   * Returns the current roles of the endpoint's creator; undefined if none of the creator's keys is valid any more (R6.13).
   */
  readonly rolesHeld: (
    keys: readonly Key[],
    endpoint: Endpoint,
  ) => Awaitable<{ readonly roles: readonly string[]; readonly scoped: boolean } | undefined>;
  /** Applies a transition by the system, with its event log entry. */
  readonly transition: (
    tx: Transaction,
    transition: {
      readonly resource: string;
      readonly row: Row;
      readonly to: string;
      readonly changes: Row;
      readonly cause: string;
    },
  ) => Promise<void>;
  /** Returns the secret of an endpoint that has the given number. */
  readonly secret: (endpoint: string, number: number) => string;
  readonly post: Post;
  /** Starts a trace span of an attempt, as a child of the request that caused the event (R1.4); absent without tracing. */
  readonly startSending?: ((method: string, url: URL, traceparent: string | undefined) => Sending) | undefined;
  readonly report: (failure: unknown) => void;
  /** Receives the outcome of each attempt, and disabled endpoints; for metrics and log. */
  readonly observed?: ((observed: DeliveryReport) => void) | undefined;
}

export type DeliveryReport =
  | {
      readonly kind: "attempt";
      readonly outcome: "delivered" | "again" | "failed";
      readonly seconds: number;
      readonly webhook: string;
      readonly delivery: string;
      /** The response status; absent without a response. */
      readonly status?: number;
      readonly attempt: number;
    }
  | { readonly kind: "disabled"; readonly webhook: string; readonly why: string };

/** The trace span of an attempt. */
export interface Sending {
  /** The header fields of the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the span with the response status, or with the kind of failure. */
  ended(status: number | undefined, failure?: string): void;
}

export interface Deliveries {
  /** Creates deliveries from new events, and starts due attempts. */
  round(): Promise<void>;
  /** Resolves when no attempt is active. */
  completed(): Promise<void>;
  /** Returns the number of unprocessed event log entries. */
  lag(): Promise<number>;
  /** Starts no more attempts; aborts active ones after the grace period, to be repeated later. */
  stop(graceMilliseconds: number): Promise<void>;
}

/** Renders event log entries for receivers. */
export interface DeliveryRenderer {
  /** The Content-Type of the body. */
  readonly media: string;
  /** Converts between event ids and event log positions. */
  readonly ids: {
    readonly idOf: (position: number) => string;
    readonly positionOf: (id: string) => number | undefined;
  };
  /**
   * Returns a function that renders the entry for a receiver, or returns undefined if the receiver may not see it. Use it only
   * while `tx` is open.
   */
  renderFor(
    tx: Transaction,
    entry: JournalRecord,
    through: "webhook" | "stream",
    /** The envelope of the events; default: the one of the document. */
    envelope?: EventsPlan["envelope"],
  ): (receiver: {
    readonly id: string | null;
    readonly roles: readonly string[];
    readonly scoped: boolean;
    readonly version?: string;
  }) => Promise<{ readonly id: string; readonly type: string; readonly body: string } | undefined>;
}

export function createDeliveries(options: DeliveryOptions, webhook: WebhookPlan): Deliveries {
  const rows = createRows(options.plan, options.store, webhook);
  const stop = new AbortController();
  const attempts = createAttempts(options, webhook, rows, stop.signal);
  const fanOut = createFanOut(options, webhook, rows, { wake: (id) => attempts.wake(id), stopping: stop.signal });
  return {
    async round() {
      if (stop.signal.aborted) return;
      await attempts.awaited(async () => {
        // If events arrive faster than they are processed, this loop never ends, so attempts are started inside it.
        for (let more = true; more && !stop.signal.aborted; ) {
          // Only the leader creates deliveries: otherwise all processes would, and all but one would roll back.
          const isLeader = await options.store.acquireLease("webhooks");
          more = isLeader && (await fanOut.proceed());
          await attempts.begin(isLeader ? (endpoint, since) => fanOut.recover(endpoint, since) : undefined);
        }
      });
    },
    completed: () => attempts.completed(),
    lag: () => fanOut.lag(),
    async stop(graceMilliseconds) {
      stop.abort();
      const timer = setTimeout(() => attempts.abandon(), graceMilliseconds);
      await attempts.completed();
      clearTimeout(timer);
      options.post.close();
    },
  };
}
