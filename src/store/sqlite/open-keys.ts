/**
 * The keys in a file and nothing else, for who makes and ends them beside a service that runs: the tables stay those of the
 * document that the service was started with, whatever the document says now.
 */
import type { GrantStore, KeyStore, SessionStore } from "../port/store.ts";
import { Connection, explained } from "./connection.ts";
import { grantStore } from "./grants.ts";
import type { Writer } from "./write-batches.ts";
import { keyStore } from "./keys.ts";
import { sessionStore } from "./sessions.ts";
import { stateOf } from "./system-tables.ts";

export interface Keys {
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  /** Absent in a file that an earlier release wrote. */
  readonly grants?: GrantStore;
  close(): void;
}

/** Undefined for a file that holds nothing yet. @throws StoreError when it cannot be used. */
export function openSqliteKeys(file: string, waitMilliseconds = 5_000): Keys | undefined {
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, waitMilliseconds);
    const state = stateOf(connection, file);
    if (state !== undefined) return keysOf(connection, file, state.isCurrent);
    connection.close();
    return undefined;
  } catch (thrown) {
    connection?.close();
    throw explained(thrown, file);
  }
}

/** A file that an earlier release wrote has no sessions yet; it stays as it is. */
const noSessions: SessionStore = { find: () => undefined, list: () => [], end: () => false };

function keysOf(connection: Connection, file: string, isCurrent: boolean): Keys {
  const nothing = (): void => undefined;
  const write: Writer["write"] = async (task) => {
    try {
      connection.exec("BEGIN IMMEDIATE");
      const slot = { reading: nothing, writing: nothing, writingOne: nothing, undoWrite: nothing, whenUndone: nothing };
      const result = task({ connection, ...slot });
      connection.exec("COMMIT");
      return result;
    } catch (thrown) {
      if (connection.database.isTransaction) connection.exec("ROLLBACK");
      throw explained(thrown, file);
    }
  };
  return {
    keys: keyStore(connection, { write }),
    sessions: isCurrent ? sessionStore(connection, { write }) : noSessions,
    ...(isCurrent ? { grants: grantStore(connection, { write }) } : {}),
    close: () => connection.close(),
  };
}
