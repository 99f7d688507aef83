/**
 * Decides whether a service can use an existing table in place, and how it reads and writes its columns. The table keeps its
 * name, columns, types and rows: the service adds only bookkeeping columns, and reads the table through a view that has the names
 * and types of the service's own tables.
 */
import type {
  Catalogue,
  CatalogueColumn,
  CatalogueReference,
  CatalogueTable,
  DeleteAction,
} from "../../import/database/catalogue.ts";
import type { AdoptedColumn, AdoptedTable, Column, ExistingTablePlan, Table } from "../../plan/resources/types.ts";
import { StoreError } from "../port/error.ts";
import { isAbsentEqual, uniquesOf } from "../sql/columns.ts";
import { type MigrationPlan, MigrationRejected, obstaclesOf, type Step, storedDocument } from "./migration.ts";

/** The SQL of one database. */
export interface AdoptionDialect {
  readonly quoteName: (name: string) => string;
  /** Returns how to read and write a column of the table as the type of the field; or what prevents it. */
  readonly columnOf: (
    column: CatalogueColumn,
    field: Column,
    table: string,
  ) => Omit<AdoptedColumn, "name" | "type"> | string;
  /** Returns the SQL of the row number; undefined if the table gets a column `_seq` for it. */
  readonly rowNumber: (table: CatalogueTable) => string | undefined;
  /** Returns why the database has no row numbers or triggers for the table, one text for each reason. */
  readonly obstacles: (table: CatalogueTable) => readonly string[];
}

export interface Adoption {
  /** The tables for the store: existing ones with `adopted`, others without `existing`. */
  readonly tables: readonly Table[];
  /** The reasons why existing tables cannot be used, one sentence each; empty if all of them can. */
  readonly obstacles: readonly string[];
}

/** The names of the columns that the service adds: the number and revision of a row, and an id beside the table's key. */
export const addedColumns = { seq: "_seq", revision: "_rev", id: "_id" } as const;

/** The target of a migration with the existing tables of the database. */
export type WithAdoption<Wanted> = Wanted & { readonly adoption: Adoption };

/** Whether a table is the store's own. */
export function isOwn({ adopted }: Table): boolean {
  return adopted === undefined;
}

/**
 * Finds the existing tables of the document, and the state of the store in the database. `stateOf` throws `not-ours` for a database
 * of another program, except with `usesExisting`: the document uses tables of that program.
 */
export async function withAdoption<Wanted extends { readonly tables: readonly Table[] }, State extends StoredTables>(
  wanted: Wanted,
  stateOf: (usesExisting: boolean) => State | undefined | Promise<State | undefined>,
  find: (former: readonly Table[]) => Promise<Adoption>,
): Promise<{ readonly state: State | undefined; readonly wanted: WithAdoption<Wanted> }> {
  const state = await stateOf(wanted.tables.some(({ existing }) => existing !== undefined));
  const adoption = await find(formerTables(state));
  // The database is of another program, and the document uses none of its tables.
  if (state === undefined && adoption.tables.every(isOwn)) await stateOf(false);
  return { state, wanted: { ...wanted, tables: adoption.tables, adoption } };
}

/** Returns the tables of the stored document. */
export function formerTables(state: StoredTables | undefined): readonly Table[] {
  return state === undefined ? [] : storedDocument(state).tables;
}

type StoredTables = Parameters<typeof storedDocument>[0];

/** @throws MigrationRejected if existing tables cannot be used. */
export function assertAdoptable(adoption: Adoption): void {
  const plan: MigrationPlan = { steps: adoptionSteps(adoption, []) };
  const obstacles = obstaclesOf(plan);
  if (obstacles.length > 0) throw new MigrationRejected(plan, obstacles);
}

/** Returns the existing tables that the stored document does not use in the same way. */
export function newlyAdopted(tables: readonly Table[], former: readonly Table[]): readonly Table[] {
  const known = new Set(former.map((table) => JSON.stringify(table)));
  return tables.filter((table) => !isOwn(table) && !known.has(JSON.stringify(table)));
}

/** Rejects data with existing tables for a backup. @throws StoreError `not-ours`. */
export function assertNoExisting(tables: readonly Table[], place: string): void {
  const names = tables.flatMap(({ adopted }) => (adopted === undefined ? [] : [adopted.name]));
  if (names.length === 0) return;
  const message = `${place} has tables that other programs use too (${names.join(", ")}): back up the database with its own tools`;
  throw new StoreError("not-ours", message);
}

