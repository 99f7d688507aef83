/**
 * Three processes of the real command on one database, with clients that use all of them, while the test disturbs a process or
 * the database: no request is lost or performed twice. Seeded; `NONET_SEED` runs another seed, `NONET_SECONDS` sets the duration.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { isNightly, runs } from "../nightly.ts";
import { seeded } from "../random.ts";
import type { Sent } from "../serve/client.ts";
import { createReceiver } from "../serve/receiver.ts";
import { type FleetOptions, keysOf, type Replica, replicaOf, sendToAny, type Told, watch } from "./fleet.ts";

export const seed: number = Number(process.env["NONET_SEED"] ?? 20261122);
export const seconds: number = Number(process.env["NONET_SECONDS"] ?? runs(1, 3));
const workers = runs(6, 12);

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

export function asked(method: string, path: string, key: string, more: { body?: unknown; repeat?: string } = {}): Sent {
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
    // As fast as it can only where that is what takes the night.
    if (!isNightly) await pass(50);
  }
  return jobs;
}

const byText = (one: string, other: string): number => one.localeCompare(other);

const byJob = (told: readonly Told[]): ReadonlyMap<string, readonly string[]> =>
  new Map([...Map.groupBy(told, ({ job }) => job)].map(([job, some]) => [job, some.map(({ type }) => type)]));

async function until(what: string, isSo: () => boolean, patience = 180_000): Promise<void> {
  for (const ends = performance.now() + patience; !isSo(); await pass(20))
    if (performance.now() > ends) assert.fail(`it never came to this: ${what}`);
}

/** Three processes under load while something is done to them: nothing is lost, and nothing done twice. */
export async function underLoad(
  t: TestContext,
  options: FleetOptions,
  disturb: (replicas: readonly Replica[], random: () => number) => Promise<void>,
): Promise<void> {
  const random = seeded(seed);
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
  // Who waits for what one of them was to do would wait for long.
  const failed = Promise.all(working).then(() => assert.fail("all have stopped"));
  failed.catch(() => undefined);
  try {
    await Promise.race([disturb(replicas, random), failed]);
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
