/** What deleting records comes to, as the document says of each reference: refused, or these records deleted and those cleared. */
import type { Value } from "../expression/evaluate.ts";
import type { Table } from "../plan/plan.ts";
import type { DeletedRecord, Row } from "./store.ts";

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

export interface Referring {
  /** The records of a table whose column has the value. */
  having(table: Table, column: string, value: Value): readonly Row[];
  /** The records of a table whose column, a JSON value, has the value in it somewhere; more of them do no harm. */
  holding(table: Table, column: string, value: Value): readonly Row[];
}

export function planDeletion(tables: readonly Table[], asked: readonly Held[], referring: Referring): Deletion {
  const deleted = new Map<string, Held>(asked.map((held) => [keyOf(held), held]));
  // A map's iteration goes on to what is added meanwhile, so this follows `delete with` to its end.
  for (const held of deleted.values()) {
    for (const { found } of referrers(tables, held, "delete", referring)) deleted.set(keyOf(found), found);
  }
  const cleared = new Map<string, Cleared>();
  for (const held of deleted.values()) {
    for (const { found, column } of referrers(tables, held, "refuse", referring)) {
      if (!deleted.has(keyOf(found))) return { kind: "referenced", resource: found.table.resource, field: column };
    }
    for (const { found, column } of referrers(tables, held, "clear", referring)) {
      const key = keyOf(found);
      if (!deleted.has(key)) cleared.set(key, { ...found, columns: [...(cleared.get(key)?.columns ?? []), column] });
    }
  }
  return { kind: "possible", deleted: [...deleted.values()], cleared: [...cleared.values()] };
}

export function deletedRecord({ table, row }: Held): DeletedRecord {
  return { resource: table.resource, id: row["id"] ?? null };
}

function* referrers(
  tables: readonly Table[],
  to: Held,
  onDelete: "refuse" | "delete" | "clear",
  referring: Referring,
): Generator<{ found: Held; column: string }> {
  for (const table of tables) {
    for (const { name, references } of table.columns) {
      if (references?.resource !== to.table.resource || references.onDelete !== onDelete) continue;
      for (const row of referring.having(table, name, to.row["id"] ?? null))
        yield { found: { table, row }, column: name };
    }
    if (onDelete === "refuse") yield* holders(table, to, referring);
  }
}

/** Records that refer to it from inside of a value. Nothing can be taken out of a value, so they refuse. */
function* holders(table: Table, to: Held, referring: Referring): Generator<{ found: Held; column: string }> {
  const id = to.row["id"] ?? null;
  for (const { name, holds = [] } of table.columns) {
    const paths = holds.flatMap(({ resource, path }) => (resource === to.table.resource ? [path] : []));
    if (paths.length === 0) continue;
    for (const row of referring.holding(table, name, id)) {
      if (paths.some((path) => isAt(path, row[name], id))) yield { found: { table, row }, column: name };
    }
  }
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
