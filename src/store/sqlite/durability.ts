/**
 * How a committed group becomes durable: committed with `synchronous=NORMAL`, which writes the log without waiting for the
 * disk, then one `fdatasync` of the log on the thread pool, during which the service goes on reading requests. Where flushes are
 * short it may be waited for here instead: to hand one over, and to be told of its end, costs more.
 *
 * Why nothing is answered that could still be lost. SQLite writes all frames of a commit to the log with `write` before
 * COMMIT returns, so an `fdatasync` that starts later has them on the disk when it ends; the group is answered then. Until
 * then reads keep to the state before (`hold`), so that no read shows it either. The log is only ever
 * written from its start again after a checkpoint that has copied every frame, and that waits for the disk itself, first for
 * the log and then for the database, at NORMAL as at FULL. The log's entry in its folder is made durable when it is opened.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, fsyncSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../port/error.ts";
import type { Snapshot } from "./snapshot.ts";

export interface Durability {
  /** Before a commit: readers keep to what is durable now. */
  hold(): void;
  /** After it: resolves when everything that was committed is durable. */
  flush(): Promise<void>;
  /** Whether flushes are short of late, or it is time to see. */
  isShort(): boolean;
  /** As `flush`, with nothing else done meanwhile. Throws. */
  flushHere(): void;
  /** Readers may see all that is committed. */
  release(): void;
  close(): void;
}

/**
 * Waited for here is what is short, or a small share of the time since the one before; and never what reads should not wait for.
 */
const short = { milliseconds: 1, share: 0.2, most: 2 };
/** Flushes that took longer, one after another: fewer say little of the next. */
const longInARow = 3;
/** So many are handed over then; after them one is waited for again. */
const handedOver = 16;

/** The file's log must be there: it is from the first statement on after `journal_mode=WAL`. */
export function openDurability(file: string, snapshot: Snapshot): Durability {
  syncFolder(dirname(file));
  const log = openSync(`${file}-wal`, "r+");
  const { ino } = statSync(file);
  // A file that was deleted can be written to, and is gone with this process.
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

/** Nothing to wait for: `synchronous` itself says how durable a commit is. */
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

/** Windows cannot open a folder (EISDIR, EPERM), some file systems cannot sync one, and a folder may be closed to who may use its files. */
const unsynced = new Set<unknown>(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"]);

/** After a file in it was made or renamed: its name is kept in the folder. @throws StoreError `disk` */
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
