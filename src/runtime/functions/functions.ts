/**
 * Functions of the service's owner, written in TypeScript beside the document: what an operation that `does: handler` does,
 * what is done before and after an operation, when an event has happened, and again and again. Here is their untyped form;
 * `nonet types` gives the types of one document.
 */
import type { Json, JsonObject } from "../../base/json.ts";
import type { Caller } from "../context/caller.ts";
import type { Records } from "./records.ts";

/** What a function is given. */
export interface FunctionContext {
  /** The input of the request, validated and with its defaults; for `on` the event's data. */
  readonly input: JsonObject;
  /** The record of the operation as its caller sees it. */
  readonly record?: JsonObject;
  /** What has happened; only for `on`. */
  readonly event?: { readonly type: string; readonly id: string; readonly time: Date };
  /** What the operation answers; only after it. */
  readonly answer?: Json;
  /** Parameters of the path, undecoded names to decoded values. */
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Pick<Caller, "id" | "roles" | "claims">;
  readonly records: Records;
  /** Refuses the request with an error of the document, and undoes everything. */
  readonly fail: (code: string, details?: FailDetails) => never;
  /** One instant for the whole request. */
  readonly now: Date;
  /** Writes a line for the operator, with the request's id. */
  readonly log: (message: string, details?: unknown) => void;
  readonly request: { readonly id: string; readonly traceparent?: string };
  /** Aborted when nobody waits for the function any more. */
  readonly signal: AbortSignal;
}

/** The details of an error that a function refuses a request with. */
export interface FailDetails {
  readonly detail?: string;
  /** The values that it is about, each by a JSON pointer into the body (`#/weightKg`): members of `errors` in the answer. */
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

export type ServiceFunction = (context: FunctionContext) => unknown;

type Named = Readonly<Record<string, ServiceFunction>>;

/** As a program or a module gives them: handlers by their operations, beside four groups that no operation is named like. */
export interface ServiceFunctions {
  readonly before?: Named;
  readonly after?: Named;
  readonly on?: Named;
  /** By interval, such as `5m`, the functions that are run in each, by name. */
  readonly every?: Readonly<Record<string, Named>>;
  readonly [operation: string]: ServiceFunction | Named | Readonly<Record<string, Named>> | undefined;
}

/** The function that does the operation. */
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
