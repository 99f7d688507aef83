/** A request that is refused: a code of the plan's errors, with what the caller needs to do better. */
import type { Json } from "../base/json.ts";
import type { Answer } from "./exchange.ts";

/** One fault of a request (R7.2): `pointer` into the body, or the parameter or header that it is about. */
export interface Fault {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
  readonly code: string;
  readonly detail: string;
  /** The member that it is about, where that is not the outermost of the pointer; for bodies of the document's own. */
  readonly field?: string;
  /** The pointer is into the body as it was sent, and not into what its envelope held (envelope.ts). */
  readonly placed?: true;
}

export interface RefusalDetails {
  /** Where the code has more than one status: `invalid-request` is 400 for what cannot be read, 422 for the rest. */
  readonly status?: number;
  readonly detail?: string;
  readonly faults?: readonly Fault[];
  /** Members beside the standard ones: the present state, the moves allowed now. */
  readonly members?: Readonly<Record<string, Json>>;
  /** Header names and values in turn. */
  readonly headers?: readonly string[];
  readonly close?: boolean;
  /** It speaks as the caller's version does (versions/refusals.ts). */
  readonly own?: boolean;
  /** Something may be written already that is no record: the transaction is undone as a whole. */
  readonly undo?: boolean;
  /** It was found when all was written: what is in its way may go without a change of the record. */
  readonly isLate?: boolean;
  /** The whole of it, as a function says it. */
  readonly answer?: Answer;
}

/**
 * Undoes what its transaction has written. Of a write that is no record's (the journal, counts, sessions) only it knows, and
 * says `undo`.
 */
export class Refusal extends Error {
  readonly code: string;
  readonly details: RefusalDetails;

  constructor(code: string, details: RefusalDetails = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** Syntax, query or header that cannot be understood: 400 (R7 table). */
export function malformed(fault: Fault): Refusal {
  return new Refusal("invalid-request", { status: 400, detail: fault.detail, faults: [fault] });
}

/** The same of several. */
export function malformedAll(faults: readonly Fault[]): Refusal {
  return new Refusal("invalid-request", { ...invalid(faults).details, status: 400 });
}

/** Parsed, but against the document: 422 with every fault (R7.2). */
export function invalid(faults: readonly Fault[]): Refusal {
  const [first] = faults;
  // Where there are several, the sentence is made of what the caller is told of them (problem.ts).
  const detail = faults.length === 1 && first !== undefined ? { detail: first.detail } : {};
  return new Refusal("invalid-request", { status: 422, ...detail, faults: faults.slice(0, 100) });
}
