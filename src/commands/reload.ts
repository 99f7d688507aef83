/**
 * `--watch`: a document that has changed is served as it is now, on the same port and with the same data; one that cannot
 * be is told of, and what was served last goes on. A store is never open twice: the present one is closed between two
 * requests, and where the new document does not fit the data it is opened again.
 */
import { DocumentError, UsageError } from "./command-line.ts";
import { checkFile } from "./document.ts";
import type { Gate } from "./gate.ts";
import { changeReport } from "./serve-report.ts";
import type { Circumstances, Servable, Served } from "./served.ts";
import { servable, served, servedWith, storeOf } from "./served.ts";
import { placeOf } from "./store.ts";

/** How long requests that are under way may hold up a changed document. */
const patienceMilliseconds = 1_000;

export interface Reloading {
  readonly current: Served;
  /** Serves the document as it is now, where it can be; `anyway`: also where it is as it was. Rejects when there is nothing left that could be served. */
  reload(options: { readonly anyway: boolean }): Promise<void>;
}

export function createReloading(first: Served, gate: Gate, circumstances: Circumstances): Reloading {
  const { document, terminal } = circumstances;
  let current = first;
  let seen = first.result.text;
  return {
    get current() {
      return current;
    },
    async reload({ anyway }) {
      const next = await unlessRefused(circumstances, async () => {
        const result = await checkFile(document, terminal);
        if (result.text === seen && !anyway) return undefined;
        seen = result.text;
        return servable(result, circumstances);
      });
      if (next === undefined) return;
      await gate.exchange(patienceMilliseconds, async () => {
        const before = current;
        await before.service.flush();
        const after = await unlessRefused(circumstances, () => follow(before, next, circumstances));
        current = after ?? (await again(before, circumstances));
        if (after !== undefined) terminal.out(changeReport(before, after));
        return current.service;
      });
    },
  };
}

/** What cannot be served is told of. */
async function unlessRefused<T>({ document, terminal }: Circumstances, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof DocumentError || thrown instanceof UsageError)) throw thrown;
    terminal.err(`${thrown.message}\n${document} is still served as it was before\n`);
    return undefined;
  }
}

/** The next document with the data of the one before, whose store is closed where it is not used any more. */
async function follow(before: Served, next: Servable, circumstances: Circumstances): Promise<Served> {
  // Two would send the same events.
  await before.background.stop(patienceMilliseconds);
  const data = placeOf(circumstances.data, next.plan);
  const shapeOf = ({ plan }: Servable): string => JSON.stringify([plan.tables, plan.history]);
  const hasSameTables = shapeOf(before) === shapeOf(next);
  if (data === before.data && hasSameTables) return servedWith(next, data, before.store, circumstances);
  if (data === "memory") {
    const store = await storeOf(next, data, circumstances);
    for (const key of await before.store.keys.list()) await store.keys.create(key);
    await before.store.close();
    return servedWith(next, data, store, circumstances);
  }
  await before.store.close();
  return served(next, circumstances);
}

async function again(before: Served, circumstances: Circumstances): Promise<Served> {
  const store = await storeOf(before, before.data, circumstances);
  return servedWith(before, before.data, store, circumstances);
}
