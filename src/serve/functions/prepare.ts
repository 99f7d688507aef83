/** The functions of a service made ready: which operation has which, and what they use of the service. */
import { defined } from "../../base/defined.ts";
import type { Table } from "../../plan/plan.ts";
import type { CallerKinds } from "../caller.ts";
import type { Context } from "../context.ts";
import { deedOf } from "../deeds.ts";
import { prepareOperations, type Prepared } from "../prepared.ts";
import type { ServiceOptions } from "../service.ts";
import type { ListQuery, View } from "../../store/store.ts";
import type { ResourceView } from "../views.ts";
import { type CallFunctions, functionsOfCall, type OperationFunctions } from "./call.ts";
import { handlerOf, hookOf } from "./functions.ts";
import type { Inside } from "./inner.ts";
import { createWorking, type Working } from "./working.ts";
import type { Served } from "../versions/served.ts";

export interface PreparedFunctions {
  /** What functions do that no request runs; undefined where there are none. */
  working(
    context: Context,
    version: Served,
    report: (failure: unknown) => void,
    idOf: (position: number) => string,
  ): Working | undefined;
  of(operation: string, context: Context): (() => CallFunctions) | undefined;
  viewFor(resource: string, kind: number): ResourceView;
}

interface Parts {
  readonly tables: ReadonlyMap<string, Table>;
  readonly kinds: CallerKinds;
}

export function prepareFunctions(
  { plan, store, functions, functionBegan: began, notice }: ServiceOptions,
  { tables, kinds }: Parts,
): PreparedFunctions {
  let inside: Inside | undefined;
  const insideOf = (): Inside => (inside ??= createInside());
  function createInside(): Inside {
    const operations = plan.system.flatMap((of) => [of.create, of.update, of.delete]);
    const prepared = prepareOperations({ plan: { ...plan, operations }, tables, store, kinds });
    const named = (name: string): Prepared => defined(prepared.get(name), name);
    const system = new Map(
      plan.system.map((of) => [
        of.resource,
        { create: named(of.create.name), update: named(of.update.name), delete: named(of.delete.name) },
      ]),
    );
    return { system, ...memories(), perform: (call, tx) => deedOf(call.prepared.operation)(call, tx) };
  }
  const byOperation = new Map(
    plan.operations.flatMap(({ name, deed }): (readonly [string, OperationFunctions])[] => {
      if (functions === undefined) return deed === "handler" ? [[name, {}]] : [];
      const handler = deed === "handler" ? handlerOf(functions, name) : undefined;
      const [before, after] = [hookOf(functions, "before", name), hookOf(functions, "after", name)];
      const none = deed !== "handler" && before === undefined && after === undefined;
      return none ? [] : [[name, { handler, before, after }]];
    }),
  );
  return {
    viewFor: (resource, kind) => (insideOf().system.get(resource) as { create: Prepared }).create.forKind(kind).record,
    working(context, version, report, idOf) {
      if (functions?.on === undefined && functions?.every === undefined) return undefined;
      const surroundings = { inside: insideOf(), log: notice ?? (() => {}), began };
      return createWorking({ functions, context, version, surroundings, report, idOf });
    },
    of(operation, context) {
      const own = byOperation.get(operation);
      if (own === undefined) return undefined;
      return () => functionsOfCall(own, context, { inside: insideOf(), log: notice ?? (() => {}), began });
    },
  };
}

/** What is made once for all that functions ask for. */
function memories(): Pick<Inside, "quiet" | "viewOf" | "query"> {
  const quieted = new WeakMap<Prepared, Prepared>();
  const views = new Map<string, ResourceView>();
  const queries = new WeakMap<View, Map<string, ListQuery>>();
  return {
    quiet(prepared) {
      let quiet = quieted.get(prepared);
      if (quiet === undefined) {
        const { operation } = prepared;
        const kind = operation.deed === "delete" || operation.deed === "clear" ? "none" : "record";
        quiet = { ...prepared, operation: { ...operation, edits: "none", answer: { status: 200, kind } } };
        quieted.set(prepared, quiet);
      }
      return quiet;
    },
    viewOf(table) {
      let view = views.get(table.resource);
      if (view === undefined) views.set(table.resource, (view = wholeView(table)));
      return view;
    },
    query(query) {
      const { filters, from, sort, view } = query;
      const key = JSON.stringify([filters, from, sort]);
      let known = queries.get(view);
      if (known === undefined) queries.set(view, (known = new Map()));
      let one = known.get(key);
      if (one === undefined) known.set(key, (one = query));
      return one;
    },
  };
}

/** Everything of a record that can be given at all. */
function wholeView(table: Table): ResourceView {
  const columns = table.columns.filter(({ marks }) => !marks.includes("secret"));
  const names = new Set([...columns, ...table.virtual].map(({ name }) => name));
  return {
    view: {
      resource: table.resource,
      members: [
        ...columns.map(({ name, type, absent }) => ({
          name,
          source: { kind: "column" as const, column: name },
          type,
          absent,
        })),
        ...table.virtual.map(({ name, type, absent, expression }) => ({
          name,
          source: { kind: "expression" as const, expression },
          type,
          absent,
        })),
      ],
    },
    readable: names,
    known: names,
    derived: false,
    tag: "",
  };
}
