/**
 * Functions that no request runs: when an event has happened (`on`), and once in each interval (`every`). Both are done as the
 * system, by its present, and each remembers in the store what it has done.
 *
 * Events are read from the journal behind a bookmark, in their order. One whose function fails is tried again after a while,
 * and holds up only later events of its own record. Where nothing before it is open, what a function writes and the bookmark
 * are one transaction; else an event may come twice after a restart.
 */
import { instantText } from "../../base/clock.ts";
import { parseClockDuration } from "../../base/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import type { JournalRecord, Transaction } from "../../store/store.ts";
import { anonymous } from "../caller.ts";
import { type Call, type Context, tableOf } from "../context.ts";
import { holdToRules } from "../rules.ts";
import type { Served } from "../versions/served.ts";
import { type Replayed, replayed, type Started, start, type Surroundings } from "./call.ts";
import type { ServiceFunction, ServiceFunctions } from "./functions.ts";
import { silent } from "./inner.ts";
import { type Run, Waits } from "./run.ts";

export interface Working {
  /** Runs what is to be run by now; gives the number of functions that did. */
  run(isStopped: () => boolean): Promise<number>;
}

export interface WorkingOptions {
  readonly functions: ServiceFunctions;
  readonly context: Context;
  readonly version: Served;
  readonly surroundings: Surroundings;
  readonly report: (failure: unknown) => void;
  /** The id by which others know an event. */
  readonly idOf: (position: number) => string;
}

const reader = "functions";
const batch = 200;
/** Behind an event that is open, no more than so many others are done. */
const furthest = 2000;
const firstRetryMilliseconds = 1000;
const longestRetryMilliseconds = 3_600_000;

export function createWorking(options: WorkingOptions): Working {
  const events = createEventWork(options);
  const intervals = createIntervalWork(options);
  return {
    async run(isStopped) {
      // What a function does elsewhere nobody undoes: two processes must not begin it both.
      if (!(await options.context.store.lead("functions"))) return 0;
      const done = await intervals(isStopped);
      return done + (await events(isStopped));
    },
  };
}

interface Attempts {
  readonly count: number;
  /** Epoch milliseconds. */
  readonly next: number;
}

function afterFailure(before: Attempts | undefined, now: number): Attempts {
  const count = (before?.count ?? 0) + 1;
  return { count, next: now + Math.min(firstRetryMilliseconds * 2 ** (count - 1), longestRetryMilliseconds) };
}

// ── Events ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function createEventWork(options: WorkingOptions): (isStopped: () => boolean) => Promise<number> {
  const { context, functions, report } = options;
  const { on = {} } = functions;
  if (Object.keys(on).length === 0) return () => Promise.resolve(0);
  const { journal } = context.store;
  let position: number | undefined;
  /** Behind the position, those that are done. */
  const done = new Set<number>();
  const failing = new Map<string, Attempts>();

  /** Events from before there were functions are none of theirs. */
  const begin = async (): Promise<number> => {
    const last = await journal.last();
    return context.store.transaction(async (tx) => {
      const known = await tx.bookmark(reader);
      if (known === undefined) await tx.setBookmark(reader, last);
      return known ?? last;
    });
  };

  async function runOne(entry: JournalRecord, given: ServiceFunction, next: boolean): Promise<boolean> {
    const key = JSON.stringify([entry.resource, entry.record]);
    try {
      await inTransactions(context, eventRun(options, entry, given), async (tx, run) => {
        const bookmark = await tx.bookmark(reader);
        // Another process has come to it first.
        if (bookmark !== undefined && bookmark >= entry.position) return;
        await run.within(tx);
        if (next) await tx.setBookmark(reader, entry.position);
      });
      failing.delete(key);
      return true;
    } catch (thrown) {
      failing.set(key, afterFailure(failing.get(key), context.clock.now()));
      report(thrown);
      return false;
    }
  }

  return async (isStopped) => {
    position ??= await begin();
    let count = 0;
    const held = new Set<string>();
    let written = position;
    for (let after = position; after - position < furthest && !isStopped(); ) {
      const page = await journal.events(after, batch);
      for (const entry of page) {
        after = entry.position;
        if (isStopped()) break;
        if (done.has(entry.position)) continue;
        const key = JSON.stringify([entry.resource, entry.record]);
        const given = Object.hasOwn(on, entry.event ?? "") ? on[entry.event ?? ""] : undefined;
        const waits = held.has(key) || (failing.get(key)?.next ?? 0) > context.clock.now();
        if (given !== undefined) {
          const next = held.size === 0;
          if (waits || !(await runOne(entry, given, next))) {
            held.add(key);
            continue;
          }
          count += 1;
          if (next) written = entry.position;
        }
        if (held.size === 0) position = entry.position;
        else done.add(entry.position);
      }
      if (page.length < batch) break;
    }
    for (const one of done) if (one <= position) done.delete(one);
    const reached = position;
    if (reached > written) {
      await context.store.transaction(async (tx) => {
        // Another process may have gone further since this one was last the one to do it.
        if (((await tx.bookmark(reader)) ?? 0) < reached) await tx.setBookmark(reader, reached);
      });
    }
    return count;
  };
}