/** Returns the column of a field of an existing table. */
export function columnOfField(adopted: AdoptedTable, field: string): AdoptedColumn {
  const column = adopted.columns[field];
  if (column === undefined) throw new Error(`no column of ${adopted.name} is the field ${field}`);
  return column;
}

/** Returns the steps of an adoption for the plan of a migration: one for each table, and one for each obstacle. */
export function adoptionSteps({ obstacles, tables }: Adoption, former: readonly Table[]): readonly Step[] {
  const known = new Map(former.map((table) => [table.resource, JSON.stringify(table.adopted)]));
  const used = tables.flatMap(({ adopted, resource }): Step[] => {
    const isHindered = obstacles.some((text) => text.startsWith(`${resource}:`));
    if (adopted === undefined || isHindered || known.get(resource) === JSON.stringify(adopted)) return [];
    const added = [adopted.seq === `"${addedColumns.seq}"` ? [addedColumns.seq] : [], [addedColumns.revision]].flat();
    const columns = adopted.columns["id"]?.name === addedColumns.id ? [...added, addedColumns.id] : added;
    const description = `${resource} uses the table ${adopted.name} in place, which gets ${columns.join(", ")} and triggers`;
    return [{ kind: "adopt table", resource, fields: [], description, records: 0 }];
  });
  return [
    ...used,
    ...obstacles.map((text): Step => {
      const [resource = ""] = text.split(":", 1);
      const obstacle = { kind: "misfit", records: 0, ids: [], description: text } as const;
      const description = `${resource} cannot use its table in place`;
      return { kind: "adopt table", resource, fields: [], description, records: 0, obstacle };
    }),
  ];
}

/** Matches the document's existing tables with the catalogue. `former`: the tables of the stored document. */
export function adopt(
  tables: readonly Table[],
  catalogue: Catalogue,
  former: readonly Table[],
  dialect: AdoptionDialect,
): Adoption {
  const own = former.filter((table) => table.adopted === undefined).map(({ name }) => name);
  const used = new Set(former.flatMap((table) => (table.adopted === undefined ? [] : [table.adopted.name])));
  const present = new Map(
    catalogue.tables.filter(({ name }) => !own.includes(name)).map((table) => [table.name, table]),
  );
  const usesSome = tables.some(({ existing }) => existing !== undefined && present.has(existing.name));
  const obstacles: string[] = [];
  const adopted = tables.map(({ existing, ...table }): Table => {
    const found = existing && present.get(existing.name);
    if (existing === undefined || found === undefined) {
      if (existing !== undefined && used.has(existing.name))
        obstacles.push(`${table.resource}: the table ${existing.name} is no longer there`);
      else if (present.has(table.name)) obstacles.push(takenName(table, existing));
      // With none of its existing tables the document has data of its own.
      else if (existing !== undefined && usesSome)
        obstacles.push(`${table.resource}: the database has no table ${existing.name}`);
      return table;
    }
    const result = adoptTable(table, existing, found, dialect);
    obstacles.push(...result.obstacles.map((text) => `${table.resource}: ${text}`));
    return { ...table, existing, name: viewName(existing.name), adopted: result.adopted };
  });
  return { tables: adopted, obstacles: [...obstacles, ...referenceObstacles(adopted, present)] };
}

function takenName({ name, resource }: Table, existing: ExistingTablePlan | undefined): string {
  const remedy =
    existing === undefined
      ? `write \`tables: { ${resource}: ${name} }\` in part 2 to use it, or rename the resource`
      : `the table ${existing.name} of the document is not there`;
  return `${resource}: the database has a table ${name} that this service has not made; ${remedy}`;
}

export function viewName(table: string): string {
  return `nonet_view_${table}`;
}

