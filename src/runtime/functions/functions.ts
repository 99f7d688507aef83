/**
 * The types of functions of the service's owner, written in TypeScript next to the document: handlers (`does: handler`), hooks
 * before and after operations, event functions and interval functions. These types know no document; `nonet types` generates
 * types for one.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Caller } from "../context/caller.ts";
import type { Records } from "./records.ts";

/** The argument with which Nonet calls a function. */
export interface FunctionContext {
  /** The request's input, validated and with defaults; for `on` the event's data. */
  readonly input: JsonObject;
  /** The record of the operation, as the caller sees it. */
  readonly record?: JsonObject;
  /** The event that occurred; only for `on`. */
  readonly event?: { readonly type: string; readonly id: string; readonly time: Date };
  /** The response body of the operation; only for `after`. */
  readonly answer?: Json;
  /** Path parameters by name, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Pick<Caller, "id" | "roles" | "claims">;
  readonly records: Records;
  /** Rejects the request with an error of the document, and rolls everything back. */
  readonly fail: (code: string, details?: FailDetails) => never;
  /** The current time, the same for the whole request. */
  readonly now: Date;
  /** Writes a log line for the operator, with the request's id. */
  readonly log: (message: string, details?: unknown) => void;
  readonly request: {
    readonly id: string;
    readonly traceparent?: string;
    /** The body as it was received, empty if there is none; not for `on` and `every`. */
    readonly rawBody?: Uint8Array;
  };
  /** The signal that aborts the function when the request has ended or timed out. */
  readonly signal: AbortSignal;
}

/** The details of an error with which a function rejects a request. */
export interface FailDetails {
  readonly detail?: string;
  /** The invalid values, each with a JSON pointer into the body (`#/weightKg`): the member `errors` of the response. */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

export type ServiceFunction = (context: FunctionContext) => unknown;

type Named = Readonly<Record<string, ServiceFunction>>;

/** The export of the functions module: handlers by operation name, and four reserved groups. */
export interface ServiceFunctions {
  readonly before?: Named;
  readonly after?: Named;
  readonly on?: Named;
  /** The functions by interval, such as `5m`, and name. */
  readonly every?: Readonly<Record<string, Named>>;
  readonly [operation: string]: ServiceFunction | Named | Readonly<Record<string, Named>> | undefined;
}

/** Returns the handler of the operation. */
export function handlerOf(functions: ServiceFunctions, operation: string): ServiceFunction | undefined {
  const found = Object.hasOwn(functions, operation) ? functions[operation] : undefined;
  return typeof found === "function" ? found : undefined;
}

export function hookOf(
  functions: ServiceFunctions | undefined,
  group: "before" | "after",
  operation: string,
): ServiceFunction | undefined {
  const hooks = functions?.[group];
  return hooks !== undefined && Object.hasOwn(hooks, operation) ? hooks[operation] : undefined;
}
