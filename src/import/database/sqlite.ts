/** Reads the catalogue of a SQLite file: its pragmas, and the SQL of its tables for CHECK constraints and generated columns. */
import {
  type Catalogue,
  type CatalogueColumn,
  type CatalogueReference,
  type CatalogueTable,
  type CatalogueUnique,
  type DeleteAction,
  isBookkeepingTable,
  type Query,
  type TableKind,
  withoutBookkeeping,
} from "./catalogue.ts";
import { clausesOf, type TableClauses } from "./sqlite-clauses.ts";

export async function readSqlite(query: Query, name: string): Promise<Catalogue> {
  const [version] = await query("SELECT sqlite_version() AS version");
  const listed = await query(
    `SELECT list.name, list.type, master.sql FROM pragma_table_list AS list
     JOIN sqlite_schema AS master ON master.name = list.name AND master.type IN ('table', 'view')
     WHERE list.schema = 'main' AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND list.type <> 'shadow'
     ORDER BY list.name`,
  );
  const tables: CatalogueTable[] = [];
  for (const row of listed) {
    const table = String(row["name"]);
    if (isBookkeepingTable(table)) continue;
    tables.push(
      withoutBookkeeping(await readTable(query, table, kinds[String(row["type"])] ?? "table", textOf(row["sql"]))),
    );
  }
  return { system: "SQLite", version: String(version?.["version"]), name, tables };
}

const kinds: Readonly<Record<string, TableKind>> = { view: "view", virtual: "virtual table" };

async function readTable(query: Query, name: string, kind: TableKind, sql: string): Promise<CatalogueTable> {
  if (kind !== "table")
    return {
      name,
      kind,
      columns: [],
      key: [],
      uniques: [],
      references: [],
      checks: [],
      indexes: [],
      triggers: [],
      others: [],
    };
  const clauses = clausesOf(sql);
  // `hidden`: 2 and 3 are generated columns (virtual and stored).
  const found = await query(
    'SELECT name, type, "notnull" AS required, dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid',
    [name],
  );
  const key = found
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((a, b) => Number(a["pk"]) - Number(b["pk"]))
    .map((row) => String(row["name"]));
  const { indexes, isKeyIndexed, uniques } = await readIndexes(query, name);
  return {
    name,
    kind,
    columns: found.map((row) => columnOf(row, key, clauses, isKeyIndexed)),
    key,
    uniques,
    references: await readReferences(query, name, key),
    checks: clauses.checks,
    ...(clauses.isRowid ? {} : { withoutRowid: true }),
    indexes,
    triggers: (
      await query("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY name", [name])
    ).map((row) => String(row["name"])),
    others: [],
  };
}

type XinfoRow = Readonly<Record<string, unknown>>;

function columnOf(
  row: XinfoRow,
  key: readonly string[],
  { generated, isRowid }: TableClauses,
  isKeyIndexed: boolean,
): CatalogueColumn {
  const name = String(row["name"]);
  const isGenerated = Number(row["hidden"]) > 1;
  const type = textOf(row["type"]).replace(/\s*generated always$/i, "");
  const isOnlyKey = key.length === 1 && key[0] === name;
  // An INTEGER PRIMARY KEY is the number of the row, which SQLite chooses and never leaves null; it has no index. With DESC it is
  // an ordinary column, https://www.sqlite.org/lang_createtable.html#rowids_and_the_integer_primary_key
  const counted = isOnlyKey && isRowid && !isKeyIndexed && /^integer$/i.test(type);
  return {
    name,
    type,
    required: Number(row["required"]) !== 0 || counted || (key.includes(name) && !isRowid),
    ...(row["dflt_value"] === null || row["dflt_value"] === undefined ? {} : { default: textOf(row["dflt_value"]) }),
    ...(isGenerated ? { generated: generated.get(name.toLowerCase()) ?? "" } : {}),
    ...(counted ? { counted } : {}),
  };
}

interface Indexes extends Pick<CatalogueTable, "uniques" | "indexes"> {
  /** Whether the primary key has an index. */
  readonly isKeyIndexed: boolean;
}

async function readIndexes(query: Query, table: string): Promise<Indexes> {
  const uniques: CatalogueUnique[] = [];
  const indexes: (readonly (string | undefined)[])[] = [];
  const list = await query('SELECT name, "unique", origin, partial FROM pragma_index_list(?) ORDER BY seq DESC', [
    table,
  ]);
  for (const row of list) {
    const name = String(row["name"]);
    const keys = await query("SELECT name FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno", [name]);
    const columns = keys.map((one) => nullableText(one["name"]));
    const [{ sql } = {}] = await query("SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = ?", [name]);
    const where = Number(row["partial"]) === 1 ? /\bWHERE\b([\s\S]*)$/i.exec(textOf(sql))?.[1]?.trim() : undefined;
    if (Number(row["unique"]) !== 1) indexes.push(columns);
    else if (row["origin"] !== "pk")
      uniques.push({ name, columns, nullsEqual: false, ...(where === undefined ? {} : { where }) });
  }
  return { uniques, indexes, isKeyIndexed: list.some(({ origin }) => origin === "pk") };
}

async function readReferences(
  query: Query,
  table: string,
  key: readonly string[],
): Promise<readonly CatalogueReference[]> {
  const rows = await query(
    'SELECT id, "table", "from", "to", on_delete, on_update FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    [table],
  );
  const groups = Map.groupBy(rows, ({ id }) => Number(id));
  const found: CatalogueReference[] = [];
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const to = group.map((row) => nullableText(row["to"]));
    const target = String(first["table"]);
    const targetKey = target.toLowerCase() === table.toLowerCase() ? key : await keyOf(query, target);
    found.push({
      columns: group.map((row) => String(row["from"])),
      table: target,
      // Without columns a reference is to the primary key.
      to: to.map((name, index) => name ?? targetKey[index] ?? ""),
      onDelete: String(first["on_delete"]) as DeleteAction,
      onUpdate: String(first["on_update"]) as DeleteAction,
    });
  }
  return found;
}

async function keyOf(query: Query, table: string): Promise<readonly string[]> {
  const rows = await query("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [table]);
  return rows.map((row) => String(row["name"]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function nullableText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
