/** The suite of every store, on a real server. */
import { after, before } from "node:test";
import { type PostgresServer, startPostgres } from "../../../test/postgres/server.ts";
import { contract } from "../contract.ts";
import { openPostgresStore } from "./open.ts";

let server: PostgresServer;
let schemas = 0;

before(async () => {
  server = await startPostgres();
});

after(() => server[Symbol.asyncDispose]());

contract(
  "postgres",
  (options) => openPostgresStore({ address: `${server.address}?schema=contract_${(schemas += 1)}`, ...options }),
  { inTurn: false },
);
