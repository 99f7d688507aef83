/** A model without something that a version added: a resource, a type, an operation, one of their members, an event. */
import { parseExpression } from "../../expression/parse.ts";
import { children, type Expression } from "../../expression/syntax.ts";
import { resolveEndpoint } from "../endpoints/resolve.ts";
import { eventResource } from "../analysis/expressions.ts";
import type { Association } from "../endpoints/model.ts";
import type { Model } from "../model.ts";
import { nestedView, lookup } from "../resources/fields.ts";
import type { ViewDefinition } from "../resources/model.ts";
import { mapValues, withEndpoints, withTriggers } from "./rename.ts";

type Named<Value> = Readonly<Record<string, Value>>;

export function without<Value>(record: Named<Value>, ...names: readonly string[]): Named<Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

/** With what is only said of it: rules that name it, who sees it, what sets it. */
export function withoutMember(model: Model, of: string, name: string): Model {
  const { resources, types, views = {} } = model.resources;
  const resource = lookup(resources, of);
  if (resource !== undefined) return withoutField(model, of, name);
  const type = lookup(types, of);
  if (type !== undefined) {
    return { ...model, resources: { ...model.resources, types: { ...types, [of]: without(type, name) } } };
  }
  const view = lookup(views, of);
  if (view !== undefined) {
    const members = without(view.members ?? {}, name);
    const changed = { ...view, fields: view.fields?.filter((one) => one !== name) ?? [], members };
    return { ...model, resources: { ...model.resources, views: { ...views, [of]: changed } } };
  }
  return withEndpoints(model, (endpoint, operation) => {
    if (operation !== of) return endpoint;
    const { takes, gives, shape } = endpoint;
    return {
      ...endpoint,
      ...(takes === undefined ? {} : { takes: without(takes, name) }),
      ...(gives === undefined || typeof gives === "string" ? {} : { gives: without(gives, name) }),
      ...(shape === undefined ? {} : { shape: without(shape, name) }),
    };
  });
}

function withoutField(model: Model, resource: string, name: string): Model {
  const { resources, rules, views } = model.resources;
  const fields = lookup(resources, resource)?.fields ?? {};
  const events = Object.keys(model.events.out ?? {}).filter((event) => eventResource(model, event) === resource);
  return withEndpoints(
    {
      ...model,
      resources: {
        ...model.resources,
        resources: { ...resources, [resource]: { fields: without(fields, name) } },
        ...(views === undefined ? {} : { views: mapValues(views, (view) => withoutViewed(view, resource, name)) }),
        rules: mapValues(rules, (lines, of) =>
          of !== resource
            ? lines
            : lines.filter((rule) =>
                rule.kind === "unique" ? !rule.fields.includes(name) : !namesIn(rule.expression).has(name),
              ),
        ),
      },
      states: mapValues(model.states, (lifecycle, of) =>
        of !== resource
          ? lifecycle
          : withTriggers(lifecycle, (trigger) =>
              trigger.set === undefined ? trigger : { ...trigger, set: without(trigger.set, name) },
            ),
      ),
      authentication: {
        ...model.authentication,
        show: without(model.authentication.show, `${resource}.${name}`),
      },
      events: {
        ...model.events,
        ...(model.events.out === undefined
          ? {}
          : {
              out: mapValues(model.events.out, (event, of) =>
                event.carries === undefined || !events.includes(of)
                  ? event
                  : { ...event, carries: event.carries.filter((one) => one !== name) },
              ),
            }),
      },
    },
    (endpoint, operation) => {
      const resolved = resolveEndpoint(model, operation);
      const about = resolved?.kind === "resource" && resolved.resource === resource;
      const { choose, filters, link, unlink } = endpoint;
      const linkOf = (one: Association): Association =>
        one.in === resource ? { ...one, with: without(one.with, name) } : one;
      const removed = Object.keys(filters ?? {}).filter((one) => namesIn(filters?.[one]?.if ?? "").has(name));
      return {
        ...endpoint,
        ...(about && choose !== undefined ? { choose: without(choose, name) } : {}),
        ...(about && filters !== undefined ? { filters: without(filters, ...removed) } : {}),
        ...(link === undefined ? {} : { link: linkOf(link) }),
        ...(unlink === undefined ? {} : { unlink: linkOf(unlink) }),
      };
    },
  );
}

