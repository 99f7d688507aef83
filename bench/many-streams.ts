/**
 * 10,000 event streams on one process: what they take, how long one event takes until all have it, whether others are served
 * meanwhile, and how long a stop takes (R1.8). The clients are processes of their own, each with an address of its own on the
 * loopback, since a process may have so many files open and an address so many ports.
 * Run: node bench/many-streams.ts (`ulimit -n 20000`); `STREAMS=1000`, `DATA=postgres://…?schema=…` for others.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { openStore } from "../src/server/open-store.ts";
import { keyCredentials, mintKey } from "../src/runtime/auth/mint.ts";
import { planOf } from "../test/serve/running.ts";

const STREAMS = Number(process.env["STREAMS"] ?? 10_000);
const CLIENTS = 4;
/** As many as one user may have with one credential. */
const PER_USER = 10;
const EVENTS = 10;
const root = join(import.meta.dirname, "..");

/** What a client process says, a line each. */
type Said =
  | { readonly kind: "open" }
  /** Epoch milliseconds at which the last of its streams had it. */
  | { readonly kind: "told"; readonly at: number }
  | { readonly kind: "closed" };

if (process.argv[2] === "client") await client(Number(process.argv[3]), process.argv[4] ?? "");
else await main();

async function client(port: number, localAddress: string): Promise<void> {
  const keys = JSON.parse(readFileSync(0, "utf8")) as readonly string[];
  const total = keys.length * PER_USER;
  const say = (said: Said): void => void process.stdout.write(`${JSON.stringify(said)}\n`);
  let [told, closed] = [0, 0];
  const open = (key: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { Accept: "text/event-stream", Authorization: `Bearer ${key}` };
      const going = request({ host: "127.0.0.1", port, localAddress, path: "/events", headers, agent: false });
      going.on("error", reject).on("response", (response: IncomingMessage) => {
        if (response.statusCode !== 200) return reject(new Error(`${response.statusCode}`));
        response.setEncoding("utf8").on("data", (chunk: string) => {
          if (!chunk.includes("data: ")) return;
          told += 1;
          if (told % total === 0) say({ kind: "told", at: Date.now() });
        });
        response.on("close", () => {
          closed += 1;
          if (closed === total) say({ kind: "closed" });
        });
        resolve();
      });
      going.end();
    });
  // Not all at once: a machine takes so many new connections at a time.
  for (const key of keys) await Promise.all(Array.from({ length: PER_USER }, () => open(key)));
  say({ kind: "open" });
}

