/** The model of part 7, errors. */
import type { Json } from "../../base/json.ts";

export interface Errors {
  readonly body?: ErrorBody;
  /** Bodies that replace `body`: for `without field`, a code, or a code in one operation (`not-found in getUser`). */
  readonly bodies?: Readonly<Record<string, ErrorBody>>;
  /** The status of a code of the catalogue or of HTTP's own codes, in place of its default. */
  readonly status?: Readonly<Record<string, number>>;
  /** The external name of the code of an error or violation: `state-conflict: ConcurrencyError`. */
  readonly codes?: Readonly<Record<string, string>>;
  /** The messages of errors and violations, by code. */
  readonly messages?: Readonly<Record<string, string>>;
  /** The codes of the fixed catalogue that the document imports: `all`, or a list. */
  readonly standard?: "all" | readonly string[];
  readonly errors: Readonly<Record<string, DeclaredError>>;
}

/** `problem+json`, or a custom body, in plain text if the shape is a text, with the placeholders `{code}`, `{message}`, `{status}`, `{field}` … */
export type ErrorBody = "problem+json" | { readonly shape: Json };

/** The placeholders in a custom error body. */
export const errorVariables = [
  "code",
  "title",
  "message",
  "status",
  "resource",
  "reason",
  "request",
  "field",
  "pointer",
  "parameter",
  "path",
  "fault",
] as const;

/** The placeholders in a message; `{message}` is Nonet's default message. */
export const messageVariables = ["message", "title", "status", "resource", "field"] as const;

/** The key of `bodies` for an error that is about no member, parameter or header. */
export const withoutField = "without field";

/** Splits a key of `bodies` into its code and its operation. */
export function bodyFor(key: string): { readonly code: string; readonly operation?: string } {
  const [code = "", operation] = key.split(" in ");
  return { code, ...(operation === undefined ? {} : { operation }) };
}

export interface DeclaredError {
  readonly status: number;
  readonly sentence: string;
  /** The duration in `retry after 10m`, as written. */
  readonly retryAfter?: string;
}

/** One entry of the catalogue that `standard: all` imports (language, section 9). */
export interface StandardError {
  readonly status: number;
  readonly title: string;
}

export const standardErrors: Readonly<Record<string, StandardError>> = {
  "invalid-request": { status: 422, title: "The request is invalid" },
  unauthenticated: { status: 401, title: "No valid credential was sent" },
  forbidden: { status: 403, title: "The caller does not have permission for this" },
  "not-found": { status: 404, title: "Not found" },
  "method-not-allowed": { status: 405, title: "This path does not support this method" },
  "not-acceptable": { status: 406, title: "No acceptable representation" },
  "state-conflict": { status: 409, title: "Not allowed in the current state" },
  "already-exists": { status: 409, title: "Another record already has this value" },
  "still-referenced": { status: 409, title: "Other records refer to this record" },
  "version-gone": { status: 410, title: "This API version is no longer available" },
  stale: { status: 412, title: "The record has changed since it was read" },
  "too-large": { status: 413, title: "The request is too large" },
  "unsupported-media": { status: 415, title: "This media type is not supported" },
  "precondition-needed": { status: 428, title: "The request must include a precondition" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "quota-exceeded": { status: 403, title: "The quota is used up" },
  internal: { status: 500, title: "Internal error of the service" },
  overloaded: { status: 503, title: "The service is overloaded" },
  "timed-out": { status: 503, title: "The request took too long" },
};

/**
 * Errors that HTTP needs besides the catalogue (R0.1, R4.1, R4.3, R4.6, R4.19, R4.21, R6.16, R1.7). Every service has these
 * codes, whatever it imports.
 */
export const protocolErrors: Readonly<Record<string, StandardError & { readonly retryAfterSeconds?: number }>> = {
  "malformed-request": { status: 400, title: "The request is malformed" },
  "https-required": { status: 403, title: "HTTPS is required" },
  "request-timeout": { status: 408, title: "The request did not arrive in time" },
  "idempotency-key-in-use": {
    status: 409,
    title: "The first request with this idempotency key is still running",
    retryAfterSeconds: 1,
  },
  "event-id-expired": { status: 410, title: "The events after this one are no longer available" },
  "operation-gone": { status: 410, title: "This operation is no longer available" },
  "uri-too-long": { status: 414, title: "The URL is too long" },
  "range-not-satisfiable": { status: 416, title: "The requested range is not satisfiable" },
  "expectation-failed": { status: 417, title: "The expectation of the Expect header cannot be met" },
  "idempotency-key-reused": { status: 422, title: "This idempotency key was used for another request" },
  "headers-too-large": { status: 431, title: "The header fields are too large" },
  "not-implemented": { status: 501, title: "The method is not supported" },
};

/** The codes that a violation in a request can have (R7.2). */
export const violationCodes: readonly string[] = [
  "required", "unknown-field", "wrong-type", "not-one-of", "too-short", "too-long", "too-small", "too-large", "too-few",
  "too-many", "repeated", "wrong-pattern", "wrong-format", "read-only", "reference-not-found", "above-itself", "already-exists",
  "bad-json", "bad-form", "bad-xml", "unexpected-body", "bad-target", "bad-path", "bad-escape", "bad-header", "bad-cursor", "unknown-parameter",
  "repeated-parameter", "out-of-range", "no-value", "does-not-fit", "unknown-version", "repeated-version", "unknown-event",
  "not-allowed",
]; // biome-ignore format: a table
