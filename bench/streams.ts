/**
 * What streams cost that nothing happens on, and what one event costs that all of them are told: `nonet serve` with none,
 * beside the same with 1,000, and beside as many connections to a server by hand that only keeps answers open and writes
 * them a comment every 15 s. Run: node bench/streams.ts
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../src/server/open-store.ts";
import { keyCredentials, mintKey } from "../src/runtime/auth/mint.ts";
import { planOf } from "../test/serve/running.ts";

const STREAMS = Number(process.env["STREAMS"] ?? 1000);
/** As many as one user may have with one credential. */
const PER_USER = 10;
const SECONDS = 20;
const EVENTS = 50;
const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "bench-streams-"));
const children: ChildProcess[] = [];
/** The same held connections with nothing behind them. */
const byHand = `
  const open = new Set();
  const server = require("node:http").createServer((request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write("retry: 3000\\n\\n");
    open.add(response);
    response.on("close", () => open.delete(response));
  });
  setInterval(() => { for (const response of open) response.write(":\\n\\n"); }, 15000);
  server.listen(0, "127.0.0.1", () => console.log("at http://127.0.0.1:" + server.address().port));
`;

try {
  await main();
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

interface Server {
  readonly port: number;
  readonly pid: number;
}

async function main(): Promise<void> {
  copyFileSync(join(root, "test/serve/documents/orders.md"), join(folder, "orders.md"));
  const clerks = Array.from({ length: STREAMS / PER_USER }, (_, user) => [`clerk-${user}`, "clerk"] as const);
  const [shop = "", ...keys] = await keysOf([["ann", "shop"], ...clerks]);
  const nonet = await start([join(root, "src/cli.mjs"), "serve", "orders.md", "--data", "orders.db", "--port", "0"]);
  const bare = await start(["-e", byHand]);

  await order(nonet, shop);
  const none = await idle(nonet);
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, index) => open(nonet, keys[Math.floor(index / PER_USER)] as string)),
  );
  const many = await idle(nonet);
  const told = await tell(nonet, shop, streams);
  const bareNone = await idle(bare);
  await Promise.all(Array.from({ length: STREAMS }, () => open(bare, "")));
  const bareMany = await idle(bare);

  const each = (one: Cost, other: Cost): number => ((other.kilobytes - one.kilobytes) * 1024) / STREAMS;
  const figures: readonly (readonly [string, string])[] = [
    ["memory of a stream, KiB", (each(none, many) / 1024).toFixed(1)],
    ["memory of a connection by hand, KiB", (each(bareNone, bareMany) / 1024).toFixed(1)],
    ["ratio", (each(none, many) / each(bareNone, bareMany)).toFixed(2)],
    ["processor without a stream, % of a core", (none.share * 100).toFixed(2)],
    [`processor with ${STREAMS}`, (many.share * 100).toFixed(2)],
    [`processor with ${STREAMS} by hand`, (bareMany.share * 100).toFixed(2)],
    [`processor for an event told to ${STREAMS}, ms`, told.processor.toFixed(1)],
    ["until all of them have it, ms, median", told.latency.toFixed(1)],
  ];
  for (const [name, figure] of figures) console.log(`${name.padEnd(48)}${figure.padStart(10)}`);
}

async function start(args: readonly string[]): Promise<Server> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
    output += chunk;
    const [, port] = / ?at http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
    if (port !== undefined) {
      child.stdout.resume();
      return { port: Number(port), pid: child.pid as number };
    }
  }
  throw new Error(`it does not start:\n${output}`);
}

/** One for each user. */
async function keysOf(users: readonly (readonly [user: string, role: string])[]): Promise<readonly string[]> {
  const plan = planOf(readFileSync(join(folder, "orders.md"), "utf8"));
  const clock = { now: () => Date.now() };
  const store = await openStore(plan, join(folder, "orders.db"), clock);
  const [credential] = keyCredentials(plan);
  if (credential === undefined) throw new Error("the document has no keys");
  const minting = { credential, milliseconds: 86_400_000 };
  const minted = await Promise.all(
    users.map(([user, role]) => mintKey(store.keys, { ...minting, user, roles: [role] }, clock, randomBytes)),
  );
  await store.close();
  return minted.map(({ secret }) => secret);
}

interface Stream {
  /** Resolves with the time at which the next event has come. */
  next(): Promise<number>;
}

function open({ port }: Server, key: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { Accept: "text/event-stream", Authorization: `Bearer ${key}` };
    const going = request({ host: "127.0.0.1", port, path: "/events", headers, agent: false });
    going.on("error", reject);
    going.on("response", (response: IncomingMessage) => {
      let heard = (_: number): void => {};
      response.setEncoding("utf8").on("data", (chunk: string) => {
        if (chunk.includes("data: ")) heard(performance.now());
      });
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`));
      resolve({
        next: () =>
          new Promise((came) => {
            heard = came;
          }),
      });
    });
    going.end();
  });
}

interface Cost {
  readonly kilobytes: number;
  /** Of one core. */
  readonly share: number;
}

/** Over some seconds in which nothing is asked for, after some in which memory comes to rest. */
async function idle(server: Server): Promise<Cost> {
  await pass(5);
  const before = processorSeconds(server.pid);
  await pass(SECONDS);
  const share = (processorSeconds(server.pid) - before) / SECONDS;
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? [];
  return { kilobytes: Number(kilobytes), share };
}

async function tell(
  server: Server,
  key: string,
  streams: readonly Stream[],
): Promise<{ processor: number; latency: number }> {
  const latencies: number[] = [];
  const before = processorSeconds(server.pid);
  for (let event = 0; event < EVENTS; event += 1) {
    const all = Promise.all(streams.map((stream) => stream.next()));
    const began = performance.now();
    await order(server, key);
    latencies.push(Math.max(...(await all)) - began);
  }
  const processor = ((processorSeconds(server.pid) - before) * 1000) / EVENTS;
  return { processor, latency: latencies.sort((a, b) => a - b)[EVENTS >> 1] as number };
}

async function order({ port }: Server, key: string): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}/orders`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ email: "x@example.com", margin: 1 }),
  });
  await reply.arrayBuffer();
  // A service that does not keep up says so (R8.9).
  if (reply.status === 503) {
    await pass(1);
    return order({ port, pid: 0 }, key);
  }
  if (reply.status !== 201) throw new Error(`${reply.status}`);
}

/** Linux counts in hundredths of a second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function pass(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
