/** Metrics of pending work: streams, deliveries, timers, store connections. */
import type { EventsPart } from "../plan/events/types.ts";
import type { PurposePart } from "../plan/purpose/types.ts";
import type { ResourcesPart } from "../plan/resources/types.ts";
import { deliveryResource } from "../language/events/decide.ts";
import type { LiveService } from "../runtime/service.ts";
import type { Store } from "../store/port/store.ts";
import type { Metrics, Sample } from "./metrics.ts";

export interface ServiceSnapshot {
  readonly plan: PurposePart & ResourcesPart & EventsPart;
  readonly store: Store;
  readonly service: Pick<LiveService, "streams">;
  readonly background: { lag(): Promise<number> };
}

export interface Backlog {
  /** The number of pending deliveries. */
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/** Adds the metrics. `current`: returns the service that is running now; a reload may replace it. */
export function watchService(
  serviceMetrics: Metrics,
  current: () => ServiceSnapshot,
  backlog: ReturnType<typeof createBacklog>,
  now: () => number,
): void {
  const one = (value: number): readonly Sample[] => [{ labels: [], value }];
  serviceMetrics.observe("nonet.streams", () => one(current().service.streams()));
  serviceMetrics.observe("nonet.journal.lag", async () => {
    return current().plan.events.webhook === undefined ? [] : one(await current().background.lag());
  });
  const ofBacklog = (read: (backlog: Backlog) => number) => async (): Promise<readonly Sample[]> => {
    const present = await backlog(current());
    return present === undefined ? [] : one(read(present));
  };
  serviceMetrics.observe(
    "nonet.deliveries.waiting",
    ofBacklog(({ waiting }) => waiting),
  );
  serviceMetrics.observe(
    "nonet.deliveries.oldest",
    ofBacklog(({ oldestSeconds }) => oldestSeconds),
  );
  serviceMetrics.observe("nonet.timers.overdue", async () => one(await overdueSeconds(current(), now())));
  const load = (read: (load: NonNullable<ReturnType<NonNullable<Store["load"]>>>) => readonly Sample[]) => () => {
    const present = current().store.load?.();
    return present === undefined ? [] : read(present);
  };
  serviceMetrics.observe("nonet.store.connections", load(({ usedConnections, idleConnections }) => [
    { labels: ["used"], value: usedConnections },
    { labels: ["idle"], value: idleConnections },
  ])); // biome-ignore format: short
  serviceMetrics.observe(
    "nonet.store.waiting",
    load(({ waiting }) => one(waiting)),
  );
  serviceMetrics.observe(
    "nonet.store.retries",
    load(({ retries }) => one(retries)),
  );
}

/** Returns the largest delay of a record's timer in seconds. */
export async function overdueSeconds({ store }: Pick<ServiceSnapshot, "store">, now: number): Promise<number> {
  const [first] = await store.due(now, 1);
  return first === undefined ? 0 : Math.max(0, now - first.due) / 1000;
}

/**
 * How long a count of deliveries is used, in milliseconds: two metrics and the health report read it at once, and counting is
 * slow.
 */
const freshMilliseconds = 5000;

/** Returns a function that counts the pending deliveries; undefined without webhooks. */
export function createBacklog(
  now: () => number,
): (snapshot: Pick<ServiceSnapshot, "plan" | "store">) => Promise<Backlog | undefined> {
  let of: Store | undefined;
  let observe: () => Promise<Backlog> = () => Promise.reject(new Error("no store is known yet"));
  let known: Promise<Backlog> | undefined;
  let until = Number.NEGATIVE_INFINITY;
  return ({ plan, store }) => {
    if (plan.events.webhook === undefined) return Promise.resolve(undefined);
    if (store !== of) [of, observe, until] = [store, createBacklogReader(plan, store, now), Number.NEGATIVE_INFINITY];
    const present = now();
    if (known === undefined || present >= until || present < until - freshMilliseconds) {
      until = present + freshMilliseconds;
      known = observe();
    }
    return known;
  };
}

function createBacklogReader(plan: ResourcesPart, store: Store, now: () => number): () => Promise<Backlog> {
  const table = plan.tables.find(({ resource }) => resource === deliveryResource);
  const members = (table?.columns ?? [])
    .filter(({ name }) => name === "createdAt")
    .map(({ name, type }) => ({
      name,
      type,
      source: { kind: "column" as const, column: name },
      absent: "left out" as const,
    }));
  const list = store.list({
    resource: deliveryResource,
    system: true,
    view: { resource: deliveryResource, members },
    sort: [{ column: "createdAt", descending: false }],
    filters: [{ column: "state", operator: "eq" }],
    from: "start",
    counted: true,
  });
  return async () => {
    const { text, total = 0 } = await list({ limit: 1, filters: ["pending"] }, {});
    const [first] = JSON.parse(`[${text}]`) as readonly { readonly createdAt: string }[];
    const since = first === undefined ? now() : Date.parse(first.createdAt);
    return { waiting: total, oldestSeconds: Math.max(0, now() - since) / 1000 };
  };
}
