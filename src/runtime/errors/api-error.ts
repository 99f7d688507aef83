/** The error of a request before it is rendered as a response: a code of the plan's errors with details. */
import { capital, withArticle } from "../../base/case.ts";
import type { Json } from "../../base/json.ts";
import type { HttpResponse } from "../../http/message.ts";

/** One violation (R7.2), located by a `pointer` into the body, or by a parameter or header. */
export interface Violation {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
  /** The member, if it is not the first segment of the pointer; for custom error bodies. */
  readonly field?: string;
  /** Set if the pointer refers to the body as sent, and not to the body inside its enclosing objects (envelope.ts). */
  readonly isLocated?: true;
}

export interface ApiErrorDetails {
  /** The status, for codes with several: `invalid-request` is 400 for requests that cannot be parsed, otherwise 422. */
  readonly status?: number;
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** Further members, such as the current state or the allowed transitions. */
  readonly members?: Readonly<Record<string, Json>>;
  /** Header names and values, alternating. */
  readonly headers?: readonly string[];
  readonly close?: boolean;
  /** Set if the error is already in the caller's version (versions/to-older-error.ts). */
  readonly own?: boolean;
  /** Set to roll the transaction back, because it may have written something other than records. */
  readonly undo?: boolean;
  /** Set if a rule evaluated after all writes found the error; a later write of another record may still resolve it. */
  readonly isLate?: boolean;
  /** The full response of a handler. */
  readonly response?: HttpResponse;
}

/**
 * An error that a request gets. It rolls back the records that its transaction has written. Other writes (event log, counts,
 * sessions) need `undo`.
 */
export class ApiError extends Error {
  readonly code: string;
  readonly details: ApiErrorDetails;

  constructor(code: string, details: ApiErrorDetails = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** Returns a 400 for invalid syntax, queries or headers (R7 table). */
export function malformed(violation: Violation): ApiError {
  return new ApiError("invalid-request", { status: 400, detail: violation.detail, violations: [violation] });
}

/** Returns a 400 with several violations. */
export function malformedAll(violations: readonly Violation[]): ApiError {
  return new ApiError("invalid-request", { ...invalid(violations).details, status: 400 });
}

/** Returns a 422 for parsed input that does not match the document, with all violations (R7.2). */
export function invalid(violations: readonly Violation[]): ApiError {
  const [first] = violations;
  // For several violations, problem.ts creates the detail from those that the caller may see.
  const detail = violations.length === 1 && first !== undefined ? { detail: first.detail } : {};
  return new ApiError("invalid-request", { status: 422, ...detail, violations: violations.slice(0, 100) });
}

/** Returns the error for exhausted memory: the client can retry later; the rest of the body is not read. */
export function noRoom(): ApiError {
  return new ApiError("overloaded", { close: true });
}

export interface Reference {
  readonly resource: string;
  readonly field: string;
}

export function referredTo(by?: Reference): Pick<ApiErrorDetails, "detail" | "members"> {
  if (by === undefined) return { detail: "Another record refers to it" };
  return { detail: `${capital(withArticle(by.resource))} refers to it by ${by.field}`, members: { ...by } };
}

export function stateConflict(state: string, moves: readonly string[]): ApiErrorDetails {
  return { detail: `The current state is ${state}, which does not allow this`, members: { state, moves } };
}
