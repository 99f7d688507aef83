/** Several processes of the real command on the same data, which tests may kill, with clients and streams on any of them. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pass } from "node:timers/promises";
import { keyCredentials, keyMilliseconds, mintKey } from "../../src/runtime/auth/mint.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { freePort } from "../free-port.ts";
import { type Client, createClient, type Observer, type Reply, type Sent } from "../serve/client.ts";
import { follow, type Follower, type Sent as Event } from "../serve/follower.ts";
import { planOf } from "../serve/running.ts";
import { finished, nonet, root, type Running } from "./process.ts";

export const fleetDocument: string = join(root, "test", "serve", "documents", "fleet.md");

export interface FleetOptions {
  readonly folder: string;
  /** As `--data` has it. */
  readonly data: string;
  readonly more?: readonly string[];
  /** Told of every reply. */
  readonly observe?: Observer;
}

export interface Replica {
  readonly port: number;
  readonly client: Client;
  readonly running: Running;
  start(document?: string): Promise<void>;
  /** Starts another one beside it that does not come to serve, and gives what it says. */
  refuses(document: string): Promise<string>;
  kill(): Promise<void>;
  /** Asks it to stop, and gives its exit code. */
  stop(): Promise<number | string>;
}

/** One that is not started yet, with a port that is its own. */
export async function replicaOf(
  t: TestContext,
  { folder, data, more = [], observe = () => {} }: FleetOptions,
): Promise<Replica> {
  const port = await freePort();
  const client = createClient(port, observe);
  t.after(() => client[Symbol.dispose]());
  let running: Running | undefined;
  const present = (): Running => running ?? assert.fail("it was never started");
  return {
    port,
    client,
    get running() {
      return present();
    },
    async start(document = fleetDocument) {
      const args = ["serve", document, "--data", data, "--port", String(port), "--webhooks-to-loopback", ...more];
      running = nonet(t, args, { folder });
      await running.says(/ at http:\/\/127\.0\.0\.1:\d+/);
    },
    async refuses(document) {
      const args = ["serve", document, "--data", data, "--port", "0"];
      const { code, output } = await finished(t, args, { folder });
      assert.notEqual(code, 0, output);
      return output;
    },
    async kill() {
      present().signal("SIGKILL");
      await present().ended;
    },
    async stop() {
      present().signal("SIGTERM");
      return present().ended;
    },
  };
}

/** Keys of the data, as `nonet key` makes and ends them. */
export interface Keys extends AsyncDisposable {
  create(user: string): Promise<string>;
  revoke(user: string): Promise<void>;
}

export async function keysOf(address: string): Promise<Keys> {
  const plan = planOf(readFileSync(fleetDocument, "utf8"));
  const store = await openPostgresStore({ address, tables: plan.tables, clock: Date.now });
  const [credential] = keyCredentials(plan);
  assert.ok(credential);
  const { keys } = store;
  const clock = { now: Date.now };
  return {
    async create(user) {
      const minting = { user, roles: ["worker"], credential, milliseconds: keyMilliseconds(credential) };
      return (await mintKey(keys, minting, clock, randomBytes)).secret;
    },
    async revoke(user) {
      for (const key of await keys.list()) if (key.user === user) await keys.revoke(key.id, Date.now());
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
}

/** One of those in the list. */
export function anyOf<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}

/** For how long a client asks again. */
const patience = 60_000;

/**
 * Sends a request to one process after another, with one key, until it is answered by what is no failure of the process's: as a
 * client does behind a balancer. A 500 fails the test, and so does a 503 that does not say when to come again.
 */
export async function sendToAny(replicas: readonly Replica[], random: () => number, sent: Sent): Promise<Reply> {
  for (const ends = performance.now() + patience; performance.now() < ends; ) {
    const reply = await anyOf(replicas, random)
      .client.send(sent)
      .catch(() => undefined);
    if (reply !== undefined) {
      if (reply.status >= 500) assert.equal(reply.status, 503, reply.text);
      if (reply.status === 503) assert.match(reply.headers["retry-after"] ?? "", /^\d+$/);
      const isBusy = reply.status === 409 && reply.text.includes("idempotency-key-in-use");
      if (reply.status < 500 && !isBusy) return reply;
    }
    await pass(5 + random() * 45);
  }
  return assert.fail(`nobody ever answered ${sent.method} ${sent.path}`);
}

export interface Told {
  readonly id: string;
  readonly type: string;
  readonly job: string;
  readonly ref: string;
}

/** Follows one process's stream, again and again where it ends, after what was told last. */
export interface Watching {
  readonly told: readonly Told[];
  /** How often it was followed. */
  readonly times: number;
  stop(): Promise<void>;
}

export function watch({ port }: Replica, key: string): Watching {
  const told: Told[] = [];
  let times = 0;
  let last: string | undefined;
  let stopped = false;
  let current: Follower | undefined;
  const goOn = async (): Promise<void> => {
    while (!stopped) {
      const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream", ...(last === undefined ? {} : { "last-event-id": last }) }; // biome-ignore format: short
      current = await follow(port, headers).catch(() => undefined);
      if (current?.status === 200) {
        times += 1;
        await current.ended;
        told.push(...current.events.map(toldOf));
        last = lastId(current.text) ?? last;
      }
      current?.[Symbol.dispose]();
      current = undefined;
      await pass(20);
    }
  };
  const going = goOn();
  return {
    get told() {
      return current?.status === 200 ? [...told, ...current.events.map(toldOf)] : told;
    },
    get times() {
      return times;
    },
    async stop() {
      stopped = true;
      current?.[Symbol.dispose]();
      await going;
    },
  };
}

function toldOf({ id, event, data }: Event): Told {
  assert.ok(id !== undefined && event !== undefined && data !== undefined);
  const { data: job } = JSON.parse(data) as { data: { id: string; ref: string } };
  return { id, type: event, job: job.id, ref: job.ref };
}

/** What a browser would go on after: the id of the last whole block that has one, whether or not it is an event. */
function lastId(text: string): string | undefined {
  const whole = text.slice(0, text.lastIndexOf("\n\n") + 2);
  return [...whole.matchAll(/^id: (.*)$/gm)].at(-1)?.[1];
}
