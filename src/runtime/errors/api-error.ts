/** A request that is refused: a code of the plan's errors, with what the caller needs to do better. */
import type { Json } from "../../base/json.ts";
import type { HttpResponse } from "../../http/message.ts";

/** One fault of a request (R7.2): `pointer` into the body, or the parameter or header that it is about. */
export interface Violation {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
  /** The member that it is about, where that is not the outermost of the pointer; for bodies of the document's own. */
  readonly field?: string;
  /** The pointer is into the body as it was sent, and not into what its envelope held (envelope.ts). */
  readonly isLocated?: true;
}

export interface ApiErrorDetails {
  /** Where the code has more than one status: `invalid-request` is 400 for what cannot be read, 422 for the rest. */
  readonly status?: number;
  readonly detail?: string;
  readonly violations?: readonly Violation[];
  /** Members beside the standard ones: the present state, the moves allowed now. */
  readonly members?: Readonly<Record<string, Json>>;
  /** Header names and values in turn. */
  readonly headers?: readonly string[];
  readonly close?: boolean;
  /** It speaks as the caller's version does (versions/to-older-error.ts). */
  readonly own?: boolean;
  /** Something may be written already that is no record: the transaction is undone as a whole. */
  readonly undo?: boolean;
  /** It was found when all was written: what is in its way may go without a change of the record. */
  readonly isLate?: boolean;
  /** The whole of it, as a function says it. */
  readonly response?: HttpResponse;
}

/**
 * Undoes what its transaction has written. Of a write that is no record's (the journal, counts, sessions) only it knows, and
 * says `undo`.
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

/** Syntax, query or header that cannot be understood: 400 (R7 table). */
export function malformed(violation: Violation): ApiError {
  return new ApiError("invalid-request", { status: 400, detail: violation.detail, violations: [violation] });
}

/** The same of several. */
export function malformedAll(violations: readonly Violation[]): ApiError {
  return new ApiError("invalid-request", { ...invalid(violations).details, status: 400 });
}

/** Parsed, but against the document: 422 with every fault (R7.2). */
export function invalid(violations: readonly Violation[]): ApiError {
  const [first] = violations;
  // Where there are several, the sentence is made of those that the caller sees (problem.ts).
  const detail = violations.length === 1 && first !== undefined ? { detail: first.detail } : {};
  return new ApiError("invalid-request", { status: 422, ...detail, violations: violations.slice(0, 100) });
}

/** The body can come again when others are done with; the rest of it is not read. */
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
