/**
 * Builds a service from a document: loads it (`load.ts`), opens its store, and serves it. A command, an embedding program and a
 * test differ only in their `Host`.
 */
import type { Clock } from "../base/clock.ts";
import { servicePages } from "../export/page/pages.ts";
import type { McpOptions } from "../mcp/pages.ts";
import type { Monitoring } from "../observability/monitoring.ts";
import { watching } from "../observability/observers.ts";
import type { Plan } from "../plan/plan.ts";
import type { HealthDisclosure } from "../runtime/health.ts";
import type { Page } from "../runtime/context/endpoint.ts";
import type { Observe } from "../runtime/context/observation.ts";
import { createRandom } from "../runtime/random.ts";
import { createService, type LiveService } from "../runtime/service.ts";
import type * as Telemetry from "../runtime/telemetry.ts";
import type { Rates, Store } from "../store/port/store.ts";
import { addressProblem } from "../webhooks/address.ts";
import { browserFiles } from "./browser-files.ts";
import {
  type Background,
  type BackgroundOptions,
  startBackground,
  startPurging,
  startScheduler,
} from "./background.ts";
import { UsageError } from "./errors.ts";
import type { Loaded } from "./load.ts";
import { databaseOf, type Opening, openStore } from "./open-store.ts";
import { serviceKeys, type ServiceKeys } from "./secret-keys.ts";
import type { Terminal } from "./terminal.ts";
import { type TestClock, testClockPages } from "./test-clock.ts";
import type { Watchdog } from "./watchdog.ts";

export const clock: Clock = { now: () => Date.now() };
export const random: (bytes: number) => Uint8Array = createRandom();

/** Who may read the service's pages; default: everybody. */
export type PagesFor = "public" | "signed-in" | "off";

/** What a service needs from the program around it. */
export interface Host {
  /** Returns the public URL, which is known once the server listens. */
  readonly url: () => string;
  /** Whether webhooks may be sent to this machine, for development. */
  readonly loopback: boolean;
  readonly environment: Terminal["environment"];
  readonly clock?: Clock | undefined;
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
  readonly report: (failure: unknown, requestId: string) => void;
  readonly notice: (message: string) => void;
  /** The shared rate counts, if they are not in the store. */
  readonly rates?: Rates | undefined;
  readonly observe?: Observe | undefined;
  /** Starts trace spans for outgoing requests. */
  readonly startSending?: BackgroundOptions["startSending"];
  readonly monitoring?: Monitoring | undefined;
  readonly health?: HealthDisclosure | undefined;
  readonly functionBegan?: Watchdog["began"] | undefined;
  /** Whether the service sends webhooks; default: true. */
  readonly sends?: boolean | undefined;
}

export interface Served extends Loaded {
  /** Where the data is: a file, a database URL, or `memory`. */
  readonly data: string;
  readonly store: Store;
  readonly service: LiveService;
  /** The background jobs; `stop` does not close the store. */
  readonly background: Background;
}

/** The parts that stay the same when the document changes. */
export interface Setup {
  /** Where the data is, as on the command line: a file, `memory` or `postgres://…`. */
  readonly data: string | undefined;
  readonly opening: Opening;
  readonly host: Host;
  readonly pages?: PagesFor | undefined;
  /** Whether timers run by themselves. If false, they run only when a program calls the service's `tick`. */
  readonly ticks?: boolean | undefined;
  /** The clock that requests move; the host has the same one. */
  readonly testClock?: TestClock | undefined;
}

/** Opens the store and serves. @throws DocumentError or UsageError like `openStore`. */
export async function serve(loaded: Loaded, setup: Setup): Promise<Served> {
  const data = databaseOf(setup.data, loaded.plan);
  return serveFrom(loaded, data, await openStore(loaded.plan, data, setup.host.clock ?? clock, setup.opening), setup);
}

