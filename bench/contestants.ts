/** The services that can be measured, how each is started, and the processes of a run: pinned, and killed by their pid. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

export interface Contestant {
  readonly name: string;
  /** Arguments to node that serve `data` on `port`; `seeding` where durability may be put off for the seed. */
  readonly serve: (port: number, data: string, seeding: boolean) => readonly string[];
  /** Arguments to node that print a key as the last word. */
  readonly key: (data: string, user: string, role: string) => readonly string[];
  /** The folder whose sources run; absent: this one. */
  readonly folder?: string;
  /** Answers what was ready before, and does none of the work. */
  readonly floor?: true;
  /** Makes what has to be there before it runs. */
  readonly make?: () => void;
}

const handwritten = (name: string, synchronous: string): Contestant => ({
  name,
  serve: (port, data, seeding) => [
    "bench/handwritten/main.ts",
    "serve",
    ...["--port", `${port}`, "--data", data, "--synchronous", seeding ? "OFF" : synchronous],
  ],
  key: (data, user, role) => ["bench/handwritten/main.ts", "key", "--data", data, "--user", user, "--role", role],
});

/** The flagship, its limits kept and out of reach: what they cost is measured, and nothing is refused for coming so fast. */
export function raisedFlagship(): string {
  const text = readFileSync(join(ROOT, "examples", "parcel-lockers.md"), "utf8");
  const limits = ["all: 600/", "collect: 5/", "anyone: 30/", "announceParcel: 5000/", "Parcel: 300 in"];
  return limits.reduce((at, limit) => {
    if (!at.includes(limit)) throw new Error(`the flagship has no limit \`${limit}\` any more`);
    return at.replace(limit, limit.replace(/\d+/, "1000000000"));
  }, text);
}

function documentBeside(data: string): string {
  const file = join(dirname(data), "parcel-lockers.md");
  writeFileSync(file, withHandler(raisedFlagship()));
  return file;
}

/** An operation more, which a function does. */
function withHandler(text: string): string {
  const more = {
    "  takeBack: Fetch an expired parcel\n": "  forwardParcel: Have a parcel told to its site\n",
    "  takeBack: POST /parcels/{id}/take-back\n":
      '  forwardParcel: { at: "POST /parcels/{id}/forward", does: handler }\n',
    "  collect: anyone\n": "  forwardParcel: courier if own\n",
  };
  return Object.entries(more).reduce((at, [line, added]) => {
    if (!at.includes(line)) throw new Error(`the flagship has no line \`${line.trim()}\` any more`);
    return at.replace(line, line + added);
  }, text);
}

const nonet = (name: string, folder: string, command = "src/cli.mjs"): Contestant => ({
  name,
  folder,
  serve: (port, data) => [
    command,
    ...["serve", documentBeside(data), "--port", `${port}`, "--data", data, "--handlers", "bench/handlers.ts"],
    "--webhooks-to-loopback",
  ],
  key: (data, user, role) => [
    command,
    ...["key", "create", documentBeside(data), "--data", data, "--user", user, "--role", role],
  ],
});

/** The answers are in a file beside the data: those of the first that does the work (`run.ts`). */
const floor = (kind: "nonet" | "node"): Contestant => ({
  name: `floor-${kind}`,
  floor: true,
  serve: (port, data) => ["bench/floor.ts", kind, `${port}`, answersBeside(data)],
  key: () => {
    throw new Error("a floor has no keys");
  },
});

export function answersBeside(data: string): string {
  return join(dirname(data), "answers.json");
}

/** One of those below, or `nonet@FOLDER`: Nonet as it stands in another worktree, to see what a change has done. */
export function contestantOf(name: string): Contestant | undefined {
  if (name.startsWith("nonet@")) return nonet(name, resolve(name.slice("nonet@".length)));
  return Object.hasOwn(CONTESTANTS, name) ? CONTESTANTS[name] : undefined;
}

function makePackage(): void {
  const args = ["--disable-warning=ExperimentalWarning", "scripts/package.ts", "--without-types"];
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
}

