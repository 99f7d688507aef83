/**
 * Implements `--watch`: serves a changed document on the same port with the same data; while it is invalid, the last valid one
 * stays. A store is never open twice: the current one is closed between two requests, and opened again if the new document
 * does not match the data.
 */
import { count, listed } from "../base/layout.ts";
import type { CheckResult } from "../language/check.ts";
import { servedOperations } from "../plan/endpoints/contract.ts";
import { longestRequest } from "../plan/limits/limits.ts";
import { clock, serve, type Served, serveFrom, type Setup } from "./compose.ts";
import { ServiceError } from "./errors.ts";
import type { Loaded } from "./load.ts";
import { databaseOf, openStore, withoutSecret } from "./open-store.ts";
import type { SwappableService } from "./swap.ts";
import type { Terminal } from "./terminal.ts";

/** How long active requests may delay a changed document, in milliseconds. */
const patienceMilliseconds = 1_000;

export interface Reloading {
  readonly current: Served;
  /** Serves the current document if it is valid. `anyway`: even if its text is unchanged. Rejects if nothing is served. */
  reload(options: { readonly anyway: boolean }): Promise<void>;
}

export interface ReloadOptions {
  readonly document: string;
  readonly terminal: Terminal;
  /** Reads and checks the current document. */
  readonly read: () => Promise<CheckResult>;
  readonly load: (result: CheckResult) => Promise<Loaded>;
  readonly setup: Setup;
}

export function createReloading(first: Served, swappable: SwappableService, options: ReloadOptions): Reloading {
  const { setup, terminal } = options;
  let current = first;
  let lastText = first.result.text;
  return {
    get current() {
      return current;
    },
    async reload({ anyway }) {
      const next = await unlessInvalid(options, async () => {
        const result = await options.read();
        if (result.text === lastText && !anyway) return undefined;
        lastText = result.text;
        return options.load(result);
      });
      if (next === undefined) return;
      await swappable.swap(patienceMilliseconds, async () => {
        const before = current;
        // The previous service is stopped first, since two services would send the same events.
        await before.background.stop(patienceMilliseconds);
        const after = await unlessInvalid(options, () => follow(before, next, setup));
        current = after ?? (await serveFrom(before, before.data, await opened(before, before.data, setup), setup));
        if (after !== undefined) terminal.out(changeReport(before, after));
        return current.service;
      });
    },
  };
}

/** Reports an invalid document on the terminal. */
async function unlessInvalid<T>({ document, terminal }: ReloadOptions, task: () => Promise<T>): Promise<T | undefined> {
  try {
    return await task();
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown;
    terminal.err(`${thrown.message}\n${document} is still served as it was before\n`);
    return undefined;
  }
}

/** Serves the next document with the data of the previous one, whose store is closed if it is not used again. */
async function follow(before: Served, next: Loaded, setup: Setup): Promise<Served> {
  const data = databaseOf(setup.data, next.plan);
  const shapeOf = ({ plan }: Loaded): string => JSON.stringify([plan.tables, plan.history]);
  if (data === before.data && shapeOf(before) === shapeOf(next)) return serveFrom(next, data, before.store, setup);
  if (data === "memory") {
    const store = await opened(next, data, setup);
    for (const key of await before.store.keys.list()) await store.keys.create(key);
    await before.store.close();
    return serveFrom(next, data, store, setup);
  }
  await before.store.close();
  return serve(next, setup);
}

function opened({ plan }: Loaded, data: string, { host, opening }: Setup): ReturnType<typeof openStore> {
  return openStore(plan, data, host.clock ?? clock, opening);
}

/** Describes the operations that changed. */
export function changeReport(before: Served, now: Served): string {
  const names = ({ plan }: Served) => servedOperations(plan).map(({ name }) => name);
  const added = names(now).filter((name) => !names(before).includes(name));
  const removed = names(before).filter((name) => !names(now).includes(name));
  const { warnings } = now.result.summary;
  return [
    `${now.result.name} has changed and is served as it is now: ${count(names(now).length, "operation")}`,
    ...(added.length === 0 ? [] : [`  new: ${listed(added)}`]),
    ...(removed.length === 0 ? [] : [`  gone: ${listed(removed)}`]),
    ...(warnings === 0 ? [] : [`  ${count(warnings, "warning")}: nonet check ${now.result.name}`]),
    ...(now.data === before.data ? [] : [`  its data is now in ${withoutSecret(now.data)}`]),
    ...(now.data === "memory" && now.store !== before.store
      ? ["  its tables have changed, so the records in memory are gone; keys are kept"]
      : []),
    ...(longestRequest(now.plan) === longestRequest(before.plan)
      ? []
      : ["  how long a request may take changes with the next start"]),
    "",
  ].join("\n");
}
