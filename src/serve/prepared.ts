/**
 * An operation made ready to run: what the plan says, with validators compiled and queries prepared, so that a request
 * finds everything by index. What depends on the kind of caller is made at the first call of that kind.
 */
import { noTable } from "../plan/no-table.ts";
import type { JsonObject } from "../base/json.ts";
import { tableOf } from "./context.ts";
import type { Value, Variables } from "../expression/evaluate.ts";
import { compileFunction } from "../expression/evaluate.ts";
import { parts, type TypedExpression } from "../expression/typed.ts";
import type { Column, Operation, Plan, Table } from "../plan/plan.ts";
import { both, either } from "../plan/sources.ts";
import type {
  Awaitable,
  Found,
  ListQuery,
  Page,
  PageArguments,
  Row,
  Store,
  Transaction,
  View,
} from "../store/store.ts";
import { type Judge, createJudges } from "./judge.ts";
import type { CallerKinds } from "./caller.ts";
import type { Extension, Extensions } from "./extension.ts";
import { hasPart } from "./page-text.ts";
import { type PreparedWire, prepareWire } from "./functions/wire-answer.ts";
import { wireJudge } from "./functions/wire-input.ts";
import type { ParentFinder } from "./parents.ts";
import { prepareParents, tiedTo } from "./parents.ts";
import type { Decision } from "./permissions.ts";
import { conditionOf, decide } from "./permissions.ts";
import type { Chain } from "./versions/chain.ts";
import type { AskedOperation, Reads } from "./versions/served.ts";
import type { Nested, ResourceView } from "./views.ts";
import { ownView, readsOtherRecords, viewOf } from "./views.ts";
import { partlyHiddenColumns, type Strip, withoutWriteOnly } from "./write-only.ts";

export interface Prepared {
  readonly operation: Operation;
  readonly table: Table;
  readonly judge: Judge | undefined;
  /** Of what a function gives. */
  readonly judgeAnswer: Judge | undefined;
  /** Removes the write-only members from the response of a function; undefined if there are none. */
  readonly strip?: Strip | undefined;
  /** Of a function that says all that goes over the wire. */
  readonly wire: PreparedWire | undefined;
  /** Columns of the table that are kept as a hash. */
  readonly secrets: readonly Column[];
  /** Columns with `writeOnly` members inside of them. */
  readonly partlyHidden: ReadonlySet<string>;
  /** By filter: the judge of one value. */
  readonly filters: ReadonlyMap<string, Judge>;
  /** By query parameter of the operation's own. */
  readonly queries: ReadonlyMap<string, Judge>;
  /** The operation that reads a record of the resource: where one that is made can be found. */
  readonly reading: Operation | undefined;
  /** All operations that move a record of the resource, to say which are allowed now. */
  readonly siblings: readonly Operation[];
  /** What the service adds to it; most have none. */
  readonly extension: Extension | undefined;
  forKind(kind: number): ForKind;
}

/** What one kind of caller may do and sees. */
export interface ForKind {
  readonly allowed: Decision;
  readonly visible: Decision;
  readonly record: ResourceView;
  /** The operation's own answer, where it has one. */
  readonly own: View | undefined;
  readonly parents: ParentFinder;
  /** Reads one record of those that this kind may see and run the operation on. */
  readonly read: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Whether the record exists for this kind, where running on it is not allowed. */
  readonly seen: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Reads the record where the operation's guard holds. */
  readonly passes: (key: Value, variables: Variables) => Awaitable<Found | undefined>;
  /** Where the operation is of no record: what it tells those of this kind who may run it, and whether its guard holds. */
  readonly whole: (variables: Variables) => Awaitable<string | undefined>;
  readonly wholePasses: (variables: Variables) => Awaitable<string | undefined>;
  /** Where `the` says which record is at hand: the condition of those that this kind may run it on, and may see. */
  readonly the: { readonly allowed?: TypedExpression; readonly visible?: TypedExpression } | undefined;
  /** The same reads in another view. Each call prepares its own. */
  readsIn(view: View): Pick<ForKind, "read" | "list">;
  /** A list query by its shape, prepared once. */
  list(shape: ListShape): (page: PageArguments, variables: Variables) => Awaitable<Page>;
}

