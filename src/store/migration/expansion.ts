/**
 * Finds out whether a migration can run while processes with the former document continue to serve: only if it only adds.
 * Those processes read and write only the columns that they know; the database fills the others with defaults.
 */
import { isWrittenAlike } from "../../base/json.ts";
import type { Column } from "../../plan/resources/types.ts";
import type { Changed, ColumnChange, Differences } from "./differences.ts";

/** Returns the changes that need downtime, each in a few words; empty: none. */
export function obstructions({ changed, dropped }: Differences): readonly string[] {
  return [...dropped.map(({ resource }) => `${resource} is gone`), ...changed.flatMap(changesIn)];
}

function changesIn(change: Changed): readonly string[] {
  const { after, before, columns, dropped, rules, timed, trees, uniques } = change;
  const { resource } = after;
  const isRenamed = before.resource !== resource || before.name !== after.name;
  return [
    ...(isRenamed ? [`${before.resource} is called ${resource}`] : []),
    ...(isWrittenAlike(before.id, after.id) ? [] : [`ids of ${resource} are made otherwise`]),
    ...dropped.map(({ name }) => `${resource}.${name} is gone`),
    ...columns.flatMap((one) => (isAdded(one) || isSame(one) ? [] : [`${resource}.${one.column.name} is changed`])),
    ...(uniques.length === 0 ? [] : [`more of ${resource} is unique`]),
    ...(rules.length === 0 ? [] : [`there are other rules for ${resource}`]),
    ...trees.map((name) => `${resource}.${name} has to make a tree`),
    ...(timed ? [`time does something else to ${resource}`] : []),
  ];
}

/** Whether a column is only added. A record that an older process creates gets `placeholder` in such a column. */
function isAdded({ column, computed, source }: ColumnChange): boolean {
  if (source !== undefined || computed || column.references !== undefined) return false;
  return column.nullable || placeholder(column) !== undefined;
}

function isSame({ column, source, ...change }: ColumnChange): boolean {
  if (source === undefined || source.name !== column.name || source.nullable !== column.nullable) return false;
  const { computed, converts, fill, narrowed, referred, required, retyped } = change;
  return (
    converts.length === 0 && fill === undefined && ![computed, narrowed, referred, required, retyped].includes(true)
  );
}

/** Returns the SQL default of the column; undefined if there is none. */
export function placeholder({
  default: made,
}: Column): Extract<Column["default"], { kind: "literal" | "now" }> | undefined {
  return made?.kind === "literal" || made?.kind === "now" ? made : undefined;
}
