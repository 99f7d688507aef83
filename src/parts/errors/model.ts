/** Part 7, errors. */
import type { Json } from "../../base/json.ts";

export interface Errors {
  /** `problem+json`, or the service's own body with `{code}`, `{message}`, `{status}`, `{field}`, `{pointer}` in it. */
  readonly body?: "problem+json" | { readonly shape: Json };
  /** The part of the fixed catalogue that is imported: `all`, or codes. */
  readonly standard?: "all" | readonly string[];
  readonly errors: Readonly<Record<string, DeclaredError>>;
}

/** What stands in braces in a body of the service's own. */
export const facts = ["code", "message", "status", "field", "pointer"] as const;

export interface DeclaredError {
  readonly status: number;
  readonly sentence: string;
  /** `retry after 10m`: a duration as written. */
  readonly retryAfter?: string;
}

/** One entry of the catalogue that `standard: all` imports (language, section 9). */
export interface StandardError {
  readonly status: number;
  readonly title: string;
}

export const standardErrors: Readonly<Record<string, StandardError>> = {
  "invalid-request": { status: 422, title: "The request does not say what the document asks for" },
  unauthenticated: { status: 401, title: "No valid credential was sent" },
  forbidden: { status: 403, title: "This caller may not do this" },
  "not-found": { status: 404, title: "There is no such thing here" },
  "method-not-allowed": { status: 405, title: "This path does not take this method" },
  "not-acceptable": { status: 406, title: "No acceptable representation" },
  "state-conflict": { status: 409, title: "No move from the present state" },
  "already-exists": { status: 409, title: "Another record has this value" },
  "still-referenced": { status: 409, title: "Other records refer to this one" },
  "version-gone": { status: 410, title: "This version is no longer served" },
  stale: { status: 412, title: "The record has changed since it was read" },
  "too-large": { status: 413, title: "The request is too large" },
  "unsupported-media": { status: 415, title: "This media type is not taken" },
  "precondition-needed": { status: 428, title: "The request must say which revision it edits" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "quota-exceeded": { status: 403, title: "The quota is used up" },
  internal: { status: 500, title: "The service failed" },
  overloaded: { status: 503, title: "The service is overloaded" },
  "timed-out": { status: 503, title: "The request took too long" },
};
