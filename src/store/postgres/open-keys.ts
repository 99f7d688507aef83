/**
 * Opens only the keys of a schema, for commands that create and revoke keys while a service runs: the tables stay those of the
 * document that the service started with.
 */
import type { OpenedKeys } from "../port/store.ts";
import { parseDatabaseUrl } from "./database-url.ts";
import { openConnections } from "./connection.ts";
import { grantStore } from "./grants.ts";
import { keyStore } from "./keys.ts";
import { stateOf } from "./system-tables.ts";
import { sessionStore } from "./sessions.ts";

/** Opens the keys; undefined for an empty schema. @throws StoreError if the schema cannot be used. */
export async function openPostgresKeys(address: string): Promise<OpenedKeys | undefined> {
  const databaseUrl = { ...parseDatabaseUrl(address), connections: 2 };
  const connections = openConnections(databaseUrl);
  let found = false;
  try {
    found = (await stateOf(connections, databaseUrl.name)) !== undefined;
  } finally {
    if (!found) await connections.close();
  }
  if (!found) return undefined;
  return {
    keys: keyStore(connections),
    sessions: sessionStore(connections),
    grants: grantStore(connections),
    close: () => connections.close(),
  };
}
