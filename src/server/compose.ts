/** A document with its data, as a service: read, checked, planned, its store opened. */
import type { Clock } from "../base/clock.ts";
import { addressProblem } from "../webhooks/address.ts";
import { servicePages } from "../export/page/pages.ts";
import type { Log } from "../observability/log.ts";
import type { Monitoring } from "../observability/monitoring.ts";
import { watching } from "../observability/observers.ts";
import type { HealthDisclosure } from "../runtime/health.ts";
import type { Observe } from "../runtime/context/observation.ts";
import type { CheckResult } from "../language/check.ts";
import type { Plan } from "../plan/plan.ts";
import { planWith } from "../runtime/functions/validate.ts";
import type { ServiceFunctions } from "../runtime/functions/functions.ts";
import { createRandom } from "../runtime/random.ts";
import type * as Telemetry from "../runtime/telemetry.ts";
import { type LiveService, createService } from "../runtime/service.ts";
import type { Page } from "../runtime/context/page.ts";
import type { Migrated } from "../store/migration/migration.ts";
import type { RowSecurityState } from "../store/postgres/row-security/apply.ts";
import type { Rates, Store } from "../store/port/store.ts";
import { type Background, startBackground } from "./background.ts";
import { UsageError } from "./errors.ts";
import { planOf } from "./document.ts";
import { functionsOf } from "./handlers.ts";
import { listed } from "../base/layout.ts";
import { followedText } from "./migration-report.ts";
import { type SecretKeys, secretKeysOf, serviceKey } from "./secret-keys.ts";
import type { StartSinks } from "./sinks.ts";
import { openStore, databaseOf, rowSecurityText, unsecured, withoutSecret } from "./open-store.ts";
import type { Terminal } from "./terminal.ts";
import type { Watchdog } from "./watchdog.ts";

export const clock: Clock = { now: () => Date.now() };
export const random: (bytes: number) => Uint8Array = createRandom();

/** What a document is served with. */
export interface ServeDependencies {
  /** The file; `-` for standard input. */
  readonly document: string;
  /** A file or `memory`, as it was given. */
  readonly data: string | undefined;
  /** Where callers reach the service; known once it listens. */
  readonly url: () => string;
  readonly terminal: Terminal;
  /** Whether webhooks may go to this machine itself. */
  readonly loopback: boolean;
  /** The module of its functions. */
  readonly handlers?: string | undefined;
  /** Where rates are counted together with other processes, when that is not the store. */
  readonly rates?: Rates | undefined;
  readonly log: Log;
  readonly monitoring: Monitoring;
  readonly health: HealthDisclosure | undefined;
  /** Told in a text for people of what starting has done; where programs alone read, the log says it. */
  readonly print: (text: string) => void;
  readonly pages?: PagesFor | undefined;
  /** Brokers that are given events, as they were given. */
  readonly sinks?: readonly string[] | undefined;
  readonly watchdog?: Watchdog | undefined;
}

/** Who may read the pages of the service itself; everybody, where nothing is said. */
export type PagesFor = "public" | "signed-in" | "off";

/** What runs a service: a command, or a program that embeds it. */
export interface Host {
  readonly url: () => string;
  readonly loopback: boolean;
  readonly environment: Terminal["environment"];
  readonly clock?: Clock | undefined;
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
  readonly report: (failure: unknown, requestId: string) => void;
  readonly notice: (message: string) => void;
  readonly rates?: Rates | undefined;
  readonly pages?: PagesFor | undefined;
  readonly observe?: Observe | undefined;
  readonly monitoring?: Monitoring | undefined;
  readonly health?: HealthDisclosure | undefined;
  readonly functionBegan?: Watchdog["began"] | undefined;
}

export interface Servable {
  readonly result: CheckResult;
  readonly plan: Plan;
  readonly functions?: ServiceFunctions | undefined;
  readonly startSinks?: StartSinks | undefined;
}

export interface Served extends Servable {
  /** A file, or `memory`. */
  readonly data: string;
  readonly store: Store;
  readonly service: LiveService;
  readonly background: Background;
}

/**
 * @throws DocumentError when it cannot be served.
 * @throws UsageError when it needs secrets that the environment does not have (language, section 8), or a sink cannot be one.
 */
export async function servable(
  result: CheckResult,
  { terminal, handlers, sinks = [] }: Pick<ServeDependencies, "terminal" | "handlers" | "sinks">,
): Promise<Servable> {
  const plan = await planOf(result, terminal);
  if (plan.credentials.some(({ oauth }) => oauth?.users !== undefined)) await assertInstalled();
  const missing = plan.credentials.flatMap(({ secret }) =>
    secret === undefined || (terminal.environment[secret] ?? "") !== "" ? [] : [secret],
  );
  if (missing.length === 0) {
    const functions = await functionsOf(plan, handlers);
    const startSinks = sinks.length === 0 ? undefined : await (await import("./sinks.ts")).openSinks(sinks, plan);
    return { result, plan: planWith(plan, functions), functions, startSinks };
  }
  const what = missing.length === 1 ? "a secret" : "secrets";
  throw new UsageError(`${result.name} needs ${what} from the environment: set ${listed(missing)}`);
}

