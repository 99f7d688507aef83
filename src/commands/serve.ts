/** `nonet serve DOC`: checks, plans, migrates, serves; says what runs, what was taken by default and what is still open. */
import { watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { CheckResult } from "../parts/check.ts";
import type { Plan } from "../plan/plan.ts";
import { createForwarding } from "../serve/forwarding.ts";
import type { RunningServer } from "../serve/server.ts";
import { listen } from "../serve/server.ts";
import type { Service } from "../serve/service.ts";
import type { Store } from "../store/store.ts";
import { checkFile } from "./document.ts";
import { describe } from "./serve-report.ts";
import { clock, planOf, serviceOf } from "./service-file.ts";
import { defaultFile, openStore, storeFault } from "./store.ts";
import type { Terminal } from "./terminal.ts";
import { onlyDocument, parseOptions, portNumber, UsageError } from "./usage.ts";

const graceMilliseconds = 30_000;
const purgeMilliseconds = 60_000;

export const serveOptions = {
  port: { type: "string", default: "8080" },
  host: { type: "string", default: "127.0.0.1" },
  data: { type: "string" },
  "base-url": { type: "string" },
  "trust-proxy": { type: "string", multiple: true, default: [] as string[] },
  watch: { type: "boolean", default: false },
} as const;

export interface ServeSettings {
  readonly path: string;
  readonly port: number;
  readonly host: string;
  readonly data: string | undefined;
  readonly baseUrl: string | undefined;
  readonly proxies: readonly string[];
  readonly watch: boolean;
}

export async function serve(args: readonly string[], terminal: Terminal): Promise<number> {
  const settings = readSettings(args);
  const running = await startServing(settings, terminal);
  if (running === undefined) return 1;
  terminal.out(describe(running.current, running.url));
  await terminal.stopped();
  await running.stop();
  return 0;
}

export function readSettings(args: readonly string[]): ServeSettings {
  const { values, positionals } = parseOptions(args, serveOptions);
  const baseUrl = values["base-url"];
  if (baseUrl !== undefined && !/^https?:\/\//.test(baseUrl))
    throw new UsageError(`--base-url is an absolute http or https address, not ${baseUrl}`);
  return {
    path: onlyDocument(positionals),
    port: portNumber(values.port),
    host: values.host,
    data: values.data,
    baseUrl,
    proxies: values["trust-proxy"],
    watch: values.watch,
  };
}

export interface Serving {
  /** The document that is served now. */
  readonly current: Loaded;
  readonly url: string;
  stop(): Promise<void>;
}

export interface Loaded {
  readonly result: CheckResult;
  readonly plan: Plan;
  readonly store: Store;
  readonly service: Service;
  readonly data: string;
}

/** Undefined where the document or its data cannot be served; why has been printed. */
export async function startServing(settings: ServeSettings, terminal: Terminal): Promise<Serving | undefined> {
  let server: RunningServer | undefined;
  const host = settings.host.includes(":") ? `[${settings.host}]` : settings.host;
  const url = () => settings.baseUrl ?? `http://${host}:${server?.port ?? settings.port}`;
  const first = await load(settings, url, terminal);
  if (first === undefined) return undefined;
  let current = first;
  const forwarding = createForwarding(settings.proxies);
  const { requestMilliseconds } = first.plan.limits;
  try {
    server = await listen({
      service: () => current.service,
      host: settings.host,
      port: settings.port,
      requestMilliseconds,
      forwarding,
    });
  } catch (thrown) {
    await first.store.close();
    throw new UsageError(`cannot listen on ${host}:${settings.port}: ${(thrown as Error).message}`);
  }
  const running = server;
  const purge = setInterval(
    () => void Promise.resolve(current.store.purge(clock.now())).catch(() => {}),
    purgeMilliseconds,
  );
  const watcher = settings.watch ? watchDocument(settings, () => void reload()) : undefined;
  async function reload(): Promise<void> {
    const next = await load(settings, url, terminal, current);
    if (next === undefined) {
      terminal.err(`still serving the document as it was before\n`);
      return;
    }
    const before = current;
    current = next;
    terminal.out(describe(next, url()));
    if (before.store !== next.store) await before.store.close();
  }
  return {
    get current() {
      return current;
    },
    get url() {
      return url();
    },
    async stop() {
      watcher?.close();
      clearInterval(purge);
      await running.close(graceMilliseconds);
      await current.store.close();
    },
  };
}

async function load(
  settings: ServeSettings,
  url: () => string,
  terminal: Terminal,
  before?: Loaded,
): Promise<Loaded | undefined> {
  const result = await checkFile(settings.path, terminal);
  const plan = planOf(result, terminal);
  if (plan === undefined) return undefined;
  const missing = missingSecrets(plan, terminal);
  if (missing.length > 0) {
    terminal.err(`${settings.path} cannot be served: set ${missing.join(" and ")} in the environment\n`);
    return undefined;
  }
  const data = settings.data ?? defaultFile(plan.service);
  const same = before !== undefined && JSON.stringify(before.plan.tables) === JSON.stringify(plan.tables);
  try {
    const store = same ? before.store : await openStore(plan, data, clock);
    const service = await serviceOf({ result, plan, store, baseUrl: url, terminal });
    return { result, plan, store, service, data };
  } catch (thrown) {
    const fault = storeFault(thrown);
    if (fault === undefined) throw thrown;
    terminal.err(`${settings.path} cannot be served with ${data}: ${fault}\n`);
    return undefined;
  }
}

/** Secrets come from the environment, never from the document (language, section 8). */
function missingSecrets(plan: Plan, { environment }: Terminal): string[] {
  return plan.credentials.flatMap(({ secret }) =>
    secret === undefined || (environment[secret] ?? "") !== "" ? [] : [secret],
  );
}

/** Editors replace files, so the folder is watched; a burst of events is one change. */
function watchDocument({ path }: ServeSettings, changed: () => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(dirname(path), (_, name) => {
    if (name !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(changed, 50);
  });
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}
