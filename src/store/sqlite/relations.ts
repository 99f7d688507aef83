/** Prepares, for each table, the SQL and conversions that read and write full records. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType, Table } from "../../plan/resources/types.ts";
import { countedColumns, isTimed, timeColumns } from "../sql/columns.ts";
import type { TypedTable } from "../sql/table-access.ts";
import type { Row } from "../port/store.ts";
import { fromStored, quoteName, toStored } from "./value.ts";

export interface Relation extends TypedTable {
  /** The table's name, quoted; of an existing table the name of its view. */
  readonly name: string;
  /** The quoted name of the table that is written. */
  readonly stored: string;
  /** The SQL of the row number in the table that is written. */
  readonly seq: string;
  /** Returns the column of a field in the table that is written. */
  readonly storedName: (field: string) => string;
  /** Whether the row number of a new row is its id. */
  readonly makesIds: boolean;
  /** The select list: hidden columns, then all others, of the row `t`. */
  readonly everything: string;
  /** Decodes a row that was selected with the columns in `everything`. */
  readonly decode: (stored: readonly SQLOutputValue[]) => Row;
  /** The columns whose value the store takes from a counter. */
  readonly counted: readonly string[];
  readonly insert: string;
  /** The SQL that deletes the row with a `_seq`. */
  readonly remove: string;
  /** Whether `remove` alone undoes an insert, without scanning other tables for references. */
  readonly undoneSeparately: boolean;
  readonly hasFiles: boolean;
  /** Returns the arguments of `insert`. */
  readonly encode: (values: Row) => SQLInputValue[];
}

export type Relations = ReadonlyMap<string, Relation>;

export function relationsOf(tables: readonly Table[]): Relations {
  return new Map(tables.map((table) => [table.resource, relationOf(table, tables)]));
}

function relationOf(table: Table, tables: readonly Table[]): Relation {
  const { adopted, columns } = table;
  const stored = quoteName(adopted?.name ?? table.name);
  const fields = columns.map(({ name }) => quoteName(name));
  const storedName = (field: string): string => adopted?.columns[field]?.name ?? field;
  const names = columns.map(({ name }) => quoteName(storedName(name)));
  const hidden = ["_seq", "_rev", ...(isTimed(table) ? timeColumns : [])];
  const written = hidden.slice(1);
  return {
    table,
    name: quoteName(table.name),
    types: new Map<string, ColumnType>([
      ...hidden.map((name) => [name, "integer"] as const),
      ...columns.map(({ name, type }) => [name, type] as const),
    ]),
    stored,
    storedName,
    seq: adopted?.seq ?? "_seq",
    everything: [...hidden, ...fields].map((name) => `t.${name}`).join(", "),
    decode: (stored) => {
      const row: Record<string, Value> = {};
      for (let index = 0; index < hidden.length; index += 1)
        row[hidden[index] as string] = stored[index] as number | null;
      for (let index = 0; index < columns.length; index += 1) {
        const column = columns[index];
        if (column) row[column.name] = fromStored(stored[index + hidden.length], column.type);
      }
      return row;
    },
    counted: adopted === undefined ? countedColumns(table) : [],
    makesIds: adopted?.makesIds ?? false,
    hasFiles: hasFiles(table),
    remove: `DELETE FROM ${stored} WHERE ${adopted?.seq ?? "_seq"} = ?`,
    undoneSeparately: !hasFiles(table) && tables.every((other) => findsReferences(other, table.resource)),
    insert: `INSERT INTO ${stored} (${[...written, ...names].join(", ")}) VALUES (${[...written, ...names].map(() => "?").join(", ")})`,
    encode: (values) => {
      const bound: SQLInputValue[] = written.map((name) => values[name] as number | null);
      for (const { name, nullable, type } of columns) bound.push(toStored(values[name], type, !nullable));
      return bound;
    },
  };
}

function hasFiles({ columns }: Table): boolean {
  return columns.some(({ file }) => file !== undefined);
}

/**
 * Whether SQLite finds references by an index. On deletion it looks for references, and scans a table without an index on the
 * reference.
 */
function findsReferences({ columns, indexes, uniques }: Table, resource: string): boolean {
  const indexed = new Set([...indexes, ...uniques].map(([first]) => first));
  return columns.every(({ name, references }) => references?.resource !== resource || indexed.has(name));
}
