/**
 * `npm run bench`: measures the served flagship example beside the hand-written service, interleaved in one run, each
 * server in its own process on one core and the load generator on the other. Prints a table; README.md says how to
 * read it. Everything is on the loopback interface, bounded in count and time, and ends its processes by itself.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../test/free-port.ts";
import { ask } from "./child.ts";
import {
  answersBeside,
  CONTESTANTS,
  type Contestant,
  contestantOf,
  createKey,
  killAll,
  pinned,
  pinSelf,
  processorSeconds,
  ready,
  residentMb,
  start,
  stop,
  surroundServers,
} from "./contestants.ts";
import type { Answers, ReadyAnswer } from "./floor.ts";
import { openHook } from "./hook.ts";
import type { Job, Outcome } from "./load.ts";
import { median } from "./median.ts";
import { sameWork } from "./same-work.ts";
import { flushMilliseconds, slowFlush } from "./slow-flush.ts";
import {
  announcements,
  type Drive,
  dropOffs,
  forwards,
  emptySupply,
  lists,
  mixed,
  oldReads,
  reads,
  type Supply,
  supplyLockers,
  supplyParcels,
} from "./supply.ts";

const HELP = `npm run bench -- [options]
  --of a,b,…           who runs, out of ${Object.keys(CONTESTANTS).join(", ")}; the same name twice checks the bench itself
                       or nonet@FOLDER, as it stands in another worktree (default nonet,handwritten,handwritten-normal);
                       floor-nonet and floor-node answer what the first of the others does, and only reads
  --only a             the same as --of a
  --base a             whom the ratios are against (default handwritten)
  --scenarios a,b,…    read, list, create, move, old, mixed, handler, webhook (default all)
  --seconds N          length of one measurement (default 1.5)
  --rounds N           measurements of each scenario (default 9)
  --warm-up N          rounds before those, which are not counted (default 3)
  --connections N      (default 32)
  --per-second N       requests fall due so often, at random, however long the answers take, which counts from then on: what
                       the p99 is at the same load (default: each connection asks anew when it has its answer)
  --starts N           (default 5)
  --profile FOLDER     samples what the servers do while they are measured, with Linux's perf: FOLDER/NAME-SCENARIO.data
  --flush-ms N         every flush to the disk takes so much longer, for all (default 0; needs Linux and a C compiler)
  --rows N             parcels that are there before the first round (default 10000)
  --couriers N         users that own them in equal parts (default 10)
  --writes N           creates or moves in one measurement, at most (default 30000)
  --strict             ends with 1 if a contestant does not do all of the work
  --self-check         measures the load generator against a bare socket server, and nothing else
  --json FILE          writes every figure there`;

const { values: options } = parseArgs({
  options: {
    of: { type: "string", default: "nonet,nonet-package,handwritten,handwritten-normal" },
    only: { type: "string" },
    base: { type: "string", default: "handwritten" },
    scenarios: { type: "string", default: "read,list,create,move,old,mixed,handler,webhook" },
    seconds: { type: "string", default: "1.5" },
    rounds: { type: "string", default: "9" },
    "warm-up": { type: "string", default: "3" },
    connections: { type: "string", default: "32" },
    "per-second": { type: "string" },
    rows: { type: "string", default: "10000" },
    starts: { type: "string", default: "5" },
    profile: { type: "string" },
    "flush-ms": { type: "string", default: "0" },
    couriers: { type: "string", default: "10" },
    writes: { type: "string", default: "30000" },
    strict: { type: "boolean", default: false },
    "self-check": { type: "boolean", default: false },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const whole = (
  name: "starts" | "rounds" | "warm-up" | "per-second" | "connections" | "rows" | "couriers" | "writes",
  most: number,
): number => {
  const value = Number(options[name]);
  if (!Number.isInteger(value) || value < 1 || value > most) usage(`--${name} is a whole number from 1 to ${most}`);
  return value;
};
const seconds = Number(options.seconds);
if (!(seconds >= 0.2 && seconds <= 60)) usage("--seconds is from 0.2 to 60");
const flushMs = Number(options["flush-ms"]);
if (!(flushMs >= 0 && flushMs <= 100)) usage("--flush-ms is from 0 to 100");
const rounds = whole("rounds", 100);
const warmUps = whole("warm-up", 100);
const perSecond = options["per-second"] === undefined ? undefined : whole("per-second", 50_000);
const starts = whole("starts", 100);
const connections = whole("connections", 1000);
const rows = whole("rows", 1_000_000);
const couriers = whole("couriers", 1000);
const writes = whole("writes", 200_000);

type Scenario = "read" | "list" | "create" | "move" | "old" | "mixed" | "handler" | "webhook";
const SCENARIOS: Readonly<Record<Scenario, string>> = {
  read: "read one parcel",
  list: "list of 50 parcels",
  create: "create (announceParcel)",
  move: "move (dropOff)",
  old: "read one parcel, in the version before",
  mixed: "mixed (15 reads, 2 lists, 2 creates, 1 move)",
  handler: "handler (reads one record, writes one)",
  webhook: "create with a webhook (its event to one endpoint, signed; processor time until all have come)",
};

/** What a floor has answers for. */
const ANSWERED = { read: reads, list: lists, old: oldReads };

