/** Wrappers around the plan, the store and the service of a correct service, for mistakes that are put into it. */
import type { Json, JsonObject } from "../../../../src/base/json.ts";
import type { HttpRequest, HttpResponse } from "../../../../src/http/message.ts";
import type { Operation } from "../../../../src/plan/endpoints/types.ts";
import type { Plan } from "../../../../src/plan/plan.ts";
import type { Column, Table } from "../../../../src/plan/resources/types.ts";
import type { TransitionPlan } from "../../../../src/plan/states/types.ts";
import type { LiveService } from "../../../../src/runtime/service.ts";
import type { Store, Transaction } from "../../../../src/store/port/store.ts";
import type { Change } from "./mutant.ts";

// ── The plan ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function planned(change: (plan: Plan) => Partial<Plan>): Change {
  return { planned: (plan) => ({ ...plan, ...change(plan) }) };
}

/** Changes the operation of this name; without a name each one. */
export function operations(name: string | undefined, change: (one: Operation) => Partial<Operation>): Change {
  return planned((plan) => ({
    operations: plan.operations.map((one) =>
      name === undefined || one.name === name ? { ...one, ...change(one) } : one,
    ),
  }));
}

export function tables(change: (table: Table) => Partial<Table>): Change {
  return planned((plan) => ({ tables: plan.tables.map((table) => ({ ...table, ...change(table) })) }));
}

/** Changes the columns of this name. */
export function columns(name: string, change: (column: Column) => Column): Change {
  return tables((table) => ({
    columns: table.columns.map((column) => (column.name === name ? change(column) : column)),
  }));
}

export function transitions(change: (transition: TransitionPlan) => TransitionPlan): Change {
  return operations(undefined, ({ moves }) => ({ moves: moves.map(change) }));
}

/** Changes the JSON Schema of a member of the body of an operation. */
export function bodyMember(operation: string, name: string, change: (schema: Json) => Json | undefined): Change {
  return operations(operation, ({ body }) => {
    const properties = (body?.schema["properties"] ?? {}) as Readonly<Record<string, Json>>;
    const changed = change(properties[name] ?? {});
    const entries = Object.entries(properties).filter(([one]) => one !== name);
    const all = changed === undefined ? entries : [...entries, [name, changed] as const];
    return body === undefined
      ? {}
      : { body: { ...body, schema: { ...body.schema, properties: Object.fromEntries(all) } } };
  });
}

// ── The store ──────────────────────────────────────────────────────────────────────────────────────────────────────

export function stored(change: (store: Store) => Partial<Store>): Change {
  return { around: (store) => ({ ...store, ...change(store) }) };
}

export function inTransactions(change: (tx: Transaction) => Partial<Transaction>): Change {
  return stored((store) => ({
    transaction: (task, until) => store.transaction((tx) => task(changed(tx, change(tx))), until),
  }));
}

/** The methods of a transaction may be those of a class. */
function changed(tx: Transaction, changes: Partial<Transaction>): Transaction {
  return new Proxy(tx, {
    get(_, name) {
      if (Object.hasOwn(changes, name)) return Reflect.get(changes, name) as unknown;
      const member: unknown = Reflect.get(tx, name);
      return typeof member === "function" ? (member.bind(tx) as unknown) : member;
    },
  });
}

// ── The service ────────────────────────────────────────────────────────────────────────────────────────────────────

/** Changes responses. They come without a content coding, so that their texts can be changed. */
export function responses(
  change: (response: HttpResponse, request: HttpRequest, service: LiveService) => HttpResponse | Promise<HttpResponse>,
): Change {
  return {
    between: (service) => ({
      ...service,
      response: async (request) => {
        const plain = withFields(request, { "accept-encoding": undefined });
        return change(await service.response(plain), request, service);
      },
    }),
  };
}

/** Makes several changes; of those of one kind the last one is the outermost. */
export function all(...changes: readonly Change[]): Change {
  return changes.reduce((before, { around, between, planned: plan }) => ({
    planned: (one) => plan?.(before.planned?.(one) ?? one) ?? before.planned?.(one) ?? one,
    around: (one) => around?.(before.around?.(one) ?? one) ?? before.around?.(one) ?? one,
    between: (one) => between?.(before.between?.(one) ?? one) ?? before.between?.(one) ?? one,
  }));
}

export function requests(change: (request: HttpRequest) => HttpRequest | Promise<HttpRequest>): Change {
  return {
    between: (service) => ({ ...service, response: async (request) => service.response(await change(request)) }),
  };
}

/** The request with other header fields; undefined removes one. */
export function withFields(
  request: HttpRequest,
  fields: Readonly<Record<string, string | undefined>>,
  other: Partial<Pick<HttpRequest, "method" | "target" | "body">> = {},
): HttpRequest {
  const { account, address, headers, method, pipe, secure, target } = request;
  return {
    ...{ address, method, secure, target },
    ...(account && { account }),
    ...(pipe &&
      !other.body && { pipe: (limit, milliseconds, consume) => pipe.call(request, limit, milliseconds, consume) }),
    body: (limit, milliseconds) => request.body(limit, milliseconds),
    headers: {
      get: (name) => (name in fields ? fields[name] : headers.get(name)),
      repeated: (name) => !(name in fields) && headers.repeated(name),
    },
    ...other,
  };
}

/** Reads the body of a request, and returns it with the request, whose body can be read again. */
export async function readJson(request: HttpRequest): Promise<readonly [JsonObject, HttpRequest]> {
  const body = await request.body(1_000_000, 10_000);
  const text = body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
  return [objectIn(text), withFields(request, {}, { body: () => Promise.resolve(body) })];
}

/** Changes the body of requests of this method. */
export function bodies(method: string, change: (body: JsonObject) => JsonObject): Change {
  return requests(async (request) => {
    if (request.method !== method) return request;
    const [body, again] = await readJson(request);
    const bytes = Buffer.from(JSON.stringify(change(body)));
    return withFields(
      again,
      { "content-length": String(bytes.length) },
      { body: () => Promise.resolve({ kind: "bytes", bytes }) },
    );
  });
}

function objectIn(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}

/** Changes the text of responses with a body. */
export function texts(change: (text: string, response: HttpResponse, request: HttpRequest) => string): Change {
  return responses((response, request) =>
    typeof response.body === "string" ? { ...response, body: change(response.body, response, request) } : response,
  );
}

/** The response with another field, by lower-case name; undefined removes the field. */
export function withField({ headers, ...response }: HttpResponse, name: string, value?: string): HttpResponse {
  const others = pairsOf(headers).filter(([one]) => one.toLowerCase() !== name.toLowerCase());
  return { ...response, headers: [...others, ...(value === undefined ? [] : [[name, value]])].flat() };
}

function pairsOf(headers: readonly string[]): readonly (readonly [string, string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as const] : []));
}

/** Whether a request is for this method and a path that matches. */
export function isFor({ method, target }: HttpRequest, wanted: string, path: RegExp): boolean {
  return method === wanted && path.test(target);
}
