/** A store that tells how long its work takes. Work that it does at once is measured at once. */
import { StoreError } from "../store/error.ts";
import type { Awaitable, Store } from "../store/store.ts";

export interface StoreTimes {
  /** `subject`: the resource, where there is one. */
  done(operation: "read" | "list" | "transaction", subject: string | undefined, milliseconds: number): void;
  failed(kind: "busy" | "disk" | "unreachable" | "closed" | "other", thrown: StoreError): void;
}

export function timedStore(store: Store, times: StoreTimes): Store {
  type Operation = Parameters<StoreTimes["done"]>[0];

  function timed<T>(operation: Operation, subject: string | undefined, work: () => Awaitable<T>): Awaitable<T> {
    const began = performance.now();
    const tell = (): void => times.done(operation, subject, performance.now() - began);
    try {
      const given = work();
      if (given instanceof Promise) given.then(tell, failed);
      else tell();
      return given;
    } catch (thrown) {
      failed(thrown);
      throw thrown;
    }
  }

  /** What the work of a transaction itself throws is a refusal or a failure of its own, and known elsewhere. */
  function failed(thrown: unknown): void {
    if (thrown instanceof StoreError) times.failed(kindOf(thrown), thrown);
  }

  // Stores are plain objects of functions, so that one of them can be put in place of another.
  return {
    ...store,
    read(query) {
      const read = store.read(query);
      return (key, variables) => timed("read", query.resource, () => read(key, variables));
    },
    list(query) {
      const list = store.list(query);
      return (page, variables) => timed("list", query.resource, () => list(page, variables));
    },
    transaction: (work) => timed("transaction", undefined, () => store.transaction(work)) as never,
  };
}

function kindOf({ kind }: StoreError): Parameters<StoreTimes["failed"]>[0] {
  return kind === "busy" || kind === "disk" || kind === "unreachable" || kind === "closed" ? kind : "other";
}
