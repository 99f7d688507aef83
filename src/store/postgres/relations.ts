/** The tables by the resource they hold, with what reading and writing whole records needs. */
import type { Value } from "../../expression/evaluate.ts";
import type { ColumnType, Table } from "../../plan/plan.ts";
import { type TypedTable, typeOf } from "../relation.ts";
import type { Row } from "../store.ts";
import { isTimed, timeColumns } from "../times.ts";
import { uniquesOf } from "../uniques.ts";
import type { Bindable, Cells } from "./connection.ts";
import { counterNames } from "./schema.ts";
import { textsOf } from "./texts.ts";
import { columnTypes, fromStored, quoteName, toStored } from "./value.ts";

export interface Relation extends TypedTable {
  /** The table's name, quoted. */
  readonly name: string;
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

function relationOf(table: Table): Relation {
  const { columns } = table;
  const hidden = ["_seq", "_rev", ...(isTimed(table) ? timeColumns : [])];
  const counters = counterNames(table);
  const counted = [...counters.keys()];
  const texts = textsOf(table, counted);
  const kept = texts?.columns ?? [];
  const types = new Map<string, ColumnType>([
    ...hidden.map((name) => [name, "integer"] as const),
    ...columns.map(({ name, type }) => [name, type] as const),
    ...kept.map((name) => [name, name === "_made" ? "integer" : "text"] as const),
  ]);
  const typed = (names: readonly string[]): readonly { readonly name: string; readonly type: ColumnType }[] =>
    names.map((name) => ({ name, type: typeOf({ table, types }, name) }));
  const everything = typed([...hidden, ...columns.map(({ name }) => name)]);
  const written = typed([...everything.slice(1).map(({ name }) => name), ...kept]);
  const places = written.map(({ name, type }, index) => {
    const place = `$${index + 1}::${columnTypes[type]}`;
    const counter = counters.get(name);
    return counter === undefined ? place : `coalesce(${place}, nextval('${counter.replaceAll("'", "''")}'))`;
  });
  return {
    table,
    name: quoteName(table.name),
    types,
    everything: everything.map(({ name }) => `t.${quoteName(name)}`).join(", "),
    decode: (stored) => {
      const row: Record<string, Value> = {};
      everything.forEach(({ name, type }, index) => {
        row[name] = fromStored(stored[index], type);
      });
      return row;
    },
    insert: `INSERT INTO ${quoteName(table.name)} (${written.map(({ name }) => quoteName(name)).join(", ")}) VALUES (${places.join(", ")})
      ON CONFLICT DO NOTHING RETURNING ${["_seq", ...counted.map(quoteName)].join(", ")}`,
    encode: (values) => {
      const row = { ...values, ...texts?.of(values) };
      return written.map(({ name, type }) => toStored(row[name], type));
    },
    texts: (row) => texts?.of(row) ?? {},
    counted,
    uniques: uniquesOf(table),
    hasFiles: columns.some(({ file }) => file !== undefined),
  };
}
