/** A service inside of a program: `createService` of the library, with all that `nonet serve` does but arguments and signals. */
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

const graceMilliseconds = 30_000;

/** @throws ServiceError when the document has errors, a secret is missing, the handlers, the sinks or the data do not fit. */
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

/** A text with a line end, or that begins like a document, is one; anything else is where one is. */
function isText(document: string): boolean {
  return document.includes("\n") || document.startsWith("#") || document.startsWith("{");
}

async function checked(document: string | URL): Promise<CheckResult> {
  const path = typeof document === "string" ? document : fileURLToPath(document);
  if (typeof document !== "string" || !isText(document)) return check(path, await readFile(path));
  const name = document.startsWith("#") ? "document.md" : "document.nonet.yaml";
  return check(name, new TextEncoder().encode(document));
}
