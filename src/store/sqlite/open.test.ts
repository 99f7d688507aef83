import { contract } from "../contract.ts";
import { openSqliteStore } from "./open.ts";

contract("sqlite", (options) => openSqliteStore({ file: ":memory:", ...options }));
