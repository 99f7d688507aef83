/**
 * What the log says of a store that does not do its work: why, once when it begins, and when it is over. Each request that
 * failed meanwhile has its own line, and the figures count them.
 */
import type { StoreError } from "../store/port/error.ts";
import type { Log } from "./log.ts";
import type { Redact } from "./redact.ts";

export interface StoreTrouble {
  /** Something was done. */
  recovered(): void;
  failed(thrown: StoreError): void;
}

/** Where some requests fail and others do not, no more lines than this are written. */
const quietMilliseconds = 10_000;

/** `now` counts milliseconds by a clock that nobody sets. */
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
      // A disk is told of where the request that needed it is, and a store that closes was told to.
      if (thrown.kind !== "unreachable" && thrown.kind !== "busy") return;
      failures += 1;
      if (since !== undefined || now() - reportedAt < quietMilliseconds) return;
      since = reportedAt = now();
      failures = 1;
      log.write("warn", `store ${thrown.kind}`, { why: redact(reasons(thrown)) });
    },
  };
}

/** With what it was caused by: `connect ECONNREFUSED 10.0.0.7:5432` is what has to be known. */
function reasons(error: Error): string {
  const message = error.message.split("\n", 1)[0] ?? "";
  // Of several addresses of one name each has its own failure, and the whole has no words.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [error.cause];
  const deeper = first instanceof Error ? reasons(first) : "";
  return [message, deeper].filter((text) => text !== "").join(": ");
}
