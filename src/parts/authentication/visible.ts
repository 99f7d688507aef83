/** By whom the records of a resource are visible: who may run an operation that shows them. */
import { resourceEndpoints, type ResourceEndpoint } from "../endpoints/meaning.ts";
import { sessionDeeds } from "../endpoints/model.ts";
import type { Model } from "../model.ts";
import { own } from "../resources/fields.ts";
import { includes } from "./grants.ts";
import type { Grant } from "./model.ts";

/** The operations whose callers see the records, each under its conditions. */
export function showingOperations(model: Model, resource: string): readonly ResourceEndpoint[] {
  const endpoints = resourceEndpoints(model, resource);
  const reading = endpoints.filter(
    ({ deed, endpoint }) => deed === "read" || (deed === "list" && endpoint.where === undefined),
  );
  // Of what can only be made and moved, whoever may do that has to be able to name one.
  return reading.length > 0 ? reading : endpoints.filter(({ deed }) => !sessionDeeds.has(deed));
}

/**
 * The operation that shows the records of a resource, where none of these callers may run one that does. Undefined also
 * where the document does not say enough: no operation shows them, or nothing says who may run one that does.
 */
export function hiddenFromAll(model: Model, callers: readonly Grant[], resource: string): string | undefined {
  const showing = showingOperations(model, resource);
  const shown = showing.find(({ deed }) => deed === "read" || deed === "list");
  const seers = showing.map(({ operation }) => own(model.authentication.allow, operation));
  if (callers.length === 0 || shown === undefined || seers.includes(undefined)) return undefined;
  // A caller of the wider kind may be one of the narrower; a condition may be true.
  const someSee = callers.some(({ who }) =>
    seers.some((grants = []) => grants.some((seer) => includes(seer.who, who) || includes(who, seer.who))),
  );
  return someSee ? undefined : shown.operation;
}
