/** A store that notes what is asked of it: two answers that cost the same asked the same (R5.8). */
import type { Store, Transaction } from "../../src/store/store.ts";

export interface Log {
  calls: string[];
}

/** Reading, listing and what transactions do; what is beside the records does not depend on them. */
export function logged(store: Store, log: Log): Store {
  const noted =
    <Arguments extends unknown[], Result>(name: string, call: (...given: Arguments) => Result) =>
    (...given: Arguments): Result => {
      log.calls.push(name);
      return call(...given);
    };
  return new Proxy(store, {
    get(target, name) {
      if (name === "read")
        return (query: Parameters<Store["read"]>[0]) => noted(`read ${query.resource}`, target.read(query));
      if (name === "list")
        return (query: Parameters<Store["list"]>[0]) => noted(`list ${query.resource}`, target.list(query));
      if (name === "transaction") {
        return <T>(work: (tx: Transaction) => Promise<T>) =>
          target.transaction((tx) => work(loggedTransaction(tx, log)));
      }
      return bound(target, name);
    },
  });
}

function loggedTransaction(tx: Transaction, log: Log): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      log.calls.push(String(name));
      return bound(target, name);
    },
  });
}

/** Stores may be of classes, whose methods need them. */
function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name) as unknown;
  return typeof value === "function" ? (value.bind(target) as unknown) : value;
}
