/** Reading and checking the document that a command names. */
import type { CheckResult } from "../parts/check.ts";
import { check } from "../parts/check.ts";
import type { Terminal } from "./terminal.ts";
import { UsageError } from "./usage.ts";

export async function checkFile(path: string, terminal: Terminal): Promise<CheckResult> {
  return check(path === "-" ? "standard input" : path, await readFile(path, terminal));
}

async function readFile(path: string, terminal: Terminal): Promise<Uint8Array> {
  try {
    return await terminal.read(path);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : (thrown as Error).message;
    throw new UsageError(`cannot read ${path}: ${why}`);
  }
}