/** Serves with an open store. */
export async function serveFrom(
  loaded: Loaded,
  data: string,
  store: Store,
  { host, pages: whom, testClock, ticks = true }: Omit<Setup, "data" | "opening">,
): Promise<Served> {
  const { plan, result } = loaded;
  const keys = await serviceKeys(store, data, host.environment);
  const telemetry = await telemetryModule();
  const pages = [
    ...pagesFor(whom, plan, [...servicePages({ result, plan, baseUrl: host.url, console: true }), ...browserFiles()]),
    ...(testClock === undefined ? [] : testClockPages(testClock, () => service.tick())),
    ...(await agentPages(plan, { baseUrl: host.url, service: () => service, report: host.report })),
  ];
  const observe = host.observe ?? telemetry?.createTelemetry(host.url);
  const composed = compose(loaded, store, keys, { startSending: telemetry?.startSending, ...host, observe, pages });
  const { service, background } = composed;
  const { clock: time = clock, report } = host;
  const stops = [
    ...(ticks ? [startScheduler(service)] : []),
    startPurging({
      ...{ store, clock: time, retentionMilliseconds: plan.events.retentionMilliseconds },
      report: (failure) => report(failure, "purging"),
    }),
  ];
  return {
    ...loaded,
    ...{ data, store, service },
    background: {
      lag: () => background.lag(),
      async stop(graceMilliseconds) {
        for (const stop of stops) stop();
        await service.rest();
        await background.stop(graceMilliseconds);
        await service.flush();
      },
    },
  };
}

/** Returns the address for agents. The package of the protocol is loaded only for a document that has one. */
export async function agentPages(plan: Plan, options: Omit<McpOptions, "plan" | "mcp">): Promise<readonly Page[]> {
  const { mcp } = plan;
  if (mcp === undefined) return [];
  const { mcpPages } = await import("../mcp/pages.ts");
  return mcpPages({ ...options, plan, mcp });
}

/** Creates the service and its delivery of events, without timers. */
export function compose(
  { plan, functions, startSinks }: Omit<Loaded, "result">,
  store: Store,
  keys: ServiceKeys,
  host: Host & { readonly pages?: readonly Page[] },
): Pick<Served, "service" | "background"> {
  const { clock: time = clock, environment, loopback, monitoring, notice, random: chance = random, report, url } = host;
  const shared = { plan, store, clock: time, random: chance };
  const service = createService({
    ...{ ...shared, functions, environment, notice, report, pages: host.pages ?? [] },
    cursorSecret: keys.cursor,
    baseUrl: url,
    webhooks: { key: keys.webhooks, urlFault: (text) => addressProblem(text, { loopback }) },
    observe: watching(host.observe, monitoring?.watches ?? []),
    rates: host.rates,
    timerObserver: monitoring?.time,
    health: host.health,
    functionBegan: host.functionBegan,
  });
  const webhooks =
    host.sends === false
      ? undefined
      : startBackground({
          ...{ ...shared, service, webhookKey: keys.webhooks, loopback },
          report: (failure) => report(failure, "webhooks"),
          startSending: host.startSending,
          observed: monitoring?.deliveries,
        });
  const brokers = startSinks?.({ store, renderer: service.renderer, notice });
  return {
    service,
    background: {
      lag: async () => webhooks?.lag() ?? 0,
      async stop(graceMilliseconds) {
        await Promise.all([webhooks?.stop(graceMilliseconds), brokers?.stop(graceMilliseconds)]);
      },
    },
  };
}

function pagesFor(whom: PagesFor = "public", { credentials }: Plan, pages: readonly Page[]): readonly Page[] {
  if (whom === "signed-in" && credentials.length === 0)
    throw new UsageError("the document has no credentials, so nobody could read pages that are for signed-in callers: take --pages public or off"); // biome-ignore format: a sentence
  return whom === "off" ? [] : pages.map((page) => ({ ...page, signedIn: whom === "signed-in" }));
}

/** Loads the OpenTelemetry API. A registered SDK sets this global; without an SDK the API is not loaded. */
async function telemetryModule(): Promise<typeof Telemetry | undefined> {
  return Symbol.for("opentelemetry.js.api.1") in globalThis ? import("../runtime/telemetry.ts") : undefined;
}
