/**
 * The catalogue of an existing database as plain data: tables with their columns and constraints, as the two readers
 * (`postgres.ts`, `sqlite.ts`) return it and `model.ts` converts it to a document. Texts of SQL stay as the database writes them.
 */
export interface Catalogue {
  readonly system: "PostgreSQL" | "SQLite";
  /** The version of the database server or library. */
  readonly version: string;
  /** The name of the database or file, for the name of the service. */
  readonly name: string;
  /** Tables and views, by name. */
  readonly tables: readonly CatalogueTable[];
}

export type TableKind = "table" | "view" | "partition" | "partitioned table" | "foreign table" | "virtual table";

export interface CatalogueTable {
  readonly name: string;
  readonly kind: TableKind;
  readonly comment?: string;
  readonly columns: readonly CatalogueColumn[];
  /** The columns of the primary key, in its order; empty without one. */
  readonly key: readonly string[];
  readonly uniques: readonly CatalogueUnique[];
  readonly references: readonly CatalogueReference[];
  readonly checks: readonly CatalogueCheck[];
  /** The column sets of other indexes; `undefined` for an expression. */
  readonly indexes: readonly (readonly (string | undefined)[])[];
  /** The names of triggers, without those that enforce constraints. */
  readonly triggers: readonly string[];
  /** PostgreSQL: the owner, if the role that reads the catalogue does not act for it. */
  readonly owner?: string;
  /** Whether a service has made the table for its own data; its bookkeeping is left out. */
  readonly isOfService?: true;
  /** SQLite: whether the rows have no numbers. */
  readonly withoutRowid?: true;
  /** Other objects that restrict rows, or change what a statement does. */
  readonly others: readonly CatalogueObject[];
}

export interface CatalogueObject {
  readonly what:
    | "a policy of row-level security"
    | "an exclusion constraint"
    | "an inherited table"
    | "a table that inherits from it"
    | "a rule"
    | "a deferrable unique constraint";
  readonly name: string;
}

export interface CatalogueColumn {
  readonly name: string;
  /** The SQL type without its domain, such as `character varying(40)` or `integer[]`; empty in SQLite without a type. */
  readonly type: string;
  readonly required: boolean;
  /** The SQL of the default. */
  readonly default?: string;
  /** The SQL of a generated column; undefined for a column that can be written. */
  readonly generated?: string;
  /** Whether the database counts the values: an identity, `serial`, another sequence, or SQLite's INTEGER PRIMARY KEY. */
  readonly counted?: boolean;
  /** The values of an enum type, in its order. */
  readonly values?: readonly string[];
  /** The name of the domain or enum type. */
  readonly named?: string;
  readonly comment?: string;
}

export interface CatalogueUnique {
  readonly name: string;
  /** `undefined` for an expression. */
  readonly columns: readonly (string | undefined)[];
  /** Whether two nulls are equal. */
  readonly nullsEqual: boolean;
  /** The SQL of the condition of a partial index. */
  readonly where?: string;
}

export type DeleteAction = "NO ACTION" | "RESTRICT" | "CASCADE" | "SET NULL" | "SET DEFAULT";

export interface CatalogueReference {
  readonly columns: readonly string[];
  readonly table: string;
  /** The referenced columns. */
  readonly to: readonly string[];
  readonly onDelete: DeleteAction;
  readonly onUpdate: DeleteAction;
}

export interface CatalogueCheck {
  readonly name?: string;
  /** The SQL of the condition. In the CHECK of a domain, `VALUE` is the column. */
  readonly sql: string;
  /** The column of a domain's CHECK. */
  readonly column?: string;
}

/** Runs one reading statement and returns its rows as objects. */
export type Query = (sql: string, parameters?: readonly (string | number)[]) => Promise<readonly CatalogueRow[]>;

export type CatalogueRow = Readonly<Record<string, unknown>>;

/** Whether a table or column is Nonet's own: a database that Nonet has made is imported without them. */
export function isBookkeepingTable(name: string): boolean {
  return /^nonet_/i.test(name);
}

export function isBookkeepingColumn(name: string): boolean {
  return /^_(?:seq|rev|made|due|entered|json[0-9]*)$/.test(name);
}

/**
 * Returns a table without Nonet's bookkeeping. Its key is then `id`, since `_seq`, its primary key, only orders the records.
 */
export function withoutBookkeeping(written: CatalogueTable): CatalogueTable {
  const table = withoutAdoption(written);
  if (!table.columns.some(({ name }) => name === "_seq") || !table.columns.some(({ name }) => name === "_rev"))
    return table;
  const columns = table.columns.filter(({ name }) => !isBookkeepingColumn(name));
  const isOwn = (name: string | undefined): boolean => name !== undefined && isBookkeepingColumn(name);
  const uniques = table.uniques.filter((set) => !set.columns.some(isOwn));
  const isId = (set: readonly (string | undefined)[]): boolean => set.length === 1 && set[0] === "id";
  return {
    ...table,
    isOfService: true,
    columns,
    key: table.key.some(isOwn) && columns.some(({ name }) => name === "id") ? ["id"] : table.key,
    uniques: uniques.filter((set) => !isId(set.columns)),
    indexes: table.indexes.map((set) => set.filter((name) => !isOwn(name))).filter((set) => set.length > 0),
  };
}

/** Returns an existing table that a service uses in place without what the service has added. */
function withoutAdoption(table: CatalogueTable): CatalogueTable {
  if (!table.triggers.some(isBookkeepingTable)) return table;
  const isAdded = (name: string | undefined): boolean => name !== undefined && /^_(?:seq|rev|id)$/.test(name);
  return {
    ...table,
    columns: table.columns.filter(({ name }) => !isAdded(name)),
    uniques: table.uniques.filter(({ columns }) => !columns.some(isAdded)),
    indexes: table.indexes.filter((columns) => columns.every((name) => name !== undefined && !isAdded(name))),
    triggers: table.triggers.filter((name) => !isBookkeepingTable(name)),
  };
}
