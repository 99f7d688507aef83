/** Reads the catalogue of one schema of a PostgreSQL database from `pg_catalog`. */
import {
  type Catalogue,
  type CatalogueCheck,
  type CatalogueColumn,
  type CatalogueObject,
  type CatalogueReference,
  type CatalogueRow,
  type CatalogueTable,
  type CatalogueUnique,
  type DeleteAction,
  isBookkeepingTable,
  type Query,
  type TableKind,
  withoutBookkeeping,
} from "./catalogue.ts";

/** Names without a schema are those of `pg_catalog`, so the schema is searched by its number only. */
export async function readPostgres(query: Query, schema: string, name: string): Promise<Catalogue | undefined> {
  const [version] = await query("SELECT current_setting('server_version') AS version");
  const [space] = await query("SELECT oid::text AS oid FROM pg_catalog.pg_namespace WHERE nspname = $1", [schema]);
  if (space === undefined) return undefined;
  const of = [String(space["oid"])];
  const tables = await query(tablesSql, of);
  const columns = byTable(await query(columnsSql, of));
  const constraints = byTable(await query(constraintsSql, of));
  const domains = byTable(await query(domainChecksSql, of));
  const indexes = byTable(await query(indexesSql, of));
  const triggers = byTable(await query(triggersSql, of));
  const others = byTable(await query(othersSql, of));
  const found = tables.map((row): CatalogueTable => {
    const oid = String(row["oid"]);
    const own = constraints.get(oid) ?? [];
    return {
      name: String(row["name"]),
      kind: row["partition"] === true ? "partition" : (kinds[String(row["kind"])] ?? "view"),
      ...textMember("comment", row["comment"]),
      ...textMember("owner", row["owner"]),
      columns: (columns.get(oid) ?? []).map(columnOf),
      key: own.filter(({ type }) => type === "p").flatMap(({ columns: names }) => names as string[]),
      uniques: (indexes.get(oid) ?? []).filter((one) => one["unique"] === true).map(uniqueOf),
      references: own.filter(({ type }) => type === "f").map(referenceOf),
      checks: [
        ...own.filter(({ type }) => type === "c").map(checkOf),
        ...(domains.get(oid) ?? []).map((one) => ({ ...checkOf(one), column: String(one["column"]) })),
      ],
      indexes: (indexes.get(oid) ?? []).filter((one) => one["unique"] !== true).map(keysOf),
      triggers: (triggers.get(oid) ?? []).map((one) => String(one["name"])),
      others: (others.get(oid) ?? []).map((one) => ({
        what: one["what"] as CatalogueObject["what"],
        name: String(one["name"]),
      })),
    };
  });
  return {
    system: "PostgreSQL",
    version: String(version?.["version"]),
    name,
    tables: found.filter((table) => !isBookkeepingTable(table.name)).map(withoutBookkeeping),
  };
}

const kinds: Readonly<Record<string, TableKind>> = {
  r: "table",
  p: "partitioned table",
  f: "foreign table",
  v: "view",
  m: "view",
};

/** The tables and views of a schema without those of extensions. */
const tablesSql = `
  SELECT c.oid::text AS oid, c.relname AS name, c.relkind::text AS kind, c.relispartition AS partition,
    pg_catalog.obj_description(c.oid, 'pg_class') AS comment,
    CASE WHEN NOT pg_catalog.pg_has_role(c.relowner, 'USAGE') THEN pg_catalog.pg_get_userbyid(c.relowner) END AS owner
  FROM pg_catalog.pg_class AS c
  WHERE c.relnamespace = $1::oid AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
    AND NOT EXISTS (
      SELECT 1 FROM pg_catalog.pg_depend AS d
      WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  ORDER BY c.relname`;

