/** Serves a document: from its file and data to a listening server, until it stops. */
import { readFileSync } from "node:fs";
import process from "node:process";
import type { Level, Log, Members } from "../observability/log.ts";
import type { Monitoring } from "../observability/monitoring.ts";
import { longestRequest } from "../plan/limits/limits.ts";
import type { Plan } from "../plan/plan.ts";
import { createBudget, usualBudget } from "../http/memory-budget.ts";
import type { ServerOptions } from "../http/before-service.ts";
import type { Responder } from "../http/message.ts";
import type { CheckResult } from "../language/check.ts";
import { createForwarding } from "../http/proxies.ts";
import { StoreError } from "../store/port/error.ts";
import type { ValkeyRates } from "../store/valkey/rates.ts";
import { clock, type Host, type PagesFor, random, serve, type Served, type Setup } from "./compose.ts";
import { checkFile } from "./document.ts";
import { UsageError } from "./errors.ts";
import { addressOf, isLoopback, listenAt } from "./listen.ts";
import { load, type Loaded } from "./load.ts";
import { isText, type LogFormat, type Logging, openLog } from "./logging.ts";
import { followedText } from "./migration-report.ts";
import { type MonitoringOptions, type StartedMonitoring, startMonitoring } from "./monitor.ts";
import { startingService } from "./not-ready.ts";
import { type Opening, rowSecurityText, unsecured, withoutSecret } from "./open-store.ts";
import { createReloading, type Reloading } from "./reload.ts";
import { withSecretFiles } from "./secret-keys.ts";
import { createSwappableService } from "./swap.ts";
import type { Terminal } from "./terminal.ts";
import { createTestClock, testClockPath } from "./test-clock.ts";
import { watchFile, type Watcher } from "./watch.ts";
import type { Watchdog } from "./watchdog.ts";

/** The grace period for active requests when the process stops, in milliseconds. */
const graceMilliseconds = 30_000;
/** How long the server accepts connections after SIGTERM, in milliseconds, so that load balancers read `/readyz` (R1.8). */
const pollMilliseconds = 1000;
/**
 * The delay before schemas are compiled, in milliseconds. Compiling blocks requests at first, so probes that wait for
 * readiness come first.
 */
const quietMilliseconds = 100;

export interface ServeOptions extends MonitoringOptions {
  readonly port: number;
  readonly host: string;
  /** Where the data is: a file, `memory` or `postgres://…`. */
  readonly data: string | undefined;
  readonly "base-url": string | undefined;
  readonly "trust-proxy": readonly string[];
  readonly watch: boolean;
  /** The file of the functions module. */
  readonly handlers: string | undefined;
  /** The URL of a Valkey or Redis server for shared rate counts. */
  readonly limits: string | undefined;
  readonly "webhooks-to-loopback": boolean;
  /** Whether requests may move the service's clock. */
  readonly "test-clock": boolean;
  readonly pages: PagesFor;
  /** The memory budget of requests in bytes; undefined: a default for this machine. */
  readonly "request-memory": number | undefined;
  readonly log: Level | "off";
  readonly "log-format": LogFormat;
  /** The URLs of message brokers. */
  readonly sink: readonly string[];
}

export interface Serving {
  /** The service as it was at the start. */
  readonly first: Served;
  /** The public URL. */
  readonly url: string;
  /** The URL on this machine. */
  readonly local: string;
  /** The operator's URL for metrics and health; undefined without an operator's port. */
  readonly admin: string | undefined;
  /** The URL of the test clock; undefined without one. */
  readonly testClock: string | undefined;
  /** Whether the output is for programs only. */
  readonly quiet: boolean;
  /** Serves until a stop signal; returns the exit code. */
  untilStopped(): Promise<number>;
}

/**
 * Loads the document, listens, opens the data, and serves it.
 *
 * @throws DocumentError if the document or its data cannot be served @throws UsageError if the file, the environment, the port or
 * the data location is unusable
 */
