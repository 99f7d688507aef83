/** Columns that count: `id(counter)` and the default `counter`. The store gives their values, because no two may be given the same. */
import type { Table } from "../../plan/resources/types.ts";

/** The columns of a table that are counted where no value is given. */
export function countedColumns({ columns, id }: Table): readonly string[] {
  return columns
    .filter(({ default: value, name }) => value?.kind === "counter" || (name === "id" && id.made === "counter"))
    .map(({ name }) => name);
}
