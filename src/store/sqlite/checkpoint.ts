/**
 * Copies the log back into the database beside the service: on a thread of its own with a connection of its own, started
 * when it is first needed. Most is copied while writes go on; for the rest, which is little, they wait a moment, so that the
 * log can begin anew.
 */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";

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

/** A pass that took no longer has left little for the next one. */
const shortMilliseconds = 10;

/** On a disk that never is that fast, writes wait in the end. */
const mostPasses = 5;

/** `logBytes`: the log is copied when it has grown beyond this. */
export function openCheckpointer(file: string, logBytes: number): Checkpointer {
  let worker: Worker | undefined;
  let groups = 0;
  let state: "idle" | "copying" | "copied" = "idle";
  let last: Promise<unknown> = Promise.resolve();
  /** What ends when the log has been emptied after a group. */
  let emptied: (() => void) | undefined;

  /** One after another, so that each answer is that of what was asked. Gives how long it took. */
  const ask = (what: "copy" | "empty"): Promise<number> => {
    const next = last.then(
      () => askNow(what),
      () => askNow(what),
    );
    last = next;
    return next;
  };

  const askNow = (what: "copy" | "empty"): Promise<number> =>
    new Promise((resolve, reject) => {
      worker ??= startWorker(file);
      const settle = (): void => {
        worker?.off("message", onMessage).off("error", onError);
      };
      const onMessage = (milliseconds: number): void => {
        settle();
        resolve(milliseconds);
      };
      const onError = (error: Error): void => {
        settle();
        worker = undefined;
        reject(error);
      };
      worker.on("message", onMessage).on("error", onError);
      worker.postMessage(what);
    });

  /** Again and again while writes go on, until so little is left that they can wait for it. */
  const copyMost = async (): Promise<void> => {
    for (let pass = 0; pass < mostPasses; pass += 1) if ((await ask("copy")) < shortMilliseconds) return;
  };

  return {
    afterGroup: () => {
      groups += 1;
      if (emptied !== undefined) {
        const done = emptied;
        emptied = undefined;
        return async () => {
          await ask("empty").catch(() => undefined);
          done();
        };
      }
      if (state === "copied") {
        state = "idle";
        return async () => {
          await ask("copy").catch(() => undefined);
        };
      }
      if (state === "idle" && groups % groupsPerLook === 0 && sizeOf(`${file}-wal`) > logBytes) {
        state = "copying";
        // A copy that failed is tried again at a later look; the log only grows meanwhile.
        copyMost().then(
          () => (state = "copied"),
          () => (state = "idle"),
        );
      }
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
