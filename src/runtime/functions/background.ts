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
import type { JournalRecord, Transaction } from "../../store/port/store.ts";
import { anonymous } from "../context/caller.ts";
import { type Call, type Context, tableOf } from "../context/context.ts";
import { holdToRules } from "../records/rules.ts";
import type { Served } from "../context/version.ts";
import { type Replayed, replayed, type Started, start, type FunctionDependencies } from "./request.ts";
import type { ServiceFunction, ServiceFunctions } from "./functions.ts";
import { noRequest } from "./operations.ts";
import { type Run, Waits } from "./transaction.ts";

export interface FunctionScheduler {
  /** Runs what is to be run by now; gives the number of functions that did. */
  run(isStopped: () => boolean): Promise<number>;
}

export interface FunctionSchedulerOptions {
  readonly functions: ServiceFunctions;
  readonly context: Context;
  readonly version: Served;
  readonly dependencies: FunctionDependencies;
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

export function createFunctionScheduler(options: FunctionSchedulerOptions): FunctionScheduler {
  const events = createEventRunner(options);
  const intervals = createIntervalRunner(options);
  return {
    async run(isStopped) {
      // What a function does elsewhere nobody undoes: two processes must not begin it both.
      if (!(await options.context.store.acquireLease("functions"))) return 0;
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

function createEventRunner(options: FunctionSchedulerOptions): (isStopped: () => boolean) => Promise<number> {
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
      const known = await tx.offset(reader);
      if (known === undefined) await tx.setOffset(reader, last);
      return known ?? last;
    });
  };

  async function runOne(entry: JournalRecord, supplied: ServiceFunction, next: boolean): Promise<boolean> {
    const key = JSON.stringify([entry.resource, entry.record]);
    try {
      await inTransactions(context, eventRun(options, entry, supplied), async (tx, run) => {
        const offset = await tx.offset(reader);
        // Another process has come to it first.
        if (offset !== undefined && offset >= entry.position) return;
        await run.runIn(tx);
        if (next) await tx.setOffset(reader, entry.position);
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
        const supplied = Object.hasOwn(on, entry.event ?? "") ? on[entry.event ?? ""] : undefined;
        const waits = held.has(key) || (failing.get(key)?.next ?? 0) > context.clock.now();
        if (supplied !== undefined) {
          const next = held.size === 0;
          if (waits || !(await runOne(entry, supplied, next))) {
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
        if (((await tx.offset(reader)) ?? 0) < reached) await tx.setOffset(reader, reached);
      });
    }
    return count;
  };
}

function eventRun(options: FunctionSchedulerOptions, entry: JournalRecord, supplied: ServiceFunction): Runnable {
  const { context, idOf, dependencies } = options;
  const { event = "", resource, data = {} } = entry;
  const replay = replayed(context);
  const call = systemCall(options, replay, `on ${event}`, entry.request);
  const table = tableOf(context, resource);
  const { view } = dependencies.inside.viewOf(table);
  const run = start(
    supplied,
    started(context, call, async (runStep) => ({
      event: { type: event, id: idOf(entry.position), time: new Date(entry.at) },
      record: await runStep({
        writes: false,
        perform: async (tx) => JSON.parse(await tx.view(data, view, call.variables)) as JsonObject,
      }),
    })),
    dependencies,
  );
  return { call, run, rewind: replay.rewind };
}

// ── Intervals ──────────────────────────────────────────────────────────────────────────────────────────────────────

interface IntervalFunction {
  readonly name: string;
  readonly milliseconds: number;
  readonly supplied: ServiceFunction;
}

function createIntervalRunner(options: FunctionSchedulerOptions): (isStopped: () => boolean) => Promise<number> {
  const { context, functions, report, dependencies } = options;
  const scheduled = Object.entries(functions.every ?? {}).flatMap(([interval, named]) =>
    Object.entries(named).map(([name, supplied]): IntervalFunction => {
      return { name, supplied, milliseconds: parseClockDuration(interval) ?? Number.POSITIVE_INFINITY };
    }),
  );
  const counts = new Map<string, number>();
  const failing = new Map<string, Attempts>();

  /** Intervals begin when the day does in UTC; of those that went by while nothing ran, one is made up for. */
  async function runOne({ name, milliseconds, supplied }: IntervalFunction): Promise<boolean> {
    const now = context.clock.now();
    const began = Math.floor(now / milliseconds) * milliseconds;
    if (counts.get(name) === began || (failing.get(name)?.next ?? 0) > now) return false;
    const readerName = `every ${name}`;
    const replay = replayed(context);
    const call = systemCall(options, replay, readerName);
    const run = start(
      supplied,
      started(context, call, () => Promise.resolve({})),
      dependencies,
    );
    try {
      const ran = await inTransactions(context, { call, run, rewind: replay.rewind }, async (tx, runIn) => {
        const before = await tx.offset(readerName);
        if (before !== undefined && before >= began) return false;
        await tx.setOffset(readerName, began);
        // It has just become known: its first time is when the next interval begins.
        if (before === undefined) return false;
        await runIn.runIn(tx);
        return true;
      });
      failing.delete(name);
      counts.set(name, began);
      return ran;
    } catch (thrown) {
      failing.set(name, afterFailure(failing.get(name), now));
      report(thrown);
      return false;
    }
  }

  return async (isStopped) => {
    let count = 0;
    for (const one of scheduled) if (!isStopped() && (await runOne(one))) count += 1;
    return count;
  };
}

// ── Both ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In one transaction after another, while the function waits for something else. */
async function inTransactions<Result>(
  { store }: Context,
  { call, run, rewind }: Runnable,
  task: (tx: Transaction, run: Run) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    let begun = false;
    try {
      return await store.transaction(async (tx) => {
        // A store does it again where another transaction was in the way (R7.4).
        if (begun) rewind();
        begun = true;
        const result = await task(tx, run);
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

function started(context: Context, call: Call, supplied: Started["supplied"]): Started {
  const deadline = call.now + context.plan.limits.requestMilliseconds;
  return { name: call.cause, call, deadline, supplied, system: true };
}

/** Nobody asks for it: the system does it. */
function systemCall(
  { context, version }: FunctionSchedulerOptions,
  { chance }: Replayed,
  cause: string,
  request?: string,
): Call {
  const now = context.clock.now();
  // It is about no operation, and none of this one is used: what is asked for is done by operations of its own.
  const [compiled] = context.compiled.values();
  if (compiled === undefined) throw new Error("a service without operations has no work");
  return {
    context: { ...context, ...chance },
    httpRequest: noRequest,
    compiled,
    observation: { requestId: request ?? "", observer: undefined },
    caller: anonymous,
    kind: compiled.forKind(anonymous.kind),
    version,
    path: "",
    parameters: {},
    query: new Map(),
    received: {},
    input: {},
    now,
    by: "system",
    cause,
    ...(request === undefined ? {} : { request }),
    variables: { caller: anonymous, input: {}, now: instantText(now) } as unknown as Call["variables"],
  };
}
