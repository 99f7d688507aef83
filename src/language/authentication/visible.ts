/** By whom the records of a resource are visible: who may run an operation that shows them. */
import { resourceEndpoints, type ResourceEndpoint } from "../endpoints/resolve.ts";
import { sessionActions } from "../endpoints/model.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import { includes } from "./grants.ts";
import type { Grant } from "./model.ts";

/** The operations whose callers see the records, each under its conditions. */
export function revealingOperations(model: Model, resource: string): readonly ResourceEndpoint[] {
  const endpoints = resourceEndpoints(model, resource);
  const reading = endpoints.filter(
    ({ action, endpoint }) => action === "read" || (action === "list" && endpoint.where === undefined),
  );
  // Of what can only be made and moved, whoever may do that has to be able to name one.
  return reading.length > 0 ? reading : endpoints.filter(({ action }) => !sessionActions.has(action));
}

/**
 * The operation that shows the records of a resource, where none of these callers may run one that does. Undefined also
 * where the document does not say enough: no operation shows them, or nothing says who may run one that does.
 */
export function hiddenFromAll(model: Model, callers: readonly Grant[], resource: string): string | undefined {
  const revealing = revealingOperations(model, resource);
  const readOrList = revealing.find(({ action }) => action === "read" || action === "list");
  const seers = revealing.map(({ operation }) => lookup(model.authentication.allow, operation));
  if (callers.length === 0 || readOrList === undefined || seers.includes(undefined)) return undefined;
  // A caller of the wider kind may be one of the narrower; a condition may be true.
  const isVisibleToSome = callers.some(({ who }) =>
    seers.some((grants = []) => grants.some((seer) => includes(seer.who, who) || includes(who, seer.who))),
  );
  return isVisibleToSome ? undefined : readOrList.operation;
}
