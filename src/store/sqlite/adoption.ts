/**
 * Uses existing tables of a SQLite file in place. Each gets a column `_rev` (and `_id` if its key cannot be an id), triggers that
 * give a new revision to what other programs write, and a view from which the store reads. All else of the table stays as it is.
 */
import { readSqlite } from "../../import/database/sqlite.ts";
import type { CatalogueColumn } from "../../import/database/catalogue.ts";
import { isDate, timeOfDayPattern } from "../../base/clock.ts";
import type { AdoptedColumn, AdoptedTable, Column, Table } from "../../plan/resources/types.ts";
import {
  type Adoption,
  addedColumns,
  adopt,
  type AdoptionDialect,
  columnOfField,
  newlyAdopted,
} from "../migration/adoption.ts";
import type { Following } from "../migration/migration.ts";
import type { Connection } from "./connection.ts";
import { fromStored, quoteName } from "./value.ts";

/** Finds the existing tables of the document in the file. `former`: the tables of the stored document. */
export async function adoptionOf(
  connection: Connection,
  tables: readonly Table[],
  former: readonly Table[],
  validate: Following["validate"],
): Promise<Adoption> {
  if (tables.every(({ existing }) => existing === undefined)) return { tables, obstacles: [] };
  const catalogue = await readSqlite(
    (sql, parameters = []) => Promise.resolve(connection.database.prepare(sql).all(...parameters)),
    "",
  );
  const adoption = adopt(tables, catalogue, former, dialect);
  if (adoption.obstacles.length > 0) return adoption;
  const changed = newlyAdopted(adoption.tables, former);
  return { ...adoption, obstacles: changed.flatMap((table) => invalidValues(connection, table, validate)) };
}

/** Writes the bookkeeping of all existing tables, and removes that of former ones. Must run in a transaction. */
export function writeAdoption(connection: Connection, tables: readonly Table[]): void {
  const views = connection.all(
    "SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'trigger') AND name LIKE 'nonet\\_%' ESCAPE '\\'",
  );
  for (const [type, name] of views)
    connection.exec(`DROP ${type === "view" ? "VIEW" : "TRIGGER"} ${quoteName(String(name))}`);
  for (const table of tables) if (table.adopted !== undefined) writeTable(connection, table, table.adopted);
}

function writeTable(connection: Connection, table: Table, adopted: AdoptedTable): void {
  const name = quoteName(adopted.name);
  const hasId = adopted.columns["id"]?.name === addedColumns.id;
  const columns = new Set(connection.all("SELECT name FROM pragma_table_info(?)", adopted.name).map(([one]) => one));
  if (!columns.has(addedColumns.revision))
    connection.exec(`ALTER TABLE ${name} ADD COLUMN ${addedColumns.revision} INTEGER NOT NULL DEFAULT 0`);
  if (hasId && !columns.has(addedColumns.id)) {
    connection.exec(`ALTER TABLE ${name} ADD COLUMN ${addedColumns.id} TEXT`);
    connection.exec(`UPDATE ${name} SET ${addedColumns.id} = ${randomId}`);
    connection.exec(`CREATE UNIQUE INDEX ${quoteName(`nonet_id_${adopted.name}`)} ON ${name} (${addedColumns.id})`);
  }
  const trigger = (when: "INSERT" | "UPDATE", condition: string, set: string): void =>
    connection.exec(`CREATE TRIGGER ${quoteName(`nonet_${when.toLowerCase()}_${adopted.name}`)} AFTER ${when} ON ${name}
      WHEN ${condition} BEGIN UPDATE ${name} SET ${set} WHERE ${adopted.seq} = NEW.${adopted.seq}; END`);
  const id = hasId ? `, ${addedColumns.id} = coalesce(NEW.${addedColumns.id}, ${randomId})` : "";
  // The store writes a revision with each row; a row without one was written by another program.
  trigger("INSERT", `NEW.${addedColumns.revision} = 0`, `${addedColumns.revision} = ${nowSql}${id}`);
  trigger(
    "UPDATE",
    `NEW.${addedColumns.revision} = OLD.${addedColumns.revision}`,
    `${addedColumns.revision} = max(OLD.${addedColumns.revision} + 1, ${nowSql})`,
  );
  connection.exec(`CREATE VIEW ${quoteName(table.name)} AS ${viewSql(table, adopted)}`);
}

