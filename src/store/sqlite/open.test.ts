/** The SQLite store keeps to the contract of every store. */
import { contract } from "../contract.ts";
import { openSqliteStore } from "./open.ts";

for (const processors of [1, 2]) {
  contract(`sqlite, processors: ${processors}`, (options) =>
    openSqliteStore({ file: ":memory:", processors, ...options }),
  );
}
