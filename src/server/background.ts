/** What a service does besides responding: its time passes, what has expired is removed, its events go to webhooks. */
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
  /** Entries of the journal that have not been looked at for webhooks. */
  lag(): Promise<number>;
  /** What is under way has so long to end. */
  stop(graceMilliseconds: number): Promise<void>;
}

export interface BackgroundOptions {
  readonly plan: ResourcesPart & AuthenticationPart & EventsPart;
  readonly store: Store;
  readonly service: LiveService;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** What the secrets of webhook endpoints are made from. */
  readonly webhookKey: string;
  /** Whether webhooks may go to this machine itself. */
  readonly loopback: boolean;
  readonly report: (failure: unknown) => void;
  /** Told of what becomes of deliveries. */
  readonly observed?: DeliveryOptions["observed"];
  /** Tells whoever traces of what is sent; absent: nobody does. */
  readonly startSending?: DeliveryOptions["startSending"];
}

/** How often events are looked for that another process may have written. */
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

/** What is due is done within this time of its moment where the service is idle (R3.5 asks for 5 seconds). */
const schedulerMilliseconds = 250;

/**
 * Calls the service's `tick` four times a second, at once with what became due while nothing ran. Gives what stops it; the
 * service's `rest` ends a run under way.
 */
export function startScheduler(service: Service): () => void {
  let expected = performance.now();
  const tick = (): void => {
    const now = performance.now();
    void service.tick(Math.max(0, now - expected));
    expected = now + schedulerMilliseconds;
  };
  // A process that has nothing else to do may end.
  const timer = setInterval(tick, schedulerMilliseconds).unref();
  tick();
  return () => clearInterval(timer);
}

const purgeMilliseconds = 60_000;

export interface PurgeOptions {
  readonly store: PurgingStore;
  readonly clock: Clock;
  /** How long events are kept. */
  readonly retentionMilliseconds: number;
  readonly report: (failure: unknown) => void;
}

export interface PurgingStore extends Pick<Store, "acquireLease" | "purge"> {
  readonly journal: Pick<Journal, "trim">;
}

/** Removes what has expired, every minute. Gives what stops it. */
export function startPurging(options: PurgeOptions): () => void {
  const timer = setInterval(() => void purge(options), purgeMilliseconds).unref();
  return () => clearInterval(timer);
}

/** Removes what has expired, in one process of those that serve the data. Never rejects. */
export async function purge({ clock, report, retentionMilliseconds, store }: PurgeOptions): Promise<void> {
  const now = clock.now();
  try {
    if (!(await store.acquireLease("purging"))) return;
    await store.purge(now);
    await store.journal.trim(now - retentionMilliseconds);
  } catch (thrown) {
    // Nobody is given what has expired, and the next time removes it; requests tell of a store that is away.
    if (!isPassing(thrown) && !isLasting(thrown)) report(thrown);
  }
}
