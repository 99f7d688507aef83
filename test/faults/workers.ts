/** Clients of `workshop.md` that use every operation with their own keys, and continue after each crash of the service. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Received } from "../serve/receiver.ts";
import type { Service } from "./service.ts";

/** What a worker has asked for; it is asked again with the same keys until it is answered. */
export interface Job {
  readonly label: string;
  readonly bytes: string;
  id?: string;
  text?: string;
  begun?: true;
}

export interface Worker {
  readonly name: string;
  token?: string;
  readonly jobs: Job[];
  /** Sessions that were ended, and were told so. */
  readonly ended: string[];
}

const bytesOf = (label: string, next: () => number): string =>
  createHash("sha256")
    .update(label)
    .digest("hex")
    .repeat(1 + Math.floor(next() * 1_500));

const password = "correct horse battery";

/** Works until the service is gone. */
export async function work(service: Service, worker: Worker, next: () => number): Promise<void> {
  const by = () => ({ Authorization: `Bearer ${worker.token ?? ""}` });
  try {
    if (worker.token === undefined) {
      const reply = await service.send(
        "POST",
        "/owners",
        { name: worker.name, password },
        { "Idempotency-Key": worker.name },
      );
      assert.equal(reply.status, 201, reply.text);
      worker.token = reply.json["token"] as string;
    }
    for (;;) {
      const job = worker.jobs.find(({ begun }) => begun === undefined) ?? newJob(worker, next);
      await add(service, job, by());
      const begun = await service.send("POST", `/jobs/${job.id}/begin`, undefined, {
        ...by(),
        "Idempotency-Key": `begin ${job.label}`,
      });
      assert.equal(begun.status, 200, begun.text);
      job.begun = true;
      if (next() < 0.1) await renew(service, worker);
    }
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
}

function newJob(worker: Worker, next: () => number): Job {
  const label = `${worker.name}-${worker.jobs.length}`;
  const job = { label, bytes: bytesOf(label, next) };
  worker.jobs.push(job);
  return job;
}

export async function add(service: Service, job: Job, by: Readonly<Record<string, string>>): Promise<void> {
  const form = new FormData();
  form.set("label", job.label);
  form.set("photo", new Blob([job.bytes], { type: "text/plain" }), "photo.txt");
  const reply = await service.send("POST", "/jobs", form, { ...by, "Idempotency-Key": job.label });
  assert.equal(reply.status, 201, reply.text);
  if (job.text !== undefined) assert.equal(reply.text, job.text, "the first answer again");
  job.text = reply.text;
  job.id = reply.json["id"] as string;
}

/** Another session, and the end of the one before. */
async function renew(service: Service, worker: Worker): Promise<void> {
  const login = await service.send("POST", "/sessions", { name: worker.name, password });
  const before = worker.token ?? "";
  worker.token = login.json["token"] as string;
  assert.ok(typeof worker.token === "string", login.text);
  const ended = await service.send("DELETE", "/sessions/current", undefined, { Authorization: `Bearer ${before}` });
  assert.equal(ended.status, 204, ended.text);
  worker.ended.push(before);
}

/** What a receiver was told of each job, each event counted once, in the order in which it first came. */
export function toldOf(received: readonly Received[]): ReadonlyMap<string, readonly string[]> {
  const seen = new Set<string>();
  const told = new Map<string, readonly string[]>();
  for (const { body, headers } of received) {
    const id = headers["webhook-id"] ?? "";
    if (seen.has(id)) continue;
    seen.add(id);
    const { data, type } = JSON.parse(body) as { type: string; data: { label: string } };
    told.set(data.label, [...(told.get(data.label) ?? []), type]);
  }
  return told;
}
