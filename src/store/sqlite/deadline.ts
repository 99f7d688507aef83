/**
 * How a statement of SQLite ends before its end: `node:sqlite` can neither interrupt one nor follow its progress, but a
 * function that throws ends the statement that calls it. So each statement that may go through many rows calls
 * `nonet_deadline` for each of them, with a column of the row: SQLite asks a condition that depends on nothing only once.
 */
import { StoreError } from "../port/error.ts";

/** The condition, always true, for the row that the column is of; it is to be the first one of its WHERE. */
export function stopAt(column: string): string {
  return `nonet_deadline(${column})`;
}

/** As `stopAt`, for every 64th row: for rows that cost little each. */
export function stopSometimes(sequence: string): string {
  return `(${sequence} & 63 <> 0 OR ${stopAt(sequence)})`;
}

/** Whether a statement can be stopped: it goes through as many rows as there are. */
export function canStop(sql: string): boolean {
  return sql.includes("nonet_deadline(");
}

/** When statements of a connection are stopped. */
export interface Stop {
  /** A moment of `performance.now()`; never, where it is infinite. */
  at: number;
}

/** @throws StoreError `late` from the moment on. */
export function checkStop({ at }: Stop): void {
  if (performance.now() > at) throw new StoreError("late", "it was stopped at its deadline");
}

/** A prepared read; `stops`: it goes through as many rows as there are, and so can be stopped. */
export interface Stoppable<A extends readonly unknown[], T> {
  readonly stops: boolean;
  readonly run: (...args: A) => T;
}
