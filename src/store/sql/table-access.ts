/** Looks up tables and column types for both databases. */
import type { ColumnType, Table } from "../../plan/resources/types.ts";

export interface TypedTable {
  readonly table: Table;
  /** The types of all columns, including hidden ones. */
  readonly types: ReadonlyMap<string, ColumnType>;
}

/** Returns the relation of a resource. Throws for a resource that is not in the plan, which is a bug of Nonet. */
export function relationFor<R>(relations: ReadonlyMap<string, R>, resource: string): R {
  const relation = relations.get(resource);
  if (!relation) throw new Error(`the store has no resource ${resource}`);
  return relation;
}

/** Returns the type of a column, also of `_seq` and `_rev`. */
export function typeOf({ table, types }: TypedTable, column: string): ColumnType {
  const type = types.get(column);
  if (!type) throw new Error(`${table.resource} has no column ${column}`);
  return type;
}

/** Whether a column has a value in every row. */
export function isRequired({ table }: TypedTable, name: string): boolean {
  return table.columns.find((column) => column.name === name)?.nullable === false;
}
