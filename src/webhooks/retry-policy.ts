/** Decides what follows an attempt (R6.7, R6.8): success, retry or failure. A pure function. */

export type Attempt =
  | {
      readonly kind: "answered";
      readonly status: number;
      /** The header field `retry-after`; the next member is `webhook-delivery`. */
      readonly receiverRetryAfter?: string;
      readonly delivery?: string;
    }
  | { readonly kind: "unanswered"; readonly timedOut: boolean };

export type AttemptOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "again"; readonly waitMilliseconds: number }
  /** The delivery has failed. `gone`: status 410, so other deliveries to the receiver stop too. */
  | { readonly kind: "failed"; readonly why: "exhausted" | "aborted" | "gone" };

/** The minimum delay after a response that signals overload, in milliseconds. */
const overloadedMilliseconds = 60_000;
const overloaded = new Set([429, 502, 504]);
const jitter = 0.2;

/**
 * Decides the outcome. `made`: the number of attempts, including this one; `retry`: the delays between attempts; `random`:
 * from 0 to 1; `now`: epoch milliseconds.
 */
export function nextAttempt(
  attempt: Attempt,
  { made, retry, random, now }: { made: number; retry: readonly number[]; random: number; now: number },
): AttemptOutcome {
  if (attempt.kind === "answered") {
    const { status, delivery } = attempt;
    if (status >= 200 && status < 300) return { kind: "delivered" };
    if (status === 410) return { kind: "failed", why: "gone" };
    if (delivery?.trim() === "abort-message") return { kind: "failed", why: "aborted" };
  }
  const scheduled = retry[made - 1];
  if (scheduled === undefined) return { kind: "failed", why: "exhausted" };
  const busy = attempt.kind === "unanswered" ? attempt.timedOut : overloaded.has(attempt.status);
  const base = busy ? Math.max(scheduled, overloadedMilliseconds) : scheduled;
  const receiverRetryAfter =
    attempt.kind === "answered" ? retryAfterMilliseconds(attempt.receiverRetryAfter, now) : undefined;
  if (receiverRetryAfter !== undefined)
    return { kind: "again", waitMilliseconds: Math.min(Math.max(receiverRetryAfter, base), 2 * base) };
  return { kind: "again", waitMilliseconds: Math.round(base * (1 - jitter + 2 * jitter * random)) };
}

/** Returns the delay in a field: seconds, or a date (RFC 9110 section 10.2.3). */
function retryAfterMilliseconds(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
