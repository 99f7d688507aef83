/**
 * Holds the read snapshot of the file. Starting one takes two file locks, so reads share it for a few milliseconds. It ends early
 * when a group of writes is answered, so that clients read their own writes.
 */
import type { Connection } from "./connection.ts";

export interface Snapshot {
  /** Call before every read. */
  acquire(): void;
  /** Freezes the present state for reads. */
  hold(): void;
  /** The next read starts a new snapshot. */
  release(): void;
  close(): void;
}

/** Reads see another process's commits after at most this time. */
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
  /** A damaged or missing file fails again here, outside any request; the read already reported the error. */
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
      // SQLite fixes a transaction's snapshot at its first read.
      connection.get("SELECT edition FROM nonet_schema");
    },
    release: end,
    close: () => {
      clearTimeout(timer);
      end();
    },
  };
}
