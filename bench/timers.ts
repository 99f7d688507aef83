/**
 * What pending timers cost a service that does nothing, and what overdue ones cost those who ask it something: `nonet serve`
 * on files that hold no record, records whose time is far away, and records whose time is past. Run: node bench/timers.ts
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildPlan, check, followingOf, openSqliteStore, type Plan, soundModel } from "../src/index.ts";
import { processorSeconds } from "./contestants.ts";
import { median } from "./median.ts";

const count = Number(process.env["COUNT"] ?? 100_000);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const idleSeconds = Number(process.env["SECONDS"] ?? 8);
const hour = 3_600_000;
const document = `# Fuses

## What the service does
\`\`\`yaml
nonet: 1
service: fuses
operations: { lightFuse: Light one, getFuse: See one }
\`\`\`

## Resources and their fields
\`\`\`yaml
Fuse: { id: id(fus), name: "string(1..40)" }
\`\`\`

## States and transitions
\`\`\`yaml
Fuse:
  states: { lit: burns, off: went off }
  start: lit
  final: [off]
  moves: { lit -> off: after 48h }
\`\`\`

## Endpoints
\`\`\`yaml
endpoints: { lightFuse: POST /fuses, getFuse: "GET /fuses/{id}" }
\`\`\`

## Authentication
\`\`\`yaml
allow: { lightFuse: anyone, getFuse: anyone }
\`\`\`

## Events
\`\`\`yaml
none
\`\`\`

## Errors
\`\`\`yaml
none
\`\`\`

## Limits
\`\`\`yaml
none
\`\`\`

## Versioning
\`\`\`yaml
none
\`\`\`
`;

const folder = mkdtempSync(join(tmpdir(), "nonet-timers-"));
const children = new Set<ChildProcess>();
try {
  await main();
} finally {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  writeFileSync(join(folder, "fuses.md"), document);
  const result = check("fuses.md", document);
  const model = soundModel(result);
  if (model === undefined) throw new Error(result.diagnostics.map(({ message }) => message).join("\n"));
  const plan = buildPlan(model, result.places, result.expressions);
  const files = { none: "none.db", pending: "pending.db" };
  await seed(plan, files.none, 1, Date.now());
  await seed(plan, files.pending, count, Date.now());

  const figures: Record<keyof typeof files, Idle[]> = { none: [], pending: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? (["none", "pending"] as const) : (["pending", "none"] as const))
      figures[name].push(await idle(files[name]));
  }
  const row = (what: string, pick: (figure: Idle) => number, digits: number): void => {
    const [none, pending] = [median(figures.none.map(pick)), median(figures.pending.map(pick))];
    const ratio = (pending / none).toFixed(2);
    console.log(
      `  ${what.padEnd(34)}${none.toFixed(digits).padStart(9)}${pending.toFixed(digits).padStart(9)}${ratio.padStart(8)}`,
    );
  };
  console.log(`${" ".repeat(36)}  nothing  ${count / 1000}k due   ratio`);
  row("start to ready, ms", ({ startMs }) => startMs, 0);
  row("idle, ms of processor a second", ({ busyMs }) => busyMs, 2);

  const calm: Worked[] = [];
  const worked: Worked[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await seed(plan, `overdue-${round}.db`, count, Date.now() - 49 * hour);
    worked.push(await workOff(`overdue-${round}.db`));
    calm.push(await workOff(files.pending));
  }
  const p99 = (all: readonly Worked[]): number => median(all.map((one) => one.p99Ms));
  console.log(`\n${count} overdue at the start, eight callers who read without pause`);
  console.log(`  worked off in ${median(worked.map(({ seconds }) => seconds)).toFixed(1)} s`);
  console.log(
    `  p99 of a read meanwhile ${p99(worked).toFixed(1)} ms, with nothing due ${p99(calm).toFixed(1)} ms, ratio ${(p99(worked) / p99(calm)).toFixed(1)}`,
  );
}

/** Records that entered their state at `entered`; the first of them is known by its name. */
async function seed(plan: Plan, file: string, records: number, entered: number): Promise<void> {
  const store = await openSqliteStore({
    file: join(folder, file),
    tables: plan.tables,
    following: await followingOf(plan),
    clock: () => entered,
  });
  const view = { resource: "Fuse", members: [] };
  for (let start = 0; start < records; start += 1000) {
    await store.transaction(async (tx) => {
      for (let index = start; index < Math.min(start + 1000, records); index += 1)
        await tx.insert("Fuse", { id: idOf(index), name: `fuse ${index}`, state: "lit" }, entered, view, {});
    });
  }
  await store.close();
}

function idOf(index: number): string {
  return `fus_${String(index).padStart(26, "0")}`;
}

interface Running {
  readonly port: number;
  readonly child: ChildProcess;
  readonly startMs: number;
}

async function start(file: string): Promise<Running> {
  const begun = performance.now();
  const cli = join(import.meta.dirname, "..", "src", "cli.mjs");
  const child = spawn(process.execPath, [cli, "serve", "fuses.md", "--port", "0", "--data", file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  const port = await new Promise<number>((resolve, reject) => {
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      const [, found] = / at http:\/\/127\.0\.0\.1:(\d+)/.exec(output) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    child.once("exit", () => reject(new Error(`it ended:\n${output}`)));
  });
  while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) await wait(5);
  return { port, child, startMs: performance.now() - begun };
}

async function stop({ child }: Running): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  await ended;
  children.delete(child);
}

interface Idle {
  readonly startMs: number;
  readonly busyMs: number;
}

async function idle(file: string): Promise<Idle> {
  const running = await start(file);
  await wait(1500);
  const pid = running.child.pid ?? 0;
  const before = processorSeconds(pid);
  await wait(idleSeconds * 1000);
  const busyMs = ((processorSeconds(pid) - before) * 1000) / idleSeconds;
  await stop(running);
  return { startMs: running.startMs, busyMs };
}

interface Worked {
  readonly seconds: number;
  readonly p99Ms: number;
}

/** Reads until the last record has gone off, for three seconds where none will. */
async function workOff(file: string): Promise<Worked> {
  const running = await start(file);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const begun = performance.now();
  const latencies: number[] = [];
  let over = false;
  const read = async (): Promise<void> => {
    while (!over) {
      const sent = performance.now();
      await get(agent, running.port, idOf(latencies.length % count));
      latencies.push(performance.now() - sent);
    }
  };
  const readers = Promise.all(Array.from({ length: 8 }, read));
  const due = file.startsWith("overdue");
  if (due) while (!(await get(agent, running.port, idOf(count - 1))).includes('"off"')) await wait(50);
  else await wait(3000);
  const seconds = (performance.now() - begun) / 1000;
  over = true;
  await readers;
  agent.destroy();
  await stop(running);
  const sorted = latencies.toSorted((a, b) => a - b);
  return { seconds, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
}

function get(agent: Agent, port: number, id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const going = request({ agent, host: "127.0.0.1", port, path: `/fuses/${id}` }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(text));
    });
    going.on("error", reject);
    going.end();
  });
}
