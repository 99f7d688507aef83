/**
 * Opens only the keys of a file, for commands that create and revoke keys while a service runs: the tables stay those of the
 * document that the service started with.
 */
import type { OpenedKeys, SessionStore } from "../port/store.ts";
import { Connection, explained } from "./connection.ts";
import { grantStore } from "./grants.ts";
import type { Writer } from "./write-batches.ts";
import { keyStore } from "./keys.ts";
import { sessionStore } from "./sessions.ts";
import { stateOf } from "./system-tables.ts";

/** Opens the keys; undefined for an empty file. @throws StoreError if the file cannot be used. */
export function openSqliteKeys(file: string): OpenedKeys | undefined {
  let connection: Connection | undefined;
  try {
    connection = new Connection(file, 5_000);
    const state = stateOf(connection, file);
    if (state !== undefined) return keysOf(connection, file, state.isCurrent);
    connection.close();
    return undefined;
  } catch (thrown) {
    connection?.close();
    throw explained(thrown, file);
  }
}

/** A file of an earlier release may lack the table of sessions, and is not upgraded here. */
const noSessions: SessionStore = { find: () => undefined, list: () => [], end: () => false };

function keysOf(connection: Connection, file: string, isCurrent: boolean): OpenedKeys {
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
