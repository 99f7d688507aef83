/** Runs the contract suite of all stores on the SQLite store. */
import { contract } from "../../../test/store/contract.ts";
import { openSqliteStore } from "./open.ts";

for (const processors of [1, 2]) {
  contract(`sqlite, processors: ${processors}`, (options) =>
    openSqliteStore({ file: ":memory:", processors, ...options }),
  );
}

// Runs all long statements, and their transactions, on threads.
contract("sqlite, everything long on a thread", (options) =>
  openSqliteStore({ file: ":memory:", sliceMilliseconds: -1, ...options }),
);
