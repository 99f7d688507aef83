/**
 * The worker thread of `threads.ts`: one connection that runs tasks one after another. A read sees the state committed when it
 * begins. A transaction lasts from `begin` to `commit` or `rollback`.
 */
import { parentPort, workerData } from "node:worker_threads";
import { getOrMake } from "../../base/once.ts";
import { TooManySteps } from "../../expression/evaluate.ts";
import type { Table } from "../../plan/resources/types.ts";
import { StoreError } from "../port/error.ts";
import type { RecordChange } from "../port/store.ts";
import { Connection, explained } from "./connection.ts";
import { checkStop, type Stoppable } from "./deadline.ts";
import type { WriteSlot } from "./write-batches.ts";
import { prepareList } from "./list.ts";
import { prepareRead } from "./read.ts";
import { relationsOf } from "./relations.ts";
import { SqliteTransaction, TransactionDeps } from "./transaction.ts";
import { prepareAggregate } from "./aggregate.ts";
import { prepareSummary } from "./summary.ts";

export interface ThreadSettings {
  readonly file: string;
  readonly tables: readonly Table[];
  readonly waitMilliseconds: number;
  readonly pragmas: readonly string[];
}

/** An object that is sent to the thread once, and later referenced by its number. */
export interface Sent {
  readonly number: number;
  readonly object?: unknown;
}

/** The reads that may run on a thread. */
export type ReadKind = "read" | "list" | "aggregate" | "summary";

export type Task =
  | {
      readonly kind: ReadKind;
      readonly query: Sent;
      readonly args: readonly unknown[];
      /** The deadline as a time of `sharedNow`; absent: no deadline. */
      readonly until: number | undefined;
    }
  /** Begins a transaction. `now`: the time of the service's clock. */
  | { readonly kind: "begin"; readonly until: number | undefined; readonly now: number }
  /** Calls a method of the transaction; `sent` replaces the argument at its index. */
  | {
      readonly kind: "call";
      readonly method: string;
      readonly args: readonly unknown[];
      readonly sent?: readonly [at: number, object: Sent];
      readonly now: number;
    }
  | { readonly kind: "commit" | "rollback" }
  /** Clears the cached objects; numbers start again. */
  | { readonly kind: "forget" };

/** The result of a read, and the read's CPU time in milliseconds. */
export interface Found {
  readonly value: unknown;
  readonly milliseconds: number;
}

/** The result of a method, and the changes that it wrote. */
export interface Called {
  readonly value: unknown;
  readonly changes: readonly RecordChange[];
}

export type Outcome =
  | { readonly value: unknown }
  | { readonly failed: StoreError["kind"]; readonly message: string }
  | { readonly tooManySteps: true }
  /** The task failed with an error that neither the file nor a deadline caused. */
  | { readonly error: unknown };

const { file, pragmas, tables, waitMilliseconds } = workerData as ThreadSettings;
const connection = new Connection(file, waitMilliseconds);
for (const pragma of pragmas) connection.exec(`PRAGMA ${pragma}`);
const relations = relationsOf(tables);
let now = 0;
const deps = new TransactionDeps(relations, connection, () => now);
const objects = new Map<number, unknown>();
const reads = new Map<number, Stoppable<readonly never[], unknown>>();
const nothing = { acquire: (): void => undefined };
let transaction: SqliteTransaction | undefined;
let undoing: (() => void)[] = [];

function objectOf({ number, object }: Sent): unknown {
  if (object !== undefined) objects.set(number, object);
  return objects.get(number);
}

function prepared(kind: ReadKind, query: Sent): Stoppable<readonly never[], unknown> {
  const prepare = { read: prepareRead, list: prepareList, aggregate: prepareAggregate, summary: prepareSummary }[kind];
  return getOrMake(reads, query.number, () => {
    return prepare(objectOf(query) as never, relations, connection, nothing) as Stoppable<readonly never[], unknown>;
  });
}

function done(task: Task): unknown {
  switch (task.kind) {
    case "forget":
      objects.clear();
      return reads.clear();
    case "read":
    case "list":
    case "aggregate":
    case "summary": {
      // All statements of a page must read the same state.
      connection.run("BEGIN");
      connection.stop.at = stopOf(task.until);
      try {
        const before = process.threadCpuUsage();
        const value = prepared(task.kind, task.query).run(...(task.args as never[]));
        const { system, user } = process.threadCpuUsage(before);
        const found: Found = { value, milliseconds: (user + system) / 1000 };
        return found;
      } finally {
        connection.stop.at = Number.POSITIVE_INFINITY;
        if (connection.database.isTransaction) connection.run("COMMIT");
      }
    }
    case "begin":
      now = task.now;
      connection.stop.at = stopOf(task.until);
      // No caller waits for a transaction after its deadline, and the transaction would block others.
      checkStop(connection.stop);
      connection.run("BEGIN IMMEDIATE");
      transaction = new SqliteTransaction(deps, slot);
      return undefined;
    case "call": {
      now = task.now;
      const args = [...task.args];
      if (task.sent !== undefined) args[task.sent[0]] = objectOf(task.sent[1]);
      const sqliteTransaction = transaction as SqliteTransaction;
      const from = sqliteTransaction.changes.length;
      const methods = sqliteTransaction as unknown as Record<string, (...parameters: unknown[]) => unknown>;
      const called: Called = { value: methods[task.method]?.(...args), changes: sqliteTransaction.changes.slice(from) };
      return called;
    }
    case "commit":
      end();
      connection.run("COMMIT");
      undoing = [];
      return undefined;
    case "rollback":
      end();
      if (connection.database.isTransaction) connection.run("ROLLBACK");
      for (const undo of undoing.splice(0)) undo();
      return undefined;
  }
}

/** The maximum duration of statements without a deadline in milliseconds; the same as on PostgreSQL. */
const usualMilliseconds = 5_000;

function stopOf(until: number | undefined): number {
  return until === undefined ? performance.now() + usualMilliseconds : until - performance.timeOrigin;
}

function end(): void {
  connection.stop.at = Number.POSITIVE_INFINITY;
  transaction = undefined;
}

/** ROLLBACK undoes the whole transaction, so writes need no individual undo. */
const slot: WriteSlot = {
  connection,
  reading: () => undefined,
  writing: () => undefined,
  writingOne: () => undefined,
  undoWrite: () => undefined,
  whenUndone: (action) => void undoing.push(action),
};

function outcomeOf(task: Task): Outcome {
  try {
    return { value: done(task) };
  } catch (thrown) {
    const error = explained(thrown, file);
    if (error instanceof TooManySteps) return { tooManySteps: true };
    return error instanceof StoreError ? { failed: error.kind, message: error.message } : { error };
  }
}

parentPort?.on("message", (task: Task) => parentPort?.postMessage(outcomeOf(task)));
