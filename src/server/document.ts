/** Reads and checks the document of a command. */
import { type CheckResult, check, soundModel, unservable } from "../language/check.ts";
import type { Plan } from "../plan/plan.ts";
import { DocumentError, UsageError } from "./errors.ts";
import { printDiagnostics } from "../diagnostics/text.ts";
import { count, listed } from "../base/layout.ts";
import type { Terminal } from "./terminal.ts";

/** Checks a file. @throws UsageError if it cannot be read. */
export async function checkFile(path: string, terminal: Terminal): Promise<CheckResult> {
  return check(nameOf(path), await readDocument(path, terminal));
}

/** Returns the name of a document in messages. */
export function nameOf(path: string): string {
  return path === "-" ? "standard input" : path;
}

/** Reads a file. @throws UsageError if it cannot be read. */
export async function readDocument(path: string, terminal: Pick<Terminal, "read">): Promise<Uint8Array> {
  try {
    return await terminal.read(path);
  } catch (thrown) {
    throw new UsageError(`cannot read ${path}: ${reason(thrown as NodeJS.ErrnoException)}`);
  }
}

/** A text, whole or in pieces that are made while they are written: a page of 23 MB is never in memory. */
export type Text = string | Iterable<string>;

/**
 * Writes to a file, or by default to standard output.
 *
 * @throws UsageError if the file cannot be written.
 */
export async function written(out: string | undefined, text: Text, terminal: Terminal): Promise<void> {
  const pieces = typeof text === "string" ? [text] : joined(text);
  if (out === undefined) for (const piece of pieces) terminal.out(piece);
  else
    await terminal.write(out, pieces).catch((thrown: unknown) => {
      throw new UsageError(`cannot write ${out}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    });
}

/** The least characters that are written at once, since each write of a few takes as long. */
const leastCharacters = 65_536;

function* joined(pieces: Iterable<string>): Iterable<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < leastCharacters) continue;
    yield text;
    text = "";
  }
  yield text;
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a folder";
    case "ENOTDIR":
      return "a part of its path is a file, not a folder";
    case "EACCES":
      return "its permissions do not let this user read it";
    case "ERR_FS_FILE_TOO_LARGE":
      return "it is far too large for a document";
    default:
      return message;
  }
}

/** Returns the plan of a checked document. @throws DocumentError with the reasons if the document cannot be served. */
export async function planOf(result: CheckResult, { colour }: Pick<Terminal, "colour">): Promise<Plan> {
  const sound = soundModel(result);
  const failureText = (why: string) => `${result.name} cannot be served: ${why}`;
  if (sound === undefined)
    throw new DocumentError(
      printDiagnostics(result, { colour }) + failureText(count(result.summary.errors, "error")),
      result.diagnostics,
    );
  const missing = unservable(result).map((part) => `its ${part}`);
  if (missing.length > 0)
    throw new DocumentError(
      failureText(`it does not say ${listed(missing)}, without which there is nothing to serve`),
      result.diagnostics,
    );
  const { buildPlan } = await import("../plan/build.ts");
  return buildPlan(sound, result.places, result.expressions);
}
