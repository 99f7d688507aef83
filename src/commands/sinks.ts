/** Sinks of a service that is served: brokers that are given its events, each on its own, whatever the others do. */
import type { Broker } from "../deliver/brokers/broker.ts";
import { readPlace, type SinkPlace } from "../deliver/brokers/place.ts";
import { createSink } from "../deliver/sink.ts";
import type { EventTeller } from "../deliver/engine.ts";
import type { Plan } from "../plan/plan.ts";
import { isPassing } from "../store/error.ts";
import type { Store } from "../store/store.ts";
import type { Background } from "./background.ts";
import { UsageError } from "./command-line.ts";
import { listed } from "./layout.ts";

/** How often events are looked for. */
const roundMilliseconds = 100;
/** After a failure the waits double up to this. */
const longestWaitMilliseconds = 30_000;

/**
 * What starts them once the store is open.
 * @throws UsageError where one is written wrongly, the document has nothing to tell it, or its client is not installed.
 */
export async function prepareSinks(texts: readonly string[], plan: Plan): Promise<StartSinks> {
  const brokers = await openAll(sinkPlaces(texts, plan));
  return (surroundings) => startSinks(plan, brokers, surroundings);
}

function sinkPlaces(texts: readonly string[], plan: Plan): readonly SinkPlace[] {
  return texts.map((text) => {
    const place = readPlace(text);
    if (typeof place === "string") throw new UsageError(`--sink ${place}`);
    const fault = misfit(place, plan);
    if (fault !== undefined) throw new UsageError(`--sink ${place.name} ${fault}`);
    return place;
  });
}

function misfit({ roles }: SinkPlace, { events, roles: present }: Plan): string | undefined {
  if (Object.keys(events.out).length === 0) return "gets nothing: the document has no events";
  if (events.webhook === undefined && events.stream === undefined)
    return "gets nothing: the document tells nobody of its events, by webhook or stream";
  const unknown = roles.find((role) => !present.includes(role));
  if (unknown !== undefined)
    return `is told as "${unknown}", which is no role of the document: it has ${listed(present)}`;
  if (roles.length === 0 && present.length > 0)
    return `needs a role, since that decides what it may know: ?as= one of ${listed(present)}`;
  return undefined;
}

/** What a broker's client needs is loaded only now: it is an optional package. */
async function openBroker(place: SinkPlace): Promise<Broker> {
  if (place.kind === "nats") return (await import("../deliver/brokers/nats.ts")).natsBroker(place);
  return (await import("../deliver/brokers/kafka.ts")).kafkaBroker(place);
}

/** @throws UsageError where a client is not installed. */
async function openAll(places: readonly SinkPlace[]): Promise<ReadonlyMap<SinkPlace, Broker>> {
  const packages = { nats: "@nats-io/transport-node @nats-io/jetstream", kafka: "@platformatic/kafka" };
  const brokers = new Map<SinkPlace, Broker>();
  for (const place of places) {
    try {
      brokers.set(place, await openBroker(place));
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
      throw new UsageError(
        `--sink ${place.name} needs a client that is not installed: npm install ${packages[place.kind]}`,
      );
    }
  }
  return brokers;
}

export interface SinkSurroundings {
  readonly store: Store;
  readonly teller: EventTeller;
  /** Told, in a sentence, when a broker begins to fail and when it takes events again. */
  readonly notice: (sentence: string) => void;
}

export type StartSinks = (surroundings: SinkSurroundings) => Pick<Background, "stop">;

function startSinks(
  plan: Plan,
  brokers: ReadonlyMap<SinkPlace, Broker>,
  { store, teller, notice }: SinkSurroundings,
): Pick<Background, "stop"> {
  const stopping = new AbortController();
  const running = [...brokers].map(([{ name, roles }, broker]) => {
    const sink = createSink({ plan, store, teller, name, roles, broker });
    return keepRunning(() => sink.run(() => stopping.signal.aborted), name, stopping.signal, notice).then(() =>
      sink.close(),
    );
  });
  return {
    async stop(graceMilliseconds) {
      stopping.abort();
      const over = Promise.withResolvers<void>();
      const timer = setTimeout(over.resolve, graceMilliseconds);
      // What the broker has not answered for by then is published again by whoever comes next.
      await Promise.race([Promise.allSettled(running), over.promise]);
      clearTimeout(timer);
    },
  };
}

async function keepRunning(
  run: () => Promise<number>,
  name: string,
  stopping: AbortSignal,
  notice: (sentence: string) => void,
): Promise<void> {
  let failures = 0;
  let told: string | undefined;
  while (!stopping.aborted) {
    try {
      await run();
      if (told !== undefined) notice(`${name} takes events again`);
      failures = 0;
      told = undefined;
    } catch (thrown) {
      failures += 1;
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      // What fails at one attempt fails at the next: it is said once, until something else is in the way.
      if (!isPassing(thrown) && why !== told) {
        notice(`${name}: ${why}; events wait until it takes them`);
        told = why;
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
