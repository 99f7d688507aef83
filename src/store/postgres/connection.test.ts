/** Connections that are lost, on a real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../../test/postgres/server.ts";
import { placeFrom } from "./address.ts";
import { openConnections } from "./connection.ts";

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
});

after(() => server[Symbol.asyncDispose]());

test("a transaction whose connection is cut off between two statements is done again on another one", async () => {
  const connections = openConnections(placeFrom(server.address));
  let tries = 0;
  const value = await connections.transaction(async (work) => {
    const [row] = await work.rows<[number]>("SELECT pg_backend_pid()");
    tries += 1;
    if (tries === 1) {
      await connections.rows("SELECT pg_terminate_backend($1)", [row?.[0] ?? 0]);
      await gone(row?.[0] ?? 0);
    }
    return (await work.rows<[number]>("SELECT 42"))[0]?.[0];
  });
  assert.deepEqual([value, tries], [42, 2]);
  await connections.close();

  async function gone(pid: number): Promise<void> {
    const sql = "SELECT 1 FROM pg_stat_activity WHERE pid = $1";
    while ((await connections.rows(sql, [pid])).length > 0);
    // The process has its turn to hear of it.
    await connections.rows("SELECT 1");
  }
});
