/** Runs the real command in a separate process, and collects its output. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { run } from "../../src/cli/run.ts";
import type { Terminal } from "../../src/server/terminal.ts";
import { cli } from "../cli.ts";
import { clock } from "../clock.ts";

export const root: string = join(import.meta.dirname, "..", "..");

/** A folder that is gone after the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "nonet-commands-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Seals the keys in the data of every process: none of them looks for a key of the person who runs the tests. */
const secretKey = "0123456789abcdef0123456789abcdef";

/** What has not been written by then is not coming, however slow the machine: a test that waits for it fails, not hangs. */
const patience = 60_000;

export interface Running {
  readonly pid: number;
  /** What it has written to both streams. */
  readonly output: string;
  /** Waits until this is in what it has written since the last call, and gives the match. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal. */
  signal(name: "SIGTERM" | "SIGINT" | "SIGKILL"): void;
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export interface RunOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What the shell's `ulimit` takes: `-f 1500`, files of at most that many KiB; `-n 64`, so many open ones. */
  readonly limit?: string;
  /** Who runs it; the test's own user unless told. */
  readonly user?: number;
  /** The file that runs; `cli` unless told. */
  readonly command?: string;
  /** The Node that runs it; that of this process unless told. */
  readonly program?: string;
}

export function nonet(t: TestContext, args: readonly string[], options: RunOptions): Running {
  const { folder, environment = {}, limit, user, command = cli } = options;
  const line = [options.program ?? process.execPath, command, ...args];
  const [program = "", ...rest] =
    limit === undefined ? line : ["/bin/bash", "-c", `ulimit -S ${limit} && exec "$0" "$@"`, ...line];
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...clock, NONET_SECRET_KEY: secretKey, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    ...(user === undefined ? {} : { uid: user }),
  });
  let output = "";
  let heard = 0;
  let wake = (): void => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      wake();
    });
  }
  const ended = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  let over = false;
  void ended.then(() => {
    over = true;
    wake();
  });
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    pid: child.pid ?? assert.fail("it does not start"),
    get output() {
      return output;
    },
    async says(pattern) {
      const late = AbortSignal.timeout(patience);
      late.addEventListener("abort", () => wake());
      for (;;) {
        const match = pattern.exec(output.slice(heard));
        if (match !== null) {
          heard += match.index + match[0].length;
          return match;
        }
        assert(!over, `it ended, and never said ${pattern}:\n${output}`);
        assert(!late.aborted, `it runs, and has not said ${pattern} in ${patience / 1000} s:\n${output}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    signal: (name) => void child.kill(name),
    ended,
  };
}

/** Where a service that has just started listens. */
export async function addressOf(running: Running): Promise<string> {
  const [, address = ""] = await running.says(/ at (http:\/\/127\.0\.0\.1:\d+)/);
  return address;
}

/** The exit code and both streams of a command that ends by itself. */
export async function finished(
  t: TestContext,
  args: readonly string[],
  options: RunOptions,
): Promise<{ code: number | string; output: string }> {
  const running = nonet(t, args, options);
  const code = await running.ended;
  return { code, output: running.output };
}

let last: Promise<unknown> = Promise.resolve();

/**
 * The same of a command that only looks, or that works on data that nobody serves, without a process of its own: most of what
 * such a command costs is to load it. One after another, since a process has one folder.
 */
export async function finishedHere(
  args: readonly string[],
  options: FinishedOptions,
): Promise<{ code: number; output: string }> {
  const { code, output } = await streamsHere(args, options);
  return { code, output };
}

type FinishedOptions = Pick<RunOptions, "folder"> & Partial<Pick<Terminal, "environment">>;

/** With each of its two streams, too. */
export function streamsHere(
  args: readonly string[],
  { folder, environment = {} }: FinishedOptions,
): Promise<{ code: number; output: string; stdout: string; stderr: string }> {
  const finishing = last.then(async () => {
    const before = process.cwd();
    let [output, stdout, stderr] = ["", "", ""];
    process.chdir(folder);
    try {
      const code = await run(args, {
        out: (text) => void ((output += text), (stdout += text)),
        err: (text) => void ((output += text), (stderr += text)),
        colour: false,
        columns: 100,
        interactive: false,
        environment,
        read: (path) => readFile(path),
        write: (path, text) => writeFile(path, text),
        stopped: () => new Promise(() => {}),
      });
      return { code, output, stdout, stderr };
    } finally {
      process.chdir(before);
    }
  });
  last = finishing.catch(() => undefined);
  return finishing;
}
