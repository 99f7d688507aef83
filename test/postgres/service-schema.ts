/**
 * Where a service that a test starts has its data when the suite is run on PostgreSQL (`NONET_TEST_STORE=postgres`): a schema of
 * its own on one server for the whole run, whose address is handed over by the environment (`NONET_TEST_POSTGRES`). A file
 * that is run by hand starts its own.
 */
import { createHash } from "node:crypto";
import { after } from "node:test";
import pg from "pg";
import { type PostgresServer, startPostgres } from "./server.ts";

export const onPostgres: boolean = process.env["NONET_TEST_STORE"] === "postgres";

let own: Promise<PostgresServer> | undefined;
let schemas = 0;

if (onPostgres && process.env["NONET_TEST_POSTGRES"] === undefined) {
  after(async () => {
    await (await own)?.[Symbol.asyncDispose]();
  });
}

export interface ServiceSchema {
  readonly address: string;
  readonly drop: () => Promise<void>;
}

/** What SQLite would keep in one file, over restarts, is in one schema. */
export async function serviceSchema(file?: string): Promise<ServiceSchema> {
  const server = process.env["NONET_TEST_POSTGRES"] ?? (await (own ??= startPostgres())).address;
  const name = `test_${process.pid}_${file === undefined ? (schemas += 1) : createHash("md5").update(file).digest("hex")}`;
  return {
    address: `${server}?schema=${name}&connections=6`,
    drop: async () => {
      if (file !== undefined) return;
      const client = new pg.Client({ connectionString: server });
      await client.connect();
      await client.query(`SET client_min_messages = error; DROP SCHEMA IF EXISTS ${name} CASCADE`);
      await client.end();
    },
  };
}
