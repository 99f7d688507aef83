/**
 * Removes something that a version added from a model: a resource, a type, an operation, a member of one of them, an event.
 */
import { eventResource } from "../analysis/expressions.ts";
import { mapReferences } from "../analysis/references.ts";
import { resolveEndpoint } from "../endpoints/resolve.ts";
import type { Reference } from "../grammar/references.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import { typedIn } from "./rename.ts";

/** Returns the model without the statements that have such a name. */
function without(
  model: Model,
  isRemoved: (reference: Reference) => boolean,
  typed?: Parameters<typeof mapReferences>[2],
): Model {
  return mapReferences(model, (reference) => (isRemoved(reference) ? undefined : reference.name), typed);
}

/** Removes a member with the statements about it: rules that name it, its visibility, and transitions that set it. */
export function withoutMember(model: Model, of: string, name: string): Model {
  const isResource = lookup(model.resources.resources, of) !== undefined;
  // Only statements that are entirely about the member are removed; other expressions that read it need separate entries.
  const isOnlyAbout = ({ at, form }: Reference): boolean =>
    form === "key" || form === "item" || (form === "expression" && /^resources\/(rules|views)\/|\/filters\//.test(at));
  return without(
    model,
    (reference) => {
      const { at, kinds } = reference;
      // Names in a view belong to fields of its resource, so members of the view `of` are found by their path.
      const isIts = reference.of === of || at.startsWith(`resources/views/${of}/`);
      const isMember = kinds.includes("field") || kinds.includes("member");
      return isMember && isIts && reference.name === name && isOnlyAbout(reference);
    },
    isResource ? typedIn(model) : undefined,
  );
}

/** Removes a resource with its operations, events, views and links. Fields that refer to it need separate entries. */
export function withoutResource(model: Model, resource: string): Model {
  const operations = Object.entries(model.endpoints.endpoints).flatMap(([operation, { link, unlink }]) => {
    const resolved = resolveEndpoint(model, operation);
    const about = resolved !== undefined && resolved.kind !== "unclear" && resolved.resource === resource;
    return about || (link ?? unlink)?.in === resource ? [operation] : [];
  });
  const events = Object.keys(model.events.out ?? {}).filter((event) => eventResource(model, event) === resource);
  const rest = events.reduce(withoutEvent, operations.reduce(withoutOperation, model));
  const views = Object.entries(rest.resources.views ?? {}).flatMap(([name, { of }]) => (of === resource ? [name] : []));
  return without(
    rest,
    ({ at, form, kinds, name }) =>
      (form === "key" && name === resource && kinds.includes("resource")) ||
      // Views of other resources lose the members whose type is one of the removed views.
      (at.startsWith("resources/views/") && kinds.includes("view") && views.includes(name)),
  );
}

export function withoutType(model: Model, type: string): Model {
  return without(model, ({ declares, kinds, name }) => declares && name === type && kinds.includes("type"));
}

/** Removes an operation with the transitions and events that only this operation triggers. */
export function withoutOperation(model: Model, operation: string): Model {
  return without(model, ({ kinds, name }) => name === operation && kinds.includes("operation"));
}

/** Removes an event. The transitions that it triggers remain: callers that do not receive the event still see its effects. */
export function withoutEvent(model: Model, event: string): Model {
  return without(model, ({ declares, kinds, name }) => declares && name === event && kinds.includes("event"));
}
