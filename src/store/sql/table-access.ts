/** What both databases know of a table whose records they read and write. */
import type { ColumnType, Table } from "../../plan/resources/types.ts";

export interface TypedTable {
  readonly table: Table;
  /** Of every column, the hidden ones among them. */
  readonly types: ReadonlyMap<string, ColumnType>;
}

/** The relation of a resource of the plan; another name is a mistake of ours. */
export function relationFor<R>(relations: ReadonlyMap<string, R>, resource: string): R {
  const relation = relations.get(resource);
  if (!relation) throw new Error(`the store has no resource ${resource}`);
  return relation;
}

/** The type of a column, `_seq` and `_rev` among them. */
export function typeOf({ table, types }: TypedTable, column: string): ColumnType {
  const type = types.get(column);
  if (!type) throw new Error(`${table.resource} has no column ${column}`);
  return type;
}
