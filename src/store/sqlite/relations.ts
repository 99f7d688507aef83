/** The tables by the resource they hold, with what reading and writing whole records needs. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType, Table } from "../../plan/plan.ts";
import { countedColumns } from "../counters.ts";
import type { Row } from "../store.ts";
import { fromStored, quoteName, toStored } from "./value.ts";

export interface Relation {
  readonly table: Table;
  /** The table's name, quoted. */
  readonly name: string;
  readonly types: ReadonlyMap<string, ColumnType>;
  /** `_seq`, `_rev` and all columns, of the row `t`. */
  readonly everything: string;
  /** A row as selected by `everything`. */
  readonly decode: (stored: readonly SQLOutputValue[]) => Row;
  /** Columns whose value the store counts. */
  readonly counted: readonly string[];
  readonly insert: string;
  /** What `insert` is run with. */
  readonly encode: (values: Row, revision: number) => SQLInputValue[];
}

export type Relations = ReadonlyMap<string, Relation>;

export function relationsOf(tables: readonly Table[]): Relations {
  return new Map(tables.map((table) => [table.resource, relationOf(table)]));
}

/** The relation of a resource of the plan; another name is a mistake of ours. */
export function relationFor(relations: Relations, resource: string): Relation {
  const relation = relations.get(resource);
  if (!relation) throw new Error(`the store has no resource ${resource}`);
  return relation;
}

function relationOf(table: Table): Relation {
  const { columns } = table;
  const names = columns.map(({ name }) => quoteName(name));
  return {
    table,
    name: quoteName(table.name),
    types: new Map<string, ColumnType>([
      ["_seq", "integer"],
      ["_rev", "integer"],
      ...columns.map(({ name, type }) => [name, type] as const),
    ]),
    everything: ["_seq", "_rev", ...names].map((name) => `t.${name}`).join(", "),
    decode: (stored) => {
      const row: Record<string, Value> = { _seq: stored[0] as number, _rev: stored[1] as number };
      for (let index = 0; index < columns.length; index += 1) {
        const column = columns[index];
        if (column) row[column.name] = fromStored(stored[index + 2], column.type);
      }
      return row;
    },
    counted: countedColumns(table),
    insert: `INSERT INTO ${quoteName(table.name)} (${["_rev", ...names].join(", ")}) VALUES (${["?", ...names.map(() => "?")].join(", ")})`,
    encode: (values, revision) => {
      const bound: SQLInputValue[] = [revision];
      for (const { name, type } of columns) bound.push(toStored(values[name], type));
      return bound;
    },
  };
}

/** The type of a column, `_seq` and `_rev` among them. */
export function typeOf(relation: Relation, column: string): ColumnType {
  const type = relation.types.get(column);
  if (!type) throw new Error(`${relation.table.resource} has no column ${column}`);
  return type;
}