export async function startServing(document: string, options: ServeOptions, outside: Terminal): Promise<Serving> {
  const environment = withSecretFiles(outside.environment, (path) => readFileSync(path, "utf8"));
  const terminal = { ...outside, environment };
  const { handlers, host, sink: sinks, watch } = options;
  if (options["test-clock"] && !isLoopback(host))
    throw new UsageError(
      `--test-clock needs --host 127.0.0.1, so that only this machine can move the time; not ${host}`,
    );
  if (watch && document === "-") throw new UsageError("--watch needs a file; standard input does not change");
  const quiet = options["log-format"] === "json";
  let local = addressOf(options);
  const url = () => options["base-url"] ?? local;
  const read = () => checkFile(document, terminal);
  const loadChecked = (result: CheckResult) => load(result, { environment, colour: terminal.colour, handlers, sinks });

  const loaded = await loadChecked(await read());
  let service: Responder = startingService(loaded.plan, random, url);
  // Closes what is already open if a later step fails.
  await using starting = new AsyncDisposableStack();
  // The server listens before the data is opened: another process that serves the data may use the same port.
  const server = await listenAt(serverOptions(options, loaded, () => service));
  starting.defer(() => server.close(0));
  local = addressOf({ host, port: server.port });
  const { log, monitor, setup, watchdog } = await openInstruments(loaded, options, { terminal, url, quiet, starting });
  const first = await serve(loaded, setup);

  const swappable = watch ? createSwappableService(first.service) : undefined;
  service = swappable?.service ?? first.service;
  const admin = monitor.admin && addressOf({ host: options["admin-host"], port: monitor.admin.port });
  const testClock = setup.testClock && local + testClockPath;
  log.write("info", "serving", { ...startOf(first, { document, url: url(), local }), admin });
  // The signal handlers are installed before readiness is reported, because a stop signal may follow at once.
  const stopped = terminal.stopped();

  const reloading =
    swappable && createReloading(first, swappable, { document, terminal, read, load: loadChecked, setup });
  const current = () => reloading?.current ?? first;
  monitor.follow(current);
  const warming = setTimeout(() => void first.service.warm(), quietMilliseconds);
  // With --watch there is no watchdog, since migrations run in this process and may block the event loop for long.
  if (!watch) watchdog?.start();
  const lost = Promise.withResolvers<never>();
  // `untilStopped` may be called only after the rejection, which must not count as unhandled.
  lost.promise.catch(() => {});
  const watchers = watchersOf(document, handlers, reloading, lost.reject);
  const running = starting.move();
  return {
    ...{ first, url: url(), local, admin, testClock, quiet },
    async untilStopped() {
      let lingerMilliseconds = 0;
      try {
        const signal = await Promise.race([stopped, lost.promise]);
        log.write("info", "stopping", { signal });
        if (signal === "SIGTERM") lingerMilliseconds = pollMilliseconds;
      } finally {
        for (const watcher of watchers) await watcher.close();
        clearTimeout(warming);
        await server.close(graceMilliseconds, { lingerMilliseconds });
        await current().background.stop(graceMilliseconds);
      }
      await current().store.close();
      log.write("info", "stopped");
      await running.disposeAsync();
      return 0;
    },
  };
}

function serverOptions(options: ServeOptions, { plan }: Loaded, service: () => Responder): ServerOptions {
  return {
    ...{ service, host: options.host, port: options.port },
    requestMilliseconds: longestRequest(plan),
    forwarding: createForwarding(options["trust-proxy"]),
    budget: createBudget(options["request-memory"] ?? usualBudget()),
  };
}

interface Instruments {
  readonly log: Log;
  readonly monitor: StartedMonitoring;
  /** The watchdog; undefined if the document has no functions. */
  readonly watchdog: Watchdog | undefined;
  readonly setup: Setup;
}

interface InstrumentOptions {
  readonly terminal: Terminal;
  readonly url: () => string;
  readonly quiet: boolean;
  /** Closes the opened instruments if the start fails. */
  readonly starting: AsyncDisposableStack;
}

