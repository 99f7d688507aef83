/** What commands use of the outside world; tests replace it. */
import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
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
  /** Creates or replaces a file. */
  write(path: string, text: string): Promise<void>;
  /** Resolves at a stop signal. */
  stopped(): Promise<StopSignal>;
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

export function releaseVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
