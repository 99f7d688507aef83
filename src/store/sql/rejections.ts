/**
 * Converts the violations of constraints that existing tables have and the document does not. For the store's own tables a violation
 * is a bug of Nonet, and stays what it is.
 */
import type { Table } from "../../plan/resources/types.ts";
import { StoreError } from "../port/error.ts";
import type { Store } from "../port/store.ts";

/** Returns which constraint an error of the database is about; undefined for other errors. */
export type Classify = (thrown: unknown) => "constraint" | "referenced" | undefined;

/** Wraps the transactions of a store; returns `run` itself if there are no existing tables. */
export function withRejections(
  tables: readonly Table[],
  classify: Classify,
  run: Store["transaction"],
): Store["transaction"] {
  if (tables.every(({ adopted }) => adopted === undefined)) return run;
  return async (task, until) => {
    try {
      return await run(task, until);
    } catch (thrown) {
      const kind = classify(thrown);
      throw kind === undefined ? thrown : new StoreError(kind, (thrown as Error).message, [], thrown);
    }
  };
}
