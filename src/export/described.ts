/**
 * What an operation takes and gives, for every export but OpenAPI itself: taken from the OpenAPI description, so that there
 * is one place that knows how bodies, parameters and refusals look, and no two exports can differ. Its schemas stand under
 * `components`, as they do there.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { everyOperation } from "../plan/events/events.ts";
import type { Operation } from "../plan/endpoints/types.ts";
import type { Plan } from "../plan/plan.ts";
import { openapi } from "./openapi/openapi.ts";
import { type PossibleError, possibleErrorsOf } from "./openapi/possible-errors.ts";

export interface Described {
  /** The OpenAPI description itself. */
  readonly document: JsonObject;
  /** Component schemas by name. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly operations: readonly DescribedOperation[];
  /** By the name of the event, what is sent to webhooks. */
  readonly webhooks: Readonly<Record<string, JsonObject>>;
}

export interface DescribedOperation {
  readonly name: string;
  readonly operation: Operation;
  readonly method: string;
  /** Below the server's address, with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: DescribedBody;
  readonly successes: readonly Success[];
  readonly possibleErrors: readonly PossibleError[];
}

export interface DescribedBody {
  readonly required: boolean;
  readonly mediaTypes: readonly string[];
  /** Of JSON; of a form, where nothing else will do; of bytes there is nothing to say. */
  readonly schema: JsonObject;
  /** Where it can also be a form, because it can have files. */
  readonly form?: JsonObject;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonObject;
}

export interface Success {
  readonly status: number;
  readonly description: string;
  /** Of JSON; absent: there is no body. */
  readonly schema?: JsonObject;
  /** A body of server-sent events, beside or in place of JSON. */
  readonly stream: boolean;
  /** Whether the answer always carries a tag. */
  readonly tagged: boolean;
}

const methods = ["get", "put", "post", "patch", "delete"] as const;

export function describe(plan: Plan, baseUrl: string): Described {
  const document = openapi(plan, baseUrl);
  const components = document["components"] as { readonly schemas: Readonly<Record<string, JsonObject>> };
  const byName = new Map(everyOperation(plan).map((operation) => [operation.name, operation]));
  const operations = Object.entries(document["paths"] as Readonly<Record<string, JsonObject>>).flatMap(([path, item]) =>
    methods.flatMap((method): DescribedOperation[] => {
      const operationObject = item[method] as OperationObject | undefined;
      const operation = byName.get(operationObject?.operationId ?? "");
      return operationObject === undefined || operation === undefined
        ? []
        : [described(plan, operation, path, operationObject)];
    }),
  );
  const order = new Map([...byName.keys()].map((name, index) => [name, index]));
  return {
    document,
    schemas: components.schemas,
    operations: operations.toSorted((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0)),
    webhooks: (document["webhooks"] ?? {}) as Readonly<Record<string, JsonObject>>,
  };
}

/** The name of the component that a `$ref` means. */
export function componentOf(reference: string): string | undefined {
  return /^#\/components\/schemas\/(.+)$/.exec(reference)?.[1];
}

/** The names of the components that a schema refers to, itself and through others, in the order in which they are met. */
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
  readonly description: string;
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
  const content = Object.entries(operationObject.requestBody?.content ?? {});
  const [first] = content;
  const form = operationObject.requestBody?.content["multipart/form-data"]?.schema;
  return {
    name: operation.name,
    operation,
    method: operation.method,
    path,
    summary: operationObject.summary,
    description: operationObject.description,
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
      .map(([status, response]) => successOf(Number(status), response)),
    possibleErrors: possibleErrorsOf(plan, operation),
  };
}

function successOf(status: number, { description, headers = {}, content = {} }: ResponseObject): Success {
  const schema = content["application/json"]?.schema;
  const tag = headers["ETag"];
  return {
    status,
    description,
    ...(schema === undefined ? {} : { schema }),
    stream: Object.hasOwn(content, "text/event-stream"),
    // A component is one that is always there; one that may be missing is written out.
    tagged: tag !== undefined && tag["required"] !== false,
  };
}
