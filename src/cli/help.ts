/** Prints help from the definitions of the commands. */
import type { Command, Option } from "./command-line.ts";
import { columns } from "../base/layout.ts";

const exitCodes =
  "Exit codes: 0 fine, 1 the document or its data is wrong, 2 wrong usage or a file that cannot be used.\n";

export function helpOnAll(commands: readonly Command[]): string {
  const rows = commands.map(({ words, operand, about }) => [`nonet ${words} ${operand}`, about]);
  return `nonet: the document is the service

${indented(columns(rows))}
DOC is a file, or - for standard input. nonet COMMAND --help says more of a command, nonet --version which release this is.
${exitCodes}`;
}

export function helpOn({ words, operand, about, details, options }: Command): string {
  const rows = Object.entries(options).map(([name, option]) => [spelled(name, option), described(option)]);
  return `nonet ${words} ${operand}${rows.length === 0 ? "" : " [options]"}: ${about}

${details}

${indented(columns(rows))}
${exitCodes}`;
}

function spelled(name: string, { value }: Option<unknown>): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function described({ about, default: fallback, repeats }: Option<unknown>): string {
  const remarks = [...(fallback === undefined ? [] : [`default ${fallback}`]), ...(repeats ? ["may be repeated"] : [])];
  return remarks.length === 0 ? about : `${about} (${remarks.join(", ")})`;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}\n`).join("");
}
