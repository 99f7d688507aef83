/**
 * The keys in a file and nothing else, for who makes and ends them beside a service that runs: the tables stay those of the
 * document that the service was started with, whatever the document says now.
 */
import type { KeyStore, SessionStore } from "../store.ts";
import { Connection, explained } from "./connection.ts";
import type { Writer } from "./group.ts";
import { keyStore } from "./keys.ts";
import { sessionStore } from "./sessions.ts";
import { stateOf } from "./own-tables.ts";

export interface Keys {
  readonly keys: KeyStore;
  readonly sessions: SessionStore;
  close(): void;
}

/** Undefined for a file that holds nothing yet. @throws StoreError when it cannot be used. */
export function openSqliteKeys(file: string, waitMilliseconds = 5_000): Keys | undefined {
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, waitMilliseconds);
    if (stateOf(connection, file) !== undefined) return keysOf(connection, file);
    connection.close();
    return undefined;
  } catch (thrown) {
    connection?.close();
    throw explained(thrown, file);
  }
}

function keysOf(connection: Connection, file: string): Keys {
  const nothing = (): void => undefined;
  const write: Writer["write"] = async (work) => {
    try {
      connection.exec("BEGIN IMMEDIATE");
      const result = work({ connection, reading: nothing, writing: nothing });
      connection.exec("COMMIT");
      return result;
    } catch (thrown) {
      if (connection.database.isTransaction) connection.exec("ROLLBACK");
      throw explained(thrown, file);
    }
  };
  return {
    keys: keyStore(connection, { write }),
    sessions: sessionStore(connection, { write }),
    close: () => connection.close(),
  };
}
