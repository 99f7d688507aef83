/** An error response before it is rendered: a code of the plan's errors with details. */
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
  /** The pointer refers to the sent body, not to the content of its envelope (envelope.ts). */
  readonly isLocated?: true;
}

export interface ApiErrorDetails {
  /** For codes with several statuses: `invalid-request` is 400 for unparsable requests, otherwise 422. */
  readonly status?: number;
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** Further members, such as the current state or the allowed transitions. */
  readonly members?: Readonly<Record<string, Json>>;
  /** Header names and values in turn. */
  readonly headers?: readonly string[];
  readonly close?: boolean;
  /** Already converted to the caller's version (versions/to-older-error.ts). */
  readonly own?: boolean;
  /** Roll the transaction back, because it may have written something other than records. */
  readonly undo?: boolean;
  /** Found after all writes: other records may resolve it. */
  readonly isLate?: boolean;
  /** A full response, from a handler. */
  readonly response?: HttpResponse;
}

/** Rolls back the records that its transaction has written. Other writes (event log, counts, sessions) need `undo`. */
export class ApiError extends Error {
  readonly code: string;
  readonly details: ApiErrorDetails;

  constructor(code: string, details: ApiErrorDetails = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** 400 for invalid syntax, queries or headers (R7 table). */
export function malformed(violation: Violation): ApiError {
  return new ApiError("invalid-request", { status: 400, detail: violation.detail, violations: [violation] });
}

/** 400 with several violations. */
export function malformedAll(violations: readonly Violation[]): ApiError {
  return new ApiError("invalid-request", { ...invalid(violations).details, status: 400 });
}

/** 422 for parsed input that does not match the document, with all violations (R7.2). */
export function invalid(violations: readonly Violation[]): ApiError {
  const [first] = violations;
  // For several violations, problem.ts creates the detail from those that the caller may see.
  const detail = violations.length === 1 && first !== undefined ? { detail: first.detail } : {};
  return new ApiError("invalid-request", { status: 422, ...detail, violations: violations.slice(0, 100) });
}

/** Memory is used up: the client can retry later; the rest of the body is not read. */
export function noRoom(): ApiError {
  return new ApiError("overloaded", { close: true });
}

export interface Reference {
  readonly resource: string;
  readonly field: string;
}

export function referredTo(by?: Reference): Pick<ApiErrorDetails, "detail" | "members"> {
  if (by === undefined) return { detail: "Another record refers to it" };
  return { detail: `A ${by.resource} refers to it by ${by.field}`, members: { ...by } };
}

export function stateConflict(state: string, moves: readonly string[]): ApiErrorDetails {
  return { detail: `The current state is ${state}, which does not allow this`, members: { state, moves } };
}
