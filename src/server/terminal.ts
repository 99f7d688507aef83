/** What commands use of the outside world; tests replace it. */
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { readFileSync } from "node:fs";

const stopSignals = ["SIGINT", "SIGTERM"] as const;
export type StopSignal = (typeof stopSignals)[number];

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether the output `out` supports colours. */
  readonly colour: boolean;
  readonly columns: number;
  /** Whether the output `err` is a terminal. */
  readonly interactive: boolean;
  /** Prints a long text to a person, in the pager of $PAGER; absent if the output is no terminal. */
  page?(text: string): Promise<void>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the bytes of a file, or of standard input for `-`. */
  read(path: string): Promise<Uint8Array>;
  /** Creates or replaces a file; `text` may be in pieces. */
  write(path: string, text: string | Iterable<string>): Promise<void>;
  /** Resolves at a stop signal. */
  stopped(): Promise<StopSignal>;
  /** Starts a conversation; absent if no person can answer. */
  readonly converse?: (() => Conversation) | undefined;
}

export interface Conversation {
  /** Prints a prompt to standard error, and returns the next line; undefined if the person ends the input (Ctrl-C, Ctrl-D). */
  prompt(text: string): Promise<string | undefined>;
  close(): void;
}

export function processTerminal(): Terminal {
  // A reader may close the pipe early (`nonet check DOC | head`): that is no error, and must not end a service.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    colour: hasColour(process.env),
    columns: process.stdout.columns ?? (Number(process.env["COLUMNS"]) || 100),
    interactive: process.stderr.isTTY,
    ...(process.stdout.isTTY && { page }),
    environment: process.env,
    read: (path) => (path === "-" ? buffer(process.stdin) : readFile(path)),
    write: (path, text) => writeFile(path, text),
    stopped,
    converse: process.stdin.isTTY && process.stderr.isTTY ? converse : undefined,
  };
}

/** Lines that arrive before they are asked for, as of a paste, answer the next prompts. */
function converse(): Conversation {
  const input = createInterface({ input: process.stdin, output: process.stderr });
  const early: string[] = [];
  let isOver = false;
  let answer = (line: string | undefined): void => void (line !== undefined && early.push(line));
  const queue = answer;
  input.on("line", (line) => answer(line));
  input.on("SIGINT", () => input.close());
  input.on("close", () => {
    isOver = true;
    answer(undefined);
  });
  return {
    prompt: (text) =>
      new Promise((resolve) => {
        input.setPrompt(text);
        if (early.length > 0 || isOver) {
          process.stderr.write(text);
          return resolve(early.shift());
        }
        answer = (line) => {
          answer = queue;
          resolve(line);
        };
        input.prompt();
      }),
    close: () => input.close(),
  };
}

/** Whether to print colours: see https://no-color.org and https://force-color.org. */
function hasColour(environment: NodeJS.ProcessEnv): boolean {
  if ((environment["NO_COLOR"] ?? "") !== "") return false;
  const forced = environment["FORCE_COLOR"] ?? "";
  if (forced !== "") return forced !== "0";
  return process.stdout.isTTY && environment["TERM"] !== "dumb";
}

/** Shows a text in the user's pager, or prints it if there is no pager. */
function page(text: string): Promise<void> {
  return new Promise((resolve) => {
    const pager = process.env["PAGER"] ?? "less";
    // As git does: less quits if the text fits on the screen, and shows colours.
    const env = { LESS: "FRX", ...process.env };
    const child = spawn(pager, { shell: true, stdio: ["pipe", "inherit", "inherit"], env });
    // A user who quits the pager early closes the pipe.
    child.stdin.on("error", () => {});
    child.on("error", () => {});
    child.on("close", (code) => {
      // 126 and 127: the shell cannot run the program.
      if (code === 127 || code === 126) process.stdout.write(text);
      resolve();
    });
    child.stdin.end(text);
  });
}

/** Waits for a stop signal. After the first signal the default handlers apply, so that a second one ends the process. */
function stopped(): Promise<StopSignal> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const each of stopSignals) process.off(each, stop);
      resolve(signal as StopSignal);
    };
    for (const signal of stopSignals) process.on(signal, stop);
  });
}

/** The oldest Node that runs the published package; tests run it with this one. */
export const oldestNode = "24.7.0";

export function releaseVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
