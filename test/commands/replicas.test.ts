/**
 * Several processes of the real command on one database, which the test kills at random: no request is lost or performed twice,
 * and limits are those of one service. Seeded; `NONET_SEED` runs another seed, `NONET_SECONDS` and `NONET_KILLS` set the duration
 * and the number of kills.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { runs } from "../nightly.ts";
import type { Reply, Sent } from "../serve/client.ts";
import { anyOf, fleetDocument, type FleetOptions, keysOf, type Replica, replicaOf } from "./fleet.ts";
import { noValkey, startValkey } from "../valkey.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";
import { temporaryFolder } from "./process.ts";
import { asked, seconds, seed, underLoad } from "./under-load.ts";

const kills = Number(process.env["NONET_KILLS"] ?? runs(1, 2));

let server: PostgresServer;
let schemas = 0;

before(async () => {
  server = await startPostgres();
});

after(() => server[Symbol.asyncDispose]());

function optionsFor(t: TestContext): FleetOptions {
  return { folder: temporaryFolder(t), data: `${server.address}?schema=fleet_${(schemas += 1)}` };
}

/** Kills one at random and starts it again, so many times in this time. */
async function killSome(replicas: readonly Replica[], milliseconds: number, random: () => number): Promise<void> {
  for (let round = 0; round < kills; round += 1) {
    await pass((milliseconds / kills) * (0.2 + 0.3 * random()));
    const victim = anyOf(replicas, random);
    await victim.kill();
    await pass(random() * 300);
    await victim.start();
  }
}

const countOf = (replies: readonly Reply[], status: number): number => replies.filter((one) => one.status === status).length; // biome-ignore format: short

test(`R1.8, R3.5, R6.1, R6.4, R6.16 one of three processes is killed, ${kills} times (seed ${seed})`, async (t) => {
  await underLoad(t, optionsFor(t), (replicas, random) => killSome(replicas, seconds * 1000, random));
});

test("R1.2, R1.8, R9.2 a document that says more is brought to one process after another", async (t) => {
  const next = join(temporaryFolder(t), "fleet.md");
  const more = readFileSync(fleetDocument, "utf8")
    .replace(
      "  log: Log, create-only\n",
      "  log: Log, create-only\n  urgency: integer(0..9) = 1\n  remark?: string(1..80)\n",
    )
    .replace("  job.lapsed: Job -> lapsed\n", "  job.lapsed: Job -> lapsed\n  note.added: addNote\n");
  writeFileSync(next, more);
  const less = join(temporaryFolder(t), "fleet.md");
  writeFileSync(less, more.replace("  text: string(1..80)\n", "  words: string(1..80)\n"));
  await underLoad(t, optionsFor(t), async (replicas) => {
    const [first] = replicas;
    assert.ok(first);
    const refused = await first.refuses(less);
    assert.match(refused, /3 other processes serve the data .*Note\.text is gone/s);
    for (const replica of replicas) {
      assert.equal(await replica.stop(), 0);
      await replica.start(next);
    }
  });
});

test("R8.3, R8.7, R5.4 limits are those of one service, and a key that is revoked is refused everywhere", async (t) => {
  const options = optionsFor(t);
  await using keys = await keysOf(options.data);
  const [greedy, fast] = [await keys.create("greedy"), await keys.create("fast")];
  const replicas = await Promise.all([0, 1, 2].map(() => replicaOf(t, options)));
  await Promise.all(replicas.map((replica) => replica.start()));
  const all = (times: number, sent: (index: number) => Sent): Promise<readonly Reply[]> =>
    Promise.all(Array.from({ length: times }, (_, at) => (replicas[at % 3] as Replica).client.send(sent(at))));

  const notes = await all(60, () => asked("POST", "/notes", greedy, { body: { text: "x" } }));
  assert.deepEqual([countOf(notes, 201), countOf(notes, 403)], [25, 35]);

  const lists = await all(240, () => asked("GET", "/notes", fast));
  const [passed, refused] = [countOf(lists, 200), countOf(lists, 429)];
  assert.equal(passed + refused, 240);
  assert.ok(passed >= 120 && passed <= 123, `${passed} of 120`);

  const reads = await all(60, () => asked("GET", "/notes/not_x", fast));
  assert.equal(countOf(reads, 404), 30, "an hour's are exact");
  for (const replica of replicas) assert.equal(await replica.stop(), 0);
  await Promise.all(replicas.map((replica) => replica.start()));
  assert.equal(
    countOf(await all(9, () => asked("GET", "/notes/not_x", fast)), 429),
    9,
    "and are there after a restart",
  );

  assert.equal(countOf(await all(3, () => asked("GET", "/notes", greedy)), 200), 3);
  await keys.revoke("greedy");
  const began = performance.now();
  let replies: readonly Reply[] = [];
  while (countOf(replies, 401) < 3) {
    replies = await all(3, () => asked("GET", "/notes", greedy));
    assert.ok(performance.now() - began < 5000, "R5.4");
    await pass(20);
  }
  for (const replica of replicas) assert.equal(await replica.stop(), 0);
});

test("R8.3 with --limits processes count rates in Valkey, and each for itself while that is gone", {
  skip: noValkey,
}, async (t) => {
  const valkey = await startValkey();
  const options: FleetOptions = { ...optionsFor(t), more: ["--limits", valkey.address] };
  await using keys = await keysOf(options.data);
  const fast = await keys.create("fast");
  const replicas = await Promise.all([0, 1].map(() => replicaOf(t, options)));
  await Promise.all(replicas.map((replica) => replica.start()));
  const reads = (times: number): Promise<readonly Reply[]> =>
    Promise.all(
      Array.from({ length: times }, (_, at) => (replicas[at % 2] as Replica).client.send(asked("GET", "/notes/not_x", fast))), // biome-ignore format: short
    );
  assert.equal(countOf(await reads(40), 404), 30);
  await valkey[Symbol.asyncDispose]();
  const other = await keys.create("other");
  const alone = await Promise.all(
    replicas.flatMap(({ client }) => Array.from({ length: 40 }, () => client.send(asked("GET", "/notes/not_x", other)))), // biome-ignore format: short
  );
  assert.equal(countOf(alone, 404), 60);
  for (const { running } of replicas) assert.match(running.output, /each process counts for itself/);
  for (const replica of replicas) assert.equal(await replica.stop(), 0);
});
