/**
 * Compiles operations: validators and queries are prepared at start, so a request only looks them up. Everything that depends on
 * the kind of caller is compiled at its first request.
 */
import { getOrMake, onceFor } from "../../base/once.ts";
import { noTable } from "../../plan/resources/tables.ts";
import type { JsonObject } from "../../base/json.ts";
import { tableOf } from "../context/context.ts";
import { type Value, type Variables, compileFunction } from "../../expression/evaluate.ts";
import { mentions, type TypedExpression } from "../../expression/typed.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { Operation } from "../../plan/endpoints/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { both, either } from "../../plan/input.ts";
import type { Awaitable, ListQuery, Row, Store, Transaction, View } from "../../store/port/store.ts";
import { type Validator, createValidators } from "../validation/validator.ts";
import type { CallerKinds } from "../context/caller.ts";
import type { Extensions, Decision, ResourceView, CompiledOperation, ForKind, ListShape } from "../context/compiled.ts";
import { hasPart } from "./page-text.ts";
import { compileContract } from "../functions/contract-response.ts";
import { contractValidator } from "../functions/contract-input.ts";
import { compileParents, tiedTo, conditionOf } from "../records/parents.ts";
import { decide } from "../../language/authentication/decide.ts";
import type { VersionConverter, VersionedOperation, Reads } from "../context/version.ts";
import { type Nested, operationView, viewOf } from "../records/views.ts";
import { partlyHiddenColumns, withoutWriteOnly } from "../records/write-only.ts";

/** The most prepared list queries per operation and kind of caller; above it the oldest is removed. */
const maximumShapes = 256;

export interface CompileOptions {
  readonly plan: Plan;
  readonly tables: ReadonlyMap<string, Table>;
  readonly store: Store;
  readonly kinds: CallerKinds;
  readonly extensions?: Extensions;
}

export function compileOperations({
  plan,
  tables,
  store,
  kinds,
  extensions = {},
}: CompileOptions): ReadonlyMap<string, CompiledOperation> {
  const validatorOf = createValidators(idPatterns(plan.tables), plan.schemas);
  const views = new Map<string, ResourceView>();
  const recordView = (table: Table, kind: number): ResourceView => {
    const key = `${table.resource} ${kind}`;
    return getOrMake(views, key, () => viewOf(table, kinds.subject(kind)));
  };
  const compileOperation = (operation: Operation): CompiledOperation => {
    const table = tableAbout(operation, tables);
    const perKind: (ForKind | undefined)[] = [];
    return {
      operation,
      table,
      validate: bodyValidator(operation, validatorOf),
      wire: compileContract(operation, validatorOf, plan.schemas),
      validateResponse:
        operation.response.shape === undefined ? undefined : validatorOf(operation.response.shape.schema),
      strip: operation.response.shape && withoutWriteOnly(operation.response.shape.schema, plan.schemas),
      secrets: table.columns.filter(({ marks }) => marks.includes("secret")),
      partlyHidden: partlyHiddenColumns(table, plan.schemas),
      filters: filterValidators(operation, validatorOf),
      queries: new Map(operation.query.map(({ name, schema }) => [name, validatorOf(schema)])),
      reading: plan.operations.find(
        ({ action, resource, key }) => action === "read" && resource === operation.resource && key !== undefined,
      ),
      extension: extensions[operation.name],
      siblings: plan.operations.filter(({ moves, resource }) => moves.length > 0 && resource === operation.resource),
      forKind: (kind) =>
        (perKind[kind] ??= compileForRole(operation, store, recordView(table, kind), {
          views: plan.views,
          subject: kinds.subject(kind),
          record: (resource) => recordView(tableOf({ tables }, resource), kind).view,
        })),
    };
  };
  return new Map(plan.operations.map((operation) => [operation.name, compileOperation(operation)]));
}

function tableAbout({ resource }: Operation, tables: ReadonlyMap<string, Table>): Table {
  return resource === "" ? noTable : tableOf({ tables }, resource);
}

/** Compiles the bodies and views of an older version's operations; they never query the store. */
export function compileVersioned(plan: Plan, kinds: CallerKinds): readonly VersionedOperation[] {
  const validatorOf = createValidators(idPatterns(plan.tables), plan.schemas);
  const tables = new Map(plan.tables.map((table) => [table.resource, table]));
  return plan.operations.map((operation): VersionedOperation => {
    const table = tableAbout(operation, tables);
    const views: ResourceView[] = [];
    // Schemas compile at the first body, so unused versions take no time.
    const validators = new Map<JsonObject, Validator>();
    const lazyValidator =
      (schema: JsonObject): Validator =>
      (value) =>
        getOrMake(validators, schema, validatorOf)(value);
    const compiled: CompiledOperation = {
      operation,
      table,
      validate: operation.body === undefined ? undefined : lazyValidator(operation.body.schema),
      validateResponse: undefined,
      wire: undefined,
      secrets: [],
      partlyHidden: new Set(),
      filters: filterValidators(operation, lazyValidator),
      queries: new Map(operation.query.map(({ name, schema }) => [name, lazyValidator(schema)])),
      reading: undefined,
      extension: undefined,
      siblings: plan.operations.filter(({ moves, resource }) => moves.length > 0 && resource === operation.resource),
      forKind: () => {
        throw new Error(`${operation.name} of an older version is not run`);
      },
    };
    const viewFor = (kind: number): ResourceView => (views[kind] ??= viewOf(table, kinds.subject(kind)));
    const reads: (Reads | "none" | undefined)[] = [];
    return {
      compiled,
      viewFor,
      readsFor(number, kind, converter) {
        const made = (reads[number] ??= readsOf(operation, kind, viewFor(number), converter) ?? "none");
        return made === "none" ? undefined : made;
      },
    };
  });
}

