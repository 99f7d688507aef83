/** Waits for the state of a record. */
import { etag, type FollowOptions, type Tag, type WaitOptions } from "./calls.ts";
import type { ServiceDescription, WaitDescription } from "./description.ts";
import { WaitError } from "./errors.ts";
import { at } from "./request.ts";
import { pause } from "./retries.ts";

export { waiting };

// ── Waiting ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** While the event stream is open, polls are this many times rarer. They remain necessary: some transitions have no event. */
const patience = 10;

function waiting(
  client: Readonly<Record<string, unknown>>,
  { operations }: ServiceDescription,
  wait: WaitDescription,
): (...values: unknown[]) => Promise<unknown> {
  const count = operations[wait.operation]?.path.match(/\{/g)?.length ?? 0;
  return async (...values) => {
    const keys = values.slice(0, count);
    const [states, options = {}] = values.slice(count) as [string | readonly string[], WaitOptions | undefined];
    const wanted = typeof states === "string" ? [states] : states;
    const { within = 300_000, every = 1000, signal: outgoing, ...rest } = options;
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, ...(outgoing === undefined || outgoing === null ? [] : [outgoing])]);
    const ears = wait.follow === undefined ? undefined : await subscribe(client, wait.follow, signal, every);
    try {
      return await waitFor({ ...wait, wanted, until: Date.now() + within, every, signal, ears }, (known) => {
        const read = client[wait.operation] as (...args: unknown[]) => Promise<unknown>;
        return read(...keys, { ...rest, signal, ...(known === undefined ? {} : { ifNoneMatch: known }) });
      });
    } finally {
      ended.abort();
    }
  };
}

interface Waiting extends WaitDescription {
  readonly wanted: readonly string[];
  readonly until: number;
  readonly every: number;
  readonly signal: AbortSignal;
  readonly ears: Ears | undefined;
}

async function waitFor(waiting: Waiting, read: (known: Tag | undefined) => Promise<unknown>): Promise<unknown> {
  const { wanted, reaches, until, every, signal, ears } = waiting;
  let record: unknown;
  for (;;) {
    // Subscribe before the read, so that an event during the read is not missed.
    const woken = ears?.open === true ? ears.next() : undefined;
    record = (await read(hasTag(record) ? record : undefined)) ?? record;
    const state = String(at(record, waiting.state));
    if (wanted.includes(state)) return record;
    const possible = reaches[state] ?? wanted;
    if (!wanted.some((one) => possible.includes(one))) throw new WaitError("unreachable", wanted, state, record);
    const left = until - Date.now();
    if (left <= 0) throw new WaitError("late", wanted, state, record);
    await pause(Math.min(left, ears?.open === true ? every * patience : every), signal, woken);
  }
}

function hasTag(value: unknown): value is { readonly [etag]: string } {
  return typeof value === "object" && value !== null && Object.hasOwn(value, etag);
}

interface Ears {
  readonly open: boolean;
  /** Resolves at the next event. */
  next(): Promise<void>;
}

/**
 * Follows events until `signal` aborts. Resolves when the stream is open or impossible, for example forbidden to the caller, or
 * after `patient` milliseconds, since a proxy may buffer the stream; then the client only polls.
 */
async function subscribe(
  client: Readonly<Record<string, unknown>>,
  follow: string,
  signal: AbortSignal,
  patient: number,
): Promise<Ears> {
  const listen = client[follow] as (query: object, options: FollowOptions) => AsyncIterable<unknown>;
  const ears = { open: false, wake: signalOnce(), next: () => ears.wake.promise };
  const wake = (): void => {
    ears.wake.resolve();
    ears.wake = signalOnce();
  };
  const known = signalOnce();
  const onOpen = (): void => {
    ears.open = true;
    wake();
    known.resolve();
  };
  const listening = async (): Promise<void> => {
    for await (const _ of listen({}, { signal, retries: 0, onOpen })) wake();
  };
  void listening()
    .catch(() => undefined)
    .finally(() => {
      ears.open = false;
      wake();
      known.resolve();
    });
  await pause(patient, signal, known.promise);
  return ears;
}

/** A promise and the function that fulfils it: `Promise.withResolvers` is newer than Node 20. */
function signalOnce(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
