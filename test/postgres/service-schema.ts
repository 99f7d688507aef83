/**
 * Where a test's service stores its data when the suite runs on PostgreSQL (`NONET_TEST_STORE=postgres`): a separate schema on
 * one server for the whole run, whose address is in the environment (`NONET_TEST_POSTGRES`). A file run by hand starts its own
 * server. The next service with the same tables truncates and reuses a schema: creating and dropping some 45 tables takes a third
 * of a second, truncating them a few milliseconds.
 */
import { createHash } from "node:crypto";
import { after } from "node:test";
import pg from "pg";
import { type PostgresServer, startPostgres } from "./server.ts";

export const onPostgres: boolean = process.env["NONET_TEST_STORE"] === "postgres";

let own: Promise<PostgresServer> | undefined;
let pool: pg.Pool | undefined;
let schemas = 0;
/** Empty ones by what they were made for. */
const idle = new Map<string, string[]>();

if (onPostgres && process.env["NONET_TEST_POSTGRES"] === undefined) {
  after(async () => {
    await pool?.end();
    await (await own)?.[Symbol.asyncDispose]();
  });
}

export interface ServiceSchema {
  readonly address: string;
  readonly drop: () => Promise<void>;
}

/** `kind`: what is made in it. What SQLite would keep in one file, over restarts, is in one schema. */
export async function serviceSchema(kind: string, file?: string): Promise<ServiceSchema> {
  const server = process.env["NONET_TEST_POSTGRES"] ?? (await (own ??= startPostgres())).address;
  const addressOf = (name: string): string => `${server}?schema=${name}&connections=6`;
  if (file !== undefined) {
    const name = `test_${process.pid}_${createHash("md5").update(file).digest("hex")}`;
    return { address: addressOf(name), drop: async () => {} };
  }
  const name = idle.get(kind)?.pop() ?? `test_${process.pid}_${(schemas += 1)}`;
  return {
    address: addressOf(name),
    drop: async () => {
      if (await isEmptied(server, name)) idle.set(kind, [...(idle.get(kind) ?? []), name]);
    },
  };
}

/** Not where the tables have become those of another document. */
async function isEmptied(server: string, name: string): Promise<boolean> {
  pool ??= openPool(server);
  const { rows } = await pool.query<{ generation: string }>(`SELECT generation FROM ${name}.nonet_schema`);
  if (rows[0]?.generation !== "1") return false;
  await pool.query(emptying(name));
  return true;
}

function openPool(server: string): pg.Pool {
  // It keeps no process from its end.
  const opened = new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 2000, allowExitOnIdle: true });
  // A pool is ended before its sockets are closed, and a server that stops says so on each of them.
  return opened.on("connect", (client) => client.on("error", () => undefined)).on("error", () => undefined);
}

/** In the role of a replica rows go in any order. */
const emptying = (schema: string): string => `
  DO $$ DECLARE one name; BEGIN
    PERFORM set_config('session_replication_role', 'replica', true);
    FOR one IN SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'
      AND relname NOT IN ('nonet_schema', 'nonet_documents') LOOP
      EXECUTE format('DELETE FROM ${schema}.%I', one);
    END LOOP;
    FOR one IN SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'S' LOOP
      EXECUTE format('ALTER SEQUENCE ${schema}.%I RESTART', one);
    END LOOP;
    INSERT INTO ${schema}.nonet_journal_floor VALUES (0, 0, NULL);
  END $$`;