interface Client {
  readonly process: ChildProcess;
  next(kind: Said["kind"]): Promise<Said>;
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-streams-"));
  const data = process.env["DATA"] ?? join(folder, "orders.db");
  copyFileSync(join(root, "test/serve/documents/orders.md"), join(folder, "orders.md"));
  const users = STREAMS / PER_USER;
  const [shop = "", ...keys] = await keysOf(folder, data, users);
  const args = [join(root, "src/cli.mjs"), "serve", "orders.md", "--data", data, "--port", "0", "--log", "warn"];
  const server = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const clients: Client[] = [];
  try {
    const port = await portOf(server);
    const url = `http://127.0.0.1:${port}`;
    const pid = server.pid ?? 0;
    const first = await order(url, shop);
    await pass(3000);
    const before = kilobytes(pid);
    for (let number = 0; number < CLIENTS; number += 1) {
      const mine = keys.slice((number * users) / CLIENTS, ((number + 1) * users) / CLIENTS);
      clients.push(startClient(port, `127.0.0.${number + 2}`, mine));
    }
    await Promise.all(clients.map((one) => one.next("open")));
    await pass(8000);
    const each = (kilobytes(pid) - before) / STREAMS;
    const busy = processorSeconds(pid);
    await pass(16_000);
    const idle = (processorSeconds(pid) - busy) / 16;

    let over = false;
    const [probes, reads] = [
      probe(
        () => fetch(`${url}/readyz`),
        () => over,
      ),
      probe(
        () => fetch(`${url}/orders/${first}`, { headers: { Authorization: `Bearer ${shop}` } }),
        () => over,
      ),
    ];
    const began = processorSeconds(pid);
    const latencies: number[] = [];
    for (let event = 0; event < EVENTS; event += 1) {
      const told = clients.map((one) => one.next("told"));
      const asked = Date.now();
      await order(url, shop);
      latencies.push(Math.max(...(await Promise.all(told)).map((one) => (one.kind === "told" ? one.at : 0))) - asked);
    }
    const processor = ((processorSeconds(pid) - began) * 1000) / EVENTS;
    over = true;
    const [ready, read] = await Promise.all([probes, reads]);

    const closed = clients.map((one) => one.next("closed"));
    const stopped = performance.now();
    server.kill("SIGTERM");
    const [[code]] = (await Promise.all([once(server, "exit"), ...closed])) as [[number]];
    const figures: readonly (readonly [string, string])[] = [
      ["memory of a stream, KiB", each.toFixed(1)],
      [`processor with ${STREAMS} idle, % of a core`, (idle * 100).toFixed(1)],
      [`processor for an event told to ${STREAMS}, with what is asked meanwhile, ms`, processor.toFixed(0)],
      ["until all of them have it, ms, median", at(latencies, 0.5)],
      ["until all of them have it, ms, longest", at(latencies, 1)],
      ["/readyz meanwhile, ms, p50", at(ready.milliseconds, 0.5)],
      ["/readyz meanwhile, ms, p99", at(ready.milliseconds, 0.99)],
      ["a read meanwhile, ms, p99", at(read.milliseconds, 0.99)],
      ["answers that were not 200", [...ready.others, ...read.others].join() || "none"],
      ["from SIGTERM until all are closed and it has ended, s", ((performance.now() - stopped) / 1000).toFixed(1)],
      ["exit code", String(code)],
    ];
    for (const [name, figure] of figures) console.log(`${name.padEnd(76)}${figure.padStart(8)}`);
  } finally {
    for (const one of [server, ...clients.map((each) => each.process)]) one.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

function startClient(port: number, address: string, keys: readonly string[]): Client {
  const child = spawn(process.execPath, [import.meta.filename, "client", String(port), address], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(JSON.stringify(keys));
  const waiting = new Map<string, (said: Said) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const said = JSON.parse(line) as Said;
    waiting.get(said.kind)?.(said);
  });
  return { process: child, next: (kind) => new Promise((resolve) => waiting.set(kind, resolve)) };
}

interface Probed {
  /** Of those that were 200. */
  readonly milliseconds: readonly number[];
  /** `12 503 overloaded` */
  readonly others: readonly string[];
}

async function probe(ask: () => Promise<Response>, isOver: () => boolean): Promise<Probed> {
  const milliseconds: number[] = [];
  const others = new Map<string, number>();
  while (!isOver()) {
    const began = performance.now();
    const reply = await ask();
    const { code } = (await reply.json()) as { code?: string };
    if (reply.status === 200) milliseconds.push(performance.now() - began);
    else others.set(`${reply.status} ${code}`, (others.get(`${reply.status} ${code}`) ?? 0) + 1);
    await pass(10);
  }
  return { milliseconds, others: [...others].map(([what, many]) => `${many} ${what}`) };
}

function at(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0);
}

async function portOf(server: ChildProcessByStdio<null, Readable, null>): Promise<number> {
  let output = "";
  for await (const chunk of server.stdout.setEncoding("utf8") as AsyncIterable<string>) {
    output += chunk;
    const [, port] = / at http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
    if (port === undefined) continue;
    server.stdout.resume();
    return Number(port);
  }
  throw new Error(`it does not start:\n${output}`);
}

/** One that may order, and one for each user who follows. */
async function keysOf(folder: string, data: string, users: number): Promise<readonly string[]> {
  const plan = planOf(readFileSync(join(folder, "orders.md"), "utf8"));
  const clock = { now: () => Date.now() };
  const store = await openStore(plan, data, clock);
  const [credential] = keyCredentials(plan);
  if (credential === undefined) throw new Error("the document has no keys");
  const minted: string[] = [];
  for (let user = 0; user <= users; user += 1) {
    const [name, role] = user === 0 ? ["ann", "shop"] : [`clerk-${user}`, "clerk"];
    const minting = { credential, milliseconds: 86_400_000, user: name, roles: [role] };
    minted.push((await mintKey(store.keys, minting, clock, randomBytes)).secret);
  }
  await store.close();
  return minted;
}

/** Gives its id. */
async function order(url: string, key: string): Promise<string> {
  for (;;) {
    const reply = await fetch(`${url}/orders`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ email: "x@example.com", margin: 1 }),
    });
    const made = (await reply.json()) as { id: string };
    if (reply.status === 201) return made.id;
    // A service that does not keep up says so (R8.9).
    if (reply.status !== 503) throw new Error(`${reply.status}`);
    await pass(1000);
  }
}

function kilobytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** Linux counts in hundredths of a second. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function pass(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
