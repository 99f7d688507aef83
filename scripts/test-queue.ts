/**
 * Runs test files one after another in one process, which loads what they share once: each is a suite of its own, so that its hooks
 * and what they open end with it. Several processes take from one queue (`scripts/test.ts`), each the next that nobody has.
 */
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

/** Of a file; a night has more time. */
export const timeoutMilliseconds: number = process.env["NONET_NIGHTLY"] === "1" ? 3_600_000 : 600_000;

export async function runQueue(): Promise<void> {
  const folder = process.env["NONET_TEST_QUEUE"] ?? "";
  // Without a handle that keeps the process, Node takes a moment in which a test waits for nothing that does (the time limit of a
  // signal) for the end of the process: it closes the report, and loses each file after that.
  const awake = setInterval(() => {}, 60_000);
  const files = readFileSync(join(folder, "files"), "utf8").split("\n");
  for (const [index, file] of files.entries())
    if (take(join(folder, `${index}`)))
      await describe(file, { timeout: timeoutMilliseconds }, () => import(pathToFileURL(resolve(file)).href));
  clearInterval(awake);
  // A file on its own would never end.
  setTimeout(() => {
    process.stderr.write(`Something is left open: ${process.getActiveResourcesInfo().join(", ")}\n`);
    process.exit(1);
  }, 60_000).unref();
}

/** Only one process makes a file that there was not. */
function take(path: string): boolean {
  try {
    closeSync(openSync(path, "wx"));
    return true;
  } catch {
    return false;
  }
}
