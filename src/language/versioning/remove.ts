/** A model without something that a version added: a resource, a type, an operation, one of their members, an event. */
import { eventResource } from "../analysis/expressions.ts";
import { mapReferences } from "../analysis/references.ts";
import { resolveEndpoint } from "../endpoints/resolve.ts";
import type { Reference } from "../grammar/references.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import { typedIn } from "./rename.ts";

/** Without the statements that have such a name. */
function without(
  model: Model,
  isRemoved: (reference: Reference) => boolean,
  typed?: Parameters<typeof mapReferences>[2],
): Model {
  return mapReferences(model, (reference) => (isRemoved(reference) ? undefined : reference.name), typed);
}

/** With the statements about it: rules that name it, its visibility, and transitions that set it. */
export function withoutMember(model: Model, of: string, name: string): Model {
  const isResource = lookup(model.resources.resources, of) !== undefined;
  // Other expressions that read the field need separate entries.
  const isOnlyAbout = ({ at, form }: Reference): boolean =>
    form === "key" || form === "item" || (form === "expression" && /^resources\/(rules|views)\/|\/filters\//.test(at));
  return without(
    model,
    (reference) => {
      const { at, kinds } = reference;
      // A view gives fields by their own names.
      const isIts = reference.of === of || at.startsWith(`resources/views/${of}/`);
      const isMember = kinds.includes("field") || kinds.includes("member");
      return isMember && isIts && reference.name === name && isOnlyAbout(reference);
    },
    isResource ? typedIn(model) : undefined,
  );
}

/** With its operations and events, views and links. Fields that refer to it need separate entries. */
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
      // Views of other resources lose members with one of the removed views.
      (at.startsWith("resources/views/") && kinds.includes("view") && views.includes(name)),
  );
}

export function withoutType(model: Model, type: string): Model {
  return without(model, ({ declares, kinds, name }) => declares && name === type && kinds.includes("type"));
}

/** With the transitions that only it makes, and the events that only it causes. */
export function withoutOperation(model: Model, operation: string): Model {
  return without(model, ({ kinds, name }) => name === operation && kinds.includes("operation"));
}

/** A transition that it makes remains: a caller that does not receive an event sees its effects all the same. */
export function withoutEvent(model: Model, event: string): Model {
  return without(model, ({ declares, kinds, name }) => declares && name === event && kinds.includes("event"));
}
