/** Decides whether and when the client repeats a request. */
import type { RetryOptions } from "./calls.ts";
import type { OperationDescription } from "./description.ts";
import type { ApiError } from "./errors.ts";

export { delayOf, isIdempotent, pause, retriesOf, waitAfter };

// ── Tries ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function retriesOf(details: number | RetryOptions | undefined): Required<RetryOptions> {
  const {
    most = 2,
    firstDelay = 500,
    longestDelay = 8000,
    longestWait = 60_000,
  } = typeof details === "number" ? { most: details } : (details ?? {});
  return { most, firstDelay, longestDelay, longestWait };
}

/** Whether a retry is safe even if the service has already performed the request. */
function isIdempotent({ method, key }: OperationDescription): boolean {
  return method === "GET" || key !== undefined;
}

/** With these statuses, the service has done nothing; with `unsure` ones, it may have performed the request. */
const untouched: ReadonlySet<number> = new Set([429, 503]);
const unsure: ReadonlySet<number> = new Set([408, 500, 502, 504]);

function waitAfter(
  { status, code, retryAfter }: ApiError,
  operation: OperationDescription,
  retries: Required<RetryOptions>,
  tries: number,
): number | undefined {
  const again =
    untouched.has(status) || code === "idempotency-key-in-use" || (unsure.has(status) && isIdempotent(operation));
  if (!again) return undefined;
  if (retryAfter === undefined) return delayOf(retries, tries);
  const outgoing = retryAfter * 1000;
  // A random delay keeps clients from retrying at the same moment.
  return outgoing > retries.longestWait ? undefined : outgoing + Math.random() * retries.firstDelay;
}

function delayOf({ firstDelay, longestDelay }: Required<RetryOptions>, tries: number): number {
  return Math.min(firstDelay * 2 ** tries, longestDelay) * (1 - Math.random() / 2);
}

/** Throws the reason if `signal` aborts; returns early if `woken` resolves. */
function pause(milliseconds: number, signal: AbortSignal | undefined, woken?: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      resolve();
    };
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
    void woken?.then(end);
  });
}
