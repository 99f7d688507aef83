/** Checks references marked `tree`: no record is its own ancestor (R2.13). */
import { defined } from "../../base/defined.ts";
import type { Column, ReferencePlan } from "../../plan/resources/types.ts";
import type { Row, Transaction } from "../../store/port/store.ts";
import { callOf, type ChangeContext } from "../context/context.ts";
import { invalid } from "../errors/api-error.ts";

/**
 * Rejects a changed record that would be its own ancestor; a new record cannot be one. Locks all ancestors, so that two
 * concurrent changes cannot create a cycle.
 */
export async function checkTrees(
  changeContext: ChangeContext,
  tx: Transaction,
  columns: readonly Column[],
  row: Row,
  old: Row | undefined,
): Promise<void> {
  if (old === undefined) return;
  for (const column of columns) {
    const { name, references } = column;
    if (references?.tree !== true || row[name] === old[name]) continue;
    if (!(await isAbove(tx, references, name, row))) continue;
    const call = callOf(changeContext);
    const isColumn = call?.compiled.table.columns.includes(column) === true;
    const [pointer, field] =
      isColumn && call.kind.record.known.has(name) ? [`#/${name}`, name] : ["#", "The referenced record"];
    throw invalid([{ pointer, code: "above-itself", detail: `${field} is this record itself, or one below it` }]);
  }
}

async function isAbove(tx: Transaction, { resource }: ReferencePlan, name: string, row: Row): Promise<boolean> {
  const visited = new Set<unknown>();
  for (let id = row[name] ?? null; id !== null; ) {
    if (id === row["id"]) return true;
    if (visited.has(id)) throw new Error(`${resource}.${name} is no tree above ${JSON.stringify(id)}`);
    visited.add(id);
    const above = defined(await tx.get(resource, "id", id), `the ${resource} that a reference names`);
    id = above[name] ?? null;
  }
  return false;
}
