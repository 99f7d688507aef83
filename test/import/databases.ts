/** Databases for the tests of the import, and what a document of one says. */
import { DatabaseSync } from "node:sqlite";
import type pg from "pg";
import type { Query } from "../../src/import/database/catalogue.ts";
import { importCatalogue, type ImportedDatabase } from "../../src/import/database/import.ts";
import { readPostgres } from "../../src/import/database/postgres.ts";
import { readSqlite } from "../../src/import/database/sqlite.ts";
import { check } from "../../src/language/check.ts";

export async function importedSqlite(sql: string): Promise<ImportedDatabase> {
  const database = new DatabaseSync(":memory:");
  try {
    database.exec(sql);
    return importCatalogue(
      await readSqlite(async (text, values = []) => database.prepare(text).all(...values), "shop"),
    );
  } finally {
    database.close();
  }
}

export async function importedPostgres(admin: pg.Client, schema: string, sql: string): Promise<ImportedDatabase> {
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; CREATE SCHEMA ${schema}; SET search_path = ${schema}`);
  await admin.query(sql);
  return importedSchema(admin, schema);
}

export async function importedSchema(admin: pg.Client, schema: string): Promise<ImportedDatabase> {
  await admin.query("BEGIN READ ONLY; SET LOCAL search_path = pg_catalog");
  const query: Query = async (text, values = []) => (await admin.query(text, [...values])).rows as never;
  try {
    const catalogue = await readPostgres(query, schema, "shop");
    if (catalogue === undefined) throw new Error(`there is no schema ${schema}`);
    return importCatalogue(catalogue);
  } finally {
    await admin.query("ROLLBACK");
  }
}

/** The errors that `check` finds in the document. */
export function errorsIn({ document }: ImportedDatabase): readonly string[] {
  const { diagnostics } = check("the import", document);
  return diagnostics.filter(({ severity }) => severity === "error").map(({ code, message }) => `${code}: ${message}`);
}

/** The notices as texts: `lost: a trigger /pets`. */
export function noticesOf({ notices }: ImportedDatabase): readonly string[] {
  return notices.map(({ kind, pointer, what }) => `${kind}: ${what} ${pointer}`);
}
