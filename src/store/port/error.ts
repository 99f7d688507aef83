/**
 * What can go wrong with durable state that neither the document nor a request is to blame for: the file, the disk,
 * another process, or data that a changed document no longer fits.
 */
import { TooManySteps } from "../../expression/evaluate.ts";

export type StoreErrorKind =
  /** There is no such folder. */
  | "missing-folder"
  /** It may not be read or written, or is no file. */
  | "not-accessible"
  /** It is no database, or one that something else made. */
  | "not-ours"
  | "corrupt"
  /** A newer release of Nonet wrote it. */
  | "too-new"
  /** What it holds does not fit the document; `differences` says where. */
  | "incompatible"
  /** Another process holds the file's write lock for longer than is waited. A request may be tried again (R7.4). */
  | "busy"
  /** The server that holds the data does not answer. */
  | "unreachable"
  /** The disk is full, or failed. */
  | "disk"
  /** The store is closing or closed. */
  | "closed"
  /** A file was on its way for so long that it was cleared before a record had it. */
  | "gone"
  /** A statement was stopped at the deadline of the request that it is for. */
  | "late";

export class StoreError extends Error {
  readonly kind: StoreErrorKind;
  /** Each in a sentence, with how many records are concerned. */
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

/** A disk that is full or fails, a server that takes no writes or lets nobody in: it lasts until somebody has seen to it. */
export function isLasting(thrown: unknown): boolean {
  return thrown instanceof StoreError && lasting.includes(thrown.kind);
}

/** A statement was stopped at its deadline; nothing of its transaction was kept. */
export function isLate(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.kind === "late";
}

/** It was stopped at its deadline, or at the steps that an expression may take: on a thread it would end no better. */
export function tookTooLong(thrown: unknown): boolean {
  return isLate(thrown) || thrown instanceof TooManySteps;
}

/** What is stored cannot be read any more. */
export function isDamage(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.kind === "corrupt";
}

/**
 * A store that is held by another process, is away or is closing, a file that came too long ago, an expression that takes
 * too many steps on what the records are now: it may be done later.
 */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof TooManySteps || (thrown instanceof StoreError && passing.includes(thrown.kind));
}
