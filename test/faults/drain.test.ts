/** SIGTERM under load, with streams that are followed and webhooks on their way: nothing accepted is lost, exit 0 (R1.8). */
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { finished, root, temporaryFolder } from "../commands/process.ts";
import { createReceiver } from "../serve/receiver.ts";
import { follow } from "./followed.ts";
import { seeded } from "../random.ts";
import { until } from "../until.ts";
import { serve } from "./service.ts";
import { toldOf, type Worker, work } from "./workers.ts";

test("R1.8 it is asked to stop while it is used by everybody, a receiver hangs and another is slow", async (t) => {
  const folder = temporaryFolder(t);
  copyFileSync(join(root, "test/faults/workshop.md"), join(folder, "workshop.md"));
  const made = await finished(
    t,
    ["key", "create", "workshop.md", "--user", "sam", "--role", "smith", "--credential", "key"],
    { folder },
  );
  const smith = { "X-Key": /wk_\w+/.exec(made.output)?.[0] ?? assert.fail(made.output) };
  await using slow = await createReceiver();
  await using hanging = await createReceiver();
  hanging.answer = () => "hang";
  const service = await serve(t, ["workshop.md", "--webhooks-to-loopback"], { folder });
  for (const { url } of [slow, hanging])
    assert.equal((await service.send("POST", "/webhooks", { url }, smith)).status, 201);
  const streams = Array.from({ length: 8 }, () => follow(() => `${service.url}/events`, smith));
  t.after(() => Promise.all(streams.map((each) => each.stop())));
  const workers: Worker[] = Array.from({ length: 6 }, (_, index) => ({ name: `w${index}`, jobs: [], ended: [] }));
  const next = seeded(20261122);
  const working = Promise.all(workers.map((worker) => work(service, worker, next)));
  await until(() => hanging.received.length > 0 && streams.every(({ events }) => events.length > 5), "nothing happens");
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
  const database = new DatabaseSync(join(folder, ".nonet/workshop.db"));
  const present = new Map(
    database
      .prepare("SELECT id, state FROM jobs")
      .all()
      .map(({ id, state }) => [id, state]),
  );
  assert.equal(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
  database.close();
  for (const { begun, id, label } of workers.flatMap(({ jobs }) => jobs)) {
    if (id !== undefined) assert.ok(present.has(id), `${label} was answered`);
    if (begun === true) assert.notEqual(present.get(id ?? ""), "brought", `${label} was begun`);
  }
  const again = await serve(t, ["workshop.md", "--webhooks-to-loopback"], { folder });
  const whole = (): boolean => {
    const told = toldOf(slow.received);
    return workers
      .flatMap(({ jobs }) => jobs)
      .every(({ begun, label }) => begun !== true || told.get(label)?.length === 3);
  };
  await until(whole, "an event was lost");
  await again.stop();
});
