/** What a served document does besides answering: it sends its events to webhooks. */
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
import type { LiveService } from "../runtime/service.ts";
import { createSchedulerLoop } from "../runtime/scheduler/loop.ts";
import type { Store } from "../store/port/store.ts";

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
