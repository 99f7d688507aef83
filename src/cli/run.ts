/** Finds and runs the command of the arguments. */
import { didYouMean } from "../base/suggest.ts";
import type { Command } from "./command-line.ts";
import { DocumentError, UsageError } from "../server/errors.ts";
import { commands } from "./commands.ts";
import { helpOn, helpOnAll } from "./help.ts";
import { listed } from "../base/layout.ts";
import { withoutPasswords } from "../observability/redact.ts";
import { type Terminal, releaseVersion } from "../server/terminal.ts";

/** Runs a command line. Usage errors print a message and return 2, without a stack. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const typed = args.filter((arg, at) => !(at === 0 && arg === "help") && !isHelp(arg));
  const { command, group, rest } = find(typed);
  const help = command === undefined ? helpOnAll(group) : helpOn(command);
  if (args.length === 0) {
    terminal.err(help);
    return 2;
  }
  if (args.length === 1 && args[0] === "--version") {
    terminal.out(`${releaseVersion()}\n`);
    return 0;
  }
  try {
    if (typed.length < args.length && (command !== undefined || rest.length === 0)) {
      terminal.out(help);
      return 0;
    }
    if (command === undefined) throw new UsageError(unknown(rest[0], group));
    return await command.run(rest, terminal);
  } catch (thrown) {
    if (!(thrown instanceof DocumentError || thrown instanceof UsageError)) throw thrown;
    // The message is redacted, since any error message may contain the database's URL.
    const message = withoutPasswords(thrown.message);
    if (thrown instanceof DocumentError) {
      terminal.err(`${message}\n`);
      return 1;
    }
    const words = command?.words ?? typed.slice(0, typed.length - rest.length).join(" ");
    terminal.err(`nonet${words === "" ? "" : ` ${words}`}: ${message}\n`);
    return 2;
  }
}

function isHelp(arg: string): boolean {
  return arg === "--help" || arg === "-h";
}

interface Found {
  readonly command: Command | undefined;
  /** The commands that start with the recognised words. */
  readonly group: readonly Command[];
  /** The arguments after the recognised words. */
  readonly rest: readonly string[];
}

function find(args: readonly string[]): Found {
  const command = commands.find(({ words }) => words.split(" ").every((word, at) => args[at] === word));
  if (command !== undefined) return { command, group: [], rest: args.slice(command.words.split(" ").length) };
  const group = commands.filter(({ words }) => words.startsWith(`${args[0]} `));
  return group.length > 0 ? { command, group, rest: args.slice(1) } : { command, group: commands, rest: args };
}

function unknown(typed: string | undefined, group: readonly Command[]): string {
  const at = group === commands ? 0 : 1;
  const words = [...new Set(group.map((each) => each.words.split(" ")[at] ?? ""))];
  if (typed === undefined) return `name a command: ${words.join(", ")}`;
  const near = didYouMean(typed, words);
  const all = words.length === 1 ? `there is only ${words[0]}` : `there are ${listed(words)}`;
  return `${typed} is not a command; ${near === undefined ? all : `did you mean ${near}?`}`;
}
