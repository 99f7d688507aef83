/**
 * Holds the read snapshot of the file. Starting one takes two file locks, so reads share it for a few milliseconds. It ends
 * early when the results of a group of writes are returned, so that clients read their own writes.
 */
import type { Connection } from "./connection.ts";

export interface Snapshot {
  /** Takes part in the snapshot; called before every read. */
  acquire(): void;
  /** Freezes the current state for reads. */
  hold(): void;
  /** Ends the snapshot: the next read starts a new one. */
  release(): void;
  close(): void;
}

/** After how many milliseconds at most reads see another process's commits. */
const lifetimeMilliseconds = 5;

export function openSnapshot(connection: Connection): Snapshot {
  let isAcquired = false;
  let held = false;
  let timer: NodeJS.Timeout | undefined;

  const begin = (): void => {
    connection.run("BEGIN");
    isAcquired = true;
  };
  const end = (): void => {
    if (isAcquired) leave();
    isAcquired = false;
    held = false;
  };
  /** A damaged or missing file fails again here, outside any request; the read has already reported the error. */
  const leave = (): void => {
    try {
      connection.run("COMMIT");
    } catch {
      if (connection.database.isTransaction) connection.run("ROLLBACK");
    }
  };
  const lapse = (): void => {
    timer = undefined;
    if (!held) end();
  };
  return {
    acquire: () => {
      if (isAcquired) return;
      begin();
      timer ??= setTimeout(lapse, lifetimeMilliseconds).unref();
    },
    hold: () => {
      if (held) return;
      end();
      begin();
      held = true;
      // The read fixes the snapshot, since SQLite does that at the first read of a transaction.
      connection.get("SELECT edition FROM nonet_schema");
    },
    release: end,
    close: () => {
      clearTimeout(timer);
      end();
    },
  };
}
