/**
 * Ensures that at most one process serves a file. SQLite allows several writers, but each would serve stale cached state and
 * count rates separately. The operating system releases the lock when the process ends, however it ends.
 */
import { realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../port/error.ts";
import { createForOwner, isBusy } from "./connection.ts";

const retryMilliseconds = 50;

/**
 * Locks an empty file next to `file` until the returned function is called.
 * @throws StoreError `busy` if another process holds the lock for longer than `waitMilliseconds`.
 */
export async function holdServingLock(file: string, waitMilliseconds: number): Promise<() => void> {
  const path = `${actualPath(file)}-serving`;
  for (const end = performance.now() + waitMilliseconds; ; await wait(retryMilliseconds)) {
    const release = tryLock(path);
    if (release !== undefined) return release;
    if (performance.now() > end) {
      throw new StoreError(
        "busy",
        `another process serves ${file}, and only one can: stop that one first, or have several serve one PostgreSQL database (--data postgres://…)`,
      );
    }
  }
}

function tryLock(path: string): (() => void) | undefined {
  createForOwner(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    const opened = inodeOf(path);
    lock.exec("BEGIN EXCLUSIVE");
    // The former holder deletes the file; a lock on a deleted file would not exclude other processes.
    if (opened !== undefined && inodeOf(path) === opened) {
      return () => {
        rmSync(path, { force: true });
        lock.close();
      };
    }
  } catch (thrown) {
    lock.close();
    if (isBusy(thrown)) return undefined;
    throw thrown;
  }
  lock.close();
  return undefined;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Returns the actual path of a file, since one file may have several paths. */
function actualPath(file: string): string {
  const isThere = statSync(file, { throwIfNoEntry: false }) !== undefined;
  return isThere ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}
