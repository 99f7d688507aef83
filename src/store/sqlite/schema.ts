/**
 * Generates the SQLite tables of a plan: a typed column per field, CHECK for closed values, foreign keys for references.
 *
 * The generated columns `_json`, `_json2`, … store the JSON text of a run of columns visible to everyone who sees the record.
 * SQLite computes them at each write, so they always agree with the columns; building responses from them makes a list three
 * times cheaper than serialising each column.
 */
import type { Column, Table } from "../../plan/resources/types.ts";
import { isTimed, timeColumns, isAbsentEqual, uniquesOf } from "../sql/columns.ts";
import { memberText, quoteText } from "../sql/json-text.ts";
import { type CachedFragment, cachedFragmentsOf } from "../sql/json-fragments.ts";
import { columnText, plainNumberText } from "./json.ts";
import { quoteName } from "./value.ts";

/** Returns the CREATE TABLE statement; `name` differs while the table is rebuilt. */
export function tableSql(table: Table, tables: readonly Table[], name: string = table.name): string {
  const columns = table.columns.map((column) => `  ${columnSql(column, tables)}`);
  const fragmentColumns = cachedFragmentsOf(table).map(
    (fragment) => `  ${fragment.name} TEXT GENERATED ALWAYS AS (${fragmentSql(fragment)}) STORED`,
  );
  const times = isTimed(table) ? timeColumns.map((column) => `  ${column} INTEGER`) : [];
  const lines = ["  _seq INTEGER PRIMARY KEY", "  _rev INTEGER NOT NULL", ...times, ...columns, ...fragmentColumns];
  return `CREATE TABLE ${quoteName(name)} (\n${lines.join(",\n")}\n) STRICT`;
}

const storedTypes = {
  text: "TEXT",
  integer: "INTEGER",
  number: "REAL",
  boolean: "INTEGER",
  timestamp: "TEXT",
  json: "TEXT",
} as const;

function columnSql(column: Column, tables: readonly Table[]): string {
  const name = quoteName(column.name);
  const target = column.references && tables.find(({ resource }) => resource === column.references?.resource);
  return [
    `${name} ${storedTypes[column.type]}`,
    column.nullable ? "" : "NOT NULL",
    checkSql(column, name),
    // The store itself deletes and clears references, because that changes revisions; the foreign key is a safeguard.
    target ? `REFERENCES ${targetSql(target)}` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function targetSql({ adopted, name }: Table): string {
  const [table, id] = adopted === undefined ? [name, "id"] : [adopted.name, adopted.columns["id"]?.name ?? "id"];
  return `${quoteName(table)} (${quoteName(id)})`;
}

function checkSql({ type, values }: Column, name: string): string {
  if (type === "boolean") return `CHECK (${name} IN (0, 1))`;
  if (type === "json") return `CHECK (json_valid(${name}))`;
  return type === "text" && values ? `CHECK (${name} IN (${values.map(quoteText).join(", ")}))` : "";
}

function fragmentSql({ columns, opens }: CachedFragment): string {
  const text = (column: Column, index: number) =>
    memberText({
      name: column.name,
      start: opens && index === 0 ? "{" : ",",
      absent: column.nullable ? column.absent : "never",
      column: quoteName(column.name),
      value:
        column.type === "number"
          ? plainNumberText(quoteName(column.name))
          : columnText(quoteName(column.name), column.type, column.values),
    });
  return columns.map(text).join(" || ");
}

/** Returns the indexes of a table by name. The name contains the columns, so that a changed index has a new name. */
export function indexesOf(table: Table): ReadonlyMap<string, string> {
  const indexes = new Map<string, string>();
  const add = (columns: readonly string[], unique: boolean): void => {
    const name = `${table.name}${unique ? " unique" : " by"} ${columns.join(" ")}`;
    const kind = unique ? "UNIQUE INDEX" : "INDEX";
    indexes.set(
      name,
      `CREATE ${kind} ${quoteName(name)} ON ${quoteName(table.name)} (${columns.map(quoteName).join(", ")})`,
    );
  };
  const uniques = uniquesOf(table);
  // The order is reversed, since SQLite checks the newest index first: if two are violated, the error should name the first in
  // the document.
  for (const columns of uniques.toReversed()) {
    add(columns, true);
    if (isAbsentEqual(table, columns)) indexes.set(...absentIndex(table, columns));
  }
  // SQLite appends the row key `_seq` to every index.
  for (const columns of table.indexes) add(columns, false);
  if (isTimed(table)) {
    const name = quoteName(`${table.name} by _due`);
    indexes.set(
      `${table.name} by _due`,
      `CREATE INDEX ${name} ON ${quoteName(table.name)} (_due) WHERE _due IS NOT NULL`,
    );
  }
  return indexes;
}

/**
 * Returns an index for sets in which two nulls are equal (`absentEqual`), since a UNIQUE index of SQLite treats nulls as
 * distinct. It covers the records with a null: its keys are, for each column, whether it is null and its value.
 */
function absentIndex(table: Table, columns: readonly string[]): [name: string, sql: string] {
  const name = absentIndexName(table, columns);
  const absent = columns.map((column) => `${quoteName(column)} IS NULL`).join(" OR ");
  return [
    name,
    `CREATE UNIQUE INDEX ${quoteName(name)} ON ${quoteName(table.name)} (${absentKeys(columns).join(", ")}) WHERE ${absent}`,
  ];
}

export function absentIndexName(table: Table, columns: readonly string[]): string {
  return `${table.name} unique ${columns.join(" ")}, absent equal`;
}

/** Returns keys that are equal if each value is equal, or null in both records. */
export function absentKeys(columns: readonly string[], alias = ""): readonly string[] {
  return columns
    .map((name) => `${alias}${quoteName(name)}`)
    .flatMap((column) => [`${column} IS NULL`, `ifnull(${column}, 0)`]);
}
