/** Runs the sinks of a service: each message broker gets the events independently of the others. */
import type { Broker } from "../webhooks/brokers/broker.ts";
import { parseBrokerUrl, type BrokerUrl } from "../webhooks/brokers/address.ts";
import { createSink } from "../webhooks/sink.ts";
import type { DeliveryRenderer } from "../webhooks/engine.ts";
import type { AuthenticationPart } from "../plan/authentication/types.ts";
import type { EventsPart } from "../plan/events/types.ts";
import { isPassing } from "../store/port/error.ts";
import type { Store } from "../store/port/store.ts";
import type { Background } from "./background.ts";
import { UsageError } from "./errors.ts";
import { listed } from "../base/layout.ts";

/** How often to look for new events, in milliseconds. */
const roundMilliseconds = 100;
/** The maximum delay between retries in milliseconds; the delay doubles after each failure. */
const longestWaitMilliseconds = 30_000;

/**
 * Opens the brokers; the result starts the sinks once the store is open. @throws UsageError for an invalid URL, a document
 * without events, or a missing client package.
 */
export async function openSinks(texts: readonly string[], plan: AuthenticationPart & EventsPart): Promise<StartSinks> {
  const brokers = await openAll(brokerUrlsOf(texts, plan));
  return (dependencies) => startSinks(plan, brokers, dependencies);
}

function brokerUrlsOf(texts: readonly string[], plan: AuthenticationPart & EventsPart): readonly BrokerUrl[] {
  return texts.map((text) => {
    const brokerUrl = parseBrokerUrl(text);
    if (typeof brokerUrl === "string") throw new UsageError(`--sink ${brokerUrl}`);
    const problem = mismatchOf(brokerUrl, plan);
    if (problem !== undefined) throw new UsageError(`--sink ${brokerUrl.name} ${problem}`);
    return brokerUrl;
  });
}

function mismatchOf(
  { roles }: BrokerUrl,
  { events, roles: present }: AuthenticationPart & EventsPart,
): string | undefined {
  if (Object.keys(events.out).length === 0) return "gets nothing: the document has no events";
  if (events.webhook === undefined && events.stream === undefined)
    return "gets nothing: the document tells nobody of its events, by webhook or stream";
  const unknown = roles.find((role) => !present.includes(role));
  if (unknown !== undefined)
    return `sends as "${unknown}", which is not a role of the document: it has ${listed(present)}`;
  if (roles.length === 0 && present.length > 0)
    return `needs a role, since that decides what it may know: ?as= one of ${listed(present)}`;
  return undefined;
}

/** Opens a broker; its client is loaded on demand, because it is an optional package. */
async function openBroker(brokerUrl: BrokerUrl): Promise<Broker> {
  if (brokerUrl.kind === "nats") return (await import("../webhooks/brokers/nats.ts")).natsBroker(brokerUrl);
  return (await import("../webhooks/brokers/kafka.ts")).kafkaBroker(brokerUrl);
}

/** Opens all brokers. @throws UsageError if a client package is not installed. */
async function openAll(brokerUrls: readonly BrokerUrl[]): Promise<ReadonlyMap<BrokerUrl, Broker>> {
  const packages = { nats: "@nats-io/transport-node @nats-io/jetstream", kafka: "@platformatic/kafka" };
  const brokers = new Map<BrokerUrl, Broker>();
  for (const brokerUrl of brokerUrls) {
    try {
      brokers.set(brokerUrl, await openBroker(brokerUrl));
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
      throw new UsageError(
        `--sink ${brokerUrl.name} needs a client that is not installed: npm install ${packages[brokerUrl.kind]}`,
      );
    }
  }
  return brokers;
}

export interface SinkDependencies {
  readonly store: Store;
  readonly renderer: DeliveryRenderer;
  /** Receives a message when a broker starts to fail and when it recovers. */
  readonly notice: (message: string) => void;
}

export type StartSinks = (dependencies: SinkDependencies) => Pick<Background, "stop">;

function startSinks(
  plan: AuthenticationPart & EventsPart,
  brokers: ReadonlyMap<BrokerUrl, Broker>,
  { store, renderer, notice }: SinkDependencies,
): Pick<Background, "stop"> {
  const stopping = new AbortController();
  const running = [...brokers].map(([{ name, roles }, broker]) => {
    const sink = createSink({ plan, store, renderer, name, roles, broker });
    return runUntilStopped(() => sink.run(() => stopping.signal.aborted), name, stopping.signal, notice).then(() =>
      sink.close(),
    );
  });
  return {
    async stop(graceMilliseconds) {
      stopping.abort();
      const over = Promise.withResolvers<void>();
      const timer = setTimeout(over.resolve, graceMilliseconds);
      // Messages without confirmation are published again after the next start.
      await Promise.race([Promise.allSettled(running), over.promise]);
      clearTimeout(timer);
    },
  };
}

async function runUntilStopped(
  run: () => Promise<number>,
  name: string,
  stopping: AbortSignal,
  notice: (message: string) => void,
): Promise<void> {
  let failures = 0;
  let lastProblem: string | undefined;
  while (!stopping.aborted) {
    try {
      await run();
      if (lastProblem !== undefined) notice(`${name} takes events again`);
      failures = 0;
      lastProblem = undefined;
    } catch (thrown) {
      failures += 1;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      // Failures repeat at each attempt, so each message is reported once.
      if (!isPassing(thrown) && why !== lastProblem) {
        notice(`${name}: ${why}; events wait until it takes them`);
        lastProblem = why;
      }
    }
    await pause(Math.min(longestWaitMilliseconds, roundMilliseconds * 2 ** failures), stopping);
  }
}

function pause(milliseconds: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    timer.unref();
    stopping.addEventListener("abort", over);
    if (stopping.aborted) over();
  });
}
