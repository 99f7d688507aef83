/** Prepares, for each table, the SQL and conversions that read and write full records. */
import type { Value } from "../../expression/evaluate.ts";
import type { AdoptedTable, ColumnType, Table } from "../../plan/resources/types.ts";
import { isRequired, type TypedTable, typeOf } from "../sql/table-access.ts";
import type { Row } from "../port/store.ts";
import { isTimed, timeColumns, uniquesOf } from "../sql/columns.ts";
import { quoteText } from "../sql/json-text.ts";
import type { Bindable, SqlRow } from "./connection.ts";
import { roundingOf } from "./rounding.ts";
import { counterNames } from "./schema.ts";
import { textsOf } from "./cached-json.ts";
import { columnTypes, fromStored, quoteName, toStored } from "./value.ts";

export interface Relation extends TypedTable {
  /** The table's name, quoted; of an existing table the name of its view. */
  readonly name: string;
  /** The quoted name of the table that is written. */
  readonly stored: string;
  /** The quoted row number in the table that is written. */
  readonly seq: string;
  /** Returns the quoted column of a field in the table that is written. */
  readonly storedName: (field: string) => string;
  /** Returns the SQL that writes a value, which is a placeholder with its type, to the column of a field. */
  readonly storedValue: (field: string, value: string) => string;
  /** The select list: hidden columns, then all others, of the row `t`. */
  readonly everything: string;
  /** Decodes a row that was selected with the columns in `everything`. */
  readonly decode: (stored: SqlRow) => Row;
  /** The SQL that inserts a row. It returns `_seq` and the counter columns, or no row if a unique constraint is violated. */
  readonly insert: string;
  /** Returns the values as the columns will have them. */
  readonly rounded: (values: Row) => Row;
  /** Returns the arguments of `insert`. */
  readonly encode: (values: Row) => readonly Bindable[];
  /** Returns the cached JSON fragments of a complete row. */
  readonly texts: (row: Row) => Readonly<Record<string, Value>>;
  /** The columns whose value the store takes from a counter. */
  readonly counted: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  readonly hasFiles: boolean;
}

export type Relations = ReadonlyMap<string, Relation>;

export function relationsOf(tables: readonly Table[]): Relations {
  return new Map(tables.map((table) => [table.resource, relationOf(table)]));
}

/** Returns the SQL of the next value of each counted column. */
function ownCounters(table: Table): ReadonlyMap<string, string> {
  return new Map([...counterNames(table)].map(([column, name]) => [column, `nextval(${quoteText(name)})`]));
}

/** Returns the SQL of the next value of each column that the database counts. */
function countersOf({ columns }: AdoptedTable): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(columns).flatMap(([field, { next }]) => (next === undefined ? [] : [[field, next] as const])),
  );
}

function rounder(adopted: AdoptedTable | undefined): Relation["rounded"] {
  const roundings = Object.entries(adopted?.columns ?? {}).flatMap(([field, { type }]) => {
    const round = roundingOf(type);
    return round === undefined ? [] : [{ field, round }];
  });
  if (roundings.length === 0) return (values) => values;
  return (values) => {
    const row = { ...values };
    for (const { field, round } of roundings) if (row[field] !== undefined) row[field] = round(row[field]);
    return row;
  };
}

function relationOf(table: Table): Relation {
  const { adopted, columns } = table;
  const stored = quoteName(adopted?.name ?? table.name);
  const storedName = (field: string): string => quoteName(adopted?.columns[field]?.name ?? field);
  const storedValue = (field: string, value: string): string =>
    (adopted?.columns[field]?.write ?? "?").replace("?", () => value);
  const hidden = ["_seq", "_rev", ...(isTimed(table) ? timeColumns : [])];
  const counters = adopted === undefined ? ownCounters(table) : countersOf(adopted);
  const counted = [...counters.keys()];
  const texts = textsOf(table, counted);
  const cached = texts?.columns ?? [];
  const types = new Map<string, ColumnType>([
    ...hidden.map((name) => [name, "integer"] as const),
    ...columns.map(({ name, type }) => [name, type] as const),
    ...cached.map((name) => [name, name === "_made" ? "integer" : "text"] as const),
  ]);
  const typed = (names: readonly string[]): readonly { readonly name: string; readonly type: ColumnType }[] =>
    names.map((name) => ({ name, type: typeOf({ table, types }, name) }));
  const everything = typed([...hidden, ...columns.map(({ name }) => name)]);
  const written = typed([...everything.slice(1).map(({ name }) => name), ...cached]).map((one) => ({
    ...one,
    required: isRequired({ table, types }, one.name),
  }));
  const parameters = written.map(({ name, type }, index) => {
    const parameter = `$${index + 1}::${columnTypes[type]}`;
    const counter = counters.get(name);
    return counter === undefined ? storedValue(name, parameter) : `coalesce(${parameter}, ${counter})`;
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
    stored,
    seq: adopted?.seq ?? "_seq",
    storedName,
    storedValue,
    insert: `INSERT INTO ${stored} (${written.map(({ name }) => storedName(name)).join(", ")}) ${adopted === undefined ? "" : "OVERRIDING SYSTEM VALUE "}VALUES (${parameters.join(", ")})
      ON CONFLICT DO NOTHING RETURNING ${[adopted?.seq ?? "_seq", ...counted.map(storedName)].join(", ")}`,
    rounded: rounder(adopted),
    encode: (values) => {
      const row = { ...values, ...texts?.of(values) };
      return written.map(({ name, required, type }) => toStored(row[name], type, required));
    },
    texts: (row) => texts?.of(row) ?? {},
    counted,
    uniques: uniquesOf(table),
    hasFiles: columns.some(({ file }) => file !== undefined),
  };
}