function readsOf(
  { response }: Operation,
  kind: ForKind,
  own: ResourceView,
  converter: VersionConverter,
): Reads | undefined {
  if (kind.own !== undefined || response.kind === "shape") return undefined;
  const { view } = kind.record;
  const olderView = converter.changes({ kind: "record", resource: view.resource })
    ? converter.viewToOlder(view)
    : undefined;
  if (olderView === undefined) return undefined;
  // Members hidden from this caller are hidden in the older version too.
  const members = own.tag === "" ? olderView.members : olderView.members.filter(({ name }) => own.known.has(name));
  return kind.readsIn({ ...olderView, members });
}

function bodyValidator(
  { body, wire }: Operation,
  validatorOf: (schema: JsonObject) => Validator,
): Validator | undefined {
  if (body === undefined) return undefined;
  const validate = validatorOf(body.schema);
  return wire === undefined ? validate : contractValidator(validate, wire);
}

function filterValidators(
  { list }: Operation,
  validatorOf: (schema: JsonObject) => Validator,
): ReadonlyMap<string, Validator> {
  const filters = list?.filters.map(({ field, schema }) => [field, validatorOf(schema)] as const) ?? [];
  return new Map([
    ...filters,
    ...(list?.conditions ?? []).map(({ name, schema }) => [name, validatorOf(schema)] as const),
  ]);
}

/** Returns the resource of each id pattern; "" if several resources share it. */
function idPatterns(tables: readonly Table[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { resource, columns } of tables) {
    const pattern = columns.find(({ name }) => name === "id")?.schema["pattern"];
    if (typeof pattern === "string") found.set(pattern, found.has(pattern) ? "" : resource);
  }
  return found;
}

function compileForRole(operation: Operation, store: Store, record: ResourceView, nested: Nested): ForKind {
  const { subject } = nested;
  const allowed = decide(operation.allow, subject);
  const visible = decide(operation.visible, subject);
  const own = operationView(operation, nested);
  const view = own ?? record.view;
  const reader = (decision: Decision, view: View): ForKind["read"] => {
    if (decision === "denied" || (operation.key === undefined && operation.the === undefined)) return () => undefined;
    return store.read({ resource: operation.resource, ...keyed, view, ...where(decision, single) });
  };
  const single = operation.the === undefined ? [] : [operation.the];
  const keyed = operation.key === undefined ? {} : { key: operation.key.column };
  const parent = operation.parents.at(-1);
  const tied = parent === undefined ? [] : [tiedTo(parent)];
  const where = (decision: Exclude<Decision, "denied">, own: readonly TypedExpression[]): Pick<ListQuery, "where"> => {
    const all = [...tied, ...own];
    return decision === "allowed" && all.length === 0 ? {} : { where: { all, ...conditionOf(decision) } };
  };
  const isCounted = operation.list !== undefined && hasPart(operation.list.page, "count");
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
      const conjuncts = [...own, ...filters.map(({ condition }) => condition)];
      const condition = allowed === "denied" ? {} : where(allowed, conjuncts);
      const compiled = store.list({ resource: operation.resource, view, ...condition, ...rest, ...counted });
      lists.set(key, compiled);
      return compiled;
    };
  };
  return {
    allowed,
    visible,
    record,
    own,
    parents: compileParents(operation, store, subject),
    read: lazily(() => reader(allowed, view)),
    visibleRecord: lazily(() => reader(visible, view)),
    readsIn: (other) => ({ read: lazily(() => reader(allowed, other)), list: listsIn(other) }),
    passes: lazily(() => {
      const all = [...tied, ...single, ...(operation.guard === undefined ? [] : [operation.guard.if])];
      return store.read({ resource: operation.resource, ...keyed, view: { ...view, members: [] }, where: { all } });
    }),
    aggregate: lazily(() => {
      if (allowed === "denied" || own === undefined) return () => undefined;
      return store.aggregate({ members: own.members, ...where(allowed, []) });
    }),
    readAggregate: lazily(() => {
      const all = operation.guard === undefined ? [] : [operation.guard.if];
      return store.aggregate({ members: [], where: { all } });
    }),
    the: theOne(operation, [...tied, ...single], allowed, visible),
    list: listsIn(view),
  };
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
function shapeKey({ sort, filters, conditions, search = [], from }: ListShape): string {
  const sorted = sort.map(({ column, descending }) => `${descending ? "-" : ""}${column}`);
  return `${from} ${sorted.join()} ${filters.map(({ column, operator }) => `${column}[${operator}]`).join()} ${search.join()} ${conditions.join()}`;
}

function lazily<Arguments extends readonly unknown[], Result>(
  make: () => (...args: Arguments) => Result,
): (...args: Arguments) => Result {
  let made: ((...args: Arguments) => Result) | undefined;
  return (...args) => (made ??= make())(...args);
}

/**
 * Returns a function that evaluates an expression over a row: in the store if it reads other records or loops, so that it can
 * be interrupted.
 */
export function createEvaluator(): (
  tx: Transaction,
  expression: TypedExpression,
  row: Row,
  variables: Variables,
) => Awaitable<Value> {
  const compiled = onceFor((expression: TypedExpression): ((row: Row, variables: Variables) => Value) | "store" => {
    if (mentions(expression, "walk", "records", "macro")) return "store";
    const run = compileFunction(expression);
    return (record, variables) => run({ record, variables });
  });
  return (tx, expression, row, variables) => {
    const run = compiled(expression);
    return run === "store" ? tx.evaluate(expression, row, variables) : run(row, variables);
  };
}
