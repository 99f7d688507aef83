/**
 * Applies a migration that only adds (`migration/expansion.ts`) while processes with the former document serve. Defaults of
 * columns fill those that these processes do not know.
 */
import type { Column, Table } from "../../plan/resources/types.ts";
import type { Changed, Differences } from "../migration/differences.ts";
import { placeholder } from "../migration/expansion.ts";
import { quoteText } from "../sql/json-text.ts";
import type { Session } from "./connection.ts";
import { columnSql, indexesOf, referencesSql, tableSql, valuesSql } from "./schema.ts";
import { columnTypes, quoteName, toStored } from "./value.ts";

export async function expand(session: Session, differences: Differences, tables: readonly Table[]): Promise<void> {
  for (const table of differences.added) for (const sql of tableSql(table)) await session.rows(sql);
  for (const change of differences.changed) await widen(session, change);
  for (const table of differences.added) for (const sql of referencesSql(table, tables)) await session.rows(sql);
}

async function widen(session: Session, { after, before, columns }: Changed): Promise<void> {
  const table = quoteName(after.name);
  for (const { column, source } of columns) {
    if (source === undefined) {
      await session.rows(`ALTER TABLE ${table} ADD COLUMN ${columnSql(column)} ${defaultSql(column)}`);
      await fillJournal(session, after, column);
    } else if (JSON.stringify(source.values) !== JSON.stringify(column.values)) {
      for (const name of await checksOf(session, after, column))
        await session.rows(`ALTER TABLE ${table} DROP CONSTRAINT ${quoteName(name)}`);
      const check = valuesSql(column);
      // NOT VALID skips the scan of existing rows, all of which satisfy the check.
      if (check !== "") await session.rows(`ALTER TABLE ${table} ADD ${check} NOT VALID`);
    }
  }
  const [present, wanted] = [indexesOf(before), indexesOf(after)];
  for (const name of present.keys())
    if (!wanted.has(name)) await session.rows(`DROP INDEX IF EXISTS ${quoteName(name)}`);
  for (const [name, sql] of wanted) if (!present.has(name)) await session.rows(sql);
}

/** Returns the default of a column, which stays: this process always writes an explicit value. */
function defaultSql(column: Column): string {
  const made = placeholder(column);
  if (made === undefined) return "";
  if (made.kind === "now") return `DEFAULT date_trunc('${column.unix ?? "milliseconds"}', clock_timestamp())`;
  const value = toStored(made.value as Parameters<typeof toStored>[0], column.type, !column.nullable);
  return `DEFAULT ${value === null ? "NULL" : quoteText(String(value as string | number | boolean))}::${columnTypes[column.type]}`;
}

/** Adds the default to the data of events still to be delivered, except for an unknown creation time. */
async function fillJournal(session: Session, { resource }: Table, column: Column): Promise<void> {
  const made = placeholder(column);
  if (made?.kind !== "literal") return;
  await session.rows("UPDATE nonet_journal SET data = left(data, -1) || $2 WHERE resource = $1 AND data LIKE '{%_}'", [
    resource,
    `,${JSON.stringify(column.name)}:${JSON.stringify(made.value)}}`,
  ]);
}

/** Returns the names of the CHECK constraints of a column. */
async function checksOf(session: Session, table: Table, { name }: Column): Promise<readonly string[]> {
  const found = await session.rows<[string]>(
    `SELECT conname FROM pg_catalog.pg_constraint WHERE contype = 'c' AND conrelid = $1::regclass AND conkey = ARRAY(
       SELECT attnum FROM pg_catalog.pg_attribute WHERE attrelid = $1::regclass AND attname = $2
     )`,
    [quoteName(table.name), name],
  );
  return found.map(([constraint]) => constraint);
}
