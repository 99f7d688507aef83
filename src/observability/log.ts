/**
 * The log of a service that runs: lines with members, of four levels. What a line may say is decided by who writes it; here
 * is when it is written, and that none of them carries a secret.
 */
import type { Redact } from "./redact.ts";

/** From what is rarest to what is told of each request. */
export const levels = ["error", "warn", "info", "debug"] as const;
export type Level = (typeof levels)[number];

export type Members = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Line {
  readonly level: Level;
  /** Epoch milliseconds. */
  readonly at: number;
  /** A sentence or the name of what happened, the same for each thing of its kind. */
  readonly message: string;
  readonly members: Members;
}

export interface Log {
  /** Whether lines of this level are written, for who would have to work one out. */
  writes(level: Level): boolean;
  write(level: Level, message: string, members?: Members): void;
  /** Something of Nonet's own that went wrong: the one place where a stack is shown. */
  failed(thrown: unknown, requestId: string): void;
  /** Resolves once every line is where it was to go. Never rejects. */
  close(): Promise<void>;
}

/** Where lines go. */
export interface Lines {
  write(line: Line): void;
  close(): Promise<void>;
}

export interface LogOptions {
  /** The last level that is written; `off`: none. */
  readonly level: Level | "off";
  readonly now: () => number;
  /** For what others have worded, such as the message of an error. */
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
        // The message is in it once more, and what caused it behind it.
        stack: redact(stackOf(error)),
      });
    },
    close: () => lines.close(),
  };
}

/** With its causes, as far as they are errors, and no further than is of use. */
function stackOf(error: Error, depth = 0): string {
  const text = error.stack ?? error.message;
  if (!(error.cause instanceof Error) || depth === 4) return text;
  return `${text}\ncaused by ${stackOf(error.cause, depth + 1)}`;
}