/** A domain counts as its base type: the base of a domain over a domain is found by descending. */
const columnsSql = `
  WITH RECURSIVE bases AS (
    SELECT t.oid, t.oid AS base, t.typtype, t.typbasetype, t.typtypmod, t.typnotnull, t.typdefault FROM pg_catalog.pg_type AS t
    UNION ALL
    SELECT b.oid, t.oid, t.typtype, t.typbasetype, CASE WHEN b.typtypmod >= 0 THEN b.typtypmod ELSE t.typtypmod END,
      b.typnotnull OR t.typnotnull, coalesce(b.typdefault, t.typdefault)
    FROM bases AS b JOIN pg_catalog.pg_type AS t ON b.typtype = 'd' AND t.oid = b.typbasetype
  )
  SELECT a.attrelid::text AS table, a.attname AS name,
    pg_catalog.format_type(b.base, CASE WHEN a.atttypmod >= 0 THEN a.atttypmod ELSE b.typtypmod END) AS type,
    a.attnotnull OR b.typnotnull AS required,
    a.attidentity <> '' OR coalesce(
      pg_catalog.pg_get_expr(d.adbin, d.adrelid) ~ '^nextval[(]''([^'']|'''')*''::regclass[)]$', false) AS counted,
    CASE WHEN a.attgenerated = '' THEN coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), b.typdefault) END AS default,
    CASE WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END AS generated,
    CASE WHEN b.typtype = 'e' THEN (
      SELECT json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum AS e WHERE e.enumtypid = b.base
    ) END AS values,
    CASE WHEN t.typtype IN ('d', 'e') THEN t.typname END AS named,
    pg_catalog.col_description(a.attrelid, a.attnum) AS comment
  FROM pg_catalog.pg_attribute AS a
    JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid AND c.relnamespace = $1::oid AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
    JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid
    JOIN bases AS b ON b.oid = a.atttypid AND b.typtype <> 'd'
    LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attrelid, a.attnum`;

const namesOf = (keys: string, table: string): string => `
  (SELECT json_agg(n.attname ORDER BY e.place) FROM unnest(${keys}) WITH ORDINALITY AS e (number, place)
   JOIN pg_catalog.pg_attribute AS n ON n.attrelid = ${table} AND n.attnum = e.number)`;

const constraintsSql = `
  SELECT k.conrelid::text AS table, k.conname AS name, k.contype::text AS type, ${namesOf("k.conkey", "k.conrelid")} AS columns,
    CASE WHEN f.relnamespace = k.connamespace THEN f.relname ELSE f.oid::regclass::text END AS target,
    ${namesOf("k.confkey", "k.confrelid")} AS "to", k.confdeltype::text AS on_delete, k.confupdtype::text AS on_update,
    pg_catalog.pg_get_expr(k.conbin, k.conrelid) AS sql
  FROM pg_catalog.pg_constraint AS k LEFT JOIN pg_catalog.pg_class AS f ON f.oid = k.confrelid
  WHERE k.connamespace = $1::oid AND k.conrelid <> 0 AND k.contype IN ('p', 'f', 'c')
  ORDER BY k.conrelid, k.conname`;

const domainChecksSql = `
  WITH RECURSIVE domains AS (
    SELECT a.attrelid, a.attname, t.oid, t.typbasetype FROM pg_catalog.pg_attribute AS a
      JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid AND c.relnamespace = $1::oid AND c.relkind IN ('r', 'p')
      JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid AND t.typtype = 'd'
    WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT d.attrelid, d.attname, t.oid, t.typbasetype FROM domains AS d
      JOIN pg_catalog.pg_type AS t ON t.oid = d.typbasetype AND t.typtype = 'd'
  )
  SELECT d.attrelid::text AS table, d.attname AS column, k.conname AS name, pg_catalog.pg_get_expr(k.conbin, 0) AS sql
  FROM domains AS d JOIN pg_catalog.pg_constraint AS k ON k.contypid = d.oid AND k.contype = 'c'
  ORDER BY 1, 2, 3`;

/** All indexes but that of the primary key; an expression has the number 0, and so no name. */
const indexesSql = `
  SELECT i.indrelid::text AS table, x.relname AS name, i.indisunique AND i.indisvalid AS unique, i.indnullsnotdistinct AS nulls_equal,
    (SELECT json_agg(n.attname ORDER BY k.place) FROM unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (number, place)
     LEFT JOIN pg_catalog.pg_attribute AS n ON n.attrelid = i.indrelid AND n.attnum = k.number
     WHERE k.place <= i.indnkeyatts) AS columns,
    pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS where
  FROM pg_catalog.pg_index AS i
    JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid
    JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid AND c.relnamespace = $1::oid
  WHERE NOT i.indisprimary AND NOT i.indisexclusion
  ORDER BY i.indrelid, x.relname`;

