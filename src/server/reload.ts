/**
 * `--watch`: a document that has changed is served as it is now, on the same port and with the same data; one that cannot
 * be is told of, and what was served last goes on. A store is never open twice: the present one is closed between two
 * requests, and where the new document does not fit the data it is opened again.
 */
import { DocumentError, UsageError } from "../cli/command-line.ts";
import { checkFile } from "./document.ts";
import type { SwappableService } from "./swap.ts";
import { changeReport } from "../cli/serve-report.ts";
import type { ServeDependencies, Servable, Served } from "./compose.ts";
import { servable, served, servedWith, storeOf } from "./compose.ts";
import { databaseOf } from "./open-store.ts";

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
