/**
 * SIGTERM under load on both stores, with open streams and pending webhooks: no accepted write is lost, and the exit code is 0
 * (R1.8). An unavailable database does not delay the stop.
 */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import pg from "pg";
import { finishedHere, root, temporaryFolder } from "../commands/process.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";
import { createReceiver } from "../serve/receiver.ts";
import { follow } from "./followed.ts";
import { seeded } from "../random.ts";
import { until } from "../until.ts";
import { openWay } from "./proxy.ts";
import { serve } from "./service.ts";
import { toldOf, type Worker, work } from "./workers.ts";

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
});

after(() => server[Symbol.asyncDispose]());

/** A database of its own on the server. */
async function databaseOf(name: string): Promise<string> {
  await at(server.address, (client) => client.query(`CREATE DATABASE ${name}`));
  return server.address.replace(/postgres$/, name);
}

async function at<T>(address: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function workshopIn(t: TestContext): string {
  const folder = temporaryFolder(t);
  copyFileSync(join(root, "test/faults/workshop.md"), join(folder, "workshop.md"));
  return folder;
}

async function smithOf(t: TestContext, folder: string, data: string): Promise<Readonly<Record<string, string>>> {
  const who = ["--user", "sam", "--role", "smith", "--credential", "key"];
  const made = await finishedHere(["key", "create", "workshop.md", "--data", data, ...who], { folder });
  return { "X-Key": /wk_\w+/.exec(made.output)?.[0] ?? assert.fail(made.output) };
}

/** The state of each job by its id. */
type Jobs = ReadonlyMap<string, string>;

function jobsInFile(file: string): Jobs {
  const database = new DatabaseSync(file);
  const rows = database.prepare("SELECT id, state FROM jobs").all();
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  database.close();
  return new Map(rows.map(({ id, state }) => [String(id), String(state)]));
}

async function jobsAt(address: string): Promise<Jobs> {
  const { rows } = await at(address, (client) => client.query("SELECT id, state FROM jobs"));
  return new Map((rows as { id: string; state: string }[]).map(({ id, state }) => [id, state]));
}

for (const store of ["SQLite", "PostgreSQL"] as const) {
  test(`R1.8 (${store}) it is asked to stop while it is used by everybody, a receiver hangs and another is slow`, async (t) => {
    const folder = workshopIn(t);
    const data = store === "SQLite" ? join(folder, "workshop.db") : await databaseOf("drained");
    const smith = await smithOf(t, folder, data);
    await using slow = await createReceiver();
    await using hanging = await createReceiver();
    hanging.answer = () => "hang";
    const service = await serve(t, ["workshop.md", "--webhooks-to-loopback", "--data", data], { folder });
    for (const { url } of [slow, hanging])
      assert.equal((await service.send("POST", "/webhooks", { url }, smith)).status, 201);
    const streams = Array.from({ length: 8 }, () => follow(() => `${service.url}/events`, smith));
    t.after(() => Promise.all(streams.map((each) => each.stop())));
    const workers: Worker[] = Array.from({ length: 6 }, (_, index) => ({ name: `w${index}`, jobs: [], ended: [] }));
    const next = seeded(20261122);
    const working = Promise.all(workers.map((worker) => work(service, worker, next)));
    await until(
      () => hanging.received.length > 0 && streams.every(({ events }) => events.length > 5),
      "nothing happens",
    );
    // A body that is on its way and comes late, and one that never comes.
    const late = fetch(`${service.url}/owners`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: new ReadableStream({
        start: async (controller) => {
          controller.enqueue(new TextEncoder().encode('{"name":"late",'));
          await pass(2_000);
          controller.enqueue(new TextEncoder().encode('"password":"correct horse battery"}'));
          controller.close();
        },
      }),
      duplex: "half",
    } as RequestInit);
    await pass(300);
    const asked = performance.now();
    service.signal("SIGTERM");
    // From the first instant on, while connections are still taken (R1.2).
    await until(
      async () => (await service.send("GET", "/readyz").catch(() => undefined))?.status === 503,
      "it is still ready",
    );
    assert.equal((await late).status, 201, "what was under way is answered");
    assert.equal(await service.ended, 0, service.output);
    if (process.env["NONET_FIGURES"] !== undefined)
      console.log(`stopped after ${(performance.now() - asked).toFixed(0)} ms`);
    await working;

    // What was answered is there, and what became of it is told after the next start.
    const present = store === "SQLite" ? jobsInFile(data) : await jobsAt(data);
    for (const { begun, id, label } of workers.flatMap(({ jobs }) => jobs)) {
      if (id !== undefined) assert.ok(present.has(id), `${label} was answered`);
      if (begun === true) assert.notEqual(present.get(id ?? ""), "brought", `${label} was begun`);
    }
    const again = await serve(t, ["workshop.md", "--webhooks-to-loopback", "--data", data], { folder });
    const whole = (): boolean => {
      const told = toldOf(slow.received);
      return workers
        .flatMap(({ jobs }) => jobs)
        .every(({ begun, label }) => begun !== true || told.get(label)?.length === 3);
    };
    await until(whole, "an event was lost");
    await again.stop();
  });
}