const triggersSql = `
  SELECT t.tgrelid::text AS table, t.tgname AS name FROM pg_catalog.pg_trigger AS t
    JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid AND c.relnamespace = $1::oid
  WHERE NOT t.tgisinternal
  ORDER BY 1, 2`;

const othersSql = `
  SELECT p.polrelid::text AS table, 'a policy of row-level security' AS what, p.polname AS name FROM pg_catalog.pg_policy AS p
    JOIN pg_catalog.pg_class AS c ON c.oid = p.polrelid AND c.relnamespace = $1::oid
  UNION ALL
  SELECT c.oid::text, 'a policy of row-level security', 'FORCE ROW LEVEL SECURITY' FROM pg_catalog.pg_class AS c
  WHERE c.relnamespace = $1::oid AND c.relrowsecurity AND c.relforcerowsecurity
  UNION ALL
  SELECT k.conrelid::text, 'an exclusion constraint', k.conname FROM pg_catalog.pg_constraint AS k
  WHERE k.connamespace = $1::oid AND k.contype = 'x'
  UNION ALL
  SELECT i.inhrelid::text, 'an inherited table', p.relname FROM pg_catalog.pg_inherits AS i
    JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent
    JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid AND c.relnamespace = $1::oid AND NOT c.relispartition
  WHERE c.relkind = 'r'
  UNION ALL
  SELECT i.inhparent::text, 'a table that inherits from it', h.relname FROM pg_catalog.pg_inherits AS i
    JOIN pg_catalog.pg_class AS h ON h.oid = i.inhrelid
    JOIN pg_catalog.pg_class AS c ON c.oid = i.inhparent AND c.relnamespace = $1::oid AND c.relkind = 'r'
  UNION ALL
  SELECT r.ev_class::text, 'a rule', r.rulename FROM pg_catalog.pg_rewrite AS r
    JOIN pg_catalog.pg_class AS c ON c.oid = r.ev_class AND c.relnamespace = $1::oid AND c.relkind IN ('r', 'p')
  UNION ALL
  SELECT k.conrelid::text, 'a deferrable unique constraint', k.conname FROM pg_catalog.pg_constraint AS k
  WHERE k.connamespace = $1::oid AND k.contype IN ('p', 'u') AND k.condeferrable
  ORDER BY 1, 2, 3`;

function byTable(rows: readonly CatalogueRow[]): ReadonlyMap<string, readonly CatalogueRow[]> {
  return Map.groupBy(rows, ({ table }) => String(table));
}

function columnOf(row: CatalogueRow): CatalogueColumn {
  return {
    name: String(row["name"]),
    type: String(row["type"]),
    required: row["required"] === true,
    ...textMember("default", row["default"]),
    ...textMember("generated", row["generated"]),
    ...(row["counted"] === true ? { counted: true } : {}),
    ...(Array.isArray(row["values"]) ? { values: row["values"] as readonly string[] } : {}),
    ...textMember("named", row["named"]),
    ...textMember("comment", row["comment"]),
  };
}

function keysOf({ columns }: CatalogueRow): readonly (string | undefined)[] {
  return (columns as readonly (string | null)[]).map((name) => name ?? undefined);
}

function uniqueOf(row: CatalogueRow): CatalogueUnique {
  return {
    name: String(row["name"]),
    columns: keysOf(row),
    nullsEqual: row["nulls_equal"] === true,
    ...textMember("where", row["where"]),
  };
}

const actions: Readonly<Record<string, DeleteAction>> = {
  a: "NO ACTION",
  r: "RESTRICT",
  c: "CASCADE",
  n: "SET NULL",
  d: "SET DEFAULT",
};

function referenceOf(row: CatalogueRow): CatalogueReference {
  return {
    columns: row["columns"] as readonly string[],
    table: String(row["target"]),
    to: row["to"] as readonly string[],
    onDelete: actions[String(row["on_delete"])] ?? "NO ACTION",
    onUpdate: actions[String(row["on_update"])] ?? "NO ACTION",
  };
}

function checkOf({ name, sql }: CatalogueRow): CatalogueCheck {
  return { name: String(name), sql: String(sql) };
}

function textMember<Key extends string>(key: Key, value: unknown): { readonly [one in Key]?: string } {
  return typeof value === "string" && value !== "" ? ({ [key]: value } as { readonly [one in Key]: string }) : {};
}