export interface ListShape extends Pick<ListQuery, "sort" | "filters" | "search" | "from"> {
  /** The filters that the document words, by their names. */
  readonly conditions: readonly string[];
}

/** Shapes of list queries kept prepared for one operation and kind of caller; beyond it the oldest is dropped. */
const maximumShapes = 256;

export interface PreparingOptions {
  readonly plan: Plan;
  readonly tables: ReadonlyMap<string, Table>;
  readonly store: Store;
  readonly kinds: CallerKinds;
  readonly extensions?: Extensions;
}

export function prepareOperations({
  plan,
  tables,
  store,
  kinds,
  extensions = {},
}: PreparingOptions): ReadonlyMap<string, Prepared> {
  const judgeOf = createJudges(idPatterns(plan.tables), plan.schemas);
  const views = new Map<string, ResourceView>();
  const recordView = (table: Table, kind: number): ResourceView => {
    const key = `${table.resource} ${kind}`;
    let view = views.get(key);
    if (view === undefined) {
      view = viewOf(table, kinds.subject(kind));
      views.set(key, view);
    }
    return view;
  };
  const prepare = (operation: Operation): Prepared => {
    const table = tableAbout(operation, tables);
    const perKind: (ForKind | undefined)[] = [];
    return {
      operation,
      table,
      judge: bodyJudge(operation, judgeOf),
      wire: prepareWire(operation, judgeOf, plan.schemas),
      judgeAnswer: operation.answer.shape === undefined ? undefined : judgeOf(operation.answer.shape.schema),
      strip: operation.answer.shape && withoutWriteOnly(operation.answer.shape.schema, plan.schemas),
      secrets: table.columns.filter(({ marks }) => marks.includes("secret")),
      partlyHidden: partlyHiddenColumns(table, plan.schemas),
      filters: filterJudges(operation, judgeOf),
      queries: new Map(operation.query.map(({ name, schema }) => [name, judgeOf(schema)])),
      reading: plan.operations.find(
        ({ deed, resource, key }) => deed === "read" && resource === operation.resource && key !== undefined,
      ),
      extension: extensions[operation.name],
      siblings: plan.operations.filter(({ moves, resource }) => moves.length > 0 && resource === operation.resource),
      forKind: (kind) =>
        (perKind[kind] ??= prepareForKind(operation, store, recordView(table, kind), {
          views: plan.views,
          subject: kinds.subject(kind),
          record: (resource) => recordView(tableOf({ tables }, resource), kind).view,
        })),
    };
  };
  return new Map(plan.operations.map((operation) => [operation.name, prepare(operation)]));
}

function tableAbout({ resource }: Operation, tables: ReadonlyMap<string, Table>): Table {
  return resource === "" ? noTable : tableOf({ tables }, resource);
}

/** What an older version's operations ask of a body and show of a record. Nothing of it reaches the store. */
export function prepareAsked(plan: Plan, kinds: CallerKinds): readonly AskedOperation[] {
  const judgeOf = createJudges(idPatterns(plan.tables), plan.schemas);
  const tables = new Map(plan.tables.map((table) => [table.resource, table]));
  return plan.operations.map((operation): AskedOperation => {
    const table = tableAbout(operation, tables);
    const views: ResourceView[] = [];
    // A version that nobody calls costs nothing: schemas are compiled at the first body that is held to them.
    const judges = new Map<JsonObject, Judge>();
    const judgeLater =
      (schema: JsonObject): Judge =>
      (value) => {
        const judge = judges.get(schema) ?? judgeOf(schema);
        judges.set(schema, judge);
        return judge(value);
      };
    const prepared: Prepared = {
      operation,
      table,
      judge: operation.body === undefined ? undefined : judgeLater(operation.body.schema),
      judgeAnswer: undefined,
      wire: undefined,
      secrets: [],
      partlyHidden: new Set(),
      filters: filterJudges(operation, judgeLater),
      queries: new Map(operation.query.map(({ name, schema }) => [name, judgeLater(schema)])),
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
      prepared,
      viewFor,
      readsFor(number, kind, chain) {
        const made = (reads[number] ??= readsOf(operation, kind, viewFor(number), chain) ?? "none");
        return made === "none" ? undefined : made;
      },
    };
  });
}

