/** One process serves a file; two can serve one PostgreSQL database, where a key executes once, on either of them (R4.19). */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { postgresForFile } from "../postgres/for-file.ts";
import type { Reply } from "./client.ts";
import { jar, labels, putCellar, start } from "./pantries-command.ts";

const { admin, server } = await postgresForFile();
const folder = mkdtempSync(join(tmpdir(), "nonet-two-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** One of two answers to the same request did it, the other is its repetition. */
function assertOneExecution(replies: readonly Reply[]): void {
  const [done, ...others] = replies.toSorted((a, b) => Number(isReplay(a)) - Number(isReplay(b)));
  assert(done && !isReplay(done));
  assert.equal(done.status, 201, done.text);
  for (const reply of others) {
    assert(isReplay(reply), "done twice");
    assert.equal(reply.status, done.status);
    assert.equal(reply.text, done.text, "byte for byte");
    assert.deepEqual(lasting(reply), lasting(done));
  }
}

function isReplay({ headers }: Reply): boolean {
  return headers["idempotent-replayed"] === "true";
}

/** Header fields that a repetition has, too. */
function lasting({ headers }: Reply): Readonly<Record<string, string>> {
  const { date: _date, "request-id": _id, "idempotent-replayed": _replayed, ...rest } = headers;
  return rest;
}

test("only one process serves a file, and the next one begins when it has ended, however it ended", async () => {
  const first = await start(folder, "alone.db");
  await putCellar(first.client);
  await assert.rejects(start(folder, "alone.db"), (thrown: Error) => {
    const why =
      "another process serves .*alone\\.db, and only one can: stop that one first, or have several serve one PostgreSQL";
    assert.match(thrown.message, new RegExp(`^ended with 2: .*${why}`, "s"));
    return true;
  });
  assert.deepEqual(await labels(first.client), []);
  first.child.kill("SIGKILL");
  await first.ended;
  const second = await start(folder, "alone.db");
  assert.ok(readdirSync(folder).includes("alone.db-serving"));
  second.child.kill("SIGTERM");
  await second.ended;
  assert.ok(!readdirSync(folder).includes("alone.db-serving"));
  for (const one of [first, second]) one[Symbol.dispose]();
});

test("R4.19 both are asked while neither can begin: one does it, the other waits and answers the same", async () => {
  const address = `${server.address}?schema=held`;
  using one = await start(folder, address);
  using other = await start(folder, address);
  await putCellar(one.client);
  await admin.query("BEGIN; LOCK TABLE held.jars IN ACCESS EXCLUSIVE MODE");
  const asked = [one, other].map(({ client }) => [client.send(jar("plum")), client.send(jar("plum"))]);
  // Of two in one process the later is refused at once: then the earlier is known to be under way there.
  for (const early of await Promise.all(asked.map((pair) => Promise.race(pair)))) assert.equal(early.status, 409);
  await admin.query("ROLLBACK");
  const replies = await Promise.all(asked.flat());
  assert.equal(replies.filter(({ status }) => status === 409).length, 2);
  assertOneExecution(replies.filter(({ status }) => status !== 409));
  for (const { client } of [one, other]) {
    assert(isReplay(await client.send(jar("plum"))));
    assert.deepEqual(await labels(client), ["plum"]);
  }
});

test("R4.19 both are asked at once, time and again: nothing is done twice, and no two answers differ", async () => {
  const address = `${server.address}?schema=raced`;
  using one = await start(folder, address);
  using other = await start(folder, address);
  await putCellar(one.client);
  const names = Array.from({ length: 40 }, (_, at) => `jar ${at}`);
  await Promise.all(
    names.map(async (name) => {
      assertOneExecution(await Promise.all([one, other].map(({ client }) => client.send(jar(name)))));
    }),
  );
  assert.deepEqual((await labels(one.client)).toSorted(), names.toSorted());
});
