/**
 * Derives row-level security from a plan: which callers read which records, through any operation, and which columns they read
 * of records reached through others.
 */
import { fieldsIn, type Records } from "../../expression/typed.ts";
import { readingActions } from "../../language/endpoints/model.ts";
import type { EndpointsPart, Operation, ResponseMember } from "../endpoints/types.ts";
import type { GrantPlan } from "./types.ts";
import type { ResourcesPart } from "../resources/types.ts";
import { distinct } from "./permissions.ts";
import { both } from "../input.ts";

export interface RowSecurity {
  /** For each resource that an operation reads directly, the grants of such operations. */
  readonly readers: ReadonlyMap<string, readonly GrantPlan[]>;
  /** By resource, the columns that are read from other records: through references, lists of records and nested views. */
  readonly reached: ReadonlyMap<string, ReadonlySet<string>>;
  /** By resource, the columns that reads need; hidden columns only if an expression reads a field of that name. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
}

/** Combines all operations: the result allows more than the query of a single operation reads. */
export function rowSecurityOf({
  operations,
  tables,
  views = {},
}: Pick<EndpointsPart & ResourcesPart, "operations" | "tables" | "views">): RowSecurity {
  const reading = operations.filter(({ aggregate, action }) => readingActions.has(action) && aggregate !== true);
  const names = namesIn([operations, tables, views]);
  const columns = new Map(
    tables.map(({ columns: all, resource }) => [
      resource,
      all.flatMap(({ name, visibleTo }) => (visibleTo?.length === 0 && !names.fields.has(name) ? [] : [name])),
    ]),
  );
  const reached = new Map([...names.reached].map(([resource, found]) => [resource, new Set(found).add("id")]));
  // A filter reads the fields on which the visibility of other records depends.
  for (const { resource, visible } of operations.flatMap(
    ({ list }) => list?.conditions.flatMap((one) => one.passes ?? []) ?? [],
  )) {
    const found = reached.get(resource) ?? new Set<string>();
    for (const { if: condition } of visible)
      for (const field of condition === undefined ? [] : fieldsIn(condition)) found.add(field);
    reached.set(resource, found);
  }
  for (const view of nestedViews([operations, views])) {
    const resource = views[view]?.resource ?? "";
    reached.set(resource, new Set(columns.get(resource)));
  }
  for (const { expandableFor, references } of tables.flatMap((table) => table.columns))
    if (expandableFor !== undefined && references !== undefined)
      reached.set(references.resource, new Set(columns.get(references.resource)));
  return { readers: readersOf(reading), reached, columns };
}

function readersOf(reading: readonly Operation[]): ReadonlyMap<string, readonly GrantPlan[]> {
  const readers = new Map<string, GrantPlan[]>();
  const add = (resource: string, grants: readonly GrantPlan[]): void => {
    readers.set(resource, [...(readers.get(resource) ?? []), ...grants]);
  };
  for (const operation of reading) {
    // A caller without permission still learns that a visible record exists, so these grants count too.
    add(operation.resource, [...allowedBy(operation), ...operation.visible]);
    for (const { resource, visible } of operation.parents) add(resource, visible);
  }
  return new Map([...readers].map(([resource, grants]) => [resource, distinct(grants)]));
}

/** Returns the grants of an operation, restricted to the records that it can select. */
function allowedBy({ allow, list, the }: Operation): readonly GrantPlan[] {
  const conditions = [the, list?.where].filter((one) => one !== undefined);
  return allow.map(({ if: condition, who }) => {
    const all = condition === undefined ? conditions : [...conditions, condition];
    return all.length === 0 ? { who } : { who, if: all.reduce(both) };
  });
}

/** Finds the names in all expressions of a plan by walking its plain data. */
function namesIn(plan: unknown): {
  readonly fields: ReadonlySet<string>;
  readonly reached: ReadonlyMap<string, ReadonlySet<string>>;
} {
  const fields = new Set<string>();
  const reached = new Map<string, Set<string>>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { kind, name, resource } = value as Readonly<Record<string, unknown>>;
    const { ancestors } = value as Partial<Records>;
    const isOther = kind === "walk" || kind === "item-field";
    if (typeof name === "string" && (kind === "field" || isOther)) fields.add(name);
    if (typeof resource === "string" && (kind === "records" || isOther)) {
      const found = reached.get(resource) ?? new Set<string>();
      for (const one of [name, ancestors?.field]) if (typeof one === "string") found.add(one);
      reached.set(resource, found);
    }
    for (const one of Object.values(value)) look(one);
  };
  look(plan);
  return { fields, reached };
}

/** Returns the views of nested records. */
function nestedViews(plan: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { kind, view } = value as Partial<ResponseMember["source"]> & { readonly view?: unknown };
    if ((kind === "record" || kind === "records") && typeof view === "string") found.add(view);
    for (const one of Object.values(value)) look(one);
  };
  look(plan);
  return found;
}
