/**
 * Gives an older version's plan the permissions of the next newer plan, because only the newest version decides visibility
 * (R9.3). Conditions of an older model may name missing fields, and a placeholder condition must not reveal any record.
 */
import { lookup } from "../../language/resources/fields.ts";
import type { ResponseMember, ConditionFilterPlan, ListPlan, Operation } from "../endpoints/types.ts";
import type { Column, Table, Virtual } from "../resources/types.ts";
import type { Plan } from "../plan.ts";
import type { ShapeStep, StepPlan } from "../versioning/conversion-types.ts";

/** The parts of a plan that have permissions. */
type Permitting = Pick<Plan, "tables" | "operations" | "views">;

/**
 * Returns the older plan with the newer permissions. `later`: the paths of conditions that name something the older version
 * does not have.
 */
export function withPermissions(older: Plan, newer: Permitting, step: StepPlan, later: ReadonlySet<string>): Plan {
  const shapes = new Map(step.shapes.map((shape) => [shape.older, shape]));
  const tables = older.tables.map((table): Table => {
    const shape = shapes.get(table.resource);
    const now = newer.tables.find(({ resource }) => resource === (shape?.newer ?? table.resource));
    return now === undefined ? table : permittedTable(table, now, shape);
  });
  const operations = older.operations.map((operation): Operation => {
    const known = step.operations.find((one) => one.older === operation.name);
    const now = newer.operations.find(({ name }) => name === (known?.newer ?? operation.name));
    return permittedOperation(operation, now, { response: known?.gives, shape: shapes.get(operation.resource), later });
  });
  const views = Object.entries(older.views ?? {}).map(([name, view]) => {
    const now = lookup(newer.views ?? {}, name)?.members ?? [];
    return [name, { ...view, members: permittedMembers(view.members, now, shapes.get(`view ${name}`)) }] as const;
  });
  return { ...older, tables, operations, ...(older.views === undefined ? {} : { views: Object.fromEntries(views) }) };
}

/** Returns the newer name of a member; undefined if the newer version removed it. */
function nameNow(shape: ShapeStep | undefined, older: string): string | undefined {
  const member = shape?.members.find((one) => one.older === older);
  return member === undefined ? older : member.newer;
}

function permittedTable(table: Table, now: Table, shape: ShapeStep | undefined): Table {
  const members: readonly (Column | Virtual)[] = [...now.columns, ...now.virtual];
  const permitted = <Member extends Column | Virtual>({
    visibleTo: _,
    ...member
  }: Member): Omit<Member, "visibleTo"> & Pick<Member, "visibleTo"> => {
    const found = members.find(({ name }) => name === nameNow(shape, member.name));
    return { ...member, ...(found?.visibleTo === undefined ? {} : { visibleTo: found.visibleTo }) };
  };
  return {
    ...table,
    columns: table.columns.map((one) => permitted(one)),
    virtual: table.virtual.map((one) => {
      const found = now.virtual.find(({ name }) => name === nameNow(shape, one.name));
      // With the expression, `views.ts` checks whether the value can change without the record.
      return { ...permitted(one), ...(found === undefined ? {} : { expression: found.expression }) };
    }),
  };
}

interface Around {
  readonly response: ShapeStep | undefined;
  readonly shape: ShapeStep | undefined;
  readonly later: ReadonlySet<string>;
}

function permittedOperation(operation: Operation, now: Operation | undefined, around: Around): Operation {
  const { response, list } = operation;
  const members = response.members && permittedMembers(response.members, now?.response.members ?? [], around.response);
  return {
    ...operation,
    response: { ...response, ...(members === undefined ? {} : { members }) },
    ...(list === undefined ? {} : { list: permittedList(operation.name, list, now?.list, around) }),
  };
}

/** Returns the older list without filters and sorts by removed members, since the newest version runs the list. */
function permittedList(
  operation: string,
  list: ListPlan,
  now: ListPlan | undefined,
  { later, shape }: Around,
): ListPlan {
  const isThere = (name: string): boolean => nameNow(shape, name) !== undefined;
  return {
    ...list,
    filters: list.filters.filter(({ field }) => isThere(field)),
    searches: list.searches.filter(isThere),
    sorts: list.sorts.filter(isThere),
    conditions: list.conditions.flatMap((one): readonly ConditionFilterPlan[] => {
      const found = now?.conditions.find(({ name }) => name === one.name);
      // A condition that names later fields was itself added later, so the older list does not have it.
      if (found === undefined || later.has(`endpoints/endpoints/${operation}/filters/${one.name}/if`)) return [];
      const { items, passes, schema, visibleTo, type } = found;
      const { passes: _, ...rest } = one;
      const passed = passes === undefined ? {} : { passes };
      return [
        {
          ...rest,
          ...(Object.keys(one.schema).length === 0 ? { schema, type, ...(items === undefined ? {} : { items }) } : {}),
          ...passed,
          visibleTo,
        },
      ];
    }),
  };
}

function permittedMembers(
  members: readonly ResponseMember[],
  now: readonly ResponseMember[],
  shape: ShapeStep | undefined,
): readonly ResponseMember[] {
  return members.map((member): ResponseMember => {
    const found = now.find(({ name }) => name === nameNow(shape, member.name));
    if (found === undefined) return member;
    const { visibleTo: _, ...rest } = member;
    const { source } = member;
    const inner =
      source.kind === "object" && found.source.kind === "object"
        ? { source: { ...source, members: permittedMembers(source.members, found.source.members, undefined) } }
        : {};
    return { ...rest, ...inner, ...(found.visibleTo === undefined ? {} : { visibleTo: found.visibleTo }) };
  });
}