/** Opens log, metrics, shared rates and watchdog, and creates the setup that passes them to the service. */
async function openInstruments(
  { functions, plan }: Loaded,
  options: ServeOptions,
  { quiet, starting, terminal, url }: InstrumentOptions,
): Promise<Instruments> {
  const { environment } = terminal;
  const logging = loggingOf(options, plan, environment);
  const log = openLog(logging, terminal);
  starting.defer(() => log.close());
  const testClock = options["test-clock"] ? createTestClock(clock) : undefined;
  if (testClock !== undefined)
    log.write("warn", "test clock: anyone on this machine can move the time of this service", { path: testClockPath });
  const monitor = await startMonitoring(options, log, testClock ?? clock);
  starting.defer(() => monitor.close());
  const rates = await ratesOf(options, plan);
  starting.defer(async () => rates?.close());
  const watchdog = functions && (await watchdogOf(logging, plan, terminal));
  starting.defer(async () => watchdog?.stop());
  const { health, monitoring } = monitor;
  const host: Host = {
    ...{ url, environment, rates, monitoring, health, functionBegan: watchdog?.began, clock: testClock },
    loopback: options["webhooks-to-loopback"],
    report: (failure, requestId) => log.failed(failure, requestId),
    notice: (message) => log.write("warn", message),
  };
  const opening = openingOf(log, quiet ? () => {} : (text) => terminal.out(text), monitoring);
  return { log, monitor, watchdog, setup: { data: options.data, opening, pages: options.pages, host, testClock } };
}

/** Returns the options that report migrations: to people as text, to programs in the log. */
function openingOf(log: Log, print: (text: string) => void, monitoring: Monitoring): Opening {
  return {
    serving: true,
    around: (store) => monitoring.store(store),
    followed(migrated, data) {
      // Changes of internal table layouts are not reported, since they are not part of the document.
      if (migrated.steps.every(({ kind }) => kind === "layout")) return;
      print(followedText(migrated, withoutSecret(data)));
      log.write("info", "the data follows the document", { steps: migrated.steps.length, backup: migrated.backup });
    },
    rowSecurity(found) {
      if (found.kind !== "off") print(`${rowSecurityText(found)}\n`);
      if (found.kind === "standing") log.write("info", "row-level security", { role: found.role });
      if (found.kind === "absent") log.write("warn", unsecured, { reason: found.why, remedy: found.remedy });
    },
  };
}

/**
 * Opens shared rate counts. @throws UsageError for an invalid URL or a missing client; the server may still be unavailable.
 */
async function ratesOf({ limits: address }: ServeOptions, plan: Plan): Promise<ValkeyRates | undefined> {
  if (address === undefined) return undefined;
  const { isValkeyAddress, openValkeyRates } = await import("../store/valkey/rates.ts");
  if (!isValkeyAddress(address)) throw new UsageError("--limits is an address: redis://user:secret@host:6379");
  return openValkeyRates({ address, service: plan.service }).catch((thrown: unknown) => {
    throw thrown instanceof StoreError ? new UsageError(thrown.message) : thrown;
  });
}

/** Creates the watchdog, which is loaded only if there are functions. */
async function watchdogOf({ format, service }: Logging, plan: Plan, terminal: Terminal): Promise<Watchdog> {
  const { createWatchdog } = await import("./watchdog.ts");
  return createWatchdog({ milliseconds: longestRequest(plan), json: !isText(format, terminal), service });
}

/** Returns the members of the log line that reports the start. */
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

function loggingOf(options: ServeOptions, plan: Plan, environment: Terminal["environment"]): Logging {
  const names = plan.credentials.flatMap(({ secret }) => secret ?? []);
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

/** Watches the document and the functions module. */
function watchersOf(
  document: string,
  handlers: string | undefined,
  reloading: Reloading | undefined,
  lost: (thrown: unknown) => void,
): readonly Watcher[] {
  if (reloading === undefined) return [];
  const files = handlers === undefined ? [document] : [document, handlers];
  return files.map((file) => watchFile(file, () => reloading.reload({ anyway: file === handlers }).catch(lost)));
}
