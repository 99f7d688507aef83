/** A store that logs its calls: two responses with the same cost have the same calls (R5.8). */
import type { Store, Transaction } from "../../src/store/port/store.ts";
import { bound, withMembers } from "../with-members.ts";

export interface Log {
  calls: string[];
}

/** Does not count calls of deliveries, which use the same store in the background. */
function note(log: Log, name: string): void {
  if (!new Error(name).stack?.includes("/src/webhooks/")) log.calls.push(name);
}

/** Reading, listing and what transactions do; what is beside the records does not depend on them. */
export function logged(store: Store, log: Log): Store {
  const noted =
    <Arguments extends unknown[], Result>(name: string, call: (...given: Arguments) => Result) =>
    (...given: Arguments): Result => {
      note(log, name);
      return call(...given);
    };
  return withMembers(store, {
    read: (query) => noted(`read ${query.resource}`, store.read(query)),
    list: (query) => noted(`list ${query.resource}`, store.list(query)),
    transaction: (work) => store.transaction((tx) => work(loggedTransaction(tx, log))),
  });
}

function loggedTransaction(tx: Transaction, log: Log): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      note(log, String(name));
      return bound(target, name);
    },
  });
}
