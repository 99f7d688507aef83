/**
 * From the tables that a store holds to those of a document: what has to be done, and what would have to be asked of the
 * data first, because it may not fit. Nothing here looks at data.
 */
import type { Column, DefaultPlan, Table } from "../plan/plan.ts";
import { uniquesOf } from "./uniques.ts";

export interface Differences {
  readonly added: readonly Table[];
  /** To be dropped; allowed where they are empty. */
  readonly dropped: readonly Table[];
  readonly changed: readonly Changed[];
}

export interface Changed {
  readonly before: Table;
  readonly after: Table;
  /** What the data must be asked before. */
  readonly doubts: readonly Doubt[];
  /** Columns that are new, with what the present records get. */
  readonly filled: readonly { readonly column: Column; readonly with: DefaultPlan | undefined }[];
}

/** What a store's records may stand in the way of. Each is a refusal when any record is concerned. */
export type Doubt =
  /** Records that have a value there. */
  | { readonly kind: "dropped"; readonly column: Column }
  | { readonly kind: "retyped"; readonly column: Column; readonly before: Column }
  /** Any record at all: nobody said what the column would be. */
  | { readonly kind: "unfilled"; readonly column: Column }
  /** Records without a value. */
  | { readonly kind: "required"; readonly column: Column }
  /** Records with another value. */
  | { readonly kind: "narrowed"; readonly column: Column; readonly values: readonly string[] }
  /** Records that have the same values. */
  | { readonly kind: "unique"; readonly columns: readonly string[] }
  /** Records that refer to what is not there. */
  | { readonly kind: "reference"; readonly column: Column };

/** Tables are known by their resource, columns by their name. */
export function differencesBetween(before: readonly Table[], after: readonly Table[]): Differences {
  const old = new Map(before.map((table) => [table.resource, table]));
  const kept = new Set(after.map(({ resource }) => resource));
  return {
    added: after.filter(({ resource }) => !old.has(resource)),
    dropped: before.filter(({ resource }) => !kept.has(resource)),
    changed: after.flatMap((table) => {
      const one = old.get(table.resource);
      return one ? [changed(one, table)] : [];
    }),
  };
}

function changed(before: Table, after: Table): Changed {
  const old = new Map(before.columns.map((column) => [column.name, column]));
  const names = new Set(after.columns.map(({ name }) => name));
  const fresh = after.columns.filter(({ name }) => !old.has(name));
  const doubts: Doubt[] = [
    ...before.columns.filter(({ name }) => !names.has(name)).map((column): Doubt => ({ kind: "dropped", column })),
    ...after.columns.flatMap((column) => {
      const one = old.get(column.name);
      return one ? doubtsOf(one, column) : newColumnDoubts(column);
    }),
    ...newUniques(before, after),
  ];
  return { before, after, doubts, filled: fresh.map((column) => ({ column, with: column.default })) };
}

function doubtsOf(before: Column, after: Column): readonly Doubt[] {
  if (before.type !== after.type) return [{ kind: "retyped", column: after, before }];
  const doubts: Doubt[] = [];
  if (before.nullable && !after.nullable) doubts.push({ kind: "required", column: after });
  const { values } = after;
  const isNarrower = values && !before.values?.every((value) => values.includes(value));
  if (values && isNarrower) doubts.push({ kind: "narrowed", column: after, values });
  if (after.references && after.references.resource !== before.references?.resource) {
    doubts.push({ kind: "reference", column: after });
  }
  return doubts;
}

/** `now` at migration is no time of any record's own, but it is the earliest at which it is known to have been there. */
function newColumnDoubts(column: Column): readonly Doubt[] {
  const fillable = ["literal", "now", "now-on-change"].includes(column.default?.kind ?? "");
  return column.nullable || fillable ? [] : [{ kind: "unfilled", column }];
}

function newUniques(before: Table, after: Table): readonly Doubt[] {
  const old = new Set(uniquesOf(before).map(keyOf));
  return uniquesOf(after)
    .filter((columns) => !old.has(keyOf(columns)))
    .map((columns) => ({ kind: "unique", columns }));
}

function keyOf(columns: readonly string[]): string {
  return columns.toSorted().join(" ");
}
