/** A document that is served: from its file and its data to a server that listens, and to its stop. */
import { readFileSync } from "node:fs";
import process from "node:process";
import type { Level, Members } from "../observability/log.ts";
import { longestRequest } from "../plan/limits/limits.ts";
import { createBudget, usualBudget } from "../http/memory-budget.ts";
import { createForwarding } from "../http/proxies.ts";
import { startingService } from "./not-ready.ts";
import { StoreError } from "../store/port/error.ts";
import type { ValkeyRates } from "../store/valkey/rates.ts";
import { UsageError } from "./errors.ts";
import { checkFile } from "./document.ts";
import { createSwappableService } from "./swap.ts";
import { addressOf, listenAt } from "./listen.ts";
import { isText, type LogFormat, type Logging, openLog } from "./logging.ts";
import { startMonitoring, type MonitoringOptions } from "./monitor.ts";
import { purge } from "./purge.ts";
import { createReloading, type Reloading } from "./reload.ts";
import {
  type ServeDependencies,
  type PagesFor,
  type Servable,
  type Served,
  clock,
  random,
  servable,
  served,
} from "./compose.ts";
import { withoutSecret } from "./open-store.ts";
import { withSecretFiles } from "./secret-keys.ts";
import type { Terminal } from "./terminal.ts";
import { startScheduler } from "./scheduler.ts";
import { watchFile, type Watcher } from "./watch.ts";
import type { Watchdog } from "./watchdog.ts";

/** How long requests that are under way may take once the process is asked to stop. */
const graceMilliseconds = 30_000;
/** Who watches `/readyz` stops sending in this time; a person at a terminal does not wait for it (R1.8). */
const pollMilliseconds = 1000;
const purgeMilliseconds = 60_000;
/** Whoever asks again and again whether it is ready is answered before schemas are compiled, which holds requests up at first. */
const quietMilliseconds = 100;

export interface ServeOptions extends MonitoringOptions {
  readonly port: number;
  readonly host: string;
  /** A file, or `memory`. */
  readonly data: string | undefined;
  readonly "base-url": string | undefined;
  readonly "trust-proxy": readonly string[];
  readonly watch: boolean;
  /** A module. */
  readonly handlers: string | undefined;
  /** The address of a Valkey or Redis. */
  readonly limits: string | undefined;
  readonly "webhooks-to-loopback": boolean;
  readonly pages: PagesFor;
  /** Bytes; undefined for what is usual on this machine. */
  readonly "request-memory": number | undefined;
  readonly log: Level | "off";
  readonly "log-format": LogFormat;
  /** Brokers that are given events. */
  readonly sink: readonly string[];
}

export interface Serving {
  /** As it was at the start. */
  readonly first: Served;
  /** Where callers reach it. */
  readonly url: string;
  /** Where this machine reaches it. */
  readonly local: string;
  /** Where an operator finds figures and health; undefined where there is no port for that. */
  readonly admin: string | undefined;
  /** Whether what is written is for programs alone. */
  readonly quiet: boolean;
  /** Serves until the process is asked to stop; gives the exit code. */
  untilStopped(): Promise<number>;
}

/**
 * @throws DocumentError when the document, or its data, cannot be served.
 * @throws UsageError when it cannot be served like this: the file, the environment, the port, the place of the data.
 */
