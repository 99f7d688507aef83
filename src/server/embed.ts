/** Embeds a service in a program: `createService` of the library does what `nonet serve` does, without arguments and signals. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Clock } from "../base/clock.ts";
import { check, type CheckResult } from "../language/check.ts";
import { longestRequest } from "../plan/limits/limits.ts";
import type { Plan } from "../plan/plan.ts";
import { keyCredentials, mintKey } from "../runtime/auth/mint.ts";
import { fetchFrom } from "../http/fetch.ts";
import { createForwarding } from "../http/proxies.ts";
import type { ServiceFunctions } from "../runtime/functions/functions.ts";
import type { Handlers, ServiceTypes } from "../runtime/functions/typed.ts";
import type { Observe } from "../runtime/context/observation.ts";
import { listen, type RunningServer } from "../http/node-server.ts";
import type { Store } from "../store/port/store.ts";
import {
  clock as systemClock,
  type PagesFor,
  random as systemRandom,
  serve,
  serveFrom,
  type Setup,
} from "./compose.ts";
import { ServiceError } from "./errors.ts";
import { addressOf } from "./listen.ts";
import { load } from "./load.ts";
import { rowSecurityText } from "./open-store.ts";

export interface ServiceOptions<Service extends ServiceTypes> {
  /** The path of a document, or its text. */
  readonly document: string | URL;
  /** `memory`, lost at the end; the path of a file; `postgres://…`; or an open store, which `close` does not close. */
  readonly store?: string | Store;
  readonly handlers?: Handlers<Service>;
  /** The public URL; default: the URL where the service listens. */
  readonly baseUrl?: string;
  /** The environment variables with the document's secrets; default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  readonly random?: (bytes: number) => Uint8Array;
  /** Receives errors that no client caused; default: writes to standard error. */
  readonly report?: (failure: unknown, requestId: string) => void;
  /** Receives log lines of functions, prevented timers, and a lack of row-level security; default: standard error. */
  readonly notice?: (message: string) => void;
  /** Called once for each request. */
  readonly observe?: Observe;
  /** Whether webhooks may be sent to this machine, for development. */
  readonly webhooksToLoopback?: boolean;
  /** Message brokers for events: `nats://HOST/SUBJECT?as=ROLE`, `kafka://HOST/TOPIC?as=ROLE`. */
  readonly sinks?: readonly string[];
  /** Who may read the service's pages (`/`, its OpenAPI document); default: everybody. */
  readonly pages?: PagesFor;
  /** Whether timers run by themselves. If false, they run only when `tick` is called. */
  readonly ticks?: boolean;
}

export interface EmbeddedService {
  /** Responds to a request; `address`: the client's address, if known. */
  fetch(request: Request, from?: { readonly address?: string }): Promise<Response>;
  /** Listens on a port; default: any free port. */
  listen(where?: ListenOptions): Promise<Listening>;
  /** Creates an API key; its secret is returned only once. */
  createKey(key: NewKey): Promise<string>;
  /** Runs due timers and functions. */
  tick(): Promise<number>;
  /** Waits for active work, and releases all resources. */
  close(): Promise<void>;
  readonly plan: Plan;
}

export interface ListenOptions {
  readonly port?: number;
  readonly host?: string;
  /** The addresses of trusted proxies, whose Forwarded fields are used. */
  readonly trustProxy?: readonly string[];
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops listening; the service stays open. */
  close(): Promise<void>;
}

export interface NewKey {
  readonly user: string;
  readonly roles?: readonly string[];
  /** The credential of the key; required if the document has several credentials with keys. */
  readonly credential?: string;
}

const graceMilliseconds = 30_000;

/**
 * Creates a service. @throws ServiceError for errors in the document, missing secrets, or functions, sinks or data that do not
 * match.
 */
export async function createService<Service extends ServiceTypes = ServiceTypes>(
  options: ServiceOptions<Service>,
): Promise<EmbeddedService> {
  const { clock = systemClock, random = systemRandom, environment = process.env, sinks, store = "memory" } = options;
  const handlers = (options.handlers ?? {}) as ServiceFunctions;
  const loaded = await load(await checked(options.document), { environment, handlers, sinks });
  const notice = options.notice ?? ((message: string) => void process.stderr.write(`${message}\n`));
  let local = "http://127.0.0.1";
  const setup = {
    pages: options.pages,
    ticks: options.ticks,
    opening: {
      serving: true,
      rowSecurity: (found) => (found.kind === "absent" ? notice(rowSecurityText(found)) : undefined),
    },
    host: {
      ...{ clock, random, environment, notice, observe: options.observe, report: options.report ?? logFailure },
      url: () => options.baseUrl ?? local,
      loopback: options.webhooksToLoopback ?? false,
    },
  } satisfies Omit<Setup, "data">;
  const {
    background,
    plan,
    service,
    store: opened,
  } = typeof store === "string"
    ? await serve(loaded, { ...setup, data: store })
    : await serveFrom(loaded, "a store of the program's own", store, setup);
  const servers = new Set<RunningServer>();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    await Promise.all([...servers].map((server) => server.close(graceMilliseconds)));
    await background.stop(graceMilliseconds);
    if (typeof store === "string") await opened.close();
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
      return (await mintKey(opened.keys, minting, clock, random)).secret;
    },
  };
}

function logFailure(failure: unknown, requestId: string): void {
  process.stderr.write(`${requestId} failed: ${failure instanceof Error ? failure.stack : String(failure)}\n`);
}

/**
 * Whether the argument is a document: a text with a line break, or with the beginning of a document; any other text is a path.
 */
function isText(document: string): boolean {
  return document.includes("\n") || document.startsWith("#") || document.startsWith("{");
}

async function checked(document: string | URL): Promise<CheckResult> {
  const path = typeof document === "string" ? document : fileURLToPath(document);
  if (typeof document !== "string" || !isText(document)) return check(path, await readFile(path));
  const name = document.startsWith("#") ? "document.md" : "document.nonet.yaml";
  return check(name, new TextEncoder().encode(document));
}
