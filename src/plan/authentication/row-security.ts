/**
 * What a database is to know of permissions to hold them by itself: which callers read which records, by whatever operation,
 * and what is read of records that they come to only through others.
 */
import { readingActions } from "../../language/endpoints/model.ts";
import type { EndpointsPart, Operation, ResponseMember } from "../endpoints/types.ts";
import type { GrantPlan } from "./types.ts";
import type { ResourcesPart } from "../resources/types.ts";
import { distinct } from "./permissions.ts";
import { both } from "../input.ts";

export interface RowSecurity {
  /** Who reads records of a resource by themselves; a resource that nobody reads is not there. */
  readonly readers: ReadonlyMap<string, readonly GrantPlan[]>;
  /** The columns that are read of a resource from other records: through references, lists of records, nested views. */
  readonly reached: ReadonlyMap<string, ReadonlySet<string>>;
  /** Columns that reading needs, by resource: hidden ones only where an expression reads a field of their name. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
}

/** Of all operations together: the statement that is run for one of them asks for less. */
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
  for (const view of nestedViews([operations, views])) {
    const resource = views[view]?.resource ?? "";
    reached.set(resource, new Set(columns.get(resource)));
  }
  return { readers: readersOf(reading), reached, columns };
}

function readersOf(reading: readonly Operation[]): ReadonlyMap<string, readonly GrantPlan[]> {
  const readers = new Map<string, GrantPlan[]>();
  const add = (resource: string, grants: readonly GrantPlan[]): void => {
    readers.set(resource, [...(readers.get(resource) ?? []), ...grants]);
  };
  for (const operation of reading) {
    // Who may not run it is told whether there is such a record by who sees it.
    add(operation.resource, [...allowedBy(operation), ...operation.visible]);
    for (const { resource, visible } of operation.parents) add(resource, visible);
  }
  return new Map([...readers].map(([resource, grants]) => [resource, distinct(grants)]));
}

/** On records that the operation is about, and no others. */
function allowedBy({ allow, list, the }: Operation): readonly GrantPlan[] {
  const conditions = [the, list?.where].filter((one) => one !== undefined);
  return allow.map(({ if: condition, who }) => {
    const all = condition === undefined ? conditions : [...conditions, condition];
    return all.length === 0 ? { who } : { who, if: all.reduce(both) };
  });
}

/** What expressions in a plan name, wherever in it they stand: all of it is plain data. */
function namesIn(plan: unknown): {
  readonly fields: ReadonlySet<string>;
  readonly reached: ReadonlyMap<string, ReadonlySet<string>>;
} {
  const fields = new Set<string>();
  const reached = new Map<string, Set<string>>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { kind, name, resource } = value as Readonly<Record<string, unknown>>;
    const isOther = kind === "walk" || kind === "item-field";
    if (typeof name === "string" && (kind === "field" || isOther)) fields.add(name);
    if (typeof resource === "string" && (kind === "records" || isOther)) {
      const found = reached.get(resource) ?? new Set<string>();
      reached.set(resource, typeof name === "string" ? found.add(name) : found);
    }
    for (const one of Object.values(value)) look(one);
  };
  look(plan);
  return { fields, reached };
}

/** The views that records are nested as. */
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
