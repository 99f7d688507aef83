/**
 * Several processes of the real command on one database, of which one is killed now and then: nothing is lost, nothing is done
 * twice, and limits are those of one service. Seeded; `NONET_SEED` runs another seed, `NONET_SECONDS` and `NONET_KILLS` more of
 * it.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import type { Reply, Sent } from "../serve/client.ts";
import { createReceiver } from "../serve/receiver.ts";
import { seeded } from "../random.ts";
import {
  anyOf,
  fleetDocument,
  type FleetOptions,
  keysOf,
  type Replica,
  replicaOf,
  sendToAny,
  type Told,
  watch,
} from "./fleet.ts";
import { noValkey, startValkey } from "../valkey.ts";
import { type PostgresServer, startPostgres } from "../postgres/server.ts";
import { temporaryFolder } from "./process.ts";

const seed = Number(process.env["NONET_SEED"] ?? 20261122);
const seconds = Number(process.env["NONET_SECONDS"] ?? 3);
const kills = Number(process.env["NONET_KILLS"] ?? 2);
const workers = 12;

let server: PostgresServer;
let schemas = 0;

before(async () => {
  server = await startPostgres();
});

after(() => server[Symbol.asyncDispose]());

function optionsFor(t: TestContext): FleetOptions {
  return { folder: temporaryFolder(t), data: `${server.address}?schema=fleet_${(schemas += 1)}` };
}

type State = "queued" | "running" | "done" | "lapsed";

interface Job {
  readonly id: string;
  readonly ref: string;
  /** As it was answered last. */
  readonly state: State;
}

/** What becomes of a job, as events. */
const courses: Readonly<Record<Exclude<State, "queued">, readonly string[]>> = {
  running: ["job.queued", "job.started"],
  done: ["job.queued", "job.started", "job.done"],
  lapsed: ["job.queued", "job.lapsed"],
};

function asked(method: string, path: string, key: string, more: { body?: unknown; repeat?: string } = {}): Sent {
  const repeat = more.repeat === undefined ? {} : { "idempotency-key": more.repeat };
  return { method, path, headers: { authorization: `Bearer ${key}`, ...repeat }, ...(more.body === undefined ? {} : { body: more.body }) }; // biome-ignore format: short
}

/** Makes jobs, and begins and ends some of them, until it is told to stop. */
async function work(
  replicas: readonly Replica[],
  { key, log, name, isOver }: { key: string; log: string; name: string; isOver: () => boolean },
  random: () => number,
): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  const move = async (id: string, step: "start" | "end"): Promise<State> => {
    const reply = await sendToAny(replicas, random, asked("POST", `/jobs/${id}/${step}`, key, { repeat: `${step} ${id}` })); // biome-ignore format: short
    // Time may have been first.
    if (reply.status === 409) return "lapsed";
    assert.equal(reply.status, 200, reply.text);
    return (reply.json as { state: State }).state;
  };
  for (let count = 0; !isOver(); count += 1) {
    const ref = `${name} ${count}`;
    const reply = await sendToAny(replicas, random, asked("POST", "/jobs", key, { body: { ref, log }, repeat: ref }));
    assert.equal(reply.status, 201, reply.text);
    const { id } = reply.json as { id: string };
    let state: State = "queued";
    if (random() < 0.6) {
      state = await move(id, "start");
      if (state === "running" && random() < 0.8) state = await move(id, "end");
    }
    jobs.push({ id, ref, state });
  }
  return jobs;
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

const byText = (one: string, other: string): number => one.localeCompare(other);

const byJob = (told: readonly Told[]): ReadonlyMap<string, readonly string[]> =>
  new Map([...Map.groupBy(told, ({ job }) => job)].map(([job, some]) => [job, some.map(({ type }) => type)]));

async function until(what: string, isSo: () => boolean, patience = 180_000): Promise<void> {
  for (const ends = performance.now() + patience; !isSo(); await pass(20))
    if (performance.now() > ends) assert.fail(`it never came to this: ${what}`);
}

const countOf = (replies: readonly Reply[], status: number): number => replies.filter((one) => one.status === status).length; // biome-ignore format: short

