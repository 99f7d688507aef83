/**
 * The state of the file that reads are of. Taking one costs two locks of the file, so it is kept for the reads of a few
 * milliseconds. It ends early when a group of writes is answered: whoever was told of a write also reads it.
 */
import type { Connection } from "./connection.ts";

export interface Snapshot {
  /** To be called before every read. */
  acquire(): void;
  /** From now on reads keep to the state of this moment. */
  hold(): void;
  /** The next read takes the newest state. */
  release(): void;
  close(): void;
}

/** What another process commits is seen after at most this time. */
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
  /** What is damaged or gone fails again here, in nobody's request: it was told to the one that read it. */
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
      // A transaction takes its state at its first read.
      connection.get("SELECT edition FROM nonet_schema");
    },
    release: end,
    close: () => {
      clearTimeout(timer);
      end();
    },
  };
}
