/**
 * `node bench/peers/run.ts`: Nonet beside what a user would pick instead, each as a process of its own on one core, on the
 * same store with the same durability, interleaved. README.md says what is compared, and how to read it.
 */
import { type ChildProcess, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { freePort } from "../../test/free-port.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { ask } from "../child.ts";
import { killAll, pinned, pinSelf, processorSeconds, ready, residentMb, start, stop } from "../contestants.ts";
import type { Job, Outcome } from "../load.ts";
import { median } from "../median.ts";
import { handwritten } from "./handwritten.ts";
import { install } from "./install.ts";
import { nonet } from "./nonet.ts";
import { payload } from "./payload.ts";
import { jwt, type Peer, type Store } from "./peer.ts";
import { platformatic } from "./platformatic.ts";
import { prism } from "./prism.ts";
import { creates, otherwise, requestsOf, SCENARIOS, type Scenario, type Supply } from "./work.ts";
import { zenstack } from "./zenstack.ts";

const { values: options } = parseArgs({
  options: {
    store: { type: "string", default: "postgres" },
    of: {
      type: "string",
      default: "nonet,nonet-more,handwritten,handwritten-more,platformatic,zenstack,payload,prism",
    },
    scenarios: { type: "string", default: Object.keys(SCENARIOS).join(",") },
    seconds: { type: "string", default: "0.8" },
    rounds: { type: "string", default: "5" },
    starts: { type: "string", default: "3" },
    rows: { type: "string", default: "2000" },
    connections: { type: "string", default: "32" },
    installed: { type: "string", default: join(tmpdir(), "nonet-bench-peers") },
    json: { type: "string" },
  },
});
const store = options.store as Store;
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const connections = Number(options.connections);
const scenarios = options.scenarios.split(",") as Scenario[];
const COURIERS = 4;
const SEED_SECONDS = 60;
const MOST_REQUESTS = 60_000;

interface Measurement {
  readonly rate: number;
  readonly p99Ms: number;
  /** Of the service alone, for one request. */
  readonly cpu: number;
  /** Of the database server, for one request. */
  readonly databaseCpu: number;
}
interface Runner {
  readonly name: string;
  readonly peer: Peer;
  readonly folder: string | undefined;
  readonly port: number;
  readonly supply: Supply;
  readonly server: ChildProcess;
  readonly idleMb: number;
  readonly lines: readonly string[];
  readonly startMs: number[];
  readonly measured: Map<Scenario, Measurement[]>;
}

if (store !== "sqlite" && store !== "postgres") throw new Error("--store is sqlite or postgres");
process.env["NODE_ENV"] = "production";
process.env["PEER_SECRET"] = "a secret of the bench, long enough for HS256";
const folder = mkdtempSync(join(tmpdir(), "nonet-peers-"));
// The database server has to enter it as another user.
chmodSync(folder, 0o755);
process.on("exit", () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

pinSelf();
// Its defaults: every commit is on the disk before it is answered.
await using database =
  store === "postgres" ? await startPostgres({ folder: join(folder, "postgres"), settings: [] }) : undefined;
const load = start(["bench/load.ts"], "load", true);
const known: Readonly<Record<string, () => Peer>> = {
  nonet: () => nonet(folder, false),
  "nonet-more": () => nonet(folder, true),
  handwritten: () => handwritten(false),
  "handwritten-more": () => handwritten(true),
  platformatic: () => platformatic,
  zenstack: () => zenstack,
  payload: () => payload,
  prism: () => prism(folder),
};

const runners: Runner[] = [];
for (const name of options.of.split(",")) {
  const made = name.startsWith("nonet@")
    ? () => nonet(folder, false, resolve(name.slice("nonet@".length)))
    : known[name];
  if (made === undefined) throw new Error(`there is no ${name}`);
  const runner = await prepare(name, made());
  if (runner !== undefined) runners.push(runner);
}
for (let turn = 0; turn < Number(options.starts); turn++) for (const runner of runners) await timeStart(runner, turn);
// The first round warms everybody up; it is not counted.
for (let round = 0; round <= rounds; round++) {
  for (const scenario of scenarios) {
    for (const runner of round % 2 === 0 ? runners : runners.toReversed()) {
      const measurement = await measure(runner, scenario);
      const all = runner.measured.get(scenario) ?? [];
      runner.measured.set(scenario, [...(round === 1 ? [] : all), measurement]);
    }
  }
}
print();
for (const { server } of runners) await stop(server);
await stop(load);

async function place(of: string): Promise<string> {
  const name = of.replaceAll(/\W+/g, "-");
  if (database === undefined) return join(folder, `${name}.db`);
  const client = new pg.Client(database.address);
  await client.connect();
  await client.query(`CREATE DATABASE "${name}"`);
  await client.end();
  return database.address.replace(/postgres$/, name);
}

async function startOn(
  runner: Pick<Runner, "peer" | "folder">,
  port: number,
  data: string,
): Promise<[ChildProcess, number]> {
  const server = start(runner.peer.serve(port, data), "server", false, runner.folder);
  return [server, await ready(server, port, runner.peer.keepsNothing)];
}

function prepareData({ peer, folder }: Pick<Runner, "peer" | "folder">, data: string): void {
  if (peer.prepare === undefined) return;
  execFileSync(process.execPath, peer.prepare(data), { cwd: folder, stdio: "ignore", timeout: 60_000 });
}

async function prepare(name: string, peer: Peer): Promise<Runner | undefined> {
  if (!peer.stores.includes(store)) return undefined;
  mkdirSync(options.installed, { recursive: true });
  const installed = peer.folder === undefined ? undefined : install(peer.folder, options.installed);
  const how = { peer, folder: installed };
  const data = await place(name);
  prepareData(how, data);
  const users = Array.from({ length: COURIERS }, (_, i) => `courier-${i + 1}`);
  const keyOf = peer.key;
  const keys = users.map((user) => {
    if (keyOf === undefined) return jwt(user, process.env["PEER_SECRET"] as string);
    return execFileSync(process.execPath, keyOf(data, user), { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
      .trim()
      .split(/\s+/)
      .at(-1) as string;
  });
  const port = await freePort();
  const [server] = await startOn(how, port, data);
  const idleMb = residentMb(server.pid as number);
  const supply: Supply = { keys, seeded: [], announced: [], count: 1 };
  await make(peer, supply, port, Number(options.rows), "seeded");
  await analyze(data);
  const [mine, others] = keys as [string, string];
  const lines = peer.keepsNothing === true ? [] : await otherwise(peer, port, [mine, others]);
  return { name, ...how, port, supply, server, idleMb, lines, startMs: [], measured: new Map() };
}

/** As the server would by itself within a minute: else plans are those of a table that nobody has looked at. */
async function analyze(data: string): Promise<void> {
  if (database === undefined) return;
  const client = new pg.Client(data);
  await client.connect();
  await client.query("ANALYZE");
  await client.end();
}

async function timeStart(runner: Runner, turn: number): Promise<void> {
  const data = await place(`${runner.name}-start-${turn}`);
  prepareData(runner, data);
  // Everybody makes tables when first started: what is timed is the second start.
  for (const counts of [false, true]) {
    const [server, ms] = await startOn(runner, await freePort(), data);
    await stop(server);
    if (counts) runner.startMs.push(ms);
  }
}

/** Over HTTP, untimed. */
async function make(
  peer: Peer,
  supply: Supply,
  port: number,
  count: number,
  into: "seeded" | "announced",
): Promise<void> {
  if (count <= 0) return;
  const { requests, expect, users } = creates(peer, supply, count);
  const outcome = await drive({
    port,
    connections,
    requests,
    expect,
    cycle: false,
    seconds: SEED_SECONDS,
    keepIds: true,
  });
  if (outcome.failure !== undefined) throw new Error(`seeding: ${outcome.failure}`);
  supply[into].push(...outcome.ids.map(([index, id]) => ({ id, user: users[index] as number })));
}

async function measure(runner: Runner, scenario: Scenario): Promise<Measurement> {
  const { peer, supply, port, server } = runner;
  const last = runner.measured.get(scenario)?.at(-1)?.rate;
  const cycle = scenario === "read" || scenario === "list";
  const likely = last === undefined ? 2000 : Math.ceil(last * seconds * 1.3) + connections;
  const budget = cycle ? 2000 : Math.min(likely, MOST_REQUESTS);
  const moves = scenario === "move" ? budget : scenario === "mixed" ? Math.ceil(budget / 10) : 0;
  await make(peer, supply, port, moves - supply.announced.length, "announced");
  const { requests, expect } = requestsOf(peer, supply, scenario, budget);
  const before = [processorSeconds(server.pid as number), databaseSeconds()] as const;
  const outcome = await drive({ port, connections, requests, expect, cycle, seconds, keepIds: false });
  const after = [processorSeconds(server.pid as number), databaseSeconds()] as const;
  if (outcome.failure !== undefined) throw new Error(`${runner.name}, ${SCENARIOS[scenario]}: ${outcome.failure}`);
  const each = (index: 0 | 1): number => ((after[index] - before[index]) / outcome.done) * 1e6;
  return { rate: outcome.done / outcome.elapsedSeconds, p99Ms: outcome.p99Ms, cpu: each(0), databaseCpu: each(1) };
}

function drive(job: Job): Promise<Outcome> {
  return ask(load, "the load generator", job);
}

/** Of the database server's processes, which are the children of its first; one that ended in between is missed. */
function databaseSeconds(): number {
  if (database === undefined) return 0;
  const first = readFileSync(join(folder, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0];
  const children = readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === first;
    } catch {
      return false;
    }
  });
  return children.reduce((sum, pid) => sum + (processorSeconds(Number(pid)) || 0), 0);
}

function print(): void {
  const base = runners[0] as Runner;
  console.log(`\n${store}, ${options.rows} parcels of ${COURIERS} couriers at first, ${connections} connections, ${rounds} rounds of ${seconds} s, interleaved; node ${process.version}
${pinned ? `services on core 0, load${store === "postgres" ? " and database" : ""} on core 1` : "NOT PINNED"}; ratios are ${base.name}'s rate to each, per round, and their median`);
  for (const { name, peer, lines } of runners) {
    console.log(`\n${name}`);
    for (const line of peer.differs) console.log(`  ${line}`);
    for (const line of lines) console.log(`  asked: ${line}`);
  }
  const width = Math.max(...runners.map(({ name }) => name.length));
  const row = (...cells: readonly (string | number)[]): void =>
    console.log(
      `  ${String(cells[0]).padEnd(width)} ${cells
        .slice(1)
        .map((cell) => String(cell).padStart(13))
        .join("")}`,
    );
  for (const scenario of scenarios) {
    console.log(`\n${SCENARIOS[scenario]}`);
    row("", "requests/s", "range", "nonet is ×", "p99 ms", "cpu µs", "nonet cpu ×", "database µs");
    for (const { name, measured } of runners) {
      const own = measured.get(scenario) ?? [];
      const against = base.measured.get(scenario) ?? [];
      const middle = (pick: (one: Measurement) => number): number => median(own.map(pick));
      const ratio = (pick: (one: Measurement, of: Measurement) => number): string =>
        median(own.map((one, i) => pick(one, against[i] as Measurement))).toFixed(2);
      const rates = own.map(({ rate }) => Math.round(rate));
      row(
        name,
        Math.round(middle(({ rate }) => rate)),
        `${Math.min(...rates)}–${Math.max(...rates)}`,
        ratio((one, of) => of.rate / one.rate),
        middle(({ p99Ms }) => p99Ms).toFixed(1),
        Math.round(middle(({ cpu }) => cpu)),
        ratio((one, of) => one.cpu / of.cpu),
        Math.round(middle(({ databaseCpu }) => databaseCpu)),
      );
    }
  }
  console.log("");
  row("", "start ms", "range", "MB at start", "MB at end");
  for (const { name, startMs, idleMb, server } of runners) {
    const range = `${Math.round(Math.min(...startMs))}–${Math.round(Math.max(...startMs))}`;
    row(name, Math.round(median(startMs)), range, idleMb.toFixed(0), residentMb(server.pid as number).toFixed(0));
  }
  if (options.json !== undefined) {
    const figures = runners.map(({ name, measured, startMs, idleMb, lines }) => ({
      ...{ name, startMs, idleMb, lines },
      measured: Object.fromEntries(measured),
    }));
    writeFileSync(options.json, `${JSON.stringify({ node: process.version, options, figures }, null, 2)}\n`);
  }
}