export const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  nonet: nonet("nonet", ROOT),
  "nonet-package": { ...nonet("nonet-package", ROOT, "dist/src/cli.mjs"), make: makePackage },
  handwritten: handwritten("handwritten", "FULL"),
  "handwritten-normal": handwritten("handwritten-normal", "NORMAL"),
  "floor-nonet": floor("nonet"),
  "floor-node": floor("node"),
};

/** With two cores the servers get the first and everything else the second; with one, or without taskset, nobody is pinned. */
export const pinned: boolean = availableParallelism() > 1 && works("taskset", ["-V"]);
const SERVER_CORE = "0";
const LOAD_CORE = "1";

const children = new Set<ChildProcess>();

/** What servers have in their environment besides what this process has. */
const surroundings: Record<string, string> = {};

export function surroundServers(environment: Readonly<Record<string, string>>): void {
  Object.assign(surroundings, environment);
}

/** Starts node with `args` on the servers' or the generator's core; `stop` ends it. */
export function start(
  args: readonly string[],
  core: "server" | "load",
  channel: boolean,
  folder: string = ROOT,
): ChildProcess {
  const command = [process.execPath, ...args];
  const [file = "", ...rest] = pinned
    ? ["taskset", "-c", core === "server" ? SERVER_CORE : LOAD_CORE, ...command]
    : command;
  const child = spawn(file, rest, {
    env: { DOOR_SECRET: "of the bench", ...process.env, ...(core === "server" ? surroundings : {}) },
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", ...(channel ? (["ipc"] as const) : [])],
    serialization: "advanced",
  });
  let said = "";
  const listen = (chunk: Buffer): void => {
    said = (said + chunk.toString()).slice(-4000);
  };
  child.stdout?.on("data", listen);
  child.stderr?.on("data", listen);
  children.add(child);
  child.once("exit", (code) => {
    children.delete(child);
    if (code !== 0 && code !== null) console.error(`${args.join(" ")} ended with ${code}:\n${said}`);
  });
  return child;
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const force = setTimeout(() => child.kill("SIGKILL"), 5000);
  await ended;
  clearTimeout(force);
}

export function killAll(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** Puts this process beside the generator, away from the servers. */
export function pinSelf(): void {
  if (pinned) execFileSync("taskset", ["-a", "-cp", LOAD_CORE, String(process.pid)], { stdio: "ignore" });
}

export function createKey(contestant: Contestant, data: string, user: string, role: string): string {
  const said = execFileSync(process.execPath, contestant.key(data, user, role), {
    cwd: contestant.folder ?? ROOT,
    encoding: "utf8",
    timeout: 20_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return said.trim().split(/\s+/).at(-1) as string;
}

/** Milliseconds from the call until /readyz gave 200, or anything; throws after 20 s or when the process ends first. */
export async function ready(child: ChildProcess, port: number, anything = false): Promise<number> {
  const begun = performance.now();
  while (performance.now() - begun < 20_000) {
    if (child.exitCode !== null) throw new Error("the server ended before it was ready");
    if (await answers(port, anything)) return performance.now() - begun;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error("the server was not ready within 20 s");
}

const answers = (port: number, anything: boolean): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = request({ port, host: "127.0.0.1", path: "/readyz", agent: false, timeout: 2000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(anything || response.statusCode === 200));
    });
    asked.on("error", () => resolve(false));
    asked.on("timeout", () => asked.destroy());
    asked.end();
  });

/** Processor seconds that all threads of a process have used (Linux; NaN elsewhere). Its clock ticks in nanoseconds. */
export function processorSeconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const spent = threads.map((id) => Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]));
    return spent.reduce((sum, one) => sum + one, 0) / 1e9;
  } catch {
    return Number.NaN;
  }
}

/** Resident memory in MB (Linux; NaN elsewhere). */
export function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

function works(file: string, args: readonly string[]): boolean {
  try {
    execFileSync(file, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
