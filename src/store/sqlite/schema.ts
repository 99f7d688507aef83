/**
 * The tables of a plan as SQLite's definitions: a typed column for each field under the field's own name, what the
 * document closes closed by CHECK, references as foreign keys.
 *
 * Beside the columns stand `_json`, `_json2`, …: each the JSON text of a run of columns that everybody who sees the record
 * sees. SQLite computes them from the columns at each write (they are generated), so that they cannot disagree with them;
 * answers are put together from them, which makes a list three times cheaper than quoting each column anew.
 */
import type { Column, Table } from "../../plan/resources/types.ts";
import { isTimed, timeColumns, isAbsentEqual, uniquesOf } from "../sql/columns.ts";
import { memberText, quoteText } from "../sql/json-text.ts";
import { type CachedFragment, cachedFragmentsOf } from "../sql/json-fragments.ts";
import { columnText, plainNumberText } from "./json.ts";
import { quoteName } from "./value.ts";

/** The statement that makes a table, under another name while it is being rebuilt. */
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
    // The store deletes and clears what refers to a record itself, because that changes revisions; this guards it.
    target ? `REFERENCES ${quoteName(target.name)} ("id")` : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
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

/** The indexes of a table by name. A name says what it holds, so that a changed index has another one. */
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
  // SQLite asks the newest index first, and it is the first in the document that should be named when two are violated.
  for (const columns of uniques.toReversed()) {
    add(columns, true);
    if (isAbsentEqual(table, columns)) indexes.set(...absentIndex(table, columns));
  }
  // `_seq` is the last part of every index by itself: it is the row's own key.
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
 * To SQLite's own index two absent values are distinct. Where they are equal another one holds the records without a value, in
 * which whether there is one stands beside the value.
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

/** By these two records are the same where they have the same values, or have none both. */
export function absentKeys(columns: readonly string[], alias = ""): readonly string[] {
  return columns
    .map((name) => `${alias}${quoteName(name)}`)
    .flatMap((column) => [`${column} IS NULL`, `ifnull(${column}, 0)`]);
}
