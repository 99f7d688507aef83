/**
 * Gives functions access to the records of a service: what the caller may see and do, with the same code as requests; and with
 * `system` all records.
 */
import { withArticle } from "../../base/case.ts";
import { getOrMake } from "../../base/once.ts";
import { suggestion } from "../../base/suggest.ts";
import type { JsonObject } from "../../base/json.ts";
import type { EndpointsPart } from "../../plan/endpoints/types.ts";
import type { ResourcesPart } from "../../plan/resources/types.ts";
import type { Row } from "../../store/port/store.ts";
import type { Inner, Wanted } from "./operations.ts";
import type { RunStep } from "./transaction.ts";

/** The access to records by name of their resource. */
export type Records = Readonly<Record<string, RecordsOf>> & {
  /** Access without permission checks; rules, transitions and events still apply. */
  readonly system: Readonly<Record<string, RecordsOf>>;
};

export interface RecordsOf {
  get(id: string | number): Promise<JsonObject | undefined>;
  /** Returns the newest record that matches. */
  find(where: Where): Promise<JsonObject | undefined>;
  list(wanted?: Wanted): Promise<{ readonly items: readonly JsonObject[]; readonly next: string | null }>;
  create(values: unknown): Promise<JsonObject>;
  update(id: string | number, changes: unknown): Promise<JsonObject>;
  delete(id: string | number): Promise<void>;
  /** Runs an operation by its name, with the id of its record (if it has one) and its input. */
  run(operation: string, ...args: readonly unknown[]): Promise<JsonObject | undefined>;
  readonly move: Readonly<Record<string, (id: string | number, input?: unknown) => Promise<JsonObject>>>;
}

export interface Comparisons<Value> {
  readonly eq?: Value;
  readonly in?: readonly Value[];
  readonly gt?: Value;
  readonly gte?: Value;
  readonly lt?: Value;
  readonly lte?: Value;
}

/** Conditions by field: a value or comparisons. */
export type Where = Readonly<Record<string, unknown>>;

export function recordsFor(
  plan: ResourcesPart & EndpointsPart,
  runStep: RunStep,
  inner: (system: boolean) => Inner,
): Records {
  const every = (system: boolean): Record<string, RecordsOf> =>
    guarded(
      plan.tables.map(({ resource }) => resource),
      (resource) => recordsOf(plan, runStep, inner(system), resource),
      "is no resource of the document",
    );
  const system = every(true);
  const callerRecords = every(false);
  return new Proxy(callerRecords, {
    get: (target, name, receiver) => (name === "system" ? system : (Reflect.get(target, name, receiver) as unknown)),
  }) as Records;
}

function recordsOf({ operations }: EndpointsPart, runStep: RunStep, inner: Inner, resource: string): RecordsOf {
  const named = operations.filter((operation) => operation.resource === resource);
  const reading = <Result>(perform: (tx: Parameters<Inner["get"]>[0]) => Promise<Result>): Promise<Result> =>
    runStep({ perform, writes: false });
  const writing = <Result>(perform: (tx: Parameters<Inner["get"]>[0]) => Promise<Result>): Promise<Result> =>
    runStep({ perform, writes: true });
  const run = (name: string, ...args: readonly unknown[]): Promise<JsonObject | undefined> => {
    const operation = named.find((one) => one.name === name);
    if (operation === undefined) {
      const names = named.map((one) => one.name);
      throw unknown(name, names, `is no operation on ${resource}`);
    }
    if (operation.action === "handler")
      throw new TypeError(`\`${name}\` is done by a handler, which only a request runs; call its function instead`);
    const [id, input] = operation.key === undefined ? [undefined, args[0]] : [args[0] as Row[string], args[1]];
    return writing((tx) => inner.run(tx, operation.name, id, plain(input)));
  };
  return {
    get: (id) => reading((tx) => inner.get(tx, resource, id)),
    find: (where) => reading(async (tx) => (await inner.list(tx, resource, { where, limit: 1 })).items[0]),
    list: (wanted = {}) => reading((tx) => inner.list(tx, resource, wanted)),
    create: (values) => writing((tx) => inner.create(tx, resource, plain(values))),
    update: (id, changes) => writing((tx) => inner.update(tx, resource, id, plain(changes))),
    delete: (id) => writing((tx) => inner.remove(tx, resource, id)),
    run,
    move: guarded(
      named.filter(({ action }) => action === "move").map(({ name }) => name),
      (name) => (id, input) => run(name, id, input) as Promise<JsonObject>,
      `is no operation that moves ${withArticle(resource)}`,
    ),
  };
}

function unknown(name: string, known: readonly string[], what: string): Error {
  return new TypeError(`\`${name}\` ${what}${suggestion(name, known)}`);
}

/** Returns an object whose members are made when they are used; an unknown name throws an error that names it. */
function guarded<Value>(names: readonly string[], make: (name: string) => Value, what: string): Record<string, Value> {
  const known = new Map<string, Value>();
  return new Proxy<Record<string, Value>>(
    {},
    {
      get: (_, name) => {
        // Promises, consoles and serialisers look up these names on any object.
        if (typeof name === "symbol" || name === "then" || name === "toJSON") return undefined;
        if (!names.includes(name)) throw unknown(name, names, what);
        return getOrMake(known, name, make);
      },
      has: (_, name) => typeof name === "string" && names.includes(name),
      ownKeys: () => [...names],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    },
  );
}

/** Converts a function's result to JSON: dates become strings, undefined members are omitted. */
export function plain(value: unknown): JsonObject {
  if (value === undefined || value === null) return {};
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