export async function startServing(document: string, options: ServeOptions, outside: Terminal): Promise<Serving> {
  const terminal = withSecrets(outside);
  const { host, port, data, watch } = options;
  if (watch && document === "-") throw new UsageError("--watch needs a file; standard input does not change");
  let local = addressOf({ host, port });
  const url = () => options["base-url"] ?? local;
  const loopback = options["webhooks-to-loopback"];
  const { handlers, sink: sinks } = options;
  const quiet = options["log-format"] === "json";

  const ready = await servable(await checkFile(document, terminal), { terminal, handlers, sinks });
  let service = startingService(ready.plan, random, url);
  // Before the data is touched: the service that runs there already may be using the same data.
  const server = await listenAt({
    service: () => service,
    host,
    port,
    requestMilliseconds: longestRequest(ready.plan),
    forwarding: createForwarding(options["trust-proxy"]),
    budget: createBudget(options["request-memory"] ?? usualBudget()),
  });
  local = addressOf({ host, port: server.port });
  const log = openLog(loggingOf(options, ready, terminal), terminal);
  const print = (text: string): void => (quiet ? undefined : terminal.out(text));
  const opened: (() => Promise<void>)[] = [() => server.close(0), () => log.close()];
  const undone = async (thrown: unknown): Promise<never> => {
    for (const close of opened) await close();
    throw thrown;
  };
  const startedMonitoring = await startMonitoring(options, log).catch(undone);
  opened.unshift(() => startedMonitoring.close());
  const { monitoring, health } = startedMonitoring;
  const rates = await ratesOf(options, ready).catch(undone);
  opened.unshift(async () => rates?.close());
  const watchdog = await watchdogOf(options, ready, terminal);
  const dependencies: ServeDependencies = { document, data, url, terminal, loopback, handlers, sinks, rates, pages: options.pages, log, monitoring, health, print, watchdog }; // biome-ignore format: short
  const first = await served(ready, dependencies).catch(undone);

  const swappable = watch ? createSwappableService(first.service) : undefined;
  service = swappable?.service ?? first.service;
  const admin = startedMonitoring.admin === undefined ? undefined : addressOf({ host: options["admin-host"], port: startedMonitoring.admin.port }); // biome-ignore format: short
  log.write("info", "serving", { ...startOf(first, { document, url: url(), local }), admin });
  // Whoever reads that it serves may ask it to stop at once.
  const stopped = terminal.stopped();

  const reloading = swappable && createReloading(first, swappable, dependencies);
  const current = () => reloading?.current ?? first;
  startedMonitoring.follow(current);
  const stopScheduler = startScheduler(() => service);
  const warming = setTimeout(() => void first.service.warm(), quietMilliseconds);
  // Who changes the document while it runs brings the data along in this process, however long that takes.
  if (!watch) watchdog?.start();
  const purging = setInterval(() => {
    const { plan, store } = current();
    const { retentionMilliseconds } = plan.events;
    void purge(store, { now: clock.now(), retentionMilliseconds }, (failure) => log.failed(failure, "purging"));
  }, purgeMilliseconds);
  const lost = Promise.withResolvers<never>();
  // Somebody may begin to wait for it only after it has happened.
  lost.promise.catch(() => {});
  const watchers = watched(document, handlers, reloading, lost.reject);
  return {
    first,
    url: url(),
    local,
    admin,
    quiet,
    async untilStopped() {
      let lingerMilliseconds = 0;
      try {
        const signal = await Promise.race([stopped, lost.promise]);
        log.write("info", "stopping", { signal });
        if (signal === "SIGTERM") lingerMilliseconds = pollMilliseconds;
      } finally {
        for (const watcher of watchers) await watcher.close();
        clearTimeout(warming);
        clearInterval(purging);
        stopScheduler();
        await server.close(graceMilliseconds, { lingerMilliseconds });
        await current().background.stop(graceMilliseconds);
      }
      await current().service.flush();
      await current().store.close();
      await rates?.close();
      await startedMonitoring.close();
      await watchdog?.stop();
      log.write("info", "stopped");
      await log.close();
      return 0;
    },
  };
}

/** @throws UsageError where it is no address of a Valkey, or its client is not installed; it need not be there yet. */
async function ratesOf({ limits: address }: ServeOptions, { plan }: Servable): Promise<ValkeyRates | undefined> {
  if (address === undefined) return undefined;
  const { isValkeyAddress, openValkeyRates } = await import("../store/valkey/rates.ts");
  if (!isValkeyAddress(address)) throw new UsageError("--limits is an address: redis://user:secret@host:6379");
  return openValkeyRates({ address, service: plan.service }).catch((thrown: unknown) => {
    throw thrown instanceof StoreError ? new UsageError(thrown.message) : thrown;
  });
}

/** Loaded only where there are functions. */
async function watchdogOf(
  options: ServeOptions,
  { functions, plan }: Servable,
  terminal: Terminal,
): Promise<Watchdog | undefined> {
  if (functions === undefined) return undefined;
  const { createWatchdog } = await import("./watchdog.ts");
  const { format, service } = loggingOf(options, { plan }, terminal);
  return createWatchdog({ milliseconds: longestRequest(plan), json: !isText(format, terminal), service });
}

function withSecrets(terminal: Terminal): Terminal {
  return { ...terminal, environment: withSecretFiles(terminal.environment, (path) => readFileSync(path, "utf8")) };
}

/** What the log says of the start. */
function startOf(
  { plan, data, result }: Served,
  addresses: Readonly<Record<"document" | "url" | "local", string>>,
): Members {
  return {
    ...addresses,
    data: withoutSecret(data),
    operations: plan.operations.length,
    warnings: result.summary.warnings,
    node: process.version,
    process: process.pid,
  };
}

function loggingOf(options: ServeOptions, { plan }: Pick<Servable, "plan">, { environment }: Terminal): Logging {
  const names = [...plan.credentials.flatMap(({ secret }) => secret ?? [])];
  return {
    level: options.log,
    format: options["log-format"],
    service: plan.service,
    secrets: [
      ...names.flatMap((name) => environment[name] ?? []),
      ...(environment["NONET_SECRET_KEY"] ?? "").split(/\s+/),
      options["operator-token"] ?? "",
    ],
  };
}

/** The document, and the functions beside it. */
function watched(
  document: string,
  handlers: string | undefined,
  reloading: Reloading | undefined,
  lost: (thrown: unknown) => void,
): readonly Watcher[] {
  if (reloading === undefined) return [];
  const files = handlers === undefined ? [document] : [document, handlers];
  return files.map((file) => watchFile(file, () => reloading.reload({ anyway: file === handlers }).catch(lost)));
}
