/** Tests batches of transactions that commit together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { startPostgres } from "../../../test/postgres/server.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { openConnections, usualOptions } from "./connection.ts";

test("while one group waits for a row that somebody holds, the next is sent", async () => {
  await using server = await startPostgres();
  const told: string[] = [];
  const { promise: sent, resolve: isSent } = Promise.withResolvers<void>();
  const connections = openConnections(parseDatabaseUrl(`${server.address}?schema=commits&connections=6`), {
    ...usualOptions,
    exchanged: (statements) => {
      const ids = statements.map((statement) => /^UPDATE.*'(.*)'$/.exec(statement)?.[1]);
      told.push(...ids.filter((id) => id !== undefined));
      if (told.length > 0) isSent();
    },
  });
  const other = new pg.Client(server.address);
  await other.connect();
  await other.query(
    "CREATE SCHEMA commits; CREATE TABLE commits.rows (id text, n integer); INSERT INTO commits.rows VALUES ('held', 0), ('free', 0)",
  );
  // Opens two connections in advance.
  await Promise.all([1, 2].map(() => connections.transaction((work) => work.rows("SELECT 1"))));
  const raise = (id: string): Promise<void> =>
    connections.transaction(async (work) => work.send(`UPDATE rows SET n = n + 1 WHERE id = '${id}'`));
  await other.query("BEGIN; SELECT 1 FROM commits.rows WHERE id = 'held' FOR UPDATE");
  const held = raise("held");
  await sent;
  await raise("free");
  assert.deepEqual(told.slice(0, 2), ["held", "free"]);
  await other.query("COMMIT");
  await held;
  const { rows } = await other.query<{ n: number }>("SELECT n FROM commits.rows ORDER BY id");
  assert.deepEqual(
    rows.map(({ n }) => n),
    [1, 1],
  );
  await other.end();
  await connections.close();
});