/** Said before anybody is asked to log in. */
async function assertInstalled(): Promise<void> {
  const { loadPackage } = await import("../runtime/auth/oauth/provider.ts");
  await loadPackage().catch((thrown: unknown) => {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown));
  });
}

/** @throws DocumentError or UsageError, as `openStore` does. */
export async function served(document: Servable, dependencies: ServeDependencies): Promise<Served> {
  const data = databaseOf(dependencies.data, document.plan);
  return servedWith(document, data, await storeOf(document, data, dependencies), dependencies);
}

/** Opens what a command serves from, and tells what has become of the data. @throws as `openStore` does. */
export async function storeOf({ plan }: Servable, data: string, dependencies: ServeDependencies): Promise<Store> {
  const { log, monitoring, print } = dependencies;
  const followed = (migrated: Migrated): void => {
    // How tables are laid out and indexed is nothing that the document says.
    if (migrated.steps.every(({ kind }) => kind === "layout")) return;
    print(followedText(migrated, withoutSecret(data)));
    log.write("info", "the data follows the document", { steps: migrated.steps.length, backup: migrated.backup });
  };
  const rowSecurity = (found: RowSecurityState): void => {
    if (found.kind !== "off") print(`${rowSecurityText(found)}\n`);
    if (found.kind === "standing") log.write("info", "row-level security", { role: found.role });
    if (found.kind === "absent") log.write("warn", unsecured, { reason: found.why, remedy: found.remedy });
  };
  return monitoring.store(await openStore(plan, data, clock, { followed, rowSecurity, serving: true }));
}

/** With a store that is open, by a command. */
export function servedWith(
  document: Servable,
  data: string,
  store: Store,
  { loopback, url, terminal, log, monitoring, health, rates, pages, watchdog }: ServeDependencies,
): Promise<Served> {
  return servedFrom(document, data, store, {
    loopback,
    url,
    rates,
    pages,
    environment: terminal.environment,
    report: (failure, requestId) => log.failed(failure, requestId),
    notice: (message) => log.write("warn", message),
    monitoring,
    health,
    functionBegan: watchdog?.began,
  });
}

/** With a store that is open. */
export async function servedFrom(
  { result, plan, functions, startSinks }: Servable,
  data: string,
  store: Store,
  { loopback, url, environment, report, clock: time = clock, random: chance = random, ...host }: Host,
): Promise<Served> {
  // What is in memory is copied nowhere.
  const keys: SecretKeys = data === "memory" ? ["none"] : secretKeysOf(environment);
  const webhookKey = await serviceKey(store, keys, "webhooks");
  const telemetry = await telemetryModule();
  const service = createService({
    plan,
    store,
    clock: time,
    random: chance,
    cursorSecret: await serviceKey(store, keys, "cursor"),
    baseUrl: url,
    environment,
    report,
    webhooks: { key: webhookKey, urlFault: (text) => addressProblem(text, { loopback }) },
    observe: watching(host.observe ?? telemetry?.createTelemetry(url), host.monitoring?.watches ?? []),
    notice: host.notice,
    rates: host.rates,
    timerObserver: host.monitoring?.time,
    health: host.health,
    functions,
    functionBegan: host.functionBegan,
    pages: pagesFor(host.pages, plan, servicePages({ result, plan, baseUrl: url })),
  });
  const webhooks = startBackground({
    plan,
    store,
    service,
    clock: time,
    random: chance,
    webhookKey,
    loopback,
    report: (failure) => report(failure, "webhooks"),
    startSending: telemetry?.startSending,
    observed: host.monitoring?.deliveries,
  });
  const brokers = startSinks?.({ store, renderer: service.renderer, notice: host.notice });
  const background = brokers === undefined ? webhooks : both(webhooks, brokers);
  return { result, plan, functions, data, store, service, background };
}

function pagesFor(whom: PagesFor = "public", { credentials }: Plan, pages: readonly Page[]): readonly Page[] {
  if (whom === "signed-in" && credentials.length === 0)
    throw new UsageError("the document has no credentials, so nobody could read pages that are for signed-in callers: take --pages public or off"); // biome-ignore format: a sentence
  return whom === "off" ? [] : pages.map((page) => ({ ...page, signedIn: whom === "signed-in" }));
}

function both(one: Background, other: Pick<Background, "stop">): Background {
  return {
    lag: () => one.lag(),
    stop: async (graceMilliseconds) => {
      await Promise.all([one.stop(graceMilliseconds), other.stop(graceMilliseconds)]);
    },
  };
}

/** An SDK of OpenTelemetry leaves itself here, before this process comes to its own work; without one its API is not loaded. */
async function telemetryModule(): Promise<typeof Telemetry | undefined> {
  return Symbol.for("opentelemetry.js.api.1") in globalThis ? import("../runtime/telemetry.ts") : undefined;
}
