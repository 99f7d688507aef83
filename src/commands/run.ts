/** From arguments to a command and its exit code. */
import { didYouMean } from "../base/suggest.ts";
import { check } from "./check.ts";
import { exportCommand } from "./export.ts";
import { key } from "./key.ts";
import { serve } from "./serve.ts";
import { start } from "./start.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage.ts";

export type Command = (args: readonly string[], terminal: Terminal) => Promise<number>;

const commands: Readonly<Record<string, Command>> = { check, serve, start, key, export: exportCommand };

const help = `nonet: the document is the service

  nonet check DOC [--strict] [--format text|json|sarif|github]
      what is wrong with the document, and what is still open; - reads standard input
  nonet serve DOC [--port 8080] [--host 127.0.0.1] [--data FILE|memory] [--base-url URL] [--watch]
      run the described service
  nonet key create|list|revoke DOC --user NAME [--role ROLE]…
      manage the keys that callers send
  nonet export openapi DOC
      the same service for other tools
  nonet start [DOC] [serve's options]
      serve an example with a demo key for each role

Exit codes: 0 fine, 1 errors in the document, 2 wrong usage or unreadable file.
`;

/** Runs one command line. Wrong usage is told in a sentence with exit code 2, never as a stack. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    terminal.out(help);
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const near = didYouMean(name, Object.keys(commands));
    terminal.err(`nonet: there is no command ${name}${near === undefined ? "" : `; did you mean ${near}?`}\n\n${help}`);
    return 2;
  }
  try {
    return await command(rest, terminal);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    terminal.err(`nonet ${name}: ${thrown.message}\n`);
    return 2;
  }
}
