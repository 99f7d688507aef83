/** Measures the operations of a store. Synchronous operations stay synchronous. */
import { StoreError } from "../store/port/error.ts";
import type { Awaitable, Store } from "../store/port/store.ts";

export interface StoreTimes {
  /** Called after an operation. `subject`: the resource, if there is one. */
  done(operation: "read" | "list" | "transaction", subject: string | undefined, milliseconds: number): void;
  failed(kind: "busy" | "disk" | "unreachable" | "closed" | "other", thrown: StoreError): void;
}

export function timedStore(store: Store, times: StoreTimes): Store {
  type Operation = Parameters<StoreTimes["done"]>[0];

  /** Wraps `task` with a measurement; synchronous results need no promise. */
  function timed<Arguments extends readonly unknown[], T>(
    operation: Operation,
    subject: string | undefined,
    task: (...parameters: Arguments) => Awaitable<T>,
  ): (...parameters: Arguments) => Awaitable<T> {
    const record = (began: number): void => times.done(operation, subject, performance.now() - began);
    return (...parameters) => {
      const began = performance.now();
      try {
        const result = task(...parameters);
        if (result instanceof Promise) result.then(() => record(began), failed);
        else record(began);
        return result;
      } catch (thrown) {
        failed(thrown);
        throw thrown;
      }
    };
  }

  /** Reports an error of the store; other errors are handled elsewhere. */
  function failed(thrown: unknown): void {
    if (thrown instanceof StoreError) times.failed(kindOf(thrown), thrown);
  }

  // A store is a plain object of functions, so its members can be replaced.
  return {
    ...store,
    keys: withFailureReports(store.keys, failed),
    sessions: withFailureReports(store.sessions, failed),
    read: (query) => timed("read", query.resource, store.read(query)),
    list: (query) => timed("list", query.resource, store.list(query)),
    summary: (query) => timed("list", query.list.resource, store.summary(query)),
    transaction: timed("transaction", undefined, (task: never, until: never) =>
      store.transaction(task, until),
    ) as Store["transaction"],
  };
}

/**
 * Wraps a part of the store. Authentication uses the store first: if it fails, no other store operation would report the
 * failure.
 */
function withFailureReports<T extends object>(part: T, failed: (thrown: unknown) => void): T {
  const members = Object.entries(part).map(([name, task]: [string, (...args: readonly unknown[]) => unknown]) => [
    name,
    (...args: readonly unknown[]): unknown => {
      const parameters = task(...args);
      if (parameters instanceof Promise) parameters.catch(failed);
      return parameters;
    },
  ]);
  return Object.fromEntries(members) as T;
}

function kindOf({ kind }: StoreError): Parameters<StoreTimes["failed"]>[0] {
  return kind === "busy" || kind === "disk" || kind === "unreachable" || kind === "closed" ? kind : "other";
}
