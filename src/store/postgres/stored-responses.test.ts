/** Tests concurrent requests with idempotency keys, on a real server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../../test/postgres/server.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { findResponse, saveResponse, type Unclaimed } from "./stored-responses.ts";
import { type Connections, openConnections } from "./connection.ts";
import { createSystemTables } from "./system-tables.ts";
import { purge } from "./purge.ts";

let server: PostgresServer;
let connections: Connections;

before(async () => {
  server = await startPostgres();
  connections = openConnections(parseDatabaseUrl(`${server.address}?schema=answers`));
  await connections.rows("CREATE SCHEMA answers");
  await connections.transaction(createSystemTables);
  await connections.rows("CREATE TABLE done (key text)");
});

after(async () => {
  await connections.close();
  await server[Symbol.asyncDispose]();
});

/** Performs a write with a key; returns its response and the number of attempts. */
async function request(key: string, expires = 100): Promise<{ readonly body: string; readonly tries: number }> {
  let tries = 0;
  const body = await connections.transaction(async (work) => {
    tries += 1;
    const unclaimed: Unclaimed = new Map();
    const before = await findResponse(work, unclaimed, "ann\0key", key);
    if (before !== undefined) return before.body;
    await work.rows("INSERT INTO done VALUES ($1)", [key]);
    const answer = { fingerprint: "f", status: 201, headers: { Location: "/x" }, body: `${key} ${tries}`, expires };
    saveResponse(work, unclaimed, "ann\0key", key, answer);
    return answer.body;
  });
  return { body, tries };
}

test("requests with different keys are in nobody's way", async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => request(`different ${index}`)));
  assert.deepEqual(answers.map(({ tries }) => tries), answers.map(() => 1)); // biome-ignore format: short
});

test("of those with the same key one is done, and all get its answer", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => request("same")));
  assert.equal(new Set(answers.map(({ body }) => body)).size, 1);
  assert.deepEqual(await connections.rows("SELECT count(*) FROM done WHERE key = 'same'"), [[1]]);
});

test("a claim that came to nothing is no answer, and is purged", async () => {
  await connections.transaction((work) => findResponse(work, new Map(), "ann\0key", "refused"));
  const again = await connections.transaction((work) => findResponse(work, new Map(), "ann\0key", "refused"));
  assert.equal(again, undefined);
  await purge(connections, 50);
  assert.deepEqual(await connections.rows("SELECT count(*) FROM nonet_answers WHERE expires IS NULL"), [[0]]);
  assert.equal((await request("same")).tries, 1, "what has not expired stays");
  assert.deepEqual(await connections.rows("SELECT count(*) FROM done WHERE key = 'same'"), [[1]]);
});
