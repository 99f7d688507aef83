/**
 * The test kills a service with all features again and again under load: confirmed writes are there, retries of unconfirmed ones
 * execute once, and interrupted background work continues (R1.8, R3.5, R4.20, R6.1). Seeded; `NONET_SEED` runs another seed,
 * `NONET_KILLS` sets the number of kills.
 */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { finishedHere, root, temporaryFolder } from "../commands/process.ts";
import { runs } from "../nightly.ts";
import { createReceiver } from "../serve/receiver.ts";
import { follow } from "./followed.ts";
import { seeded } from "../random.ts";
import { until } from "../until.ts";
import { serve } from "./service.ts";
import { add, toldOf, type Worker, work } from "./workers.ts";

const seed = Number(process.env["NONET_SEED"] ?? 20261122);
const kills = Number(process.env["NONET_KILLS"] ?? runs(2, 3));
const workers = 6;

test(`R1.8 killed ${kills} times under load with logins, files, timers, webhooks and a stream (seed ${seed})`, async (t) => {
  const folder = temporaryFolder(t);
  copyFileSync(join(root, "test/faults/workshop.md"), join(folder, "workshop.md"));
  await using receiver = await createReceiver();
  const create = ["key", "create", "workshop.md", "--user", "sam", "--role", "smith", "--credential", "key"];
  const made = await finishedHere(create, { folder });
  const smith = { "X-Key": /wk_\w+/.exec(made.output)?.[0] ?? assert.fail(made.output) };
  const next = seeded(seed);
  const all: Worker[] = Array.from({ length: workers }, (_, index) => ({ name: `w${index}`, jobs: [], ended: [] }));
  const start = () => serve(t, ["workshop.md", "--webhooks-to-loopback"], { folder });
  let service = await start();
  const hook = await service.send("POST", "/webhooks", { url: receiver.url }, smith);
  assert.equal(hook.status, 201, hook.text);
  const followed = follow(() => `${service.url}/events`, smith);
  t.after(() => followed.stop());

  for (let round = 0; round < kills; round += 1) {
    const working = Promise.all(all.map((worker) => work(service, worker, next)));
    await pass(600 + next() * 900);
    // On a busy machine passwords are not even hashed by then, and nothing would be lost.
    await until(() => all.flatMap(({ jobs }) => jobs).filter(({ begun }) => begun).length > workers, "nothing is done");
    service.signal("SIGKILL");
    await Promise.all([working, service.ended]);
    service = await start();
  }

  const jobs = all.flatMap((worker) => worker.jobs.map((job) => ({ ...job, worker })));
  assert.ok(jobs.filter(({ begun }) => begun).length > workers);
  for (const worker of all) {
    const by = { Authorization: `Bearer ${worker.token}` };
    // What was answered is there; what was not is done now, once.
    for (const job of worker.jobs) {
      if (job.begun !== undefined) {
        assert.equal(
          (await service.send("GET", `/jobs/${job.id}`, undefined, by)).status,
          200,
          `${job.label} was answered`,
        );
      }
      await add(service, job, by);
      const { text } = await service.send("GET", `/jobs/${job.id}/photo`, undefined, by);
      assert.equal(text, job.bytes, job.label);
      await service.send("POST", `/jobs/${job.id}/begin`, undefined, {
        ...by,
        "Idempotency-Key": `begin ${job.label}`,
      });
    }
    for (const token of worker.ended.slice(-1)) {
      const { status } = await service.send("GET", "/jobs", undefined, { Authorization: `Bearer ${token}` });
      assert.equal(status, 401, "a session that was ended stays so");
    }
  }

  const told = () => toldOf(receiver.received);
  const steps = ["job.brought", "job.begun", "job.done"];
  await until(
    () => [...told().values()].filter(({ length }) => length === 3).length === jobs.length,
    "a job was not told whole",
  );
  await until(() => followed.events.length >= jobs.length * 3, "the stream has not all");
  for (const [label, types] of told()) assert.deepEqual(types, steps, label);
  assert.equal(new Set(followed.events.map(({ id }) => id)).size, jobs.length * 3, "none twice, none missed");
  assert.equal(followed.events.length, jobs.length * 3);
  await service.stop();

  const database = new DatabaseSync(join(folder, ".nonet/workshop.db"));
  const one = (sql: string): unknown => Object.values(database.prepare(sql).get() ?? {})[0];
  assert.equal(one("PRAGMA integrity_check"), "ok");
  assert.equal(one("SELECT count(*) FROM jobs WHERE state = 'done'"), jobs.length);
  assert.equal(
    one("SELECT count(*) FROM nonet_files WHERE loose IS NULL"),
    jobs.length,
    "a file for each, and no more",
  );
  assert.equal(one("SELECT count(*) FROM nonet_journal WHERE target = 'done'"), jobs.length, "each timer once");
  assert.equal(one("SELECT max(number) FROM jobs"), jobs.length, "no number is skipped");
  const quotas = database
    .prepare("SELECT used FROM nonet_counts WHERE used > 0 ORDER BY used")
    .all()
    .map(({ used }) => used);
  const counted = all.map(({ jobs: of }) => of.length).toSorted((a, b) => a - b);
  assert.deepEqual(quotas, counted, "the quota counts what there is");
  database.close();
});
