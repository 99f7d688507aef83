/** A PostgreSQL server for all tests of a file, with a superuser client. Both are closed after the last test. */
import { after } from "node:test";
import pg from "pg";
import { type PostgresServer, startPostgres } from "./server.ts";

export interface ForFile {
  readonly server: PostgresServer;
  readonly admin: pg.Client;
}

export async function postgresForFile(): Promise<ForFile> {
  const server = await startPostgres();
  const admin = new pg.Client({ connectionString: server.address });
  await admin.connect();
  after(async () => {
    await admin.end();
    await server[Symbol.asyncDispose]();
  });
  return { server, admin };
}