interface Measurement {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicroseconds: number;
  readonly done: number;
  /** Events that came at the endpoint, from the first create to the last event, in a second. */
  readonly deliveries?: number;
}

interface Runner {
  readonly name: string;
  readonly contestant: Contestant;
  readonly port: number;
  readonly data: string;
  readonly supply: Supply;
  readonly measured: Record<Scenario, Measurement[]>;
  readonly startMs: number[];
  readonly notDone: string[];
  server: ChildProcess;
  idleMb: number;
  loadedMb: number;
}

if (options.help) usage();
const folder = mkdtempSync(join(tmpdir(), "parcel-bench-"));
const diskMs = flushMilliseconds(folder);
const slow = slowFlush(flushMs, folder);
surroundServers(slow.environment);
process.on("exit", () => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

try {
  pinSelf();
  process.exit(options["self-check"] ? await selfCheck() : await compare());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function compare(): Promise<number> {
  const names = (options.only ?? options.of).split(",");
  const scenarios = options.scenarios.split(",") as Scenario[];
  for (const name of names) if (contestantOf(name) === undefined) usage(`there is no ${name}`);
  for (const name of scenarios) if (!Object.hasOwn(SCENARIOS, name)) usage(`there is no scenario ${name}`);

  const load = start(["bench/load.ts"], "load", true);
  const receiver = start(["bench/receiver.ts"], "load", true);
  const runners: Runner[] = [];
  const inOrder = names.toSorted(floorsLast);
  for (const [index, name] of inOrder.entries())
    runners.push(await (isFloor(name) ? prepareFloor(name, runners[0], load) : prepare(name, index, inOrder, load)));
  printHeader(runners);
  await timeStarts(runners);

  // The first rounds warm everybody up and tell how many writes a measurement uses; they are not counted.
  for (let round = 0; round < warmUps + rounds; round++) {
    const order = round % 2 === 0 ? runners : runners.toReversed();
    for (const scenario of scenarios) {
      for (const runner of order) {
        if (runner.contestant.floor && !Object.hasOwn(ANSWERED, scenario)) continue;
        const measurement = await measure(runner, scenario, round < warmUps, receiver);
        runner.measured[scenario].push(measurement);
      }
    }
  }
  for (const runner of runners) {
    for (const scenario of scenarios) runner.measured[scenario].splice(0, warmUps);
    runner.loadedMb = residentMb(runner.server.pid as number);
    await stop(runner.server);
  }
  await stop(load);
  await stop(receiver);
  printTable(runners, scenarios);
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(asJson(runners), null, 2)}\n`);
  return options.strict && runners.some(({ notDone }) => notDone.length > 0) ? 1 : 0;
}

/** Makes keys, starts the server, seeds it, and starts it again as it will be measured. */
async function prepare(name: string, index: number, names: readonly string[], load: ChildProcess): Promise<Runner> {
  const contestant = contestantOf(name) as Contestant;
  contestant.make?.();
  const twin = names.indexOf(name) === index ? "" : ` (${index + 1})`;
  const data = join(folder, `${index}.db`);
  const port = await freePort();
  const operator = createKey(contestant, data, "operator-1", "operator");
  const keys = Array.from({ length: couriers }, (_, i) => createKey(contestant, data, `courier-${i + 1}`, "courier"));
  const drive: Drive = (job) => driveLoad(load, { ...job, port, connections });
  const supply = emptySupply(operator, keys, drive);

  const seeding = start(contestant.serve(port, data, true), "server", false, contestant.folder);
  await ready(seeding, port);
  await supplyParcels(supply, rows, "seeded");
  const courier = keys[0] as string;
  const otherCourier = keys[1] ?? createKey(contestant, data, "courier-other", "courier");
  const notDone = await sameWork(port, { operator, courier, otherCourier });
  await stop(seeding);

  const server = start(contestant.serve(port, data, false), "server", false, contestant.folder);
  await ready(server, port);
  const measured = { read: [], list: [], create: [], move: [], old: [], mixed: [], handler: [], webhook: [] };
  const idleMb = residentMb(server.pid as number);
  return {
    name: name + twin,
    ...{ contestant, port, data, supply, measured, notDone, server, idleMb },
    startMs: [],
    loadedMb: Number.NaN,
  };
}

function isFloor(name: string): boolean {
  return contestantOf(name)?.floor === true;
}

function floorsLast(one: string, other: string): number {
  return Number(isFloor(one)) - Number(isFloor(other));
}

/** It is asked what the first one is asked, and answers what that one has answered once. */
async function prepareFloor(name: string, first: Runner | undefined, load: ChildProcess): Promise<Runner> {
  if (first === undefined) usage(`${name} answers what another one does, so it is not alone`);
  const contestant = contestantOf(name) as Contestant;
  const { data, supply } = first;
  const answers: Answers = {
    read: await answerOf(first.port, ANSWERED.read(supply)),
    list: await answerOf(first.port, ANSWERED.list(supply)),
    old: await answerOf(first.port, ANSWERED.old(supply)),
  };
  writeFileSync(answersBeside(data), JSON.stringify(answers));
  const port = await freePort();
  const server = start(contestant.serve(port, data, false), "server", false);
  await ready(server, port);
  const drive: Drive = (job) => driveLoad(load, { ...job, port, connections });
  const measured = { read: [], list: [], create: [], move: [], old: [], mixed: [], handler: [], webhook: [] };
  return {
    ...{ name, contestant, port, data, supply: { ...supply, drive }, measured, notDone: [], server },
    startMs: [],
    idleMb: residentMb(server.pid as number),
    loadedMb: Number.NaN,
  };
}

/** What it answers to the first of these requests, without the fields that any server writes itself. */
function answerOf(port: number, [asked = ""]: readonly string[]): Promise<ReadyAnswer> {
  const [line = "", ...fields] = asked.trimEnd().split("\r\n");
  const headers = Object.fromEntries(fields.map((field) => field.split(": ", 2) as [string, string]));
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path: line.split(" ")[1], headers, agent: false }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (body += piece));
      answer.on("end", () => resolve({ headers: withoutFraming(answer.rawHeaders), body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

function withoutFraming(raw: readonly string[]): readonly string[] {
  const own = ["content-length", "date", "connection", "keep-alive"];
  return raw.filter((_, at) => !own.includes((raw[at - (at % 2)] as string).toLowerCase()));
}

/** From starting the process to the first 200 of /readyz, on a copy of nothing: an empty file, in turn. */
async function timeStarts(runners: readonly Runner[]): Promise<void> {
  for (let turn = 0; turn < starts; turn++) {
    for (const [index, runner] of runners.entries()) {
      const port = await freePort();
      const server = start(
        runner.contestant.serve(port, join(folder, `start-${index}-${turn}.db`), false),
        "server",
        false,
        runner.contestant.folder,
      );
      runner.startMs.push(await ready(server, port));
      await stop(server);
    }
  }
}

async function measure(
  runner: Runner,
  scenario: Scenario,
  warmUp: boolean,
  receiver: ChildProcess,
): Promise<Measurement> {
  const { port, supply, server } = runner;
  const creates = scenario === "create" || scenario === "webhook";
  const last = runner.measured[scenario].at(-1)?.rate;
  const likely = last === undefined ? 3000 : Math.ceil(last * seconds * 1.25) + connections;
  const budget = Math.min(writes, likely);
  if (creates) await supplyLockers(supply, budget);
  if (scenario === "move") await supplyParcels(supply, budget, "announced");
  const inMix = Math.ceil((budget * 3) / 20) + 3;
  if (scenario === "mixed") await supplyParcels(supply, inMix, "announced");
  if (scenario === "mixed") await supplyLockers(supply, inMix);
  const made = creates ? announcements(supply, budget) : [];
  const requestsOf: Readonly<Record<Scenario, () => string[]>> = {
    read: () => reads(supply),
    old: () => oldReads(supply),
    list: () => lists(supply),
    create: () => made.map(({ request }) => request),
    move: () => dropOffs(supply, budget),
    mixed: () => mixed(supply, inMix),
    handler: () => forwards(supply, budget),
    webhook: () => made.map(({ request }) => request),
  };
  const requests = requestsOf[scenario]();
  const profiled = warmUp ? undefined : profile(runner, scenario);
  const hook = scenario === "webhook" ? await openHook(receiver, port, supply.operator) : undefined;
  slow.turn(true);
  const begun = Date.now();
  const cpu = processorSeconds(server.pid as number);
  const outcome = await supply.drive({
    requests,
    ...(perSecond === undefined ? {} : { perSecond }),
    cycle: ["read", "old", "list"].includes(scenario),
    seconds: warmUp ? Math.min(1, seconds) : seconds,
    expect: scenario === "mixed" ? "2xx" : creates ? 201 : 200,
    keepIds: creates,
  });
  const came = await hook?.drained(outcome.done);
  const cpuMicroseconds = ((processorSeconds(server.pid as number) - cpu) / outcome.done) * 1e6;
  slow.turn(false);
  profiled?.kill("SIGINT");
  if (outcome.failure !== undefined) throw new Error(`${runner.name}, ${SCENARIOS[scenario]}: ${outcome.failure}`);
  // Lockers of announcements that were not sent any more stay out of use: it is not known which of the last were taken.
  if (came !== undefined && (came.events !== outcome.done || came.repeated + came.unsigned > 0))
    throw new Error(`${runner.name}: of ${outcome.done} events came ${JSON.stringify(came)}`);
  if (creates) {
    supply.announced.push(...outcome.ids.map(([index, id]) => ({ id, key: made[index]?.key as string })));
  }
  const { done, elapsedSeconds, p50Ms, p99Ms } = outcome;
  const deliveries = came === undefined ? {} : { deliveries: (done / (came.lastAt - begun)) * 1000 };
  return { rate: done / elapsedSeconds, p50Ms, p99Ms, cpuMicroseconds, done, ...deliveries };
}

/** The servers have to be started with `NODE_OPTIONS=--perf-basic-prof`, or JavaScript has no names in it. */
function profile({ name, server }: Runner, scenario: Scenario): ChildProcess | undefined {
  if (options.profile === undefined) return undefined;
  const file = join(options.profile, `${name.replaceAll(/\W+/g, "-")}-${scenario}.data`);
  const args = ["record", "-q", "-e", "cpu-clock", "-F", "1999", "-g", "-p", String(server.pid), "-o", file];
  return spawn("perf", args, { stdio: "ignore" });
}

function driveLoad(load: ChildProcess, job: Job): Promise<Outcome> {
  return ask(load, "the load generator", job);
}

/** The generator against a server that answers ready-made bytes: what it could drive at most. */
async function selfCheck(): Promise<number> {
  const port = await freePort();
  const server = start(["bench/bare-server.ts", String(port)], "server", false);
  const load = start(["bench/load.ts"], "load", true);
  const pause = performance.now();
  while (performance.now() - pause < 500) await new Promise((resolve) => setTimeout(resolve, 10));
  const requests = [
    `GET /parcels/par_0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${"x".repeat(36)}\r\n\r\n`,
  ];
  for (let round = 0; round < rounds; round++) {
    const outcome = await driveLoad(load, {
      port,
      connections,
      seconds,
      requests,
      cycle: true,
      expect: 200,
      keepIds: false,
    });
    if (outcome.failure !== undefined) throw new Error(outcome.failure);
    console.log(`${Math.round(outcome.done / outcome.elapsedSeconds)} requests/s, p99 ${outcome.p99Ms.toFixed(2)} ms`);
  }
  await stop(server);
  await stop(load);
  return 0;
}

function printHeader(runners: readonly Runner[]): void {
  console.log(`${runners.map(({ name }) => name).join(" · ")}
${rows} parcels of ${couriers} couriers, ${connections} connections${perSecond === undefined ? "" : `, ${perSecond} requests/s due`}, ${rounds} rounds of ${seconds} s, interleaved; node ${process.version}
${pinned ? "servers on core 0, load on core 1" : "NOT PINNED: figures of servers and load mix"}; loopback, keep-alive, one request in flight per connection
a flush takes ${diskMs.toFixed(2)} ms here${flushMs === 0 ? "" : ` and ${flushMs} ms more for the servers`}
left out on both sides: request log; by hand also: rates, quotas, events, timers, versions`);
  for (const { name, contestant, notDone } of runners) {
    if (contestant.floor) console.log(`${name}: answers what was ready before`);
    else if (notDone.length === 0) console.log(`${name}: does all of the work (same-work.ts)`);
    else console.log(`${name}: DOES NOT DO ALL OF THE WORK, its figures flatter:\n  ${notDone.join("\n  ")}`);
  }
}

function printTable(runners: readonly Runner[], scenarios: readonly Scenario[]): void {
  const base = runners.find(({ name }) => name === options.base) ?? (runners.at(-1) as Runner);
  const width = Math.max(...runners.map(({ name }) => name.length), 8);
  for (const scenario of scenarios) {
    console.log(`\n${SCENARIOS[scenario]}`);
    const titles = [
      "requests/s",
      "range".padEnd(15),
      " ratio",
      " p50 ms",
      " p99 ms",
      "p99 ratio",
      "cpu µs",
      "cpu ratio",
    ];
    console.log(`  ${"".padEnd(width)}  ${titles.join("  ")}`);
    for (const { name, measured } of runners) {
      if (measured[scenario].length === 0) continue;
      console.log(`  ${name.padEnd(width)}  ${cells(measured[scenario], base.measured[scenario]).join("  ")}`);
    }
    if (scenario === "webhook") printDeliveries(runners, base);
  }
  console.log(`\n  ${"".padEnd(width)}  start to /readyz 200   resident MB idle, after`);
  for (const { name, startMs, idleMb, loadedMb } of runners) {
    const [least, most] = [Math.min(...startMs), Math.max(...startMs)].map(Math.round);
    const started = `${Math.round(median(startMs))} ms (${least}–${most})`;
    console.log(`  ${name.padEnd(width)}  ${started.padEnd(22)} ${idleMb.toFixed(0)}, ${loadedMb.toFixed(0)}`);
  }
}

/** Every event of a measurement came once and signed, or there would be no figures. */
function printDeliveries(runners: readonly Runner[], base: Runner): void {
  for (const { name, measured } of runners) {
    const rates = measured.webhook.map(({ deliveries }) => deliveries ?? Number.NaN);
    const ratios = rates.map((rate, round) => rate / (base.measured.webhook[round]?.deliveries ?? Number.NaN));
    console.log(`  ${name}: ${median(rates).toFixed(0)} deliveries/s, ratio ${median(ratios).toFixed(2)}`);
  }
}

/** Ratios are taken round by round, of neighbours in time, and then their median: a slow minute strikes both. */
function cells(own: readonly Measurement[], base: readonly Measurement[]): string[] {
  const middle = (pick: (one: Measurement) => number): number => median(own.map(pick));
  const ratio = (pick: (one: Measurement) => number): string =>
    median(own.map((one, i) => pick(one) / pick(base[i] as Measurement))).toFixed(2);
  const rates = own.map(({ rate }) => Math.round(rate));
  return [
    middle(({ rate }) => rate)
      .toFixed(0)
      .padStart(10),
    `${Math.min(...rates)}–${Math.max(...rates)}`.padEnd(15),
    ratio(({ rate }) => rate).padStart(6),
    middle(({ p50Ms }) => p50Ms)
      .toFixed(2)
      .padStart(7),
    middle(({ p99Ms }) => p99Ms)
      .toFixed(2)
      .padStart(7),
    ratio(({ p99Ms }) => p99Ms).padStart(9),
    middle(({ cpuMicroseconds }) => cpuMicroseconds)
      .toFixed(0)
      .padStart(6),
    ratio(({ cpuMicroseconds }) => cpuMicroseconds).padStart(9),
  ];
}

function asJson(runners: readonly Runner[]): object {
  return {
    node: process.version,
    pinned,
    options: { perSecond, seconds, rounds, connections, rows, couriers, writes },
    contestants: runners.map(({ name, measured, startMs, idleMb, loadedMb, notDone }) => ({
      ...{ name, startMs, idleMb, loadedMb, notDone, measured },
    })),
  };
}

function usage(wrong?: string): never {
  if (wrong !== undefined) console.error(wrong);
  console.log(HELP);
  process.exit(wrong === undefined ? 0 : 2);
}
