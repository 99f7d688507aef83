/** A service inside of a program: `createService` of the library, with all that `nonet serve` does but arguments and signals. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Clock } from "../base/clock.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { check, soundModel, unservable } from "../language/check.ts";
import { buildPlan } from "../plan/build.ts";
import { longestRequest } from "../plan/limits/limits.ts";
import type { Plan } from "../plan/plan.ts";
import { keyCredentials, mintKey } from "../runtime/auth/mint.ts";
import { fetchFrom } from "../http/fetch.ts";
import { createForwarding } from "../http/proxies.ts";
import { mismatches, planWith } from "../runtime/functions/validate.ts";
import type { ServiceFunctions } from "../runtime/functions/functions.ts";
import type { Handlers, ServiceTypes } from "../runtime/functions/typed.ts";
import type { Observe } from "../runtime/context/observation.ts";
import { listen, type RunningServer } from "../http/node-server.ts";
import type { RowSecurityState } from "../store/postgres/row-security/apply.ts";
import type { Store } from "../store/port/store.ts";
import { UsageError } from "./errors.ts";
import { addressOf } from "./listen.ts";
import { clock as systemClock, type PagesFor, random as systemRandom, servedFrom } from "./compose.ts";
import { openStore, rowSecurityText } from "./open-store.ts";
import { purge } from "./purge.ts";
import { openSinks, type StartSinks } from "./sinks.ts";
import { startScheduler } from "./scheduler.ts";

export interface ServiceOptions<Service extends ServiceTypes> {
  /** The path of a document, or its text. */
  readonly document: string | URL;
  /** `memory`, which is gone with the service; the path of a file; `postgres://…`; or a store that is open, and stays open. */
  readonly store?: string | Store;
  readonly handlers?: Handlers<Service>;
  /** Where callers reach it; without it where it listens. */
  readonly baseUrl?: string;
  /** Where secrets come from that the document names; those of the process, unless told. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly random?: (bytes: number) => Uint8Array;
  /** Told of what fails and is no caller's fault; to standard error, unless told. */
  readonly report?: (failure: unknown, requestId: string) => void;
  /** Told of what handlers log, of what time could not do, and of what a database cannot hold; to standard error, unless told. */
  readonly notice?: (message: string) => void;
  /** Told once of each request. */
  readonly observe?: Observe;
  /** Whether webhooks may go to this machine itself. */
  readonly webhooksToLoopback?: boolean;
  /** Brokers that are given events: `nats://HOST/SUBJECT?as=ROLE`, `kafka://HOST/TOPIC?as=ROLE`. */
  readonly sinks?: readonly string[];
  /** Who may read the pages of the service: its page at `/`, its OpenAPI document. Everybody, unless told. */
  readonly pages?: PagesFor;
  /** Whether the service does what time makes due by itself; otherwise only at each `tick`. */
  readonly ticks?: boolean;
}

export interface EmbeddedService {
  /** Answers a request; `address` is who sent it, where that is known. */
  fetch(request: Request, from?: { readonly address?: string }): Promise<Response>;
  /** Listens on a port, any free one where none is given. */
  listen(where?: ListenOptions): Promise<Listening>;
  /** Makes a key that a caller can send; its secret is given this once. */
  createKey(key: NewKey): Promise<string>;
  /** Does what time has made due, and what functions are to do by now. */
  tick(): Promise<number>;
  /** Finishes what is under way, and releases everything. */
  close(): Promise<void>;
  readonly plan: Plan;
}

export interface ListenOptions {
  readonly port?: number;
  readonly host?: string;
  /** Proxies whose Forwarded fields are believed. */
  readonly trustProxy?: readonly string[];
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops listening alone. */
  close(): Promise<void>;
}

export interface NewKey {
  readonly user: string;
  readonly roles?: readonly string[];
  /** Where the document has several that have keys. */
  readonly credential?: string;
}

/** Why a document, or what is beside it, cannot be served. */
export class ServiceError extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(message: string, diagnostics: readonly Diagnostic[] = []) {
    super(message);
    this.name = "ServiceError";
    this.diagnostics = diagnostics;
  }
}

const purgeMilliseconds = 60_000;
const graceMilliseconds = 30_000;