function adoptTable(
  table: Table,
  existing: ExistingTablePlan,
  found: CatalogueTable,
  dialect: AdoptionDialect,
): { readonly adopted: AdoptedTable; readonly obstacles: readonly string[] } {
  const obstacles: string[] = [...tableObstacles(table, found), ...dialect.obstacles(found)];
  const columns: Record<string, AdoptedColumn> = {};
  const used = new Set<string>();
  for (const field of table.columns) {
    const name = columnName(existing, field.name);
    const column = found.columns.find((one) => one.name === name);
    used.add(name);
    if (column === undefined && field.name === "id" && existing.columns["id"] === undefined && addsId(table)) {
      const id = dialect.quoteName(addedColumns.id);
      columns["id"] = { name: addedColumns.id, type: "text", read: id, write: "?" };
      continue;
    }
    const result =
      column === undefined
        ? `the table ${found.name} has no column ${name}`
        : fieldOf(field, column, { made: table.id.made, found }, dialect);
    if (typeof result === "string") obstacles.push(result);
    else if (column !== undefined) columns[field.name] = { name, type: column.type, ...result };
  }
  for (const { default: value, generated, name, required, counted } of found.columns) {
    const isSet = used.has(name) || value !== undefined || generated !== undefined || counted === true;
    if (required && !isSet) obstacles.push(`${found.name}.${name} needs a value, and the document does not have it`);
    if (isAdded(name))
      obstacles.push(`${found.name}.${name} has the name of a column that the service adds: rename it`);
  }
  obstacles.push(...uniqueObstacles(table, existing, found));
  return { adopted: adoptedOf(table, existing, found, columns, dialect), obstacles };
}

function adoptedOf(
  table: Table,
  existing: ExistingTablePlan,
  found: CatalogueTable,
  columns: Readonly<Record<string, AdoptedColumn>>,
  dialect: AdoptionDialect,
): AdoptedTable {
  const key = found.columns.find(({ name }) => name === columnName(existing, "id"));
  return {
    name: found.name,
    seq: dialect.rowNumber(found) ?? dialect.quoteName(addedColumns.seq),
    makesIds: table.id.made === "counter" && key?.counted === true,
    columns,
  };
}

function isAdded(name: string): boolean {
  return Object.values(addedColumns).some((one) => one === name.toLowerCase());
}

/** Whether the table gets an id: the service makes ids of texts. */
function addsId({ columns, id }: Table): boolean {
  return id.made === "server" && columns.find(({ name }) => name === "id")?.type === "text";
}

function columnName({ columns }: ExistingTablePlan, field: string): string {
  return Object.hasOwn(columns, field) ? (columns[field] ?? field) : field;
}

/** Returns what the service cannot do with an existing table, whatever its columns. */
function tableObstacles(table: Table, found: CatalogueTable): readonly string[] {
  const { columns, timed = [] } = table;
  return [
    ...(found.kind === "table" ? [] : [`${found.name} is a ${found.kind}`]),
    ...found.triggers
      .filter((name) => !name.startsWith("nonet_"))
      .map((name) => `the trigger ${name} of ${found.name} may change what the service writes`),
    ...found.others.map(({ name, what }) => `${found.name} has ${what}, ${name}`),
    ...(found.isOfService === true ? [`${found.name} is a table that a service has made for its own data`] : []),
    ...(found.owner === undefined
      ? []
      : [`${found.name} belongs to the role ${found.owner}, and only its owner can add columns and triggers`]),
    ...(timed.length === 0
      ? []
      : ["it has timers or retention, which need columns that an existing table does not have"]),
    ...columns.flatMap((field) => {
      if (field.file !== undefined) return [`${field.name} is a file`];
      if (field.marks.includes("secret"))
        return [`${field.name} is a secret, of which the service stores its own hash`];
      return field.default?.kind === "counter-per" ? [`${field.name} is a counter of the service`] : [];
    }),
  ];
}

/** Returns how to read and write a field, or what prevents it. */
function fieldOf(
  field: Column,
  column: CatalogueColumn,
  { made, found: { key, name: table } }: { readonly made: Table["id"]["made"]; readonly found: CatalogueTable },
  dialect: AdoptionDialect,
): Omit<AdoptedColumn, "name" | "type"> | string {
  const place = `${table}.${column.name}`;
  if (column.generated !== undefined) return `${place} is a generated column, which the service cannot write`;
  const isKey = field.name === "id" || key.includes(column.name);
  if (!isKey && !field.nullable && !column.required)
    return `${place} may be null, and the field ${field.name} is required: write \`${field.name}?\`, or make it NOT NULL`;
  if (field.nullable && column.required)
    return `${place} is NOT NULL, and the field ${field.name} is optional: write it without \`?\``;
  const isCounter = field.name === "id" ? made === "counter" : field.default?.kind === "counter";
  if (isCounter && column.counted !== true)
    return `${place} is not counted by the database, and the document says that ${field.name} is`;
  const result = dialect.columnOf(column, field, table);
  if (typeof result === "string") return `${place} ${result}`;
  // SQLite allows null in a key.
  return field.nullable || column.required ? result : { ...result, excludesNull: true };
}

