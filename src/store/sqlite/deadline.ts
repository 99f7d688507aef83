/**
 * Stops SQLite statements at a deadline. `node:sqlite` can neither interrupt a statement nor report progress, but an exception of
 * a custom function ends the statement. So each statement that may scan many rows calls `nonet_deadline` per row, with a column
 * as its argument: SQLite evaluates a condition without columns only once.
 */
import { StoreError } from "../port/error.ts";

/** Returns a condition that is always true or throws; it must be the first of its WHERE. */
export function stopAt(column: string): string {
  return `nonet_deadline(${column})`;
}

/** Returns a condition like `stopAt` that only tests every 64th row, for rows that take little time. */
export function stopSometimes(sequence: string): string {
  return `(${sequence} & 63 <> 0 OR ${stopAt(sequence)})`;
}

/** Whether the statement may scan many rows, and so checks the deadline. */
export function canStop(sql: string): boolean {
  return sql.includes("nonet_deadline(");
}

/** The deadline of a connection's statements. */
export interface Stop {
  /** The deadline as a time of `performance.now()`; infinite: no deadline. */
  at: number;
}

/** Checks the deadline. @throws StoreError `late` after it. */
export function checkStop({ at }: Stop): void {
  if (performance.now() > at) throw new StoreError("late", "it was stopped at its deadline");
}

/** A prepared read. `stops`: it may scan many rows, and checks the deadline. */
export interface Stoppable<A extends readonly unknown[], T> {
  readonly stops: boolean;
  readonly run: (...args: A) => T;
}
