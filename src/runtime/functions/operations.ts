/**
 * Performs the record operations of functions with the same code as requests: validation, rules, transitions, effects, events and
 * quotas. A function sends no headers, so there are no preconditions (If-Match) and no older versions.
 */
import { withArticle } from "../../base/case.ts";
import { instantIn } from "../../base/unix-time.ts";
import { defined } from "../../base/defined.ts";
import type { JsonObject } from "../../base/json.ts";
import { suggestion } from "../../base/suggest.ts";
import type { Value } from "../../expression/evaluate.ts";
import type { Column, Table } from "../../plan/resources/types.ts";
import type { FilterOperator, Operation } from "../../plan/endpoints/types.ts";
import type { ListQuery, Row, Transaction, View } from "../../store/port/store.ts";
import { type HttpResponse, readHeaders } from "../../http/message.ts";
import { type Call, tableOf } from "../context/context.ts";
import { conditionOf } from "../records/parents.ts";
import type { ForKind, CompiledOperation, ResourceView } from "../context/compiled.ts";
import { isVisible, namesFor } from "../records/find-and-authorise.ts";
import { ApiError } from "../errors/api-error.ts";
import { withSecrets } from "../records/secrets.ts";
import type { Where } from "./records.ts";

/** The list query of a function. */
export interface Wanted {
  readonly where?: Where;
  /** The order, such as `-createdAt` or `size,-door`; default: newest first. */
  readonly sort?: string;
  readonly limit?: number;
  /** The cursor: `next` of the previous page. */
  readonly after?: string | null;
}

export interface Inner {
  get(tx: Transaction, resource: string, id: Value): Promise<JsonObject | undefined>;
  list(
    tx: Transaction,
    resource: string,
    wanted: Wanted,
  ): Promise<{ items: readonly JsonObject[]; next: string | null }>;
  create(tx: Transaction, resource: string, values: JsonObject): Promise<JsonObject>;
  update(tx: Transaction, resource: string, id: Value, changes: JsonObject): Promise<JsonObject>;
  remove(tx: Transaction, resource: string, id: Value): Promise<void>;
  run(tx: Transaction, operation: string, id: Value | undefined, input: JsonObject): Promise<JsonObject | undefined>;
}

/** The dependencies of record operations, created once per service. */
export interface Inside {
  /** The system's compiled operations on a resource. */
  readonly system: ReadonlyMap<
    string,
    { readonly create: CompiledOperation; readonly update: CompiledOperation; readonly delete: CompiledOperation }
  >;
  /** Returns the operation without preconditions and with status 200, for functions. */
  quiet(compiled: CompiledOperation): CompiledOperation;
  /** Returns the view of all members of a record except secrets. */
  viewOf(table: Table): ResourceView;
  /** Returns the same object for an equal query, so that the store prepares it once. */
  query(query: ListQuery): ListQuery;
  perform(call: Call, tx: Transaction): Promise<HttpResponse>;
}

const defaultLimit = 100;
const maximumLimit = 1000;

export function innerOf(inside: Inside, call: Call, system: boolean): Inner {
  const { context } = call;
  const compiledFor = (resource: string): CompiledOperation => systemOf(inside, resource).create;
  const kindOf = (compiled: CompiledOperation): ForKind => {
    const { own: _, restricted, ...kind } = compiled.forKind(call.caller.kind);
    if (!system) return { ...kind, own: undefined, ...(restricted === undefined ? {} : { restricted }) };
    return { ...kind, allowed: "allowed", visible: "allowed", own: undefined, record: inside.viewOf(compiled.table) };
  };
  const viewOf = (resource: string): View =>
    (system ? inside.viewOf(tableOf(context, resource)) : compiledFor(resource).forKind(call.caller.kind).record).view;

  async function visibleRow(tx: Transaction, resource: string, id: Value): Promise<Row | undefined> {
    const row = await tx.get(resource, "id", id);
    if (row === undefined || system) return row;
    return (await isVisible(call, tx, compiledFor(resource).operation.visible, row)) ? row : undefined;
  }

  async function done(tx: Transaction, compiled: CompiledOperation, id: Value | undefined, input: JsonObject) {
    const quiet = inside.quiet(compiled);
    const named = await namedBy(call, tx, quiet.operation, id, input);
    if (named === undefined) throw new ApiError("not-found");
    const received: Call = {
      ...withoutVersioned(call),
      compiled: quiet,
      kind: kindOf(compiled),
      input: named.input,
      parameters: named.parameters,
      query: new Map(),
      received: {},
      httpRequest: noRequest,
      observation: { requestId: call.observation.requestId, observer: call.observation.observer },
      variables: { ...call.variables, input: named.input as Value },
      ...(system ? { system } : {}),
    };
    const { body } = await located(quiet.operation, async () => inside.perform(await withSecrets(received), tx));
    return typeof body === "string" ? (JSON.parse(body) as JsonObject) : undefined;
  }

  /** Returns the document's operation for the action, or the system's. */
  function operationThat(resource: string, action: "create" | "update" | "delete"): CompiledOperation {
    if (system) return systemOf(inside, resource)[action];
    const found = context.plan.operations.find((one) => one.resource === resource && one.action === action);
    if (found !== undefined) return defined(context.compiled.get(found.name), found.name);
    throw new TypeError(
      `no operation of the document does ${action} ${withArticle(resource)}; records.system.${resource}.${action} asks nobody`,
    );
  }

  return {
    async get(tx, resource, id) {
      const row = await visibleRow(tx, resource, id);
      return row && (JSON.parse(await tx.view(row, viewOf(resource), call.variables)) as JsonObject);
    },
    async list(tx, resource, { where = {}, sort = "", limit = defaultLimit, after }) {
      const table = tableOf(context, resource);
      const { visible } = kindOf(compiledFor(resource));
      if (visible === "denied") return { items: [], next: null };
      const filters = filtersOf(table, where);
      const query = inside.query({
        resource,
        view: viewOf(resource),
        ...(visible === "allowed" ? {} : { where: conditionOf(visible) ?? {} }),
        sort: sortOf(table, sort),
        filters: filters.map(({ column, operator }) => ({ column, operator })),
        from: typeof after === "string" ? "after" : "start",
      });
      const page = await tx.list(
        query,
        {
          limit: Math.min(Math.max(1, limit), maximumLimit),
          filters: filters.map(({ value }) => value),
          ...(typeof after === "string" ? { after: JSON.parse(after) as readonly Value[] } : {}),
        },
        call.variables,
      );
      return {
        items: JSON.parse(`[${page.text}]`) as readonly JsonObject[],
        next: page.next === undefined ? null : JSON.stringify(page.next),
      };
    },
    create: async (tx, resource, values) =>
      (await done(tx, operationThat(resource, "create"), undefined, values)) as JsonObject,
    update: async (tx, resource, id, changes) =>
      (await done(tx, operationThat(resource, "update"), id, changes)) as JsonObject,
    remove: async (tx, resource, id) => void (await done(tx, operationThat(resource, "delete"), id, {})),
    run: (tx, operation, id, input) => done(tx, defined(context.compiled.get(operation), operation), id, input),
  };
}