function eventRun(options: WorkingOptions, entry: JournalRecord, given: ServiceFunction): Runnable {
  const { context, idOf, surroundings } = options;
  const { event = "", resource, data = {} } = entry;
  const replay = replayed(context);
  const call = systemCall(options, replay, `on ${event}`, entry.request);
  const table = tableOf(context, resource);
  const { view } = surroundings.inside.viewOf(table);
  const run = start(
    given,
    started(context, call, async (ask) => ({
      event: { type: event, id: idOf(entry.position), time: new Date(entry.at) },
      record: await ask({
        writes: false,
        perform: async (tx) => JSON.parse(await tx.view(data, view, call.variables)) as JsonObject,
      }),
    })),
    surroundings,
  );
  return { call, run, rewind: replay.rewind };
}

// ── Intervals ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface Repeated {
  readonly name: string;
  readonly milliseconds: number;
  readonly given: ServiceFunction;
}

function createIntervalWork(options: WorkingOptions): (isStopped: () => boolean) => Promise<number> {
  const { context, functions, report, surroundings } = options;
  const repeated = Object.entries(functions.every ?? {}).flatMap(([interval, named]) =>
    Object.entries(named).map(([name, given]): Repeated => {
      return { name, given, milliseconds: parseClockDuration(interval) ?? Number.POSITIVE_INFINITY };
    }),
  );
  const seen = new Map<string, number>();
  const failing = new Map<string, Attempts>();

  /** Intervals begin when the day does in UTC; of those that went by while nothing ran, one is made up for. */
  async function runOne({ name, milliseconds, given }: Repeated): Promise<boolean> {
    const now = context.clock.now();
    const began = Math.floor(now / milliseconds) * milliseconds;
    if (seen.get(name) === began || (failing.get(name)?.next ?? 0) > now) return false;
    const place = `every ${name}`;
    const replay = replayed(context);
    const call = systemCall(options, replay, place);
    const run = start(
      given,
      started(context, call, () => Promise.resolve({})),
      surroundings,
    );
    try {
      const ran = await inTransactions(context, { call, run, rewind: replay.rewind }, async (tx, within) => {
        const before = await tx.bookmark(place);
        if (before !== undefined && before >= began) return false;
        await tx.setBookmark(place, began);
        // It has just become known: its first time is when the next interval begins.
        if (before === undefined) return false;
        await within.within(tx);
        return true;
      });
      failing.delete(name);
      seen.set(name, began);
      return ran;
    } catch (thrown) {
      failing.set(name, afterFailure(failing.get(name), now));
      report(thrown);
      return false;
    }
  }

  return async (isStopped) => {
    let count = 0;
    for (const one of repeated) if (!isStopped() && (await runOne(one))) count += 1;
    return count;
  };
}

// ── Both ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In one transaction after another, while the function waits for something else. */
async function inTransactions<Result>(
  { store }: Context,
  { call, run, rewind }: Runnable,
  work: (tx: Transaction, run: Run) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    let begun = false;
    try {
      return await store.transaction(async (tx) => {
        // A store does it again where another transaction was in the way (R7.4).
        if (begun) rewind();
        begun = true;
        const result = await work(tx, run);
        await holdToRules(call, tx);
        return result;
      });
    } catch (thrown) {
      if (!(thrown instanceof Waits)) {
        run.end(thrown);
        throw thrown;
      }
      await thrown.over;
      rewind();
    }
  }
}

interface Runnable {
  readonly call: Call;
  readonly run: Run;
  readonly rewind: () => void;
}

function started(context: Context, call: Call, given: Started["given"]): Started {
  const deadline = call.now + context.plan.limits.requestMilliseconds;
  return { name: call.cause, call, deadline, given, system: true };
}

/** Nobody asks for it: the system does it. */
function systemCall({ context, version }: WorkingOptions, { chance }: Replayed, cause: string, request?: string): Call {
  const now = context.clock.now();
  // It is about no operation, and none of this one is used: what is asked for is done by operations of its own.
  const [prepared] = context.prepared.values();
  if (prepared === undefined) throw new Error("a service without operations has no work");
  return {
    context: { ...context, ...chance },
    exchange: silent,
    prepared,
    noted: { requestId: request ?? "", observer: undefined },
    caller: anonymous,
    kind: prepared.forKind(anonymous.kind),
    version,
    path: "",
    parameters: {},
    query: new Map(),
    asked: {},
    input: {},
    now,
    by: "system",
    cause,
    ...(request === undefined ? {} : { request }),
    variables: { caller: anonymous, input: {}, now: instantText(now) } as unknown as Call["variables"],
  };
}
