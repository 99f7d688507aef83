/** Runs the contract suite of all stores on a real server. */
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import { contract } from "../../../test/store/contract.ts";
import { openPostgresStore } from "./open.ts";

const { server } = await postgresForFile();
let schemas = 0;

contract(
  "postgres",
  (options) => openPostgresStore({ address: `${server.address}?schema=contract_${(schemas += 1)}`, ...options }),
  { serial: false },
);
