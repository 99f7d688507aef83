/**
 * Makes a committed group of transactions durable: COMMIT with `synchronous=NORMAL` writes the log without waiting for the disk,
 * then one `fdatasync` of the log runs on the thread pool while the service reads further requests. If flushes are short, a
 * synchronous one is cheaper than the handover to the thread pool.
 *
 * Why no response can report a lost write: SQLite writes all frames of a commit to the log before COMMIT returns, so an
 * `fdatasync` that starts later makes them durable, and only then the group is answered. Until then readers see the former state
 * (`hold`). SQLite overwrites the log from its start only after a checkpoint of every frame, which itself flushes first the log
 * and then the database, at NORMAL as at FULL. Opening makes the log's directory entry durable.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, fsyncSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../port/error.ts";
import type { Snapshot } from "./snapshot.ts";

export interface Durability {
  /** Keeps readers on the durable state; called before a commit. */
  hold(): void;
  /** Returns a promise that resolves when all commits are durable; called after a commit. */
  flush(): Promise<void>;
  /** Whether to flush synchronously: recent flushes were short, or it is time to measure again. */
  isShort(): boolean;
  /** Flushes synchronously, which blocks the thread. Throws if it fails. */
  flushHere(): void;
  /** Lets readers see all commits. */
  release(): void;
  close(): void;
}

/** How long a synchronous flush may take: 1 ms, or 20 % of the time since the previous one, but never more than 2 ms. */
const short = { milliseconds: 1, share: 0.2, most: 2 };
/**
 * After how many long flushes in a row the store flushes asynchronously; a shorter run of long flushes does not predict that
 * the next one is long.
 */
const longInARow = 3;
/** How many asynchronous flushes follow, before a synchronous one measures again. */
const handedOver = 16;

/** Opens the durability of a file. The log must exist; it does after the first statement with `journal_mode=WAL`. */
export function openDurability(file: string, snapshot: Snapshot): Durability {
  syncFolder(dirname(file));
  const log = openSync(`${file}-wal`, "r+");
  const { ino } = statSync(file);
  // Whether the file still exists: writes to a deleted file succeed, but are lost when this process exits.
  const isThere = (): boolean => statSync(file, { throwIfNoEntry: false })?.ino === ino && fstatSync(log).nlink > 0;
  const removedError = (): Error => new Error("it, or its log, was deleted or replaced while it was in use");
  const flush = (resolve: () => void, reject: (reason: Error) => void): void =>
    fdatasync(log, (error) => {
      if (error) reject(error);
      else if (isThere()) resolve();
      else reject(removedError());
    });
  let toHandOver = 0;
  let long = 0;
  let ended = performance.now();
  return {
    hold: () => snapshot.hold(),
    flush: () => new Promise(flush),
    isShort: () => {
      if (toHandOver === 0) return true;
      toHandOver -= 1;
      return false;
    },
    flushHere: () => {
      const begun = performance.now();
      fdatasyncSync(log);
      const allowed = Math.min(short.most, Math.max(short.milliseconds, (begun - ended) * short.share));
      ended = performance.now();
      long = ended - begun > allowed ? long + 1 : 0;
      if (long >= longInARow) toHandOver = handedOver;
      if (!isThere()) throw removedError();
    },
    release: () => snapshot.release(),
    close: () => closeSync(log),
  };
}

/** Returns a durability without extra flushes: the `synchronous` pragma defines when commits are durable. */
export function immediate(snapshot: Snapshot): Durability {
  return {
    hold: () => undefined,
    flush: () => Promise.resolve(),
    isShort: () => true,
    flushHere: () => undefined,
    release: () => snapshot.release(),
    close: () => undefined,
  };
}

/**
 * Errors of syncing a folder that are ignored: Windows cannot open a folder (EISDIR, EPERM), some file systems cannot sync
 * one, and its permissions may forbid it.
 */
const unsynced = new Set<unknown>(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"]);

/** Makes the directory entry of a created or renamed file durable. @throws StoreError `disk` */
export function syncFolder(folder: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
  } catch (thrown) {
    if (!unsynced.has((thrown as NodeJS.ErrnoException).code))
      throw new StoreError("disk", `the disk did not take the names of the files in ${folder}`, [], thrown);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
