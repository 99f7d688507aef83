/** Assigns a service's functions to its operations, and provides what they use of the service. */
import { getOrMake, onceFor } from "../../base/once.ts";
import { defined } from "../../base/defined.ts";
import type { Table } from "../../plan/resources/types.ts";
import type { EndpointsPart, Operation } from "../../plan/endpoints/types.ts";
import type { Context } from "../context/context.ts";
import type { CompiledOperation, ResourceView } from "../context/compiled.ts";
import type { ListQuery, View } from "../../store/port/store.ts";
import type { CallFunctions } from "../context/functions.ts";
import { functionsOfCall, type OperationFunctions } from "./request.ts";
import { handlerOf, hookOf, type ServiceFunctions } from "./functions.ts";
import type { Inside } from "./operations.ts";
import { createFunctionScheduler, type FunctionScheduler } from "./background.ts";
import type { Served } from "../context/version.ts";

export interface CompiledFunctions {
  /** Creates the scheduler of functions without a request; undefined if there are none. */
  functionScheduler(
    context: Context,
    version: Served,
    report: (failure: unknown) => void,
    idOf: (position: number) => string,
  ): FunctionScheduler | undefined;
  of(operation: string, context: Context): (() => CallFunctions) | undefined;
  viewFor(resource: string, kind: number): ResourceView;
}

export interface CompileFunctionsOptions {
  readonly plan: EndpointsPart;
  readonly functions?: ServiceFunctions | undefined;
  /** Called with a function's name when it starts; the returned callback is called when it ends. */
  readonly functionBegan?: ((name: string) => () => void) | undefined;
  /** Writes a log line for the operator. */
  readonly notice?: (message: string) => void;
  /** Compiles the operations by which functions change records as the system. */
  readonly compile: (operations: readonly Operation[]) => ReadonlyMap<string, CompiledOperation>;
  readonly perform: Inside["perform"];
}

export function compileFunctions({
  plan,
  functions,
  functionBegan: began,
  notice,
  compile,
  perform,
}: CompileFunctionsOptions): CompiledFunctions {
  let inside: Inside | undefined;
  const insideOf = (): Inside => (inside ??= createInside());
  function createInside(): Inside {
    const operations = plan.system.flatMap((of) => [of.create, of.update, of.delete]);
    const compiled = compile(operations);
    const named = (name: string): CompiledOperation => defined(compiled.get(name), name);
    const system = new Map(
      plan.system.map((of) => [
        of.resource,
        { create: named(of.create.name), update: named(of.update.name), delete: named(of.delete.name) },
      ]),
    );
    return { system, ...memories(), perform };
  }
  const byOperation = new Map(
    plan.operations.flatMap(({ name, action }): (readonly [string, OperationFunctions])[] => {
      if (functions === undefined) return action === "handler" ? [[name, {}]] : [];
      const handler = action === "handler" ? handlerOf(functions, name) : undefined;
      const [before, after] = [hookOf(functions, "before", name), hookOf(functions, "after", name)];
      const none = action !== "handler" && before === undefined && after === undefined;
      return none ? [] : [[name, { handler, before, after }]];
    }),
  );
  return {
    viewFor: (resource, kind) =>
      (insideOf().system.get(resource) as { create: CompiledOperation }).create.forKind(kind).record,
    functionScheduler(context, version, report, idOf) {
      if (functions?.on === undefined && functions?.every === undefined) return undefined;
      const dependencies = { inside: insideOf(), log: notice ?? (() => {}), began };
      return createFunctionScheduler({ functions, context, version, dependencies, report, idOf });
    },
    of(operation, context) {
      const existing = byOperation.get(operation);
      if (existing === undefined) return undefined;
      return () => functionsOfCall(existing, context, { inside: insideOf(), log: notice ?? (() => {}), began });
    },
  };
}

/** Creates the caches that all functions share. */
function memories(): Pick<Inside, "quiet" | "viewOf" | "query"> {
  const views = new Map<string, ResourceView>();
  const queriesOf = onceFor((_: View) => new Map<string, ListQuery>());
  return {
    quiet: onceFor((compiled) => {
      const { operation } = compiled;
      const kind = operation.action === "delete" || operation.action === "clear" ? "none" : "record";
      return { ...compiled, operation: { ...operation, edits: "none", response: { status: 200, kind } } };
    }),
    viewOf: (table) => getOrMake(views, table.resource, () => fullView(table)),
    query(query) {
      const { filters, from, sort, view } = query;
      const key = JSON.stringify([filters, from, sort]);
      return getOrMake(queriesOf(view), key, () => query);
    },
  };
}

/** Returns the view of all members of a record except secrets. */
function fullView(table: Table): ResourceView {
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