/** Adds the operation's name to violations, because a function may perform several operations. */
async function located<Result>({ name }: Operation, perform: () => Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown.code !== "invalid-request") throw thrown;
    const { violations = [], ...rest } = thrown.details;
    const described = violations.map((violation) => ({ ...violation, detail: `${violation.detail} (in \`${name}\`)` }));
    throw new ApiError(thrown.code, { ...rest, violations: described });
  }
}

/** Returns the call in the newest version, whose names a function uses, whatever its caller's version is. */
function withoutVersioned({ own: _, secrets: __, functions: ___, presentSecret: ____, ...call }: Call): Call {
  return call;
}

/** A placeholder: an operation of a function has no HTTP request. */
export const noRequest: Call["httpRequest"] = {
  method: "POST",
  target: "/",
  headers: readHeaders([]),
  address: "",
  secure: false,
  body: () => Promise.resolve({ kind: "aborted" }),
};

/**
 * Returns the path parameters of the operation: the record's key, and its parents' from the record's fields. For a new record
 * the parents are fields of the input. Undefined if a record does not exist.
 */
async function namedBy(
  { context }: Call,
  tx: Transaction,
  { action, key, parents, resource }: Operation,
  id: Value | undefined,
  input: JsonObject,
): Promise<{ readonly parameters: Readonly<Record<string, string>>; readonly input: JsonObject } | undefined> {
  const parameters: Record<string, string> = {};
  let rest = input;
  let row: Row | undefined;
  if (key !== undefined) {
    row = await tx.get(resource, "id", id ?? null);
    if (row === undefined) return undefined;
    const names = namesFor(key, row);
    if (names === undefined) return undefined;
    Object.assign(parameters, names);
  }
  for (const parent of parents.toReversed()) {
    const named: Value = row?.[parent.field] ?? ((input[parent.field] ?? null) as Value);
    if (action === "create" && row === undefined) {
      const { [parent.field]: _, ...others } = input;
      rest = others;
    }
    const table = tableOf(context, parent.resource);
    row = await tx.get(table.resource, "id", named);
    if (row === undefined) return undefined;
    const names = namesFor(parent, row);
    if (names === undefined) return undefined;
    Object.assign(parameters, names);
  }
  return { parameters, input: rest };
}

interface Filter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: Value | readonly Value[];
}

const operators: readonly FilterOperator[] = ["eq", "in", "gt", "gte", "lt", "lte"];

function filtersOf(table: Table, where: Where): readonly Filter[] {
  return Object.entries(where).flatMap(([name, wanted]): Filter[] => {
    if (wanted === undefined) return [];
    const column = columnOf(table, name);
    if (wanted === null || typeof wanted !== "object" || wanted instanceof Date) {
      return [{ column: name, operator: "eq", value: stored(column, wanted) }];
    }
    return Object.entries(wanted).map(([operator, value]): Filter => {
      if (!operators.includes(operator as FilterOperator))
        throw new TypeError(
          `\`${operator}\` is no comparison of ${table.resource}.${name}; there are ${operators.join(", ")}`,
        );
      if (operator !== "in")
        return { column: name, operator: operator as FilterOperator, value: stored(column, value) };
      return { column: name, operator, value: (value as readonly unknown[]).map((one) => stored(column, one)) };
    });
  });
}

function columnOf({ columns, resource }: Table, name: string): Column {
  const column = columns.find((one) => one.name === name);
  if (column !== undefined && column.type !== "json" && !column.marks.includes("secret")) return column;
  const names = columns.map((one) => one.name);
  throw new TypeError(`\`${name}\` is no field of ${resource} that records are found by${suggestion(name, names)}`);
}

function stored({ type, unix }: Column, value: unknown): Value {
  if (value instanceof Date) return value.toISOString();
  return unix !== undefined || type === "timestamp" ? instantIn(value as Value, unix) : (value as Value);
}

function sortOf(table: Table, sort: string): ListQuery["sort"] {
  if (sort === "") return [];
  return sort.split(",").map((item) => {
    const descending = item.startsWith("-");
    return { column: columnOf(table, descending ? item.slice(1) : item).name, descending };
  });
}

function systemOf({ system }: Inside, resource: string) {
  return defined(system.get(resource), `the system's operations on ${resource}`);
}
