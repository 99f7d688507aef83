/**
 * Runs the functions that no request calls: after an event (`on`), and once per interval (`every`). They run as the system in
 * the newest version, and the store records which functions have run.
 *
 * Events are read from the event log in order, after an offset. A failed function is retried later and delays only later
 * events of the same record. If no earlier event is pending, the function's writes and the offset are one transaction;
 * otherwise an event may run twice after a restart.
 */
import { instantText } from "../../base/clock.ts";
import { parseClockDuration } from "../../base/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import type { JournalRecord, Transaction } from "../../store/port/store.ts";
import { anonymous } from "../context/caller.ts";
import { type Call, type Context, tableOf } from "../context/context.ts";
import { holdToRules } from "../records/rules.ts";
import { wakeTimers } from "../records/wake.ts";
import type { Served } from "../context/version.ts";
import { type Replayed, replayed, type Started, start, type FunctionDependencies } from "./request.ts";
import type { ServiceFunction, ServiceFunctions } from "./functions.ts";
import { noRequest } from "./operations.ts";
import { type Run, Waits } from "./transaction.ts";

export interface FunctionScheduler {
  /** Runs the functions that are due; returns how many ran. */
  run(isStopped: () => boolean): Promise<number>;
}

export interface FunctionSchedulerOptions {
  readonly functions: ServiceFunctions;
  readonly context: Context;
  readonly version: Served;
  readonly dependencies: FunctionDependencies;
  readonly report: (failure: unknown) => void;
  /** Returns the public id of an event. */
  readonly idOf: (position: number) => string;
}

const reader = "functions";
const batch = 200;
/** How many events after a pending one are run at most. */
const furthest = 2000;
const firstRetryMilliseconds = 1000;
const longestRetryMilliseconds = 3_600_000;

export function createFunctionScheduler(options: FunctionSchedulerOptions): FunctionScheduler {
  const events = createEventRunner(options);
  const intervals = createIntervalRunner(options);
  return {
    async run(isStopped) {
      // Effects outside the store cannot be rolled back, so only one process may run functions.
      if (!(await options.context.store.acquireLease("functions"))) return 0;
      const done = await intervals(isStopped);
      return done + (await events(isStopped));
    },
  };
}

interface Attempts {
  readonly count: number;
  /** When the next attempt is due, in epoch milliseconds. */
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
  /** The positions after `position` whose functions have run. */
  const done = new Set<number>();
  const failing = new Map<string, Attempts>();

  /** Starts after the last event: earlier events happened before the service had functions. */
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
        // Another process has already run this event.
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
        // Another process may have read further since this process held the lease.
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

  /**
   * Runs a function once per interval. Intervals are aligned to the Unix epoch (UTC); of the intervals missed during downtime,
   * one runs.
   */
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
        // A new function runs first when the next interval begins.
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

// ── Shared ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Runs the task in a transaction, and again in a new one each time the function waits for something other than the store. */
async function inTransactions<Result>(
  { store }: Context,
  { call, run, rewind }: Runnable,
  task: (tx: Transaction, run: Run) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    let begun = false;
    try {
      return await store.transaction(async (tx) => {
        // The store runs a transaction again after a conflict with another one, so the functions start again (R7.4).
        if (begun) rewind();
        begun = true;
        const result = await task(tx, run);
        await holdToRules(call, tx);
        await wakeTimers(call, tx);
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

/** Creates a call by the system, without a request. */
function systemCall(
  { context, version }: FunctionSchedulerOptions,
  { chance }: Replayed,
  cause: string,
  request?: string,
): Call {
  const now = context.clock.now();
  // The call has no operation and uses none, but its type needs one: the function's record operations have their own calls.
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
