/**
 * Implementations that others wrote, as the files `*.json` of this folder describe them: how one is started, which document describes
 * its API, and what is known to be broken. `startImplementation` starts one from its folder; none of its code is here.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestOptions } from "../../../src/conformance/test.ts";

export interface Implementation {
  /** The repository or package, and the commit or version with which the list of broken statements was made. */
  readonly source: string;
  readonly version: string;
  readonly license: string;
  /** The path of the document, from the root of this repository. */
  readonly document: string;
  /** The file that Node.js runs, in the implementation's folder, and its arguments; `{port}` and `{data}` are replaced. */
  readonly start: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What the test needs to know besides the document. */
  readonly settings?: Pick<TestOptions, "callers" | "secrets" | "skip">;
  readonly seed: number;
  /** Cases that end the server, by id: each has a server of its own. */
  readonly ending?: readonly string[];
  /** The broken statements by path, each with what was found, in words. */
  readonly broken: Readonly<Record<string, string>>;
}

export const folder: string = import.meta.dirname;

/** Returns the names of all implementations that are described. */
export async function implementationNames(): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith(".json"))
    .map((file) => basename(file, ".json"))
    .toSorted();
}

export async function readImplementation(name: string): Promise<Implementation> {
  return JSON.parse(await readFile(join(folder, `${name}.json`), "utf8")) as Implementation;
}

export interface RunningImplementation extends AsyncDisposable {
  readonly url: string;
}

/** How long a server may take to start and to stop, in milliseconds. */
const startMilliseconds = 60_000;
const stopMilliseconds = 5000;

/** Starts an implementation, which listens on 127.0.0.1 alone. @throws Error if it ends, or does not listen in time */
export async function startImplementation(
  { start, environment = {} }: Implementation,
  at: string,
): Promise<RunningImplementation> {
  const port = await freePort();
  const data = await mkdtemp(join(tmpdir(), "nonet-others-"));
  const filled = (text: string): string => text.replaceAll("{port}", String(port)).replaceAll("{data}", data);
  const child = spawn(await runtimeIn(at), ["--require", join(folder, "loopback.cjs"), ...start.map(filled)], {
    cwd: at,
    // Nothing of this process' environment reaches the server but what Node.js needs.
    env: {
      PATH: process.env["PATH"],
      HOME: data,
      ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)])),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  try {
    await untilListening(child, port);
  } catch (thrown) {
    await stop(child, data);
    throw new Error(`${(thrown as Error).message}\n${errors}`, { cause: thrown });
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => stop(child, data) };
}

/** Returns the Node.js of the implementation, which may need an old one, or else this one. */
async function runtimeIn(at: string): Promise<string> {
  const installed = join(at, "node_modules", ".bin", "node");
  return (await access(installed).then(
    () => true,
    () => false,
  ))
    ? installed
    : process.execPath;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + startMilliseconds;
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    if (Date.now() > deadline) throw new Error(`the server does not listen on port ${port}`);
    await delay(100);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function stop(child: ChildProcess, data: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), stopMilliseconds);
    await ended;
    clearTimeout(timer);
  }
  await rm(data, { recursive: true, force: true });
}
