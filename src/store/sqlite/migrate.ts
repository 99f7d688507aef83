/**
 * Brings a file to the tables of a document, in one transaction, or says what of its data stands in the way and changes
 * nothing. What SQLite cannot alter (all but indexes and new tables) is done by making the table anew and copying.
 */
import type { Table } from "../../plan/plan.ts";
import { type Changed, differencesBetween, type Doubt } from "../differences.ts";
import { StoreError } from "../error.ts";
import { answersSql } from "./answers.ts";
import type { Connection } from "./connection.ts";
import { countersSql } from "./counters.ts";
import { journalSql } from "./journal.ts";
import { keysSql } from "./keys.ts";
import { secretsSql } from "./secrets.ts";
import { indexesOf, tableSql } from "./schema.ts";
import { quoteName, quoteText, toStored } from "./value.ts";

/** The layout of Nonet's own tables. A file with a higher one was written by a newer release. */
const edition = 1;

/** Marks a file as ours in its header: "Nont". */
const applicationId = 0x4e6f6e74;

const schemaSql =
  "CREATE TABLE nonet_schema (edition INTEGER NOT NULL, tables TEXT NOT NULL CHECK (json_valid(tables))) STRICT";

/** @throws StoreError `not-ours`, `too-new`, `corrupt` or `incompatible`. */
export function migrate(connection: Connection, file: string, tables: readonly Table[], clock: () => number): void {
  const present = presentTables(connection, file);
  const wanted = JSON.stringify(tables);
  if (present === wanted) return;
  // Foreign keys are off while tables are made anew; this cannot be said inside a transaction.
  connection.exec("PRAGMA foreign_keys = OFF");
  connection.exec("PRAGMA legacy_alter_table = ON");
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have done it while this one waited.
    const now = presentTables(connection, file);
    if (now === undefined) create(connection, tables);
    else if (now !== wanted) change(connection, JSON.parse(now) as Table[], tables, clock);
    connection.run("UPDATE nonet_schema SET tables = ?", wanted);
    connection.exec("COMMIT");
  } catch (thrown) {
    if (connection.database.isTransaction) connection.exec("ROLLBACK");
    throw thrown;
  } finally {
    connection.exec("PRAGMA legacy_alter_table = OFF");
    connection.exec("PRAGMA foreign_keys = ON");
  }
}

/** The tables that the file was last brought to, as JSON; undefined for an empty file. */
function presentTables(connection: Connection, file: string): string | undefined {
  const names = connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'").map(([name]) => name as string);
  if (names.length === 0) return undefined;
  if (!names.includes("nonet_schema")) {
    const some = names.slice(0, 3).join(", ");
    throw new StoreError("not-ours", `${file} is a database that something else made: it holds ${some}`);
  }
  const [found, tables] = connection.get("SELECT edition, tables FROM nonet_schema") ?? [];
  if (typeof found !== "number" || typeof tables !== "string") {
    throw new StoreError("corrupt", `${file} does not say which tables it holds`);
  }
  if (found > edition) throw new StoreError("too-new", `${file} was written by a newer release of nonet`);
  return tables;
}

function create(connection: Connection, tables: readonly Table[]): void {
  connection.exec(`PRAGMA application_id = ${applicationId}`);
  for (const sql of [schemaSql, keysSql, answersSql, countersSql, secretsSql, journalSql]) connection.exec(sql);
  connection.run("INSERT INTO nonet_schema VALUES (?, '[]')", edition);
  for (const table of tables) addTable(connection, table, tables);
}

function addTable(connection: Connection, table: Table, tables: readonly Table[]): void {
  connection.exec(tableSql(table, tables));
  for (const index of indexesOf(table).values()) connection.exec(index);
}

function change(connection: Connection, before: readonly Table[], after: readonly Table[], clock: () => number): void {
  const { added, changed, dropped } = differencesBetween(before, after);
  const obstacles = [
    ...dropped.flatMap((table) => droppedObstacle(connection, table)),
    ...changed.flatMap((one) => one.doubts.flatMap((doubt) => obstacleOf(connection, one, doubt, after))),
  ];
  if (obstacles.length > 0) {
    throw new StoreError("incompatible", "the data that is stored does not fit the document:", obstacles);
  }
  for (const { name } of dropped) connection.exec(`DROP TABLE ${quoteName(name)}`);
  for (const one of changed) changeTable(connection, one, after, clock);
  for (const table of added) addTable(connection, table, after);
  const [broken] = connection.all("PRAGMA foreign_key_check");
  if (broken) throw new Error(`the migration left a reference in ${String(broken[0])} that leads nowhere`);
}

/** Indexes are dropped and made where the table stays; else the table is made anew under its own row numbers. */
function changeTable(
  connection: Connection,
  { after, before, filled }: Changed,
  tables: readonly Table[],
  clock: () => number,
): void {
  const wanted = indexesOf(after);
  if (definitionOf(connection, before.name) === tableSql(after, tables)) {
    const present = new Set(indexNames(connection, before.name));
    for (const name of present) if (!wanted.has(name)) connection.exec(`DROP INDEX ${quoteName(name)}`);
    for (const [name, sql] of wanted) if (!present.has(name)) connection.exec(sql);
    return;
  }
  const making = `nonet_new_${after.name}`;
  connection.exec(tableSql(after, tables, making));
  const fresh = new Map(filled.map((one) => [one.column.name, one]));
  const moment = new Date(clock()).toISOString();
  const values = after.columns.map(({ name, type }) => {
    const one = fresh.get(name);
    if (!one) return quoteName(name);
    const { with: value } = one;
    if (value?.kind === "literal") return literalSql(toStored(value.value, type));
    return value?.kind === "now" || value?.kind === "now-on-change" ? quoteText(moment) : "NULL";
  });
  const names = after.columns.map(({ name }) => quoteName(name));
  connection.exec(
    `INSERT INTO ${quoteName(making)} (${["_seq", "_rev", ...names].join(", ")})
     SELECT ${["_seq", "_rev", ...values].join(", ")} FROM ${quoteName(before.name)} ORDER BY _seq`,
  );
  connection.exec(`DROP TABLE ${quoteName(before.name)}`);
  connection.exec(`ALTER TABLE ${quoteName(making)} RENAME TO ${quoteName(after.name)}`);
  for (const sql of wanted.values()) connection.exec(sql);
}

