/**
 * Lines of the log for programs: pino's JSON, written beside the service's own work. pino takes 20 ms to load, which no start
 * waits for: lines that come before it is there are kept for it.
 */
import { writeSync } from "node:fs";
import process from "node:process";
import type { Logger } from "pino";
import type { Line, Lines } from "./log.ts";

export interface JsonLinesOptions {
  /** 2 is standard error. */
  readonly descriptor: number;
  /** In every line, such as the name of the service. */
  readonly members: Readonly<Record<string, string>>;
}

/** Of lines that nobody reads no more is kept than this; what is beyond is counted, and told of when it goes on. */
const mostBytes = 16 * 1024 * 1024;
/** How long the end of a process may wait for who reads its log. */
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
  // Where the process ends by an exception nobody closes the log; what it says last is what is wanted most.
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
  // Who read it has gone. That is no reason for a service to end.
  destination.on("error", () => {});
  const logger: Logger = pino(
    {
      // What is written at all was decided before it came here.
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
        // Nobody is there to read it.
      }
    },
  };
}

/** The same line without pino, where there is no time to load it. */
function plainJson({ level, at, message, members }: Line, options: JsonLinesOptions): string {
  const time = new Date(at).toISOString();
  return `${JSON.stringify({ level, ...options.members, time, ...members, msg: message })}\n`;
}

function writeQuietly(descriptor: number, text: string): void {
  try {
    writeSync(descriptor, text);
  } catch {
    // Nobody is there to read it.
  }
}