const nowSql = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
const randomId = "lower(hex(randomblob(13)))";

function viewSql(table: Table, adopted: AdoptedTable): string {
  const columns = table.columns.map(({ name }) => `${columnOfField(adopted, name).read} AS ${quoteName(name)}`);
  const hidden = [`${adopted.seq} AS _seq`, addedColumns.revision];
  const present = Object.values(adopted.columns).flatMap(({ condition, excludesNull, name }) => [
    ...(excludesNull === true ? [`${quoteName(name)} IS NOT NULL`] : []),
    ...(condition === undefined ? [] : [condition]),
  ]);
  const where = present.length === 0 ? "" : ` WHERE ${present.join(" AND ")}`;
  return `SELECT ${[...hidden, ...columns].join(", ")} FROM ${quoteName(adopted.name)}${where}`;
}

// ── Types ──────────────────────────────────────────────────────────────────────────────────────────────────────────

type Affinity = "TEXT" | "NUMERIC" | "INTEGER" | "REAL" | "BLOB";

/** https://www.sqlite.org/datatype3.html, section 3.1 */
function affinityOf(type: string): Affinity {
  if (/int/i.test(type)) return "INTEGER";
  if (/char|clob|text/i.test(type)) return "TEXT";
  if (type === "" || /blob/i.test(type)) return "BLOB";
  return /real|floa|doub/i.test(type) ? "REAL" : "NUMERIC";
}

const dialect: AdoptionDialect = {
  quoteName,
  rowNumber: ({ columns, key }) => {
    const [only] = key;
    if (key.length === 1 && columns.some(({ counted, name }) => counted === true && name === only))
      return quoteName(only ?? "");
    return ["rowid", "_rowid_", "oid"].find((name) => columns.every((column) => column.name.toLowerCase() !== name));
  },
  obstacles: ({ columns, name, withoutRowid }) => [
    ...(withoutRowid === true ? [`the rows of ${name} have no numbers (WITHOUT ROWID)`] : []),
    ...(["rowid", "_rowid_", "oid"].every((one) => columns.some((column) => column.name.toLowerCase() === one))
      ? [`the columns of ${name} hide the numbers of its rows`]
      : []),
  ],
  columnOf: (column, field) => {
    const read = readSql(column, field);
    return read === undefined
      ? `is of the type ${column.type === "" ? "of any value" : column.type}, and the field ${field.name} is of another`
      : { read, write: "?", ...conditionOf(column, field, read) };
  },
};

/** Any column but the number of the row may have any value, which SQLite's types do not prevent. */
function conditionOf(column: CatalogueColumn, { type }: Column, read: string): Pick<AdoptedColumn, "condition"> {
  const name = quoteName(column.name);
  switch (type) {
    case "text":
      return { condition: `typeof(${name}) IN ('text', 'null')` };
    case "integer":
      if (column.counted === true) return {};
      return {
        condition: `typeof(${name}) IN ('integer', 'null') AND ifnull(${name} BETWEEN -9007199254740991 AND 9007199254740991, 1)`,
      };
    case "number":
      return { condition: `typeof(${name}) IN ('integer', 'real', 'null')` };
    case "boolean":
      return { condition: `ifnull(${name} IN (0, 1), 1)` };
    case "timestamp":
      return { condition: `(${name} IS NULL OR ${read} IS NOT NULL)` };
    case "json":
      return { condition: `CASE typeof(${name}) WHEN 'null' THEN 1 WHEN 'text' THEN json_valid(${name}) ELSE 0 END` };
  }
}

/** Formats of texts that SQLite never converts to numbers, whatever the type of their column. */
const textFormats = ["date", "uuid", "email", "uri"];

