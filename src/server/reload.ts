/**
 * `--watch`: a document that has changed is served as it is now, on the same port and with the same data; one that cannot
 * be is told of, and what was served last goes on. A store is never open twice: the present one is closed between two
 * requests, and where the new document does not fit the data it is opened again.
 */
import { DocumentError, UsageError } from "./errors.ts";
import { checkFile } from "./document.ts";
import type { SwappableService } from "./swap.ts";
import {
  type ServeDependencies,
  type Servable,
  type Served,
  servable,
  served,
  servedWith,
  storeOf,
} from "./compose.ts";
import { databaseOf, withoutSecret } from "./open-store.ts";
import { count, listed } from "../base/layout.ts";
import { servedOperations } from "../plan/endpoints/contract.ts";
import { longestRequest } from "../plan/limits/limits.ts";

/** How long requests that are under way may hold up a changed document. */
const patienceMilliseconds = 1_000;

export interface Reloading {
  readonly current: Served;
  /** Serves the document as it is now, where it can be; `anyway`: also where it is as it was. Rejects when there is nothing left that could be served. */
  reload(options: { readonly anyway: boolean }): Promise<void>;
}

export function createReloading(
  first: Served,
  swappable: SwappableService,
  dependencies: ServeDependencies,
): Reloading {
  const { document, terminal } = dependencies;
  let current = first;
  let lastText = first.result.text;
  return {
    get current() {
      return current;
    },
    async reload({ anyway }) {
      const next = await unlessInvalid(dependencies, async () => {
        const result = await checkFile(document, terminal);
        if (result.text === lastText && !anyway) return undefined;
        lastText = result.text;
        return servable(result, dependencies);
      });
      if (next === undefined) return;
      await swappable.swap(patienceMilliseconds, async () => {
        const before = current;
        await before.service.flush();
        const after = await unlessInvalid(dependencies, () => follow(before, next, dependencies));
        current = after ?? (await again(before, dependencies));
        if (after !== undefined) terminal.out(changeReport(before, after));
        return current.service;
      });
    },
  };
}

/** What cannot be served is told of. */
async function unlessInvalid<T>(
  { document, terminal }: ServeDependencies,
  task: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await task();
  } catch (thrown) {
    if (!(thrown instanceof DocumentError || thrown instanceof UsageError)) throw thrown;
    terminal.err(`${thrown.message}\n${document} is still served as it was before\n`);
    return undefined;
  }
}

/** The next document with the data of the one before, whose store is closed where it is not used any more. */
async function follow(before: Served, next: Servable, dependencies: ServeDependencies): Promise<Served> {
  // Two would send the same events.
  await before.background.stop(patienceMilliseconds);
  const data = databaseOf(dependencies.data, next.plan);
  const shapeOf = ({ plan }: Servable): string => JSON.stringify([plan.tables, plan.history]);
  const hasSameTables = shapeOf(before) === shapeOf(next);
  if (data === before.data && hasSameTables) return servedWith(next, data, before.store, dependencies);
  if (data === "memory") {
    const store = await storeOf(next, data, dependencies);
    for (const key of await before.store.keys.list()) await store.keys.create(key);
    await before.store.close();
    return servedWith(next, data, store, dependencies);
  }
  await before.store.close();
  return served(next, dependencies);
}

async function again(before: Served, dependencies: ServeDependencies): Promise<Served> {
  const store = await storeOf(before, before.data, dependencies);
  return servedWith(before, before.data, store, dependencies);
}

/** What is served otherwise than before. */
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
