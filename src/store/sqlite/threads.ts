/**
 * Runs long statements on worker threads with their own connections, so that the service stays responsive, up to their deadlines.
 * Each thread starts at first use. One runs transactions one after another, the others read.
 */
import { Worker } from "node:worker_threads";
import { TooManySteps } from "../../expression/evaluate.ts";
import { StoreError } from "../port/error.ts";
import type { RecordChange, Transaction } from "../port/store.ts";
import type { Called, Found, Outcome, ReadKind, Sent, Task, ThreadSettings } from "./thread.ts";

export interface Threads {
  /** Runs a read. @throws StoreError `late` at the deadline, `left` milliseconds from now; undefined for none. */
  read(kind: ReadKind, query: object, args: readonly unknown[], left: number | undefined): Promise<Found>;
  /** Begins a transaction with exclusive write access. It ends with `commit` or `rollback`. */
  begin(left: number | undefined): Promise<LongTransaction>;
  close(): Promise<void>;
}

export interface LongTransaction {
  readonly transaction: Transaction;
  /** Commits; if that fails, the transaction is rolled back. */
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface ThreadsOptions {
  readonly reading: ThreadSettings;
  readonly writing: ThreadSettings;
  /** The number of reader threads. */
  readonly readers: number;
  /** Returns the time in epoch milliseconds. */
  readonly clock: () => number;
}

/** Methods that matter only for concurrent transactions. */
type Held = "changes" | "exclude" | "lockEagerly" | "declareWrites";

/**
 * The methods of a transaction. A number is the index of a recurring argument (query, expression or view), which is sent only
 * once.
 */
const methods: Readonly<Record<Exclude<keyof Transaction, Held>, number | undefined>> = {
  get: undefined,
  lockShared: undefined,
  lock: undefined,
  list: 0,
  first: 1,
  firstShared: 1,
  all: undefined,
  select: 0,
  evaluate: 0,
  breaks: 0,
  insert: 3,
  update: 3,
  delete: undefined,
  deleteAll: undefined,
  offset: undefined,
  setOffset: undefined,
  record: undefined,
  hasFired: undefined,
  forget: undefined,
  intact: undefined,
  defer: undefined,
  view: 1,
  findResponse: undefined,
  saveResponse: undefined,
  count: undefined,
  hasRoom: undefined,
  session: undefined,
  addSession: undefined,
  replaceSession: undefined,
  endSessions: undefined,
};

export function openThreads({ clock, readers, reading, writing }: ThreadsOptions): Threads {
  const all = Array.from({ length: readers }, () => openThread(reading));
  const writer = openThread(writing);
  return {
    read(kind, query, args, left) {
      const until = left === undefined ? undefined : sharedNow() + left;
      const thread = all.reduce((least, one) => (one.waiting() < least.waiting() ? one : least));
      const result = thread.send(() => {
        assertInTime(until);
        return { kind, query: thread.sent(query), args, until };
      });
      return endedBy(left, result as Promise<Found>);
    },
    async begin(left) {
      const until = left === undefined ? undefined : sharedNow() + left;
      const begun = writer.send(() => {
        assertInTime(until);
        return { kind: "begin", until, now: clock() };
      });
      // If the thread begins the transaction after all, this rollback is its next task, before any other transaction.
      await endedBy(left, begun, () => void writer.send(() => ({ kind: "rollback" })).catch(() => undefined));
      let over = false;
      const changes: RecordChange[] = [];
      const call =
        (method: string, position: number | undefined) =>
        async (...args: readonly unknown[]): Promise<unknown> => {
          if (over) throw new Error("a transaction was used after its end");
          const called = (await writer.send(() => {
            const object = position === undefined ? undefined : args[position];
            if (position === undefined || typeof object !== "object" || object === null)
              return { kind: "call", method, args, now: clock() };
            const sent = [position, writer.sent(object)] as const;
            return { kind: "call", method, args: args.with(position, undefined), sent, now: clock() };
          })) as Called;
          for (const change of called.changes) changes.push(change);
          return called.value;
        };
      const calls = Object.entries(methods).map(([method, position]) => [method, call(method, position)]);
      const end = async (kind: "commit" | "rollback"): Promise<void> => {
        over = true;
        await writer.send(() => ({ kind }));
      };
      return {
        // The transaction is the only writer, so locks have no effect.
        transaction: {
          ...Object.fromEntries(calls),
          changes,
          exclude: () => undefined,
          lockEagerly: () => undefined,
          declareWrites: () => undefined,
        } as unknown as Transaction,
        commit: () =>
          end("commit").catch(async (thrown: unknown) => {
            await end("rollback");
            throw thrown;
          }),
        rollback: () => end("rollback"),
      };
    },
    close: async () => {
      await Promise.all([writer, ...all].map((thread) => thread.close()));
    },
  };
}

function assertInTime(until: number | undefined): void {
  if (until !== undefined && sharedNow() > until) throw new StoreError("late", "its turn came after its deadline");
}

/**
 * Returns the result of a task of a thread, or a `late` error after `left` milliseconds. The thread stops its statement at the
 * same moment, but only if it runs: it may still be starting, or be in a statement that cannot be stopped.
 */
function endedBy<Value>(
  left: number | undefined,
  result: Promise<Value>,
  whenLate = (): void => undefined,
): Promise<Value> {
  if (left === undefined) return result;
  return new Promise((resolve, reject) => {
    const late = (): void => {
      whenLate();
      reject(new StoreError("late", "its thread did not answer before its deadline"));
    };
    const timer = setTimeout(late, left);
    result.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

interface Thread {
  /** Runs tasks one after another; `task` is called when the thread is free. */
  send(task: () => Task): Promise<unknown>;
  sent(object: object): Sent;
  /** Returns the number of tasks that are not completed yet. */
  waiting(): number;
  close(): Promise<void>;
}

/** The most cached objects: every combination of filters is a new query object. */
const mostSent = 1000;

function openThread(settings: ThreadSettings): Thread {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let numbers = new WeakMap<object, number>();
  let count = 0;
  let closed = false;

  const forget = (): void => {
    numbers = new WeakMap();
    count = 0;
  };
  const sendNow = (task: Task): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (closed) throw new StoreError("closed", "the store is closing");
      worker ??= startWorker(settings);
      const present = worker;
      const complete = (): void => {
        present.off("message", onMessage).off("error", onError).off("exit", onExit).unref();
      };
      const onMessage = (outcome: Outcome): void => {
        complete();
        if ("value" in outcome) resolve(outcome.value);
        else if ("tooManySteps" in outcome) reject(new TooManySteps());
        else reject("failed" in outcome ? new StoreError(outcome.failed, outcome.message) : outcome.error);
      };
      const onError = (error: unknown): void => {
        complete();
        worker = undefined;
        forget();
        reject(error);
      };
      const onExit = (): void => onError(new StoreError("closed", "the store is closing"));
      present.on("message", onMessage).on("error", onError).on("exit", onExit).ref();
      try {
        present.postMessage(task);
      } catch (thrown) {
        complete();
        throw thrown;
      }
    });
  const runTask = async (task: () => Task): Promise<unknown> => {
    if (count > mostSent) {
      forget();
      await sendNow({ kind: "forget" });
    }
    return sendNow(task());
  };
  return {
    send: (task) => {
      waiting += 1;
      const result = last.then(() => runTask(task)).finally(() => (waiting -= 1));
      last = result.catch(() => undefined);
      return result;
    },
    sent: (object) => {
      const known = numbers.get(object);
      if (known !== undefined) return { number: known };
      count += 1;
      numbers.set(object, count);
      return { number: count, object: withoutFunctions(object) as object };
    },
    waiting: () => waiting,
    close: async () => {
      closed = true;
      await worker?.terminate();
    },
  };
}

/** Returns a copy of the argument without functions, which no thread can receive: stores ignore the views of expandable members. */
function withoutFunctions(value: unknown, copies: Map<object, object> = new Map()): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    copies.set(value, items);
    for (const item of value) items.push(withoutFunctions(item, copies));
    return items;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members: Record<string, unknown> = {};
  copies.set(value, members);
  for (const [name, member] of Object.entries(value))
    if (typeof member !== "function") members[name] = withoutFunctions(member, copies);
  return members;
}

function startWorker(settings: ThreadSettings): Worker {
  return new Worker(new URL("./thread.ts", import.meta.url), { workerData: settings });
}

/** Returns milliseconds on a clock that all threads share: `performance.now()` starts at 0 in each thread. */
function sharedNow(): number {
  return performance.timeOrigin + performance.now();
}
