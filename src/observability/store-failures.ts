/**
 * Logs outages of the store: the reason at the start, and the duration at the end. Each failed request has a separate line, and
 * metrics count them.
 */
import type { StoreError } from "../store/port/error.ts";
import type { Log } from "./log.ts";
import type { Redact } from "./redact.ts";

export interface StoreTrouble {
  /** Called after each successful operation. */
  recovered(): void;
  failed(thrown: StoreError): void;
}

/** The minimum interval between two lines about outages in milliseconds, for intermittent failures. */
const quietMilliseconds = 10_000;

/** Creates the log of outages. `now`: returns milliseconds of a monotonic clock. */
export function createStoreTrouble(log: Log, redact: Redact, now: () => number): StoreTrouble {
  let since: number | undefined;
  let reportedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  return {
    recovered() {
      if (since === undefined) return;
      const seconds = Math.round((now() - since) / 100) / 10;
      log.write("warn", "store works again", { seconds, failures });
      since = undefined;
    },
    failed(thrown) {
      // Other errors are left out: disk errors are logged with their request, and a closing store is expected.
      if (thrown.kind !== "unreachable" && thrown.kind !== "busy") return;
      failures += 1;
      if (since !== undefined || now() - reportedAt < quietMilliseconds) return;
      since = reportedAt = now();
      failures = 1;
      log.write("warn", `store ${thrown.kind}`, { why: redact(reasons(thrown)) });
    },
  };
}

/** Returns the message with its causes: `connect ECONNREFUSED 10.0.0.7:5432` is the important part. */
function reasons(error: Error): string {
  const message = error.message.split("\n", 1)[0] ?? "";
  // An AggregateError (for a name with several addresses) has no message, so its first error is used.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error.cause];
  const deeper = first instanceof Error ? reasons(first) : "";
  return [message, deeper].filter((text) => text !== "").join(": ");
}
