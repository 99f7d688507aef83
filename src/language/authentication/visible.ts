/** Finds the callers who can see the records of a resource: those of operations that return them. */
import { resourceEndpoints, type ResourceEndpoint } from "../endpoints/resolve.ts";
import { sessionActions } from "../endpoints/model.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import { includes } from "./grants.ts";
import type { Grant } from "./model.ts";

/** Returns the operations whose callers see records of the resource, each under the conditions of its grants. */
export function revealingOperations(model: Model, resource: string): readonly ResourceEndpoint[] {
  const endpoints = resourceEndpoints(model, resource);
  const reading = endpoints.filter(
    ({ action, endpoint }) => action === "read" || (action === "list" && endpoint.where === undefined),
  );
  // If no operation reads the resource, callers of its other operations must already know its records.
  return reading.length > 0 ? reading : endpoints.filter(({ action }) => !sessionActions.has(action));
}

/**
 * Returns the operation that returns records of the resource, if none of `callers` may run any such operation. Undefined also
 * if the document declares too little: no operation returns the records, or such an operation has no grants.
 */
export function hiddenFromAll(model: Model, callers: readonly Grant[], resource: string): string | undefined {
  const revealing = revealingOperations(model, resource);
  const readOrList = revealing.find(({ action }) => action === "read" || action === "list");
  const seers = revealing.map(({ operation }) => lookup(model.authentication.allow, operation));
  if (callers.length === 0 || readOrList === undefined || seers.includes(undefined)) return undefined;
  // A grant for the wider kind of caller may apply to a caller of the narrower kind, and its condition may be true.
  const isVisibleToSome = callers.some(({ who }) =>
    seers.some((grants = []) => grants.some((seer) => includes(seer.who, who) || includes(who, seer.who))),
  );
  return isVisibleToSome ? undefined : readOrList.operation;
}
