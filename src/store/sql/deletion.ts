/** Plans a deletion by the `on delete` of each reference: rejects it, or lists the records to delete and the columns to clear. */
import type { Value } from "../../expression/evaluate.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { DeletedRecord, Row } from "../port/store.ts";
import { fieldsIn, type TypedExpression } from "../../expression/typed.ts";

export type Deletion =
  | { readonly kind: "referenced"; readonly resource: string; readonly field: string }
  | { readonly kind: "possible"; readonly deleted: readonly Held[]; readonly cleared: readonly Cleared[] };

export interface Held {
  readonly table: Table;
  readonly row: Row;
}

export interface Cleared extends Held {
  readonly columns: readonly string[];
}

/** A query for the records whose column equals the value. */
interface Having {
  readonly kind: "having";
  readonly table: Table;
  readonly column: string;
  readonly value: Value;
}

/**
 * A query for the records whose JSON column contains the value anywhere. It may return extra rows, which `isAt` filters out.
 */
interface Holding extends Omit<Having, "kind"> {
  readonly kind: "holding";
}

/** A query for the records that reference one record. */
export type Referring = Having | Holding;

type Queries<Result> = Generator<Referring, Result, readonly Row[]>;

/** Yields queries for the records that reference the records to delete. */
export function* planDeletion(tables: readonly Table[], roots: readonly Held[]): Queries<Deletion> {
  const deleted = new Map<string, Held>(roots.map((held) => [keyOf(held), held]));
  // The iteration of a Map includes entries added during it, so this loop follows `delete with` transitively.
  for (const held of deleted.values()) {
    for (const { found } of yield* referrers(tables, held, "delete")) deleted.set(keyOf(found), found);
  }
  const cleared = new Map<string, Cleared>();
  for (const held of deleted.values()) {
    for (const { found, column } of yield* referrers(tables, held, "refuse")) {
      if (!deleted.has(keyOf(found))) return { kind: "referenced", resource: found.table.resource, field: column };
    }
    for (const { found, column } of yield* referrers(tables, held, "clear")) {
      const key = keyOf(found);
      if (!deleted.has(key)) cleared.set(key, { ...found, columns: [...(cleared.get(key)?.columns ?? []), column] });
    }
  }
  return { kind: "possible", deleted: [...deleted.values()], cleared: [...cleared.values()] };
}

export function deletedRecord({ table, row }: Held): DeletedRecord {
  return { resource: table.resource, id: row["id"] ?? null };
}

interface Referrer {
  readonly found: Held;
  readonly column: string;
}

function* referrers(
  tables: readonly Table[],
  to: Held,
  onDelete: "refuse" | "delete" | "clear",
): Queries<readonly Referrer[]> {
  const all: Referrer[] = [];
  for (const table of tables) {
    for (const { name, references } of table.columns) {
      if (references?.resource !== to.table.resource || references.onDelete !== onDelete) continue;
      const rows = yield { kind: "having", table, column: name, value: to.row["id"] ?? null };
      all.push(...rows.map((row) => ({ found: { table, row }, column: name })));
    }
    if (onDelete === "refuse") all.push(...(yield* holders(table, to)));
  }
  return all;
}

/**
 * Yields queries for the records that reference a record from inside a JSON value. Such a reference cannot be cleared, so it
 * rejects the deletion.
 */
function* holders(table: Table, to: Held): Queries<readonly Referrer[]> {
  const all: Referrer[] = [];
  const id = to.row["id"] ?? null;
  for (const { name, holds = [] } of table.columns) {
    const paths = holds.flatMap(({ resource, path }) => (resource === to.table.resource ? [path] : []));
    if (paths.length === 0) continue;
    const rows = yield { kind: "holding", table, column: name, value: id };
    for (const row of rows) {
      if (paths.some((path) => isAt(path, row[name], id))) all.push({ found: { table, row }, column: name });
    }
  }
  return all;
}

function isAt([step, ...rest]: readonly string[], value: unknown, id: Value): boolean {
  if (step === undefined) return value === id;
  if (typeof value !== "object" || value === null) return false;
  if (step === "*") return Object.values(value).some((one) => isAt(rest, one, id));
  return Object.hasOwn(value, step) && isAt(rest, (value as Readonly<Record<string, unknown>>)[step], id);
}

function keyOf({ table, row }: Held): string {
  return `${table.resource} ${row["_seq"] as number}`;
}

/** Yields expressions to evaluate over a row; returns the cleared columns and the computed columns that depend on them. */
export function* recomputed({
  table,
  row,
  columns,
}: Cleared): Generator<readonly [expression: TypedExpression, row: Row], Row, Value> {
  const changes: Record<string, Value> = Object.fromEntries(columns.map((column) => [column, null]));
  for (const { name, computed } of table.columns) {
    if (computed && fieldsIn(computed).some((field) => columns.includes(field))) {
      changes[name] = yield [computed, { ...row, ...changes }];
    }
  }
  return changes;
}
