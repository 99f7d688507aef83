/**
 * Converts the violations of constraints that existing tables have and the document does not. For the store's own tables a violation
 * is a bug of Nonet, and stays what it is.
 */
import type { Table } from "../../plan/resources/types.ts";
import { StoreError } from "../port/error.ts";
import type { Store, Transaction } from "../port/store.ts";

/** Returns which constraint an error of the database is about, `referenced` for a foreign key; undefined for other errors. */
export type Classify = (thrown: unknown) => "constraint" | "referenced" | undefined;

/** Wraps the transactions of a store; returns `run` itself if there are no existing tables. */
export function withRejections(
  tables: readonly Table[],
  classify: Classify,
  run: Store["transaction"],
): Store["transaction"] {
  if (tables.every(({ adopted }) => adopted === undefined)) return run;
  return async (task, until) => {
    let used: Transaction | undefined;
    try {
      return await run((tx) => {
        used = tx;
        return task(tx);
      }, until);
    } catch (thrown) {
      const violated = classify(thrown);
      // Without a deletion it is the record that was written that refers to nothing.
      const isDeletion = used?.changes.some(({ row }) => row === undefined) === true;
      const kind = violated === "referenced" && !isDeletion ? "constraint" : violated;
      throw kind === undefined ? thrown : new StoreError(kind, (thrown as Error).message, [], thrown);
    }
  };
}
