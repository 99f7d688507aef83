/** The outside world as commands see it, so that tests can hand in their own. */
import { readFile } from "node:fs/promises";
import process from "node:process";
import { buffer } from "node:stream/consumers";

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Whether `out` shows colours. */
  readonly colour: boolean;
  readonly columns: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The bytes of a file, of standard input for `-`. */
  read(path: string): Promise<Uint8Array>;
  /** Resolves when the process is asked to stop. */
  stopped(): Promise<void>;
}

export function processTerminal(): Terminal {
  // A reader that has seen enough (`nonet check DOC | head`) is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    colour: process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined,
    columns: process.stdout.columns ?? 100,
    environment: process.env,
    read: (path) => (path === "-" ? buffer(process.stdin) : readFile(path)),
    stopped: () =>
      new Promise((resolve) => {
        process.once("SIGINT", () => resolve());
        process.once("SIGTERM", () => resolve());
      }),
  };
}
