/** The SQLite store keeps to the contract of every store. */
import { contract } from "../../../test/store/contract.ts";
import { openSqliteStore } from "./open.ts";

for (const processors of [1, 2]) {
  contract(`sqlite, processors: ${processors}`, (options) =>
    openSqliteStore({ file: ":memory:", processors, ...options }),
  );
}

// Whatever goes through many records does so on a thread, and so do the transactions that it is in.
contract("sqlite, everything long on a thread", (options) =>
  openSqliteStore({ file: ":memory:", sliceMilliseconds: -1, ...options }),
);
