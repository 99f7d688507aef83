/**
 * Runs of consecutive columns whose JSON text each row also stores, in `_json`, `_json2`, …: columns visible to everyone who sees
 * the record, without those of Unix time, which are short. Concatenating stored texts is several times cheaper than serialising each column for each response.
 */
import type { Column, Table } from "../../plan/resources/types.ts";
import { isAlwaysThere } from "./json-text.ts";

/** A column that stores the JSON text of several consecutive columns. */
export interface CachedFragment {
  /** The name of the column: `_json`. */
  readonly name: string;
  readonly columns: readonly Column[];
  /** Whether the text begins with `{`; otherwise each member has a comma before it. */
  readonly opens: boolean;
}

/** An existing table has none, since other programs write it too. */
export function cachedFragmentsOf(table: Table): readonly CachedFragment[] {
  if (table.adopted !== undefined) return [];
  const runs: Column[][] = [[]];
  for (const column of table.columns) {
    if (isOpen(column)) runs.at(-1)?.push(column);
    else runs.push([]);
  }
  return runs
    .filter((run) => run.length > 1)
    .map((columns, index) => {
      const [first] = columns;
      return {
        name: index === 0 ? "_json" : `_json${index + 1}`,
        columns,
        opens: first !== undefined && first === table.columns[0] && isAlwaysThere(first),
      };
    });
}

function isOpen({ visibleTo, marks, unix }: Column): boolean {
  return unix === undefined && visibleTo === undefined && !marks.includes("write-only") && !marks.includes("secret");
}
