/** A store that tells how long its work takes. Work that it does at once is measured at once. */
import { StoreError } from "../store/port/error.ts";
import type { Awaitable, Store } from "../store/port/store.ts";

export interface StoreTimes {
  /** `subject`: the resource, where there is one. */
  done(operation: "read" | "list" | "transaction", subject: string | undefined, milliseconds: number): void;
  failed(kind: "busy" | "disk" | "unreachable" | "closed" | "other", thrown: StoreError): void;
}

export function timedStore(store: Store, times: StoreTimes): Store {
  type Operation = Parameters<StoreTimes["done"]>[0];

  /** `work` as it is, but timed: of each read, so that nothing is made for what is done at once. */
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

  /** What the work of a transaction itself throws is a refusal or a failure of its own, and known elsewhere. */
  function failed(thrown: unknown): void {
    if (thrown instanceof StoreError) times.failed(kindOf(thrown), thrown);
  }

  // Stores are plain objects of functions, so that one of them can be put in place of another.
  return {
    ...store,
    keys: withFailureReports(store.keys, failed),
    sessions: withFailureReports(store.sessions, failed),
    read: (query) => timed("read", query.resource, store.read(query)),
    list: (query) => timed("list", query.resource, store.list(query)),
    transaction: timed("transaction", undefined, (task: never, until: never) =>
      store.transaction(task, until),
    ) as Store["transaction"],
  };
}

/** Who a caller is is asked before anything else, and where that fails no other work of the store is begun. */
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
