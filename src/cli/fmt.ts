/** `nonet fmt FILES…`: formats the YAML of documents. */
import { decode } from "../document/encoding.ts";
import { type FormatProblem, formatDocument } from "../format/format.ts";
import { nameOf, readDocument, written } from "../server/document.ts";
import { UsageError } from "../server/errors.ts";
import type { Terminal } from "../server/terminal.ts";

export interface FmtOptions {
  /** Whether to only report the files that are not formatted. */
  readonly check: boolean;
}

/** Returns 1 if a file cannot be formatted, or, with `check`, if it is not formatted. */
export async function fmt(files: readonly string[], { check }: FmtOptions, terminal: Terminal): Promise<number> {
  if (files.length === 0) throw new UsageError("name the files to format, or - for standard input");
  if (files.length > 1 && files.includes("-")) throw new UsageError("- for standard input comes alone");
  const codes = [];
  for (const file of files) codes.push(await fmtFile(file, check, terminal));
  return Math.max(...codes);
}

async function fmtFile(file: string, check: boolean, terminal: Terminal): Promise<number> {
  const { before, after, problems } = formatBytes(await readDocument(file, terminal), file);
  for (const { span, message } of problems)
    terminal.err(`${nameOf(file)}:${span.start.line}:${span.start.column}: left as it is: ${message}\n`);
  const isChanged = after !== before;
  if (check) {
    if (isChanged) terminal.out(`${nameOf(file)}: not formatted\n`);
  } else if (file === "-") terminal.out(after);
  else if (isChanged) {
    await written(file, after, terminal);
    terminal.out(`${file}: formatted\n`);
  }
  return problems.length > 0 || (check && isChanged) ? 1 : 0;
}

interface FormattedFile {
  readonly before: string;
  readonly after: string;
  readonly problems: readonly FormatProblem[];
}

/** Bytes that are no UTF-8 would not survive, so such a file is left as it is. */
function formatBytes(bytes: Uint8Array, file: string): FormattedFile {
  const notUtf8 = decode(bytes).diagnostics.find(({ severity }) => severity === "error");
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (notUtf8) return { before, after: before, problems: [notUtf8] };
  const { text: after, problems } = formatDocument(before, file);
  return { before, after, problems };
}
