/** The SQLite store keeps to the contract of every store. */
import { contract } from "../contract.ts";
import { openSqliteStore } from "./open.ts";

contract("sqlite", (options) => openSqliteStore({ file: ":memory:", ...options }));
