/** The background jobs of a service: timers, deletion of expired data, webhook delivery. */
import { type DeliveryOptions, createDeliveries } from "../webhooks/engine.ts";
import { createPost } from "../webhooks/post.ts";
import type { Clock } from "../base/clock.ts";
import { createIds } from "../base/id.ts";
import type { AuthenticationPart } from "../plan/authentication/types.ts";
import type { EventsPart } from "../plan/events/types.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import { rolesHeld } from "../runtime/auth/current-roles.ts";
import { allLoginRecords } from "../runtime/auth/records.ts";
import { endpointSecret } from "../runtime/events/webhooks.ts";
import type { LiveService, Service } from "../runtime/service.ts";
import { createSchedulerLoop } from "../runtime/scheduler/loop.ts";
import { isLasting, isPassing } from "../store/port/error.ts";
import type { Journal, Store } from "../store/port/store.ts";

export interface Background {
  /** Returns the number of event log entries that are not processed for webhooks yet. */
  lag(): Promise<number>;
  /** Stops the jobs; waits at most this long for active ones. */
  stop(graceMilliseconds: number): Promise<void>;
}

export interface BackgroundOptions {
  readonly plan: ResourcesPart & AuthenticationPart & EventsPart;
  readonly store: Store;
  readonly service: LiveService;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** The key from which the endpoints' secrets are derived. */
  readonly webhookKey: string;
  /** Whether webhooks may be sent to this machine, for development. */
  readonly loopback: boolean;
  readonly report: (failure: unknown) => void;
  /** Receives the outcomes of deliveries. */
  readonly observed?: DeliveryOptions["observed"];
  /** Starts trace spans for deliveries; absent without tracing. */
  readonly startSending?: DeliveryOptions["startSending"];
}

/** How often to look for events that another process may have written, in milliseconds. */
const roundMilliseconds = 100;

export function startBackground(options: BackgroundOptions): Background {
  const { clock, plan, random, report, service, store, webhookKey } = options;
  const { webhook } = plan.events;
  if (webhook === undefined) return { lag: () => Promise.resolve(0), stop: () => Promise.resolve() };
  const logins = allLoginRecords(plan, store);
  const deliveries = createDeliveries(
    {
      plan,
      store,
      clock,
      random: () => (random(1)[0] as number) / 256,
      newId: createIds(clock, random),
      renderer: service.renderer,
      rolesHeld: (keys, endpoint) => rolesHeld(plan, logins, keys, endpoint, clock.now()),
      startSending: options.startSending,
      transition: (tx, transition) => service.transition(tx, transition),
      secret: (endpoint, number) => endpointSecret(webhookKey, endpoint, number),
      post: createPost({ loopback: options.loopback }),
      report,
      observed: options.observed,
    },
    webhook,
  );
  const rounds = createSchedulerLoop({ run: () => deliveries.round().then(() => 0) }, report);
  const timer = setInterval(() => void rounds.tick(), roundMilliseconds);
  timer.unref();
  return {
    lag: () => deliveries.lag(),
    async stop(graceMilliseconds) {
      clearInterval(timer);
      await deliveries.stop(graceMilliseconds);
    },
  };
}

/** The maximum delay of a due job in an idle service, in milliseconds (R3.5 allows 5 seconds). */
const schedulerMilliseconds = 250;

/**
 * Calls the service's `tick` four times a second, first at once for jobs that became due during downtime. Returns a function
 * that stops the calls; the service's `rest` ends an active run.
 */
export function startScheduler(service: Service): () => void {
  let expected = performance.now();
  const tick = (): void => {
    const now = performance.now();
    void service.tick(Math.max(0, now - expected));
    expected = now + schedulerMilliseconds;
  };
  // The timer must not keep the process alive.
  const timer = setInterval(tick, schedulerMilliseconds).unref();
  tick();
  return () => clearInterval(timer);
}

const purgeMilliseconds = 60_000;

export interface PurgeOptions {
  readonly store: PurgingStore;
  readonly clock: Clock;
  /** How long events are stored, in milliseconds. */
  readonly retentionMilliseconds: number;
  readonly report: (failure: unknown) => void;
}

export interface PurgingStore extends Pick<Store, "acquireLease" | "purge"> {
  readonly journal: Pick<Journal, "trim">;
}

/** Deletes expired data every minute; returns a function that stops this. */
export function startPurging(options: PurgeOptions): () => void {
  const timer = setInterval(() => void purge(options), purgeMilliseconds).unref();
  return () => clearInterval(timer);
}

/** Deletes expired data, in one of the processes that share it. Never rejects. */
export async function purge({ clock, report, retentionMilliseconds, store }: PurgeOptions): Promise<void> {
  const now = clock.now();
  try {
    if (!(await store.acquireLease("purging"))) return;
    await store.purge(now);
    await store.journal.trim(now - retentionMilliseconds);
  } catch (thrown) {
    // Errors of an unavailable store are not reported here: expired data is already hidden, the next run deletes it, and
    // requests report the store.
    if (!isPassing(thrown) && !isLasting(thrown)) report(thrown);
  }
}
