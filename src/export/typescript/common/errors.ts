/** The errors that a client throws. */

// ── What goes wrong ────────────────────────────────────────────────────────────────────────────────────────────────

export interface FaultOfRequest {
  /** A JSON Pointer into the body, as a URI fragment. */
  readonly pointer?: string;
  /** The invalid field, as a custom error body names it. */
  readonly field?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
}

/** An error response. `code` names the error; `unrecognized` if the response is not from the service, such as a proxy's error. */
export class ApiError<Code extends string = string, Problem = unknown> extends Error {
  override readonly name = "ApiError";
  readonly operation: string;
  readonly code: Code;
  readonly status: number;
  readonly detail: string;
  readonly faults: readonly FaultOfRequest[];
  readonly requestId: string | undefined;
  /** Seconds until a retry makes sense, if the service sent them. */
  readonly retryAfter: number | undefined;
  /** The parsed error body. */
  readonly problem: Problem;
  readonly headers: Headers;

  constructor(operation: string, code: Code, details: ErrorDetails, { status, headers }: Response, problem: Problem) {
    super(`${operation}: ${details.detail} (${status} ${code})`);
    this.operation = operation;
    this.code = code;
    this.status = status;
    this.detail = details.detail;
    this.problem = problem;
    this.headers = headers;
    this.faults = details.faults;
    this.requestId = headers.get("Request-Id") ?? undefined;
    this.retryAfter = secondsIn(headers.get("Retry-After"));
  }
}

interface ErrorDetails {
  readonly detail: string;
  readonly faults: readonly FaultOfRequest[];
}

/** There was no response, or an unreadable one. The service may have performed the request. */
export class ConnectionError extends Error {
  override readonly name: string = "ConnectionError";
  readonly operation: string;

  constructor(operation: string, message: string, cause?: unknown) {
    super(`${operation}: ${message}`, { cause });
    this.operation = operation;
  }
}

/** The response did not arrive in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = "TimeoutError";
}

/** The record did not reach the state: it no longer can (`unreachable`), or not in time (`late`). */
export class WaitError<T = unknown> extends Error {
  override readonly name = "WaitError";
  readonly reason: "unreachable" | "late";
  readonly state: string;
  readonly record: T;

  constructor(reason: "unreachable" | "late", wanted: readonly string[], state: string, record: T) {
    super(`${reason === "late" ? "still" : "finally"} ${state}, expected ${wanted.join(" or ")}`);
    this.reason = reason;
    this.state = state;
    this.record = record;
  }
}

/** Parses `Retry-After`: seconds, or a date. */
function secondsIn(field: string | null): number | undefined {
  if (field === null) return undefined;
  if (/^[0-9]+$/.test(field.trim())) return Number(field);
  const moment = Date.parse(field);
  return Number.isNaN(moment) ? undefined : Math.max(0, Math.ceil((moment - Date.now()) / 1000));
}
