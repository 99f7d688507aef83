/**
 * Errors of the store that neither the document nor a request causes: of the file, the disk, another process, or of data that
 * does not fit a changed document.
 */
import { TooManySteps } from "../../expression/evaluate.ts";

export type StoreErrorKind =
  /** The folder does not exist. */
  | "missing-folder"
  /** The process may not read or write the file, or the path is not a file. */
  | "not-accessible"
  /** The file is no database, or a database of another program. */
  | "not-ours"
  | "corrupt"
  /** A newer release of Nonet wrote the data. */
  | "too-new"
  /** The data does not fit the document; `differences` lists the reasons. */
  | "incompatible"
  /** Another process holds the write lock for longer than the wait limit. The client may retry the request (R7.4). */
  | "busy"
  /** The database server does not respond. */
  | "unreachable"
  /** The disk is full, or failed. */
  | "disk"
  /** The store is closing or closed. */
  | "closed"
  /** An upload took so long that the store deleted the file before a record referenced it. */
  | "gone"
  /** The store stopped a statement at the deadline of its request. */
  | "late"
  /** A constraint of an existing table, which the document does not have, rejects the change. */
  | "constraint"
  /** A row of another program refers to the record. */
  | "referenced";

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  /** Why the data does not fit the document: sentences, each with the number of affected records. */
  readonly differences: readonly string[];

  constructor(kind: StoreErrorKind, message: string, differences: readonly string[] = [], cause?: unknown) {
    super([message, ...differences.map((one) => `  ${one}`)].join("\n"), { cause });
    this.name = "StoreError";
    this.kind = kind;
    this.differences = differences;
  }
}

const passing: readonly StoreErrorKind[] = ["busy", "unreachable", "closed", "gone", "late"];

const lasting: readonly StoreErrorKind[] = ["disk", "not-accessible"];

/** Whether an error lasts until an operator acts: a full or failing disk, a read-only database server, a rejected login. */
export function isLasting(thrown: unknown): boolean {
  return thrown instanceof StoreError && lasting.includes(thrown.kind);
}

/** Whether the store stopped a statement at its deadline and rolled back its transaction. */
export function isLate(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.kind === "late";
}

/** Whether the statement exceeded its deadline, or an expression its steps: a retry on a thread would not succeed either. */
export function tookTooLong(thrown: unknown): boolean {
  return isLate(thrown) || thrown instanceof TooManySteps;
}

/** Returns by what an existing table rejects a change; undefined for other errors. */
export function rejectionOf(thrown: unknown): "constraint" | "referenced" | undefined {
  if (!(thrown instanceof StoreError)) return undefined;
  return thrown.kind === "constraint" || thrown.kind === "referenced" ? thrown.kind : undefined;
}

/** Whether the stored data is corrupt. */
export function isDamage(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.kind === "corrupt";
}

/**
 * Whether a retry may succeed: the store is locked, unreachable or closing, an upload expired, or an expression needs too many
 * steps for the current records.
 */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof TooManySteps || (thrown instanceof StoreError && passing.includes(thrown.kind));
}