function readsOf({ answer }: Operation, kind: ForKind, own: ResourceView, chain: Chain): Reads | undefined {
  if (kind.own !== undefined || answer.kind === "shape") return undefined;
  const { view } = kind.record;
  const down = chain.changes({ kind: "record", resource: view.resource }) ? chain.viewDown(view) : undefined;
  if (down === undefined) return undefined;
  // Of a field that is hidden from this caller the older version says nothing either.
  const members = own.tag === "" ? down.members : down.members.filter(({ name }) => own.known.has(name));
  return kind.readsIn({ ...down, members });
}

function bodyJudge({ body, wire }: Operation, judgeOf: (schema: JsonObject) => Judge): Judge | undefined {
  if (body === undefined) return undefined;
  const judge = judgeOf(body.schema);
  return wire === undefined ? judge : wireJudge(judge, wire);
}

function filterJudges({ list }: Operation, judgeOf: (schema: JsonObject) => Judge): ReadonlyMap<string, Judge> {
  const filters = list?.filters.map(({ field, schema }) => [field, judgeOf(schema)] as const) ?? [];
  return new Map([...filters, ...(list?.conditions ?? []).map(({ name, schema }) => [name, judgeOf(schema)] as const)]);
}

/** Whose id a pattern is; of one that several resources share nobody's alone. */
function idPatterns(tables: readonly Table[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { resource, columns } of tables) {
    const pattern = columns.find(({ name }) => name === "id")?.schema["pattern"];
    if (typeof pattern === "string") found.set(pattern, found.has(pattern) ? "" : resource);
  }
  return found;
}

function prepareForKind(operation: Operation, store: Store, record: ResourceView, nested: Nested): ForKind {
  const { subject } = nested;
  const allowed = decide(operation.allow, subject);
  const visible = decide(operation.visible, subject);
  const own = ownView(operation, nested);
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
      const said = [...own, ...filters.map(({ condition }) => condition)];
      const condition = allowed === "denied" ? {} : where(allowed, said);
      const prepared = store.list({ resource: operation.resource, view, ...condition, ...rest, ...counted });
      lists.set(key, prepared);
      return prepared;
    };
  };
  return {
    allowed,
    visible,
    record,
    own,
    parents: prepareParents(operation, store, subject),
    read: lazily(() => reader(allowed, view)),
    seen: lazily(() => reader(visible, view)),
    readsIn: (other) => ({ read: lazily(() => reader(allowed, other)), list: listsIn(other) }),
    passes: lazily(() => {
      const all = [...tied, ...single, ...(operation.guard === undefined ? [] : [operation.guard.if])];
      return store.read({ resource: operation.resource, ...keyed, view: { ...view, members: [] }, where: { all } });
    }),
    whole: lazily(() => {
      if (allowed === "denied" || own === undefined) return () => undefined;
      return store.whole({ members: own.members, ...where(allowed, []) });
    }),
    wholePasses: lazily(() => {
      const all = operation.guard === undefined ? [] : [operation.guard.if];
      return store.whole({ members: [], where: { all } });
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
  const [mayRun, maySee] = [condition(allowed), condition(visible)];
  return {
    ...(mayRun === undefined ? {} : { allowed: mayRun }),
    ...(maySee === undefined ? {} : { visible: maySee }),
  };
}

/** The list's own conditions are the operation's, the same for every request, and so not part of the key. */
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

function hasMacro(expression: TypedExpression): boolean {
  return expression.kind === "macro" || parts(expression).some(hasMacro);
}

/** Runs an expression over a row, by the store only where it reads other records, or goes through lists, which it can stop. */
export function createEvaluator(): (
  tx: Transaction,
  expression: TypedExpression,
  row: Row,
  variables: Variables,
) => Awaitable<Value> {
  const compiled = new WeakMap<TypedExpression, ((row: Row, variables: Variables) => Value) | "store">();
  const compile = (expression: TypedExpression): ((row: Row, variables: Variables) => Value) | "store" => {
    if (readsOtherRecords(expression) || hasMacro(expression)) return "store";
    const run = compileFunction(expression);
    return (record, variables) => run({ record, variables });
  };
  return (tx, expression, row, variables) => {
    let run = compiled.get(expression);
    if (run === undefined) {
      run = compile(expression);
      compiled.set(expression, run);
    }
    return run === "store" ? tx.evaluate(expression, row, variables) : run(row, variables);
  };
}
