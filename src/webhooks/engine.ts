/**
 * Sends events to webhook endpoints: at least once each, in the order of each record's, an endpoint that does not answer
 * delaying no other (R6.4, R6.8). All that is to be done is in the store: what this process was doing when it ended is
 * done again when its lease is over, by it or by another one. `plan-deliveries.ts` makes deliveries of events, `deliver.ts`
 * attempts of deliveries, `attempt.ts` is one of them, `complete.ts` what comes of it.
 */
import type { Clock } from "../base/clock.ts";
import type { EventsPlan, WebhookPlan } from "../plan/events/types.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import type { Awaitable, JournalRecord, Key, Row, Store, Transaction } from "../store/port/store.ts";
import { createAttempts } from "./deliver.ts";
import { createFanOut } from "./plan-deliveries.ts";
import type { Post } from "./post.ts";
import { createRows, type Endpoint } from "./tables.ts";

export interface DeliveryOptions {
  readonly plan: ResourcesPart;
  readonly store: Store;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly newId: (prefix: string) => string;
  readonly renderer: DeliveryRenderer;
  /** What whoever made an endpoint still has of its roles; undefined: none of their keys is good any more (R6.13). */
  readonly rolesHeld: (
    keys: readonly Key[],
    endpoint: Endpoint,
  ) => Awaitable<{ readonly roles: readonly string[]; readonly scoped: boolean } | undefined>;
  /** Moves a record as the system does: with its entry in the journal. */
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
  /** The secret of an endpoint by its number. */
  readonly secret: (endpoint: string, number: number) => string;
  readonly post: Post;
  /** Tells whoever traces of an attempt, as a child of the request that caused the event (R1.4); absent: nobody does. */
  readonly startSending?: ((method: string, url: URL, traceparent: string | undefined) => Sending) | undefined;
  readonly report: (failure: unknown) => void;
  /** Told of what became of each attempt, and of endpoints that are given up; for figures and the log. */
  readonly observed?: ((observed: DeliveryReport) => void) | undefined;
}

export type DeliveryReport =
  | {
      readonly kind: "attempt";
      readonly outcome: "delivered" | "again" | "failed";
      readonly seconds: number;
      readonly webhook: string;
      readonly delivery: string;
      /** The answer's status; absent where none came. */
      readonly status?: number;
      readonly attempt: number;
    }
  | { readonly kind: "disabled"; readonly webhook: string; readonly why: string };

/** An attempt that is traced. */
export interface Sending {
  /** Header fields that it carries. */
  readonly headers: Readonly<Record<string, string>>;
  /** The answer's status, or in one word why there is none. */
  ended(status: number | undefined, failure?: string): void;
}

export interface Deliveries {
  /** Makes deliveries of the events that there are, and begins the attempts that are due. */
  round(): Promise<void>;
  /** When no attempt is under way any more. */
  completed(): Promise<void>;
  /** Entries of the journal that have not been looked at. */
  lag(): Promise<number>;
  /** Begins no more; gives up what is under way after the grace, to be sent again later. */
  stop(graceMilliseconds: number): Promise<void>;
}

/** What receivers are told of entries of the journal. */
export interface DeliveryRenderer {
  /** The Content-Type of what is sent. */
  readonly media: string;
  /** Events and their positions in the journal. */
  readonly ids: {
    readonly idOf: (position: number) => string;
    readonly positionOf: (id: string) => number | undefined;
  };
  /** For each receiver what it is sent, undefined: nothing. Of use while `tx` is. */
  renderFor(
    tx: Transaction,
    entry: JournalRecord,
    through: "webhook" | "stream",
    /** Absent: the document's. */
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
        // Where more happens than is looked through there is no end to it, and what was found is sent meanwhile.
        for (let more = true; more && !stop.signal.aborted; ) {
          // What is new would be made by all at once, and undone by all but one.
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
