/** Compiles the permissions and queries of an operation for one kind of caller. */
import { readsVariable, type TypedExpression } from "../../expression/typed.ts";
import { decide, type Subject } from "../../language/authentication/decide.ts";
import type { GrantPlan } from "../../plan/authentication/types.ts";
import type { ListPlan, Operation } from "../../plan/endpoints/types.ts";
import { restricted } from "../../plan/endpoints/passed-records.ts";
import type { Table } from "../../plan/resources/types.ts";
import { beforeLast, inCollection } from "../records/find-and-authorise.ts";
import { both, either } from "../../plan/input.ts";
import type { ListQuery, Store, View } from "../../store/port/store.ts";
import type { Decision, ForKind, ListShape, MemberSelection, ResourceView, UnknownPath } from "../context/compiled.ts";
import { expanded, narrowed } from "../records/select-members.ts";
import { compileParents, conditionOf, tiedTo } from "../records/parents.ts";
import { headerView, type Nested, operationView } from "../records/views.ts";
import { withHeaders } from "./headers.ts";
import { prepareSummary } from "./summary.ts";
import { hasPart } from "./page-text.ts";

/** The most selections of members of responses per operation and kind of caller; above it the oldest is removed. */
const maximumSelections = 64;

/** The most prepared list queries per operation and kind of caller; above it the oldest is removed. */
const maximumShapes = 256;

export function compileForRole(
  operation: Operation,
  store: Store,
  record: ResourceView,
  nested: Nested,
  tables: readonly Table[],
): ForKind {
  const { subject } = nested;
  const allowed = decide(operation.allow, subject);
  const visible = decide(operation.visible, subject);
  const own = operationView(operation, nested);
  const view = own ?? record.view;
  const headers = headerView(operation, nested);
  const reader = (decision: Decision, view: View): ForKind["read"] => {
    if (decision === "denied" || (operation.key === undefined && operation.the === undefined)) return () => undefined;
    return store.read({
      resource: operation.resource,
      ...keyed,
      view: withHeaders(view, headers),
      ...where(decision, single),
    });
  };
  const single = operation.the === undefined ? [] : [operation.the];
  const keyed = operation.key === undefined ? {} : { key: operation.key.column };
  const parent = operation.parents.at(-1);
  const tied = [
    ...(parent === undefined ? [] : [tiedTo(parent)]),
    ...(operation.pathFields === undefined ? [] : inCollection(tables, operation.resource, operation.pathFields)),
    ...(operation.key === undefined ? [] : beforeLast(tables, operation.resource, operation.key)),
  ];
  const where = (decision: Exclude<Decision, "denied">, own: readonly TypedExpression[]): Pick<ListQuery, "where"> => {
    const all = [...tied, ...own];
    return decision === "allowed" && all.length === 0 ? {} : { where: { all, ...conditionOf(decision) } };
  };
  const noView: View = { resource: operation.resource, members: [] };
  const isCounted = operation.list !== undefined && needsCount(operation, operation.list);
  const counted = isCounted ? { counted: true as const } : {};
  const listsIn = (view: View): ForKind["list"] => {
    const lists = new Map<string, ReturnType<ForKind["list"]>>();
    return (shape) => {
      const key = shapeKey(shape);
      const known = lists.get(key);
      if (known !== undefined) return known;
      if (lists.size >= maximumShapes) lists.delete(lists.keys().next().value as string);
      const own = operation.list?.where === undefined ? [] : [operation.list.where];
      const { conditions, ...rest } = shape;
      const filters = operation.list?.conditions.filter(({ name }) => conditions.includes(name)) ?? [];
      const conjuncts = [...own, ...filters.map((one) => restricted(one, subject))];
      const condition = allowed === "denied" ? {} : where(allowed, conjuncts);
      const summary = operation.list?.summary;
      const query = { resource: operation.resource, view, ...condition, ...rest, ...counted };
      const compiled =
        summary === undefined
          ? store.list(query)
          : prepareSummary(summary, subject, store, { ...query, view: noView, from: "skip" });
      lists.set(key, compiled);
      return compiled;
    };
  };
  const selections = new Map<string, ForKind>();
  const kind: ForKind = {
    allowed,
    visible,
    record,
    own,
    headers,
    ...restrictedFields(operation, subject),
    parents: compileParents(operation, store, subject, tables),
    read: lazily(() => reader(allowed, view)),
    visibleRecord: lazily(() => reader(visible, view)),
    readsIn: (other) => ({ read: lazily(() => reader(allowed, other)), list: listsIn(other) }),
    passes: lazily(() => {
      const all = [...tied, ...single, ...(operation.guard === undefined ? [] : [operation.guard.if])];
      return store.read({ resource: operation.resource, ...keyed, view: { ...view, members: [] }, where: { all } });
    }),
    aggregate: lazily(() => {
      if (allowed === "denied" || own === undefined) return () => undefined;
      return store.aggregate({ members: withHeaders(own, headers).members, ...where(allowed, []) });
    }),
    readAggregate: lazily(() => {
      const all = operation.guard === undefined ? [] : [operation.guard.if];
      return store.aggregate({ members: [], where: { all } });
    }),
    the: theOne(operation, [...tied, ...single], allowed, visible),
    list: listsIn(view),
    selected: (selection) => {
      const key = JSON.stringify(selection);
      const known = selections.get(key);
      if (known !== undefined) return known;
      const selected = selectedView(view, selection);
      // A selection of unknown members must not displace queries.
      if ("unknown" in selected) return selected;
      if (selections.size >= maximumSelections) selections.delete(selections.keys().next().value as string);
      const made: ForKind = { ...kind, own: selected, ...kind.readsIn(selected) };
      selections.set(key, made);
      return made;
    },
  };
  return kind;
}