function literalSql(value: unknown): string {
  return typeof value === "string" ? quoteText(value) : value === null ? "NULL" : String(value as number);
}

function droppedObstacle(connection: Connection, { name, resource }: Table): readonly string[] {
  const count = countOf(connection, `SELECT count(*) FROM ${quoteName(name)}`);
  return count === 0 ? [] : [`${resource} is gone from the document, and ${records(count)} would be lost`];
}

/** Why the records stand in the way, if any does. */
function obstacleOf(
  connection: Connection,
  { after, before }: Changed,
  doubt: Doubt,
  tables: readonly Table[],
): readonly string[] {
  const from = quoteName(before.name);
  const count = (where: string): number => countOf(connection, `SELECT count(*) FROM ${from} AS t WHERE ${where}`);
  const place = (column: string): string => `${after.resource}.${column}`;
  const said = (found: number, message: string): readonly string[] => (found === 0 ? [] : [message]);
  switch (doubt.kind) {
    case "dropped": {
      const found = count(`${quoteName(doubt.column.name)} IS NOT NULL`);
      return said(found, `${place(doubt.column.name)} is gone from the document, and ${records(found)} would lose it`);
    }
    case "retyped": {
      const found = count(`${quoteName(doubt.column.name)} IS NOT NULL`);
      const types = `from ${doubt.before.type} to ${doubt.column.type}`;
      return said(found, `${place(doubt.column.name)} changed ${types}, and ${records(found, "has")} a value`);
    }
    case "unfilled": {
      const found = count("TRUE");
      const remedy = "make it optional (`?`) or give it a default";
      return said(
        found,
        `${place(doubt.column.name)} is new and required, and ${records(found, "has")} none: ${remedy}`,
      );
    }
    case "required": {
      const found = count(`${quoteName(doubt.column.name)} IS NULL`);
      return said(found, `${place(doubt.column.name)} is now required, and ${records(found, "has")} none`);
    }
    case "narrowed": {
      const found = count(`${quoteName(doubt.column.name)} NOT IN (${doubt.values.map(quoteText).join(", ")})`);
      const values = doubt.values.join(" | ");
      return said(found, `${place(doubt.column.name)} is now ${values}, and ${records(found, "has")} another value`);
    }
    case "unique":
      return uniqueObstacle(connection, before, after, doubt.columns);
    case "reference": {
      const target = tables.find(({ resource }) => resource === doubt.column.references?.resource);
      const name = quoteName(doubt.column.name);
      const present = target && tableExists(connection, target.name);
      const found = count(
        present
          ? `t.${name} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${quoteName(target.name)} AS r WHERE r."id" = t.${name})`
          : `t.${name} IS NOT NULL`,
      );
      return said(
        found,
        `${place(doubt.column.name)} now refers to ${target?.resource}, and ${records(found)} to nothing there`,
      );
    }
  }
}

function uniqueObstacle(
  connection: Connection,
  before: Table,
  after: Table,
  columns: readonly string[],
): readonly string[] {
  // A column that is new holds the same in all records, or nothing.
  const old = columns.filter((column) => before.columns.some(({ name }) => name === column));
  const fresh = after.columns.filter(({ name }) => columns.includes(name) && !old.includes(name));
  if (fresh.some(({ default: value }) => value === undefined)) return [];
  const names = old.map(quoteName);
  const present = names.map((name) => `${name} IS NOT NULL`).join(" AND ") || "TRUE";
  const group = names.length === 0 ? "" : `GROUP BY ${names.join(", ")}`;
  const found = countOf(
    connection,
    `SELECT coalesce(sum(n), 0) FROM (SELECT count(*) AS n FROM ${quoteName(before.name)} WHERE ${present} ${group}) WHERE n > 1`,
  );
  if (found === 0) return [];
  return [`${after.resource} is now unique by ${columns.join(" + ")}, and ${records(found)} share theirs with another`];
}

/** The statement that made a table, as SQLite keeps it. */
function definitionOf(connection: Connection, table: string): unknown {
  return connection.get("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", table)?.[0];
}

function indexNames(connection: Connection, table: string): readonly string[] {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL";
  return connection.all(sql, table).map(([name]) => name as string);
}

function tableExists(connection: Connection, name: string): boolean {
  return connection.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name) !== undefined;
}

function countOf(connection: Connection, sql: string): number {
  const statement = connection.database.prepare(sql);
  statement.setReturnArrays(true);
  return Number((statement.get() as unknown as readonly unknown[])[0]);
}

/** `1 record has`, `2 records have`. */
function records(count: number, has?: "has"): string {
  if (count === 1) return has ? "1 record has" : "1 record";
  return has ? `${count} records have` : `${count} records`;
}