/** The document and the table have to agree about uniqueness, since the service finds conflicts by the document's sets. */
function uniqueObstacles(
  table: Table,
  existing: ExistingTablePlan,
  { key, name, uniques }: CatalogueTable,
): readonly string[] {
  const keyOf = (set: readonly string[]): string => JSON.stringify(set.toSorted((a, b) => (a < b ? -1 : 1)));
  const declared = new Map(
    uniquesOf(table).map((set) => [keyOf(set.map((field) => columnName(existing, field))), set]),
  );
  const plain = uniques.filter(({ columns, where }) => where === undefined && !columns.includes(undefined));
  const sets = [...(key.length > 0 ? [key] : []), ...plain.map(({ columns }) => columns as readonly string[])];
  const present = new Set(sets.map(keyOf));
  const addsOwnId = addsId(table) && !present.has(keyOf([columnName(existing, "id")]));
  return [
    ...[...declared].flatMap(([text, set]) => {
      if (present.has(text) || (addsOwnId && set.join() === "id")) return [];
      return [`the document says that ${set.join(" + ")} is unique, and ${name} has no such constraint`];
    }),
    ...plain.flatMap(({ columns, nullsEqual }) => {
      const set = declared.get(keyOf(columns as readonly string[]));
      const isNullable = table.columns.some((column) => column.nullable && set?.includes(column.name));
      if (set === undefined || !isNullable || isAbsentEqual(table, set) === nullsEqual) return [];
      const [found, declaredAs] = nullsEqual ? ["equal", "different"] : ["different", "equal"];
      return [
        `${set.join(" + ")} of ${name} is unique with two nulls ${found}, and the document says that they are ${declaredAs}`,
      ];
    }),
    ...sets
      .filter((set) => !declared.has(keyOf(set)) && !set.includes(addedColumns.id) && !set.includes(addedColumns.seq))
      .map((set) => `${set.join(" + ")} of ${name} is unique, and the document does not say so`),
    ...uniques
      .filter((one) => !plain.includes(one))
      .map(
        (one) =>
          `the unique index ${one.name} of ${name} is of some rows or of an expression, which the document cannot declare`,
      ),
  ];
}

/**
 * The document has to know a foreign key between existing tables if a deletion changes other rows, since the database would change
 * records behind the service's back. One that only rejects may be unknown. A reference of the document has to be the foreign key of
 * its column, or of none.
 */
function referenceObstacles(tables: readonly Table[], present: ReadonlyMap<string, CatalogueTable>): readonly string[] {
  const adopted = new Map(
    tables.flatMap((one) => (one.adopted === undefined ? [] : [[one.adopted.name.toLowerCase(), one] as const])),
  );
  return tables.flatMap((table) => {
    const found = table.adopted && present.get(table.adopted.name);
    return (found?.references ?? []).flatMap((key) => {
      const place = `${table.resource}: ${found?.name}.${key.columns.join(" + ")}`;
      const target = adopted.get(key.table.toLowerCase());
      const field = table.columns.find(
        ({ name }) => key.columns.length === 1 && key.columns[0] === table.adopted?.columns[name]?.name,
      );
      if (field?.references !== undefined) return declaredObstacles(place, field.references, key, tables);
      const action = target === undefined ? undefined : changingAction(key, target);
      return action === undefined
        ? []
        : [`${place} refers to ${key.table} ${action}, and the document does not say so`];
    });
  });
}

function declaredObstacles(
  place: string,
  { onDelete, resource }: NonNullable<Column["references"]>,
  key: CatalogueReference,
  tables: readonly Table[],
): readonly string[] {
  const declared = tables.find((one) => one.resource === resource)?.adopted?.name;
  if (declared?.toLowerCase() !== key.table.toLowerCase())
    return [`${place} refers to ${key.table}, and the document says ${resource}`];
  // The database would reject the deletion of the other record before this one is deleted.
  return onDelete === "delete" && key.onDelete !== "CASCADE"
    ? [`${place} is not ON DELETE CASCADE, and the document says \`delete with\``]
    : [];
}

/** Returns the action of a foreign key that changes rows when the service deletes or changes the row that they refer to. */
function changingAction({ onDelete, onUpdate, to }: CatalogueReference, { adopted }: Table): string | undefined {
  const changes = (action: DeleteAction): boolean => action !== "NO ACTION" && action !== "RESTRICT";
  if (changes(onDelete)) return `ON DELETE ${onDelete}`;
  // Ids never change.
  const isId = to.length === 1 && to[0] === adopted?.columns["id"]?.name;
  return !isId && changes(onUpdate) ? `ON UPDATE ${onUpdate}` : undefined;
}