function selectedView(view: View, { expand, fields }: MemberSelection): View | UnknownPath {
  const full = expanded(view, expand);
  if ("unknown" in full) return { ...full, parameter: "expand" };
  const part = fields === undefined ? full : narrowed(full, fields);
  return "unknown" in part ? { ...part, parameter: "fields" } : part;
}

/** Returns the fields of the body that the caller may not set in every record. */
function restrictedFields({ body }: Operation, subject: Subject | undefined): Pick<ForKind, "restricted"> {
  const fields = (body?.fields ?? []).flatMap(({ name, setBy }) => {
    const decision = setBy === undefined ? "allowed" : decide(setBy as readonly GrantPlan[], subject);
    return decision === "allowed" ? [] : [[name, decision] as const];
  });
  return fields.length === 0 ? {} : { restricted: new Map(fields) };
}

/** Whether the response to a list has the number of records on all pages, or a value computed from it. */
function needsCount({ headers = [] }: Operation, { links = [], page }: ListPlan): boolean {
  const isInHeader = headers.some(({ expression }) => readsVariable(expression, "count"));
  return isInHeader || links.includes("last") || hasPart(page, "count");
}

function theOne(
  { the }: Operation,
  all: readonly TypedExpression[],
  allowed: Decision,
  visible: Decision,
): ForKind["the"] {
  if (the === undefined) return undefined;
  const condition = (decision: Decision): TypedExpression | undefined => {
    if (decision === "denied") return undefined;
    return [...all, ...(decision === "allowed" ? [] : [decision.any.reduce(either)])].reduce(both);
  };
  const [runIf, visibleIf] = [condition(allowed), condition(visible)];
  return {
    ...(runIf === undefined ? {} : { allowed: runIf }),
    ...(visibleIf === undefined ? {} : { visible: visibleIf }),
  };
}

/** Returns the key of a list query. The list's own condition is the same for every request, so the key omits it. */
function shapeKey({ sort, filters, conditions, search = [], from, reversed }: ListShape): string {
  const sorted = sort.map(({ column, descending }) => `${descending ? "-" : ""}${column}`);
  return `${reversed === true ? "reversed " : ""}${from} ${sorted.join()} ${filters.map(({ column, operator }) => `${column}[${operator}]`).join()} ${search.join()} ${conditions.join()}`;
}

function lazily<Arguments extends readonly unknown[], Result>(
  make: () => (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  let made: ((...args: Arguments) => Result) | undefined;
  return (...args) => (made ??= make())(...args);
}
