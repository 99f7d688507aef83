/** The errors of the hand-written service: one class, one body shape (RFC 9457). */
export interface Fault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
}

const TITLES: Readonly<Record<string, string>> = {
  "invalid-request": "The request is not valid",
  unauthenticated: "A valid credential is needed",
  forbidden: "This caller may not do this",
  "not-found": "There is nothing here",
  "method-not-allowed": "This method is not offered here",
  "not-acceptable": "Only JSON is offered",
  "state-conflict": "The state does not allow this",
  "already-exists": "It already exists",
  stale: "It has changed since",
  "too-large": "The request is too large",
  "unsupported-media": "Only JSON is read",
  "precondition-needed": "If-Match is needed",
  internal: "Something went wrong here",
  overloaded: "Too busy, try again",
  "timed-out": "The request took too long",
  "no-free-locker": "No locker of this size is free at this site",
  "label-too-heavy": "Labelled parcels weigh at most 20 kg",
};

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, detail: string, extra: Record<string, unknown> = {}, headers = {}) {
    super(detail);
    this.status = status;
    this.code = code;
    this.extra = extra;
    this.headers = headers;
  }
}

/** Outcomes of executed work are kept for replays, refusals before it are not (R4.20). */
export const isOutcome = (problem: Problem): boolean =>
  problem.status === 409 || (problem.status === 422 && problem.code !== "invalid-request");

export const invalid = (status: 400 | 422, detail: string, errors: readonly Fault[]): Problem =>
  new Problem(status, "invalid-request", detail, { errors: errors.slice(0, 100) });

export const notFound = (): Problem => new Problem(404, "not-found", "Check the address and the id.");

export function problemText(problem: Problem, requestId: string, baseUrl: string): string {
  return JSON.stringify({
    type: `${baseUrl}/errors/${problem.code}`,
    title: TITLES[problem.code] ?? problem.code,
    status: problem.status,
    detail: problem.message,
    instance: `urn:parcel-lockers:request:${requestId}`,
    code: problem.code,
    request_id: requestId,
    ...problem.extra,
  });
}
