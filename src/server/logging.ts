/** Opens the log for the options of the command line. */
import process from "node:process";
import { jsonLines } from "../observability/log-json.ts";
import { textLines } from "../observability/log-text.ts";
import { createLog, type Level, type Lines, type Log } from "../observability/log.ts";
import { createRedact } from "../observability/redact.ts";
import { clock } from "./compose.ts";
import type { Terminal } from "./terminal.ts";

/** The format of the log. `auto`: text on a terminal, otherwise JSON. */
export type LogFormat = "auto" | "json" | "text";

export interface Logging {
  readonly level: Level | "off";
  readonly format: LogFormat;
  /** The name of the service. */
  readonly service: string;
  /** The values to redact. */
  readonly secrets: readonly string[];
}

const standardError = 2;

export function isText(format: LogFormat, { interactive }: Pick<Terminal, "interactive">): boolean {
  return format === "text" || (format === "auto" && interactive);
}

export function openLog({ level, format, service, secrets }: Logging, terminal: Terminal): Log {
  const lines: Lines = isText(format, terminal)
    ? textLines((text) => terminal.err(text), terminal.interactive && terminal.colour)
    : jsonLines({ descriptor: standardError, members: { service } });
  const log = createLog(lines, { level, now: () => clock.now(), redact: createRedact(secrets) });
  const crashed = (thrown: unknown): void => log.failed(thrown, "process");
  process.on("uncaughtExceptionMonitor", crashed);
  return {
    ...log,
    async close() {
      process.off("uncaughtExceptionMonitor", crashed);
      await log.close();
    },
  };
}
