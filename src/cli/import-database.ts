/** Opens an existing database for `nonet import`, for reading only, and reads its catalogue. */
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import pg from "pg";
import type { Catalogue, Query } from "../import/database/catalogue.ts";
import { readPostgres } from "../import/database/postgres.ts";
import { readSqlite } from "../import/database/sqlite.ts";
import { UsageError } from "../server/errors.ts";
import { withoutSecret } from "../server/open-store.ts";
import { isPostgresAddress, parseDatabaseUrl } from "../store/postgres/database-url.ts";
import { usable } from "./data-location.ts";

/** Whether the operand of `import` is a database: an address, `sqlite:FILE`, or a file that SQLite has made. */
export function isDatabase(operand: string): boolean {
  return isPostgresAddress(operand) || operand.startsWith("sqlite:") || hasSqliteHeader(operand);
}

/** @throws UsageError if the database cannot be read. */
export async function catalogueOf(operand: string): Promise<Catalogue> {
  return isPostgresAddress(operand) ? postgresCatalogue(operand) : sqliteCatalogue(operand.replace(/^sqlite:/, ""));
}

/** The first 16 bytes of a database file (https://www.sqlite.org/fileformat.html). */
function hasSqliteHeader(file: string): boolean {
  if (!existsSync(file)) return false;
  const descriptor = openSync(file, "r");
  try {
    const header = Buffer.alloc(16);
    readSync(descriptor, header, 0, 16, 0);
    return header.toString("latin1") === "SQLite format 3\0";
  } catch {
    // A folder, for example, cannot be read.
    return false;
  } finally {
    closeSync(descriptor);
  }
}

async function sqliteCatalogue(file: string): Promise<Catalogue> {
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`);
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(readOnlyUrl(file), { readOnly: true, timeout: 5_000 });
    try {
      // One state of the file for all statements.
      database.exec("BEGIN");
      const query: Query = async (sql, parameters = []) => database.prepare(sql).all(...parameters);
      return await readSqlite(query, basename(file).replace(/\.[^.]*$/, ""));
    } finally {
      database.close();
    }
  } catch (thrown) {
    throw new UsageError(`${file} cannot be read: ${messageOf(thrown)}`);
  }
}

/**
 * Without a log, no process has a file in WAL mode open. It is then read as immutable, since SQLite would else create a log beside
 * it, which a connection for reading leaves there.
 */
function readOnlyUrl(file: string): URL {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set("immutable", "1");
  return url;
}

async function postgresCatalogue(address: string): Promise<Catalogue> {
  const databaseUrl = await usable(async () => parseDatabaseUrl(address));
  const client = new pg.Client({
    connectionString: databaseUrl.address,
    application_name: "nonet import",
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
  });
  // The next statement reports the lost connection.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    // So that no other schema can replace a function, and names of this schema are written with it.
    await client.query("SELECT pg_catalog.set_config('search_path', 'pg_catalog', true)");
    const query: Query = async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows as never;
    const found = await readPostgres(query, databaseUrl.schema, client.database ?? databaseUrl.schema);
    if (found === undefined) throw new Error(`it has no schema ${databaseUrl.schema}`);
    return found;
  } catch (thrown) {
    throw new UsageError(`${withoutSecret(address)} cannot be read: ${messageOf(thrown)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof AggregateError || !(thrown instanceof Error)
    ? "the server does not respond"
    : thrown.message;
}