const away = [
  { what: "ends at once when it is asked again", second: "SIGINT" },
  // What is under way takes as long as the database is given to answer: `NONET_FAULTS=all`.
  { what: "ends all the same, in time", second: undefined },
] as const;

for (const { what, second } of process.env["NONET_FAULTS"] === "all" ? away : away.slice(0, 1)) {
  test(`R1.8 it is asked to stop while PostgreSQL is away and does not say so: it ${what}`, async (t) => {
    const folder = workshopIn(t);
    const data = await databaseOf(second === undefined ? "away" : "away_twice");
    await using way = await openWay(Number(new URL(data).port));
    const through = new URL(data);
    through.port = String(way.port);
    await using receiver = await createReceiver();
    receiver.answer = () => "hang";
    const smith = await smithOf(t, folder, data);
    const service = await serve(t, ["workshop.md", "--webhooks-to-loopback", "--data", through.href, "--log", "info"], {
      folder,
    });
    const owner = { name: "ann", password: "correct horse battery" };
    const registered = await service.send("POST", "/owners", owner);
    assert.equal(registered.status, 201, registered.text);
    const by = { Authorization: `Bearer ${String(registered.json["token"])}` };
    assert.equal((await service.send("POST", "/webhooks", { url: receiver.url }, smith)).status, 201);
    const stream = follow(() => `${service.url}/events`, smith);
    t.after(() => stream.stop());
    const first = await service.send("POST", "/jobs", { label: "0" }, by);
    assert.equal(first.status, 201, first.text);
    await until(() => receiver.received.length > 0, "nothing is told");

    way.lose();
    const asked = service.send("POST", "/jobs", { label: "second" }, { ...by, "Idempotency-Key": "second" });
    asked.catch(() => undefined);
    await pass(200);
    const began = performance.now();
    service.signal("SIGTERM");
    if (second !== undefined) {
      await service.says(/stopping/);
      service.signal(second);
      assert.equal(await service.ended, second, service.output);
    } else {
      const reply = await asked;
      assert.equal(reply.status, 503, reply.text);
      assert.match(reply.headers.get("retry-after") ?? "", /^\d+$/);
      assert.equal(await service.ended, 0, service.output);
    }
    if (process.env["NONET_FIGURES"] !== undefined)
      console.log(`ended after ${(performance.now() - began).toFixed(0)} ms`);

    way.find();
    receiver.answer = () => ({ status: 204 });
    const again = await serve(t, ["workshop.md", "--webhooks-to-loopback", "--data", through.href], { folder });
    const repeated = await again.send("POST", "/jobs", { label: "second" }, { ...by, "Idempotency-Key": "second" });
    assert.equal(repeated.status, 201, repeated.text);
    await until(() => toldOf(receiver.received).size === 2, "the next process does not tell what was left");
    await again.stop();
    assert.equal((await jobsAt(data)).size, 2);
  });
}