/** @throws ServiceError when the document has errors, a secret is missing, the handlers or the sinks do not fit. */
export async function createService<Service extends ServiceTypes = ServiceTypes>(
  options: ServiceOptions<Service>,
): Promise<EmbeddedService> {
  const { clock = systemClock, random = systemRandom, environment = process.env } = options;
  const { result, plan: bare } = await planned(options.document, environment);
  const functions = options.handlers as ServiceFunctions | undefined;
  const wrong = mismatches(bare, functions ?? {});
  const plan = planWith(bare, functions);
  if (wrong.length > 0) throw new ServiceError(`the handlers do not fit the document: ${wrong.join("; ")}`);
  const startSinks = await openedSinks(options.sinks ?? [], plan);
  const storeOption = options.store ?? "memory";
  const database = typeof storeOption === "string" ? storeOption : "a store of the program's own";
  const notice = options.notice ?? ((message: string) => void process.stderr.write(`${message}\n`));
  const rowSecurity = (found: RowSecurityState): void =>
    found.kind === "absent" ? notice(rowSecurityText(found)) : undefined;
  const store =
    typeof storeOption === "string"
      ? await openStore(plan, storeOption, clock, { rowSecurity, serving: true })
      : storeOption;
  const report = options.report ?? logFailure;
  let local = "http://127.0.0.1";
  const running = await servedFrom({ result, plan, functions, startSinks }, database, store, {
    url: () => options.baseUrl ?? local,
    loopback: options.webhooksToLoopback ?? false,
    environment,
    notice,
    clock,
    random,
    report,
    observe: options.observe,
    pages: options.pages,
  });
  const { service, background } = running;
  const stopScheduler = options.ticks === false ? () => {} : startScheduler(() => service);
  const purging = setInterval(() => {
    const { retentionMilliseconds } = plan.events;
    void purge(store, { now: clock.now(), retentionMilliseconds }, (failure) => report(failure, "purging"));
  }, purgeMilliseconds).unref();
  const servers = new Set<RunningServer>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    stopScheduler();
    clearInterval(purging);
    await Promise.all([...servers].map((server) => server.close(graceMilliseconds)));
    await service.rest();
    await background.stop(graceMilliseconds);
    await service.flush();
    if (typeof storeOption === "string") await store.close();
  }

  return {
    plan,
    fetch: fetchFrom(service),
    tick: () => service.tick(),
    close: () => (closing ??= close()),
    async listen({ port = 0, host = "127.0.0.1", trustProxy = [] } = {}) {
      const server = await listen({
        service: () => service,
        host,
        port,
        requestMilliseconds: longestRequest(plan),
        forwarding: createForwarding(trustProxy),
      });
      servers.add(server);
      void service.warm();
      const url = addressOf({ host, port: server.port });
      local = url;
      return {
        url,
        port: server.port,
        close: async () => {
          servers.delete(server);
          await server.close(graceMilliseconds);
        },
      };
    },
    async createKey({ user, roles = [], credential }) {
      const kinds = keyCredentials(plan);
      const kind = credential === undefined ? kinds[0] : kinds.find(({ name }) => name === credential);
      if (kind === undefined) throw new ServiceError(`the document has no credential of this name that has keys`);
      const unknown = roles.find((role) => !plan.roles.includes(role));
      if (unknown !== undefined) throw new ServiceError(`the document has no role ${unknown}`);
      const minting = { user, roles, credential: kind, milliseconds: kind.lastsMilliseconds };
      return (await mintKey(store.keys, minting, clock, random)).secret;
    },
  };
}

function logFailure(failure: unknown, requestId: string): void {
  process.stderr.write(`${requestId} failed: ${failure instanceof Error ? failure.stack : String(failure)}\n`);
}

/** A text with a line end, or that begins like a document, is one; anything else is where one is. */
function isText(document: string): boolean {
  return document.includes("\n") || document.startsWith("#") || document.startsWith("{");
}

async function openedSinks(texts: readonly string[], plan: Plan): Promise<StartSinks | undefined> {
  if (texts.length === 0) return undefined;
  return openSinks(texts, plan).catch((thrown: unknown) => {
    throw thrown instanceof UsageError ? new ServiceError(thrown.message) : thrown;
  });
}

async function planned(document: string | URL, environment: NonNullable<ServiceOptions<ServiceTypes>["environment"]>) {
  const path = typeof document === "string" ? document : fileURLToPath(document);
  const text = typeof document === "string" && isText(document);
  const name = !text ? path : document.startsWith("#") ? "document.md" : "document.nonet.yaml";
  const result = check(name, text ? new TextEncoder().encode(document) : await readFile(path));
  const model = soundModel(result);
  const errors = result.diagnostics.filter(({ severity }) => severity === "error");
  if (model === undefined) {
    const lines = errors.map(({ code, message, span }) => `\n  ${span.start.line}: ${code}: ${message}`).join("");
    throw new ServiceError(`${name} cannot be served:${lines}`, result.diagnostics);
  }
  const missing = unservable(result);
  if (missing.length > 0)
    throw new ServiceError(`${name} cannot be served: it does not say its ${missing.join(", ")}`, result.diagnostics);
  const plan = buildPlan(model, result.places, result.expressions);
  const secrets = plan.credentials.flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
  const unset = secrets.filter((secret) => (environment[secret] ?? "") === "");
  if (unset.length > 0) throw new ServiceError(`${name} needs from the environment: ${unset.join(", ")}`);
  return { result, plan };
}
