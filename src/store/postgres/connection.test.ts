/** Tests lost connections, on a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { postgresForFile } from "../../../test/postgres/for-file.ts";
import { openWay } from "../../../test/faults/proxy.ts";
import { isPassing } from "../port/error.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { openConnections } from "./connection.ts";

const { server } = await postgresForFile();

test("a transaction whose connection is cut off between two statements is done again on another one", async () => {
  const connections = openConnections(parseDatabaseUrl(server.address));
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
    // Lets the process receive the close event.
    await connections.rows("SELECT 1");
  }
});

test("a server that is lost without a word: who waits is told, who comes later finds it again, and closing ends", async () => {
  await using way = await openWay(Number(new URL(server.address).port));
  const place = parseDatabaseUrl(server.address.replace(/:\d+\//, `:${way.port}/`));
  const connections = openConnections(place, { waitMilliseconds: 300, statementMilliseconds: 200, mostWaiting: 10 });
  const one = (): Promise<unknown> => connections.rows("SELECT 1");
  const both = (): Promise<unknown> => connections.transaction((work) => work.rows("SELECT 1"));
  await Promise.all([one(), both()]);
  way.lose();
  for (const ask of [one, both, one, both]) await assert.rejects(ask, isPassing);
  way.find();
  assert.deepEqual([await one(), await both()], [[[1]], [[1]]]);
  // An idle connection, which a lost server does not close.
  await connections.connect();
  way.lose();
  await connections.close();
});

test("a server that takes no writes is asked again on another connection, which may lead to another server", async () => {
  const connections = openConnections({ ...parseDatabaseUrl(server.address), connections: 2 });
  const pid = (): Promise<unknown> =>
    connections.transaction(async (work) => (await work.rows("SELECT pg_backend_pid()"))[0]?.[0]);
  const before = await pid();
  assert.equal(await pid(), before);
  const refused = connections.transaction(async (work) => {
    await work.rows("SET LOCAL transaction_read_only = on");
    await work.rows("CREATE TABLE never (x integer)");
  });
  await assert.rejects(refused, { name: "StoreError", kind: "not-accessible" });
  assert.notEqual(await pid(), before);
  await connections.close();
});
