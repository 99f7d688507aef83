/**
 * The log of a running service: lines with members, in four levels. Callers choose the content; this file filters by level and
 * redacts secrets.
 */
import type { Redact } from "./redact.ts";

/** The levels, from the rarest to the one that every request has. */
export const levels = ["error", "warn", "info", "debug"] as const;
export type Level = (typeof levels)[number];

export type Members = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Line {
  readonly level: Level;
  /** The time in epoch milliseconds. */
  readonly at: number;
  /** A constant message or event name; variable values are in `members`. */
  readonly message: string;
  readonly members: Members;
}

export interface Log {
  /** Whether lines of this level are written, so that callers need not compute others. */
  writes(level: Level): boolean;
  write(level: Level, message: string, members?: Members): void;
  /** Logs an error of Nonet itself, with its stack. */
  failed(thrown: unknown, requestId: string): void;
  /** Resolves when all lines are written. Never rejects. */
  close(): Promise<void>;
}

/** The destination of log lines. */
export interface Lines {
  write(line: Line): void;
  close(): Promise<void>;
}

export interface LogOptions {
  /** The most verbose level to write; `off`: none. */
  readonly level: Level | "off";
  readonly now: () => number;
  /** Redacts texts from elsewhere, such as error messages. */
  readonly redact: Redact;
}

export function createLog(lines: Lines, { level, now, redact }: LogOptions): Log {
  const last = level === "off" ? -1 : levels.indexOf(level);
  const writes = (of: Level): boolean => levels.indexOf(of) <= last;
  const write = (of: Level, message: string, members: Members = {}): void => {
    if (writes(of)) lines.write({ level: of, at: now(), message, members });
  };
  return {
    writes,
    write,
    failed(thrown, requestId) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      write("error", "failed", {
        request_id: requestId,
        error: redact(error.message),
        // The stack also contains the message and the causes, so they are not logged separately.
        stack: redact(stackOf(error)),
      });
    },
    close: () => lines.close(),
  };
}

/** Returns the stack of an error with those of its causes, up to a depth of 4. */
function stackOf(error: Error, depth = 0): string {
  const text = error.stack ?? error.message;
  if (!(error.cause instanceof Error) || depth === 4) return text;
  return `${text}\ncaused by ${stackOf(error.cause, depth + 1)}`;
}