/** The view without what it gives of a field, or works out from it. */
function withoutViewed(view: ViewDefinition, resource: string, name: string): ViewDefinition {
  const { of, fields, members = {} } = view;
  if (of !== resource) return view;
  const reading = Object.entries(members).flatMap(([member, { computed = member }]) =>
    namesIn(computed).has(name) ? [member] : [],
  );
  return {
    ...view,
    ...(fields === undefined ? {} : { fields: fields.filter((one) => one !== name) }),
    members: without(members, ...reading),
  };
}

/** The views of other resources, without what they give as a view of this one. */
function withoutViewsOf(model: Model, views: Named<ViewDefinition>, resource: string): Named<ViewDefinition> {
  const removed = Object.keys(views).filter((name) => lookup(views, name)?.of === resource);
  return mapValues(without(views, ...removed), ({ members = {}, ...view }) => {
    const nested = Object.keys(members).filter((member) => {
      const type = lookup(members, member)?.type;
      return type !== undefined && removed.includes(nestedView(model, type)?.view ?? "");
    });
    return { ...view, members: without(members, ...nested) };
  });
}

function namesIn(text: string): ReadonlySet<string> {
  const { expression } = parseExpression(text);
  const found = new Set<string>();
  const visit = (node: Expression): void => {
    if (node.kind === "name") found.add(node.name);
    for (const child of children(node)) visit(child);
  };
  if (expression !== undefined) visit(expression);
  return found;
}

/** With its operations and events, views and links. Fields that refer to it are entries of their own. */
export function withoutResource(model: Model, resource: string): Model {
  const operations = Object.entries(model.endpoints.endpoints).flatMap(([operation, { link, unlink }]) => {
    const resolved = resolveEndpoint(model, operation);
    const about = resolved !== undefined && resolved.kind !== "unclear" && resolved.resource === resource;
    return about || (link ?? unlink)?.in === resource ? [operation] : [];
  });
  const events = Object.keys(model.events.out ?? {}).filter((event) => eventResource(model, event) === resource);
  const rest = events.reduce(withoutEvent, operations.reduce(withoutOperation, model));
  const { authentication, limits } = rest;
  const fields = Object.keys(authentication.show).filter((field) => field.startsWith(`${resource}.`));
  const { views } = rest.resources;
  return {
    ...rest,
    resources: {
      ...rest.resources,
      resources: without(rest.resources.resources, resource),
      rules: without(rest.resources.rules, resource),
      ...(views === undefined ? {} : { views: withoutViewsOf(rest, views, resource) }),
    },
    states: without(rest.states, resource),
    authentication: {
      ...authentication,
      own: without(authentication.own, resource),
      show: without(authentication.show, ...fields),
    },
    limits: {
      ...limits,
      ...(limits.quota === undefined ? {} : { quota: without(limits.quota, resource) }),
      ...(limits.keep === undefined ? {} : { keep: without(limits.keep, resource) }),
    },
  };
}

export function withoutType(model: Model, type: string): Model {
  return { ...model, resources: { ...model.resources, types: without(model.resources.types, type) } };
}

/** With the moves that only it makes, and the events that only it causes. */
export function withoutOperation(model: Model, operation: string): Model {
  const { purpose, endpoints, authentication, limits } = model;
  const caused = Object.entries(model.events.out ?? {}).flatMap(([event, { when }]) =>
    when.kind === "operation" && when.operation === operation ? [event] : [],
  );
  const rest = caused.reduce(withoutEvent, model);
  return {
    ...rest,
    purpose: { ...purpose, operations: without(purpose.operations, operation) },
    endpoints: { ...endpoints, endpoints: without(endpoints.endpoints, operation) },
    states: mapValues(rest.states, (lifecycle) => {
      if (lifecycle === "none") return lifecycle;
      const moves = lifecycle.moves.flatMap((transition) => {
        const triggers = transition.triggers.filter(({ on }) => on.kind !== "by" || on.operation !== operation);
        return triggers.length === 0 && transition.triggers.length > 0 ? [] : [{ ...transition, triggers }];
      });
      return { ...lifecycle, moves };
    }),
    authentication: { ...authentication, allow: without(authentication.allow, operation) },
    limits: {
      ...limits,
      ...(limits.rate === undefined ? {} : { rate: without(limits.rate, operation) }),
      ...(limits.quota === undefined ? {} : { quota: without(limits.quota, operation) }),
    },
  };
}

/** What moves by it still does: who is not told of an event sees its effects all the same. */
export function withoutEvent(model: Model, event: string): Model {
  const { out, in: inbound } = model.events;
  return {
    ...model,
    events: {
      ...model.events,
      ...(out === undefined ? {} : { out: without(out, event) }),
      ...(inbound === undefined ? {} : { in: without(inbound, event) }),
    },
  };
}
