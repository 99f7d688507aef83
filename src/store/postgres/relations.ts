/** The tables by the resource they hold, with what reading and writing whole records needs. */
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType, Table } from "../../plan/plan.ts";
import type { Row } from "../store.ts";
import { isTimed, timeColumns } from "../times.ts";
import { uniquesOf } from "../uniques.ts";
import type { Bindable, Cells } from "./connection.ts";
import { counterNames } from "./schema.ts";
import { textsOf } from "./texts.ts";
import { columnTypes, fromStored, quoteName, toStored } from "./value.ts";

export interface Relation {
  readonly table: Table;
  /** The table's name, quoted. */
  readonly name: string;
  readonly types: ReadonlyMap<string, ColumnType>;
  /** The hidden columns and all others, of the row `t`. */
  readonly everything: string;
  /** A row as selected by `everything`. */
  readonly decode: (stored: Cells) => Row;
  /** Gives `_seq` and the columns that count, or nothing where something is not unique. */
  readonly insert: string;
  /** What `insert` is run with. */
  readonly encode: (values: Row) => readonly Bindable[];
  /** The texts that are kept of a whole row. */
  readonly texts: (row: Row) => Readonly<Record<string, Value>>;
  /** Columns whose value the store counts. */
  readonly counted: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  readonly hasFiles: boolean;
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
  const hidden = ["_seq", "_rev", ...(isTimed(table) ? timeColumns : [])];
  const counters = counterNames(table);
  const counted = [...counters.keys()];
  const texts = textsOf(table, counted);
  const kept = texts?.columns ?? [];
  const written = [...hidden.slice(1), ...columns.map(({ name }) => name), ...kept];
  const types = new Map<string, ColumnType>([
    ...hidden.map((name) => [name, "integer"] as const),
    ...columns.map(({ name, type }) => [name, type] as const),
    ...kept.map((name) => [name, name === "_made" ? "integer" : "text"] as const),
  ]);
  const places = written.map((name, index) => {
    const place = `$${index + 1}::${columnTypes[types.get(name) ?? "text"]}`;
    const counter = counters.get(name);
    return counter === undefined ? place : `coalesce(${place}, nextval('${counter.replaceAll("'", "''")}'))`;
  });
  const everything = [...hidden, ...columns.map(({ name }) => name)];
  return {
    table,
    name: quoteName(table.name),
    types,
    everything: everything.map((name) => `t.${quoteName(name)}`).join(", "),
    decode: (stored) => {
      const row: Record<string, Value> = {};
      everything.forEach((name, index) => {
        row[name] = fromStored(stored[index], types.get(name) ?? "text");
      });
      return row;
    },
    insert: `INSERT INTO ${quoteName(table.name)} (${written.map(quoteName).join(", ")}) VALUES (${places.join(", ")})
      ON CONFLICT DO NOTHING RETURNING ${["_seq", ...counted.map(quoteName)].join(", ")}`,
    encode: (values) => {
      const row = { ...values, ...texts?.of(values) };
      return written.map((name) => toStored(row[name], types.get(name) ?? "text"));
    },
    texts: (row) => texts?.of(row) ?? {},
    counted,
    uniques: uniquesOf(table),
    hasFiles: columns.some(({ file }) => file !== undefined),
  };
}

/** The type of a column, `_seq` and `_rev` among them. */
export function typeOf(relation: Relation, column: string): ColumnType {
  const type = relation.types.get(column);
  if (!type) throw new Error(`${relation.table.resource} has no column ${column}`);
  return type;
}
