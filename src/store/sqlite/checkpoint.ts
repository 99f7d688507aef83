/**
 * Copies the log back into the database (checkpoint), on its own thread and connection, which start at first use. Writes continue
 * meanwhile, so a rest always remains and the log grows. Only when the log has reached several times `logBytes` do writes wait
 * for the rest, so that the log can restart. That wait is two flushes and a thread switch; it dominated the slowest requests
 * (docs/decisions/0007-sqlite-grouped-commits.md).
 */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Connection } from "./connection.ts";

export interface Checkpointer {
  /** Returns a function to await while nothing is written or held, or undefined; called between groups. */
  afterGroup(): (() => Promise<void>) | undefined;
  /**
   * Empties the log, however small it is: erased data would stay readable there until the log is overwritten. Runs after a group,
   * which `group` starts. A reader in another process keeps the state that it reads.
   */
  empty(group: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** How many groups are written between two checks of the log's size. */
const groupsPerLook = 16;

/** After how many copies of `logBytes` the log restarts. */
const copiesPerLog = 4;

/** After a pass of at most this many milliseconds, little is left for the next. */
const shortMilliseconds = 10;

/** The most passes; then writes wait for the rest anyway, as on a slow disk. */
const mostPasses = 5;

/** The sizes of the log in bytes. */
interface LogLimits {
  /** Returns the bytes in the log, and those not yet copied to the database. */
  look(): { readonly filled: number; readonly uncopied: number };
  /** The size beyond which the log restarts. */
  readonly most: number;
  /** The size to which the file is truncated at a restart: overwriting a file is cheaper than growing it. */
  readonly retained: number;
}

/** Returns the limits. Since 3.51 SQLite reports the log's contents with `NOOP`; before, only the file size is known. */
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
 * Creates the checkpointer. `connection`: the writing one, whose automatic checkpoints are disabled. `logBytes`: the bytes to
 * copy at a time.
 */
export function openCheckpointer(connection: Connection, file: string, logBytes: number): Checkpointer {
  const limits = limitsOf(connection, `${file}-wal`, logBytes);
  connection.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${limits.retained}`);
  let worker: Worker | undefined;
  let groups = 0;
  let state: "idle" | "copying" | "copied" = "idle";
  let last: Promise<unknown> = Promise.resolve();
  /** Resolves the promise of `empty` when the log has been emptied after a group. */
  let emptied: (() => void) | undefined;

  /** Sends one message at a time, so that each reply belongs to its message; resolves to the duration. */
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

  /** Copies repeatedly while writes continue, until the rest is small enough for writes to wait. */
  const copyMost = async (): Promise<void> => {
    for (let pass = 0; pass < mostPasses; pass += 1) if ((await send("copy")) < shortMilliseconds) return;
  };

  const copyIfGrown = (): void => {
    const { filled, uncopied } = limits.look();
    if (uncopied <= logBytes) return;
    state = "copying";
    const isFull = filled > limits.most;
    // A failed copy is retried at a later check; until then the log only grows.
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
