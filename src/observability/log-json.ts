/**
 * Writes log lines as JSON with pino, asynchronously. Loading pino takes 20 ms; lines before that are buffered, so that the start
 * does not wait.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import type { Logger } from "pino";
import type { Line, Lines } from "./log.ts";

export interface JsonLinesOptions {
  /** The file descriptor; 2 is standard error. */
  readonly descriptor: number;
  /** The members of every line, such as the service's name. */
  readonly members: Readonly<Record<string, string>>;
}

/**
 * The most bytes that are buffered if the log's reader is slow or absent; further lines are dropped, and their number is
 * logged later.
 */
const mostBytes = 16 * 1024 * 1024;
/** How long the end of the process waits for the log's reader, in milliseconds. */
const closeMilliseconds = 2000;

interface Written {
  write(line: Line): void;
  flush(): Promise<void>;
  flushNow(): void;
}

export function jsonLines(options: JsonLinesOptions): Lines {
  let early: Line[] = [];
  let written: Written | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    written = await openPino(options);
    for (const line of early) written.write(line);
    early = [];
  };
  // An uncaught exception skips the close of the log, so its last lines are flushed here.
  const atExit = (): void => {
    if (written !== undefined) return written.flushNow();
    for (const line of early) writeQuietly(options.descriptor, plainJson(line, options));
  };
  process.once("exit", atExit);
  return {
    write(line) {
      if (written !== undefined) return written.write(line);
      early.push(line);
      loading ??= load();
    },
    async close() {
      await loading;
      await written?.flush();
      process.off("exit", atExit);
    },
  };
}

async function openPino({ descriptor, members }: JsonLinesOptions): Promise<Written> {
  const { default: pino } = await import("pino");
  const destination = pino.destination({ dest: descriptor, sync: false, maxLength: mostBytes });
  let lost = 0;
  destination.on("drop", () => (lost += 1));
  // The reader of the log has closed the pipe; the service continues without it.
  destination.on("error", () => {});
  const logger: Logger = pino(
    {
      // Pino writes every level, since the level was checked before.
      level: "debug",
      base: members,
      timestamp: false,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const write = ({ level, at, message, members: lineMembers }: Line): void => {
    if (lost > 0) {
      const lines = lost;
      lost = 0;
      logger.warn({ time: new Date(at).toISOString(), lines }, "lines of the log were lost: nobody read them");
    }
    logger[level]({ time: new Date(at).toISOString(), ...lineMembers }, message);
  };
  return {
    write,
    flush: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, closeMilliseconds);
        destination.flush(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
    flushNow() {
      try {
        destination.flushSync();
      } catch {
        // The reader of the log has closed the pipe.
      }
    },
  };
}

/** Returns the same line without pino, if the process ends before pino is loaded. */
function plainJson({ level, at, message, members }: Line, options: JsonLinesOptions): string {
  const time = new Date(at).toISOString();
  return `${JSON.stringify({ level, ...options.members, time, ...members, msg: message })}\n`;
}

function writeQuietly(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // The reader of the log has closed the pipe.
  }
}
