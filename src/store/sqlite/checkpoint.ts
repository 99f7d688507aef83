/**
 * Copies the log back into the database beside the service: on a thread of its own with a connection of its own, started
 * when it is first needed. That goes on while others write, so something is always left, and the log grows. Only when it is
 * many times what is copied at a time do writes wait, for the rest, so that it can begin anew. That is two flushes and another
 * thread's turns, and was what the slowest requests waited for (docs/decisions/0007-sqlite-grouped-commits.md).
 */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Connection } from "./connection.ts";

export interface Checkpointer {
  /** To be called between groups. Gives what is to be waited for once nothing is being written or held, if anything is. */
  afterGroup(): (() => Promise<void>) | undefined;
  /**
   * Leaves nothing in the log, however small it is: what is erased in the database would be readable there until its place
   * is used again. It is done after a group, which `group` runs. Another process that reads an earlier state keeps it.
   */
  empty(group: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Groups between two looks at the log's size. */
const groupsPerLook = 16;

/** How often so much is copied until the log begins anew. */
const copiesPerLog = 4;

/** A pass that took no longer has left little for the next one. */
const shortMilliseconds = 10;

/** On a disk that never is that fast, writes wait in the end. */
const mostPasses = 5;

/** The log, in bytes. */
interface LogLimits {
  /** What is in it, and what of that the database has not yet. */
  look(): { readonly filled: number; readonly uncopied: number };
  /** It begins anew beyond this. */
  readonly most: number;
  /** The file is cut to this when it does: a longer one is written over, which is cheaper than to make it grow again. */
  readonly retained: number;
}

/** SQLite tells what is in the log, and does nothing else, since 3.51; before, it can only be had from the file's size. */
function limitsOf(connection: Connection, file: string, logBytes: number): LogLimits {
  const [isSupported] = connection.get("SELECT sqlite_version() >= '3.51'") as [number];
  if (isSupported === 0) {
    const look = (): ReturnType<LogLimits["look"]> => {
      const size = sizeOf(file);
      return { filled: size, uncopied: size };
    };
    return { look, most: logBytes, retained: logBytes };
  }
  const [page] = connection.get("PRAGMA page_size") as [number];
  const look = (): ReturnType<LogLimits["look"]> => {
    const [, frames, copied] = connection.get("PRAGMA wal_checkpoint(NOOP)") as [number, number, number];
    return { filled: frames * page, uncopied: (frames - copied) * page };
  };
  return { look, most: logBytes * copiesPerLog, retained: logBytes * copiesPerLog * 2 };
}

/**
 * `connection` is the one that writes, which copies nothing itself from now on; `logBytes`: so much is copied at a time.
 */
export function openCheckpointer(connection: Connection, file: string, logBytes: number): Checkpointer {
  const limits = limitsOf(connection, `${file}-wal`, logBytes);
  connection.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${limits.retained}`);
  let worker: Worker | undefined;
  let groups = 0;
  let state: "idle" | "copying" | "copied" = "idle";
  let last: Promise<unknown> = Promise.resolve();
  /** What ends when the log has been emptied after a group. */
  let emptied: (() => void) | undefined;

  /** One after another, so that each answer is that of what was asked. Gives how long it took. */
  const send = (what: "copy" | "empty"): Promise<number> => {
    const next = last.then(
      () => sendNow(what),
      () => sendNow(what),
    );
    last = next;
    return next;
  };

  const sendNow = (what: "copy" | "empty"): Promise<number> =>
    new Promise((resolve, reject) => {
      worker ??= startWorker(file);
      const finish = (): void => {
        worker?.off("message", onMessage).off("error", onError);
      };
      const onMessage = (milliseconds: number): void => {
        finish();
        resolve(milliseconds);
      };
      const onError = (error: Error): void => {
        finish();
        worker = undefined;
        reject(error);
      };
      worker.on("message", onMessage).on("error", onError);
      worker.postMessage(what);
    });

  /** Again and again while writes go on, until so little is left that they can wait for it. */
  const copyMost = async (): Promise<void> => {
    for (let pass = 0; pass < mostPasses; pass += 1) if ((await send("copy")) < shortMilliseconds) return;
  };

  const copyIfGrown = (): void => {
    const { filled, uncopied } = limits.look();
    if (uncopied <= logBytes) return;
    state = "copying";
    const isFull = filled > limits.most;
    // A copy that failed is tried again at a later look; the log only grows meanwhile.
    (isFull ? copyMost() : send("copy")).then(
      () => (state = isFull ? "copied" : "idle"),
      () => (state = "idle"),
    );
  };

  return {
    afterGroup: () => {
      groups += 1;
      if (emptied !== undefined) {
        const done = emptied;
        emptied = undefined;
        return async () => {
          await send("empty").catch(() => undefined);
          done();
        };
      }
      if (state === "copied") {
        state = "idle";
        return async () => {
          await send("copy").catch(() => undefined);
        };
      }
      if (state === "idle" && groups % groupsPerLook === 0) copyIfGrown();
      return undefined;
    },
    empty: async (group) => {
      if (sizeOf(`${file}-wal`) === 0) return;
      await copyMost().catch(() => undefined);
      const { promise, resolve } = Promise.withResolvers<void>();
      emptied = resolve;
      try {
        await group();
        await promise;
      } finally {
        emptied = undefined;
      }
    },
    close: async () => {
      await worker?.terminate();
    },
  };
}

function startWorker(file: string): Worker {
  const worker = new Worker(new URL("./checkpoint-thread.ts", import.meta.url), { workerData: file });
  worker.unref();
  return worker;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
