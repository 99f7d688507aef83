/**
 * Runs test files one after another in one process, which loads shared modules once. Each file is a suite, so that its hooks and
 * open handles end with it. Several processes share one queue (`scripts/test.ts`); each takes the next free file.
 */
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

/** The timeout of a file; nightly runs have more time. */
export const timeoutMilliseconds: number = process.env["NONET_NIGHTLY"] === "1" ? 3_600_000 : 600_000;

export async function runQueue(): Promise<void> {
  const folder = process.env["NONET_TEST_QUEUE"] ?? "";
  // An open handle. Without it, Node treats a moment in which a test waits only for an unreferenced timer (the time limit of a
  // signal) as the end of the process: it closes the report and loses each later file.
  const awake = setInterval(() => {}, 60_000);
  const files = readFileSync(join(folder, "files"), "utf8").split("\n");
  for (const [index, file] of files.entries())
    if (take(join(folder, `${index}`)))
      await describe(file, { timeout: timeoutMilliseconds }, () => import(pathToFileURL(resolve(file)).href));
  clearInterval(awake);
  // A file with open handles would keep its process alive forever, so report them.
  setTimeout(() => {
    process.stderr.write(`Something is left open: ${process.getActiveResourcesInfo().join(", ")}\n`);
    process.exit(1);
  }, 60_000).unref();
}

/** Claims a file: creating the marker succeeds in only one process. */
function take(path: string): boolean {
  try {
    closeSync(openSync(path, "wx"));
    return true;
  } catch {
    return false;
  }
}
