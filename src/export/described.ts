/**
 * Reads parameters, bodies and errors of each operation from the OpenAPI description, for all other exports: so OpenAPI is the
 * only code that builds them, and no two exports differ. The schemas keep their names under `components`.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { everyOperation } from "../plan/events/events.ts";
import { isJson } from "../language/endpoints/wire-media.ts";
import type { Operation } from "../plan/endpoints/types.ts";
import type { Plan } from "../plan/plan.ts";
import { type ComponentNames, componentNames } from "./openapi/names.ts";
import { writtenOut } from "./openapi/openapi.ts";
import { type PossibleError, possibleErrorsOf } from "./openapi/possible-errors.ts";
import { refTo } from "./openapi/schemas.ts";

export interface Described {
  readonly document: JsonObject;
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly operations: readonly DescribedOperation[];
  /** The webhook request of each event, by name of the event. */
  readonly webhooks: Readonly<Record<string, JsonObject>>;
  readonly names: ComponentNames;
}

export interface DescribedOperation {
  readonly name: string;
  readonly operation: Operation;
  /** Set if the description is that of a contract (`wire`): Nonet adds neither parameters nor errors to it. */
  readonly contract?: true;
  readonly method: string;
  /** The path relative to the server's URL, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  readonly parameters: readonly Parameter[];
  readonly body?: DescribedBody;
  readonly successes: readonly Success[];
  readonly possibleErrors: readonly PossibleError[];
  /** The statuses of all responses; those of a contract may be `4XX` or `default`. */
  readonly statuses: readonly string[];
}

export interface DescribedBody {
  readonly required: boolean;
  readonly mediaTypes: readonly string[];
  /** The schema of the JSON body; of the form, if the body must be a form; empty for bytes. */
  readonly schema: JsonObject;
  /** The form that the operation accepts besides JSON, if the body can contain files. */
  readonly form?: JsonObject;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required?: boolean;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** How a value with several members is sent; `explode`: the request repeats the parameter for each item of a list. */
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema: JsonObject;
}

export interface Success {
  /** The status; of a class such as `2XX` its first one. */
  readonly status: number;
  readonly description: string;
  /** The schema of the JSON body; absent if the response has no body. */
  readonly schema?: JsonObject;
  /** Whether the response has content of which none is JSON. */
  readonly bytes: boolean;
  /** Whether the response can be a stream of server-sent events. */
  readonly stream: boolean;
  /** Whether the response always has an `ETag`. */
  readonly tagged: boolean;
}

const methods = ["get", "put", "post", "patch", "delete"] as const;

/** Returns the operations with a wire: the clients and documents of callers have them, though other functions perform them. */
export function contractsOf({ contractOperations }: Plan): readonly Operation[] {
  return contractOperations.map(({ operation }) => operation);
}

/** `contracts`: operations with a wire to describe too, which some exports leave out. */
export function describe(plan: Plan, baseUrl: string, contracts: readonly Operation[] = []): Described {
  const document = writtenOut(plan, baseUrl);
  const names = componentNames(plan);
  const components = document["components"] as { readonly schemas: Readonly<Record<string, JsonObject>> };
  const byName = new Map([...everyOperation(plan), ...contracts].map((operation) => [operation.name, operation]));
  const operations = Object.entries(document["paths"] as Readonly<Record<string, JsonObject>>).flatMap(([path, item]) =>
    methods.flatMap((method): DescribedOperation[] => {
      const operationObject = item[method] as OperationObject | undefined;
      const operation = byName.get(operationObject?.operationId ?? "");
      if (operationObject === undefined || operation === undefined) return [];
      const kinds = kindsAt(plan, operation);
      return kinds.length < 2
        ? [described(plan, operation, path, operationObject)]
        : kinds.map((kind) => described(plan, kind, path, ofKind(operationObject, kind, names)));
    }),
  );
  const order = new Map([...byName.keys()].map((name, index) => [name, index]));
  return {
    document,
    schemas: components.schemas,
    operations: operations.toSorted((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0)),
    webhooks: (document["webhooks"] ?? {}) as Readonly<Record<string, JsonObject>>,
    names,
  };
}

/** Returns the incoming events at the address of an operation, which OpenAPI describes as one; empty for other operations. */
function kindsAt(plan: Plan, { inbound, method, template }: Operation): readonly Operation[] {
  if (inbound === undefined) return [];
  return everyOperation(plan).filter((one) => {
    return one.inbound !== undefined && one.method === method && one.template === template;
  });
}

/** Returns the description of one of the kinds of an address. */
function ofKind(
  operationObject: OperationObject,
  { name, sentence, body }: Operation,
  names: ComponentNames,
): OperationObject {
  const content = { "application/json": { schema: refTo(names.input(name)) } };
  const requestBody = { required: body?.required ?? false, content };
  return { ...operationObject, operationId: name, summary: sentence, requestBody };
}

/** Returns the name of the component that a `$ref` refers to. */
export function componentOf(reference: string): string | undefined {
  return /^#\/components\/schemas\/(.+)$/.exec(reference)?.[1];
}

/**
 * Returns the names of the components to which the schemas refer, directly or through other components, in order of
 * appearance.
 */
export function reachedFrom(schemas: Described["schemas"], roots: readonly Json[]): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: Json | undefined): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const one of value as readonly Json[]) walk(one);
      return;
    }
    for (const [keyword, member] of Object.entries(value as JsonObject)) {
      const name = keyword === "$ref" && typeof member === "string" ? componentOf(member) : undefined;
      if (name === undefined) walk(member);
      else if (!found.has(name)) {
        found.add(name);
        walk(schemas[name]);
      }
    }
  };
  for (const root of roots) walk(root);
  return found;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: JsonObject }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, JsonObject>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonObject }>>;
}

function described(
  plan: Plan,
  operation: Operation,
  path: string,
  operationObject: OperationObject,
): DescribedOperation {
  const isContract = operation.wire !== undefined;
  const all = Object.entries(operationObject.requestBody?.content ?? {});
  const content = isContract ? all.toSorted(([one], [other]) => Number(isJson(other)) - Number(isJson(one))) : all;
  const [first] = content;
  const form = operationObject.requestBody?.content["multipart/form-data"]?.schema;
  return {
    name: operation.name,
    operation,
    ...(isContract ? { contract: true } : {}),
    method: operation.method,
    path,
    summary: operationObject.summary,
    description: operationObject.description ?? "",
    ...(operationObject.deprecated === true ? { deprecated: true } : {}),
    parameters: operationObject.parameters ?? [],
    ...(first === undefined
      ? {}
      : {
          body: {
            required: operationObject.requestBody?.required ?? false,
            mediaTypes: content.map(([type]) => type),
            schema: first[1].schema ?? {},
            ...(form === undefined ? {} : { form }),
          },
        }),
    successes: Object.entries(operationObject.responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, response]) => successOf(Number(status.replace("XX", "00")), response)),
    possibleErrors: possibleErrorsOf(plan, operation),
    statuses: Object.keys(operationObject.responses),
  };
}

function successOf(status: number, { description, headers = {}, content = {} }: ResponseObject): Success {
  const types = Object.keys(content);
  const schema = (content["application/json"] ?? content[types.find(isJson) ?? ""])?.schema;
  const tag = headers["ETag"];
  return {
    status,
    description,
    ...(schema === undefined ? {} : { schema }),
    bytes: types.length > 0 && !types.some(isJson),
    stream: Object.hasOwn(content, "text/event-stream"),
    // An `ETag` that every response of the operation has is a reference to a component; an optional one is an inline header.
    tagged: tag !== undefined && tag["required"] !== false,
  };
}
