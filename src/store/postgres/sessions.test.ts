/** Tests that a session ended during its renewal stays ended, in any order of commits. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type PostgresServer, startPostgres } from "../../../test/postgres/server.ts";
import { until } from "../../../test/until.ts";
import type { SessionToken } from "../port/sessions.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { type Connections, openConnections, type PgSession } from "./connection.ts";
import { createSystemTables } from "./system-tables.ts";
import { addSession, endSessions, heldSession, replaceSession, sessionStore } from "./sessions.ts";

let server: PostgresServer;
let connections: Connections;

before(async () => {
  server = await startPostgres();
  const place = parseDatabaseUrl(`${server.address}?schema=sessions&connections=6`);
  connections = openConnections(place);
  await connections.rows(`CREATE SCHEMA ${place.schema}`);
  await connections.transaction(createSystemTables);
});

after(async () => {
  await connections.close();
  await server[Symbol.asyncDispose]();
});

function token(session: string, hash: string, replaced?: number): SessionToken {
  const given = { hash, session, credential: "session", resource: "Person", user: "per_1", use: "renew", hint: "s_…" } as const; // biome-ignore format: short
  return { ...given, created: 1, expires: 1000, ...(replaced === undefined ? {} : { replaced }) };
}

/** Renews a session as a request does: a new token replaces the newest one. */
async function renew(work: PgSession, session: string): Promise<void> {
  await heldSession(work, `${session} newest`);
  replaceSession(work, `${session} newest`, 500);
  addSession(work, token(session, `${session} next`));
  await work.rows("SELECT 1");
}

function somebodyWaits(): Promise<void> {
  return until(async () => {
    const [row] = await connections.rows<[number]>("SELECT count(*)::integer FROM pg_locks WHERE NOT granted");
    return row?.[0] !== 0;
  }, "nobody waits for the renewal");
}

/** Starts `end` after the renewal has written everything, so that it has to wait. */
async function endMeanwhile(session: string, end: () => Promise<unknown>): Promise<readonly (number | undefined)[]> {
  await connections.transaction(async (work) => {
    addSession(work, token(session, `${session} former`, 1));
    addSession(work, token(session, `${session} newest`));
  });
  let ending: Promise<unknown> | undefined;
  await connections.transaction(async (work) => {
    await renew(work, session);
    ending ??= end();
    await somebodyWaits();
  });
  await ending;
  const store = sessionStore(connections);
  const all: (number | undefined)[] = [];
  for (const name of ["former", "newest", "next"]) all.push((await store.find(`${session} ${name}`))?.expires);
  return all;
}

test("what an operator ends is not renewed at the same time", async () => {
  const ended = await endMeanwhile("ses_1", async () => sessionStore(connections).end("ses_1", 0));
  assert.deepEqual(ended, [0, 0, 0]);
});

test("a token that is used again ends the session also while another is renewed", async () => {
  const ended = await endMeanwhile("ses_2", () =>
    connections.transaction(async (work) => {
      await heldSession(work, "ses_2 former");
      await endSessions(work, { session: "ses_2" }, 0);
    }),
  );
  assert.deepEqual(ended, [0, 0, 0]);
});

test("who ends all sessions of a record waits for the token that is looked at to renew one", async () => {
  await connections.transaction((work) => Promise.resolve(addSession(work, token("ses_3", "ses_3 newest"))));
  let ending: Promise<number> | undefined;
  await connections.transaction(async (work) => {
    await heldSession(work, "ses_3 newest");
    ending ??= connections.transaction((other) => endSessions(other, { credential: "session", user: "per_1" }, 0));
    await somebodyWaits();
  });
  assert.notEqual(await ending, 0);
  assert.equal((await sessionStore(connections).find("ses_3 newest"))?.expires, 0);
});