/** Three processes under load while something is done to them: nothing is lost, and nothing done twice. */
async function underLoad(
  t: TestContext,
  disturb: (replicas: readonly Replica[], random: () => number) => Promise<void>,
): Promise<void> {
  const random = seeded(seed);
  const options = optionsFor(t);
  const keys = await keysOf(options.data);
  const key = await keys.create("kim");
  await keys[Symbol.asyncDispose]();
  const replicas = await Promise.all([0, 1, 2].map(() => replicaOf(t, options)));
  await Promise.all(replicas.map((replica) => replica.start()));
  await using receiver = await createReceiver();
  const made = await sendToAny(replicas, random, asked("POST", "/webhooks", key, { body: { url: receiver.url } }));
  assert.equal(made.status, 201, made.text);
  const logs = await sendToAny(replicas, random, asked("POST", "/logs", key, { body: {} }));
  const log = (logs.json as { id: string }).id;
  const watched = replicas.map((replica) => watch(replica, key));
  t.after(() => Promise.all(watched.map((one) => one.stop())));
  await until("all streams are open", () => watched.every(({ times }) => times > 0));

  let over = false;
  const began = performance.now();
  const working = Array.from({ length: workers }, (_, at) =>
    work(replicas, { key, log, name: `worker ${at}`, isOver: () => over }, seeded(seed + at)),
  );
  try {
    await disturb(replicas, random);
    await pass(Math.max(0, seconds * 1000 - (performance.now() - began)));
  } finally {
    over = true;
  }
  const jobs = (await Promise.all(working)).flat();
  assert.ok(jobs.length > workers);

  // Time is let do what is left to it, and all is told.
  const expected = new Map(jobs.map(({ id, state }) => [id, courses[state === "queued" ? "lapsed" : state]]));
  const total = [...expected.values()].reduce((sum, course) => sum + course.length, 0);
  await until(`${total} events in each stream`, () => watched.every(({ told }) => told.length >= total));
  const ids = (): ReadonlySet<string> => new Set(receiver.received.map(({ headers }) => headers["webhook-id"] ?? ""));
  await until(`${total} events at the receiver`, () => ids().size >= total);
  for (const one of watched) await one.stop();

  // Every accepted write is there, once, and time moved what was left to it, once.
  const [first, ...others] = watched;
  assert.ok(first);
  assert.equal(expected.size, jobs.length);
  assert.deepEqual(byJob(first.told), expected);
  const refs = first.told.filter(({ type }) => type === "job.queued").map(({ ref }) => ref);
  assert.deepEqual(refs.toSorted(byText), jobs.map(({ ref }) => ref).toSorted(byText));
  // Streams are told the same everywhere, each event once, across ends and kills.
  assert.equal(new Set(first.told.map(({ id }) => id)).size, total);
  for (const { told } of others) assert.deepEqual(told, first.told);
  // Webhooks: all of it, nothing else, a record's in order, by the same ids.
  assert.deepEqual(ids(), new Set(first.told.map(({ id }) => id)));
  const seen = new Set<string>();
  const came: Told[] = [];
  for (const { body, headers } of receiver.received) {
    const id = headers["webhook-id"] ?? "";
    if (seen.has(id)) continue;
    seen.add(id);
    const { type, data } = JSON.parse(body) as { type: string; data: { id: string; ref: string } };
    came.push({ id, type, job: data.id, ref: data.ref });
  }
  assert.deepEqual(byJob(came), expected);
  // Effects on another record: each counted once.
  const counted = (await sendToAny(replicas, random, asked("GET", `/logs/${log}`, key))).json;
  const ended = (course: readonly string[]): number => [...expected.values()].filter((one) => one === course).length;
  const { done, lapsed } = counted as { done: number; lapsed: number };
  assert.deepEqual([done, lapsed], [ended(courses.done), ended(courses.lapsed)]);
  const repeated = receiver.received.length - total;
  t.diagnostic(`${jobs.length} jobs, ${total} events, ${repeated} deliveries more than once, streams followed ${watched.map(({ times }) => times).join(", ")} times`); // biome-ignore format: short
  for (const replica of replicas) assert.equal(await replica.stop(), 0);
}

test(`R1.8, R3.5, R6.1, R6.4, R6.16 one of three processes is killed, ${kills} times (seed ${seed})`, async (t) => {
  await underLoad(t, (replicas, random) => killSome(replicas, seconds * 1000, random));
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
  await underLoad(t, async (replicas) => {
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