function isNeverNumber({ format, pattern }: Column["schema"]): boolean {
  return pattern === timeOfDayPattern || textFormats.some((one) => one === format);
}

function readSql(column: CatalogueColumn, { schema, type }: Column): string | undefined {
  const name = quoteName(column.name);
  const affinity = affinityOf(column.type);
  const isNumber = affinity === "INTEGER" || affinity === "NUMERIC";
  switch (type) {
    case "text":
      // The service compares texts by their code points, whatever the collation of the column.
      return affinity === "TEXT" || (affinity === "NUMERIC" && isNeverNumber(schema))
        ? `${name} COLLATE BINARY`
        : undefined;
    case "integer":
    case "boolean":
      return isNumber ? name : undefined;
    case "number":
      return isNumber || affinity === "REAL" ? `CAST(${name} AS REAL)` : undefined;
    case "timestamp":
      return affinity === "TEXT" || affinity === "NUMERIC" ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${name})` : undefined;
    case "json":
      return affinity === "TEXT" || affinity === "NUMERIC" ? name : undefined;
  }
}

// ── Values ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns a sentence for each column with values that the field cannot have, which SQLite's types do not prevent. */
function invalidValues(connection: Connection, table: Table, validate: Following["validate"]): readonly string[] {
  const { adopted, columns, resource } = table;
  if (adopted === undefined) return [];
  const checks = columns.map((column) => ({
    column,
    isValid: validate(column.schema),
    rows: [] as string[],
    count: 0,
  }));
  const reads = columns.flatMap(({ name }) => {
    const { name: raw, read } = columnOfField(adopted, name);
    return raw === addedColumns.id ? ["''", "''"] : [read, quoteName(raw)];
  });
  const statement = connection.database.prepare(
    `SELECT ${[adopted.seq, ...reads].join(", ")} FROM ${quoteName(adopted.name)}`,
  );
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  for (const row of statement.iterate() as unknown as Iterable<readonly (string | number | bigint | null)[]>) {
    for (const [index, check] of checks.entries()) {
      const [value = null, raw = null] = row.slice(1 + 2 * index, 3 + 2 * index).map(plainNumber);
      if (
        (raw === null && columnOfField(adopted, check.column.name).excludesNull === true) ||
        fits(value, raw, check.column, check.isValid)
      )
        continue;
      check.count += 1;
      if (check.rows.length < 3) check.rows.push(String(row[0]));
    }
  }
  const wrong = checks.flatMap(({ column, count, rows }) => {
    if (count === 0) return [];
    const where = `${adopted.name}.${columnOfField(adopted, column.name).name}`;
    return [
      `${resource}: ${where} has ${count} values that the field ${column.name} cannot have, in the rows ${rows.join(", ")}${count > rows.length ? ", …" : ""}`,
    ];
  });
  const broken = connection.all(`PRAGMA foreign_key_check(${quoteName(adopted.name)})`);
  return broken.length === 0
    ? wrong
    : [...wrong, `${resource}: ${broken.length} references of ${adopted.name} lead nowhere`];
}

function fits(value: unknown, raw: unknown, column: Column, isValid: (value: never) => boolean): boolean {
  const { name, nullable, schema, type, unix } = column;
  // An id that the store adds is not there yet.
  if (name === "id" && raw === "") return true;
  if (raw === null) return nullable;
  if (value === null || !isOfType(value, type)) return false;
  if (schema["format"] === "date") return isDate(value as string);
  if (unix !== undefined) return true;
  try {
    return isValid(fromStored(value as string, type) as never);
  } catch {
    // The text is no JSON.
    return false;
  }
}

/** An integer beyond the safe ones stays a bigint, which fits no field. */
function plainNumber(value: string | number | bigint | null): string | number | bigint | null {
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function isOfType(value: unknown, type: Column["type"]): boolean {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "boolean":
      return value === 0 || value === 1;
    case "number":
      return typeof value === "number";
    default:
      return typeof value === "string";
  }
}
