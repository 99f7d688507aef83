/** A name given back through a whole model: of a resource, a type, an operation, one of their members, an event, an error. */
import { kebabCase } from "../../base/case.ts";
import { doesOf, type ResolvedEndpoint, resolveEndpoint, type UnclearEndpoint } from "../endpoints/resolve.ts";
import type { Endpoint, Association, ResolvedPath } from "../endpoints/model.ts";
import { bodyFor } from "../errors/model.ts";
import type { Errors } from "../errors/model.ts";
import { eventResource } from "../analysis/expressions.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import { mapResponseTexts } from "../endpoints/shape.ts";
import type { Field, Fields, FieldType, ViewDefinition } from "../resources/model.ts";
import type { Lifecycle, Trigger } from "../states/model.ts";
import { withMembersNamed, withResourceNamed } from "./expression-names.ts";

type Named<Value> = Readonly<Record<string, Value>>;

/** `from` becomes `to`, whichever of the three it is. */
export function renamed(model: Model, from: string, to: string): Model {
  if (lookup(model.resources.resources, from) !== undefined) return renamedResource(model, from, to);
  if (lookup(model.resources.types, from) !== undefined) {
    const { types } = model.resources;
    const changed = { ...model, resources: { ...model.resources, types: renamedKey(types, from, to) } };
    return withTypes(changed, from, to);
  }
  return lookup(model.endpoints.endpoints, from) === undefined ? model : renamedOperation(model, from, to);
}

/** A field of a resource or type, or a member of what an operation takes and gives, that has another name. */
export interface MemberName {
  readonly of: string;
  readonly from: string;
  readonly to: string;
}

/** All at once, so that two may also change places. */
export function renamedMembers(model: Model, members: readonly MemberName[]): Model {
  const names = new Map(
    [...Map.groupBy(members, ({ of }) => of)].map(
      ([of, some]) => [of, new Map(some.map(({ from, to }) => [from, to]))] as const,
    ),
  );
  // Expressions first: they are understood by the names that they have.
  const changed = withMemberKeys(withMembersNamed(model, names), model, names);
  return withResolutions(changed, model, (resolved) => membersMeant(model, resolved, names));
}

/** By what something is, what it is called instead of what it is called now. */
export type MemberNames = ReadonlyMap<string, Names>;
export type Names = ReadonlyMap<string, string>;

const noNames: Names = new Map();

/** `said` with the names of members changed where they are keys and not expressions; `model` is what they meant before. */
function withMemberKeys(changed: Model, model: Model, names: MemberNames): Model {
  const { resources, types } = model.resources;
  const ofField = (resource: string | undefined): Names =>
    resource === undefined || lookup(resources, resource) === undefined ? noNames : (names.get(resource) ?? noNames);
  const ofOperation = (operation: string): Names => {
    const resolved = resolveEndpoint(model, operation);
    return resolved === undefined || resolved.kind === "unclear" ? noNames : ofField(resolved.resource);
  };
  const fileOf = (operation: string): string | undefined => {
    const resolved = resolveEndpoint(model, operation);
    return resolved?.kind === "resource" ? resolved.file : undefined;
  };
  return withEndpoints(
    {
      ...changed,
      resources: {
        ...changed.resources,
        resources: mapValues(changed.resources.resources, (resource, of) => ({
          ...resource,
          fields: renamedKeys(resource.fields, ofField(of)),
        })),
        types: mapValues(changed.resources.types, (type, of) =>
          lookup(resources, of) === undefined ? renamedKeys(type, names.get(of) ?? noNames) : type,
        ),
        ...(changed.resources.views === undefined
          ? {}
          : {
              views: mapValues(changed.resources.views, (view, name) =>
                renamedInView(view, ofField(view.of), names.get(name) ?? noNames),
              ),
            }),
        rules: mapValues(changed.resources.rules, (lines, of) =>
          lines.map((rule) =>
            rule.kind === "unique" ? { ...rule, fields: rule.fields.map((name) => nameIn(ofField(of), name)) } : rule,
          ),
        ),
      },
      states: mapValues(changed.states, (lifecycle, of) => withFieldsInTransitions(lifecycle, ofField(of))),
      authentication: {
        ...changed.authentication,
        show: Object.fromEntries(
          Object.entries(changed.authentication.show).map(([subject, grants]) => {
            const [resource = "", field = ""] = subject.split(".");
            return [`${resource}.${nameIn(ofField(resource), field)}`, grants];
          }),
        ),
        credentials: mapValues(changed.authentication.credentials, (credential) => ({
          ...credential,
          ...(credential.name === undefined ? {} : { name: nameIn(ofField(credential.of), credential.name) }),
          ...(credential.field === undefined ? {} : { field: nameIn(ofField(credential.of), credential.field) }),
        })),
      },
      events: {
        ...changed.events,
        ...(changed.events.out === undefined
          ? {}
          : {
              out: mapValues(changed.events.out, (event, name) =>
                event.carries === undefined
                  ? event
                  : {
                      ...event,
                      carries: event.carries.map((field) => nameIn(ofField(eventResource(model, name)), field)),
                    },
              ),
            }),
      },
      limits: {
        ...changed.limits,
        ...(changed.limits.keep === undefined
          ? {}
          : {
              keep: mapValues(changed.limits.keep, (retention, of) => ({
                ...retention,
                after: nameIn(ofField(of), retention.after),
              })),
            }),
      },
    },
    (endpoint, operation) => {
      const isOther = lookup(resources, operation) === undefined && lookup(types, operation) === undefined;
      const members = isOther ? (names.get(operation) ?? noNames) : noNames;
      const fields = ofOperation(operation);
      const parameters = parametersIn(model, operation, ofField);
      const { choose, gives, shape, takes, nesting, link, unlink } = endpoint;
      const renamedAssociation = (one: Association): Association => ({
        ...one,
        with: renamedKeys(one.with, ofField(one.in)),
      });
      return {
        ...endpoint,
        path: filePath(
          endpoint.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => `{${nameIn(parameters, name)}}`),
          fileOf(operation),
          fields,
        ),
        ...(takes === undefined ? {} : { takes: renamedKeys(takes, members) }),
        ...(nesting === undefined ? {} : { nesting: renamedKeys(nesting, members) }),
        ...(gives === undefined || typeof gives === "string" ? {} : { gives: renamedKeys(gives, members) }),
        ...(shape === undefined ? {} : { shape: renamedKeys(shape, members) }),
        ...(choose === undefined ? {} : { choose: renamedKeys(choose, fields) }),
        ...(link === undefined ? {} : { link: renamedAssociation(link) }),
        ...(unlink === undefined ? {} : { unlink: renamedAssociation(unlink) }),
      };
    },
  );
}

type Meant = Exclude<ResolvedEndpoint, UnclearEndpoint>;

/** What a path's parameters are called that name records by fields which have another name. */
function parametersIn(model: Model, operation: string, ofField: (resource: string | undefined) => Names): Names {
  const resolved = resolveEndpoint(model, operation);
  if (resolved === undefined || resolved.kind === "unclear") return noNames;
  const { key, parents, resource } = resolved;
  const named = [...(key === undefined ? [] : [{ ...key, resource }]), ...parents];
  const changed = named.filter(({ parameter, column }) => parameter === column);
  return new Map(changed.map(({ column, resource: of }) => [column, nameIn(ofField(of), column)]));
}

/** What a path means, by the names that members have then. */
function membersMeant(model: Model, resolved: Meant, names: MemberNames): ResolvedPath {
  const { anchor, key, parents, resource } = resolved;
  const ofField = (of: string | undefined): Names => (of === undefined ? noNames : (names.get(of) ?? noNames));
  const parameters = parametersIn(model, resolved.operation, ofField);
  return {
    anchor,
    ...(key === undefined
      ? {}
      : {
          key: {
            parameter: nameIn(parameters, key.parameter),
            column: nameIn(ofField(resource), key.column),
          },
        }),
    parents: parents.map((parent, index) => ({
      parameter: nameIn(parameters, parent.parameter),
      resource: parent.resource,
      column: nameIn(ofField(parent.resource), parent.column),
      field: nameIn(ofField(parents[index + 1]?.resource ?? resource), parent.field),
    })),
  };
}

/** Where a path does not show under other names what it means, it is told. */
function withResolutions(changed: Model, model: Model, meant: (resolved: Meant) => ResolvedPath): Model {
  return withEndpoints(changed, (endpoint, operation) => {
    const resolved = resolveEndpoint(model, operation);
    if (resolved === undefined || resolved.kind === "unclear") return endpoint;
    // It names no record yet: an older path may do so by the names that it has then.
    if (resolved.key === undefined && resolved.parents.length === 0) return endpoint;
    const explicit = meant(resolved);
    const resolvedNow = resolveEndpoint(changed, operation);
    return resolvedNow !== undefined && resolvedNow.kind !== "unclear" && isSame(resolvedNow, explicit)
      ? endpoint
      : { ...endpoint, meant: explicit };
  });
}

function isSame(resolvedNow: ResolvedPath, explicit: ResolvedPath): boolean {
  const text = ({ anchor, key, parents }: ResolvedPath): string =>
    JSON.stringify([
      anchor,
      key?.parameter,
      key?.column,
      parents.map(({ parameter, resource, column, field }) => [parameter, resource, column, field]),
    ]);
  return text(resolvedNow) === text(explicit);
}

/** The path of a file ends in what the file is called. */
function filePath(path: string, file: string | undefined, fields: Names): string {
  if (file === undefined) return path;
  const to = nameIn(fields, file);
  return path.replace(/[^/]+$/, (last) => (last === file ? to : kebabCase(to)));
}

/** A member without an expression is a field, and is called as that is. */
function renamedInView(view: ViewDefinition, fields: Names, own: Names): ViewDefinition {
  const { fields: listedFields, members } = view;
  return {
    ...view,
    ...(listedFields === undefined ? {} : { fields: listedFields.map((name) => nameIn(fields, name)) }),
    ...(members === undefined
      ? {}
      : {
          members: Object.fromEntries(
            Object.entries(members).map(([name, member]) => [
              member.computed === undefined ? nameIn(fields, name) : nameIn(own, name),
              member,
            ]),
          ),
        }),
  };
}

function nameIn(names: Names, name: string): string {
  return names.get(name) ?? name;
}

function withFieldsInTransitions(lifecycle: Lifecycle | "none", names: Names): Lifecycle | "none" {
  return withTriggers(lifecycle, (trigger) => ({
    ...trigger,
    on: trigger.on.kind === "at" ? { ...trigger.on, field: nameIn(names, trigger.on.field) } : trigger.on,
    ...(trigger.set === undefined ? {} : { set: renamedKeys(trigger.set, names) }),
  }));
}

function renamedResource(model: Model, from: string, to: string): Model {
  const name = (one: string): string => (one === from ? to : one);
  const explicit = withExplicitResource(model, from);
  const changed = withTypes(withResourceNamed(explicit, from, to), from, to);
  const { authentication, events, limits } = changed;
  const named = withEndpoints(
    {
      ...changed,
      resources: {
        ...changed.resources,
        resources: renamedKey(changed.resources.resources, from, to),
        ...(changed.resources.views === undefined
          ? {}
          : { views: mapValues(changed.resources.views, (view) => ({ ...view, of: name(view.of) })) }),
        rules: renamedKey(changed.resources.rules, from, to),
      },
      states: renamedKey(changed.states, from, to),
      authentication: {
        ...authentication,
        own: renamedKey(authentication.own, from, to),
        show: Object.fromEntries(
          Object.entries(authentication.show).map(([field, grants]) => [
            field.startsWith(`${from}.`) ? `${to}${field.slice(from.length)}` : field,
            grants,
          ]),
        ),
        credentials: mapValues(authentication.credentials, (credential) =>
          credential.of === undefined ? credential : { ...credential, of: name(credential.of) },
        ),
      },
      events: {
        ...events,
        ...(events.out === undefined
          ? {}
          : {
              out: mapValues(events.out, (event) =>
                event.when.kind === "enters"
                  ? { ...event, when: { ...event.when, resource: name(event.when.resource) } }
                  : event,
              ),
            }),
      },
      limits: {
        ...limits,
        ...(limits.rate === undefined
          ? {}
          : { rate: mapValues(limits.rate, (lines) => lines.map((line) => ({ ...line, per: name(line.per) }))) }),
        ...(limits.quota === undefined
          ? {}
          : {
              quota: renamedKey(
                mapValues(limits.quota, (lines) => lines.map((line) => ({ ...line, per: name(line.per) }))),
                from,
                to,
              ),
            }),
        ...(limits.keep === undefined ? {} : { keep: renamedKey(limits.keep, from, to) }),
      },
    },
    (endpoint) => ({
      ...endpoint,
      ...(endpoint.of === undefined ? {} : { of: name(endpoint.of) }),
      ...(endpoint.gives === undefined
        ? {}
        : {
            gives: mapResponseTexts(endpoint.gives, (text) =>
              text === from || text === `${from}[]` ? to + text.slice(from.length) : text,
            ),
          }),
      ...(endpoint.choose === undefined
        ? {}
        : { choose: mapValues(endpoint.choose, (choice) => ({ ...choice, from: name(choice.from) })) }),
      ...(endpoint.link === undefined ? {} : { link: { ...endpoint.link, in: name(endpoint.link.in) } }),
      ...(endpoint.unlink === undefined ? {} : { unlink: { ...endpoint.unlink, in: name(endpoint.unlink.in) } }),
    }),
  );
  return withResolutions(named, model, ({ anchor, key, parents }) => ({
    anchor,
    ...(key === undefined ? {} : { key }),
    parents: parents.map((parent) => ({ ...parent, resource: name(parent.resource) })),
  }));
}

/** Paths say which resource they are about by its plural; under another name they have to be told. */
function withExplicitResource(model: Model, resource: string): Model {
  return withEndpoints(model, (endpoint, operation) => {
    const resolved = resolveEndpoint(model, operation);
    if (resolved?.kind !== "resource" || resolved.resource !== resource) return endpoint;
    const does = doesOf(resolved.action);
    return { ...endpoint, of: resource, ...(does === undefined ? {} : { does }) };
  });
}

function renamedOperation(model: Model, from: string, to: string): Model {
  const { purpose, endpoints, authentication, events, errors, limits } = model;
  const name = (one: string): string => (one === from ? to : one);
  return {
    ...model,
    errors: withBodies(errors, ({ code, operation }) => ({ code, operation: operation && name(operation) })),
    purpose: { ...purpose, operations: renamedKey(purpose.operations, from, to) },
    endpoints: { ...endpoints, endpoints: renamedKey(endpoints.endpoints, from, to) },
    states: mapValues(model.states, (lifecycle) =>
      withTriggers(lifecycle, (trigger) =>
        trigger.on.kind === "by" ? { ...trigger, on: { kind: "by", operation: name(trigger.on.operation) } } : trigger,
      ),
    ),
    authentication: { ...authentication, allow: renamedKey(authentication.allow, from, to) },
    events: {
      ...events,
      ...(events.out === undefined
        ? {}
        : {
            out: mapValues(events.out, (event) =>
              event.when.kind === "operation"
                ? { ...event, when: { kind: "operation" as const, operation: name(event.when.operation) } }
                : event,
            ),
          }),
    },
    limits: {
      ...limits,
      ...(limits.rate === undefined ? {} : { rate: renamedKey(limits.rate, from, to) }),
      ...(limits.quota === undefined ? {} : { quota: renamedKey(limits.quota, from, to) }),
    },
  };
}

/** What the keys of `bodies` name, by other names. */
function withBodies(
  errors: Errors,
  rename: (one: { readonly code: string; readonly operation: string | undefined }) => typeof one,
): Errors {
  if (errors.bodies === undefined) return errors;
  const bodies = Object.entries(errors.bodies).map(([key, body]) => {
    const { code, operation } = rename({ operation: undefined, ...bodyFor(key) });
    return [operation === undefined ? code : `${code} in ${operation}`, body] as const;
  });
  return { ...errors, bodies: Object.fromEntries(bodies) };
}

export function renamedEvent(model: Model, from: string, to: string): Model {
  const { events } = model;
  const name = (one: string): string => (one === from ? to : one);
  return {
    ...model,
    events: {
      ...events,
      ...(events.out === undefined ? {} : { out: renamedKey(events.out, from, to) }),
      ...(events.in === undefined ? {} : { in: renamedKey(events.in, from, to) }),
    },
    states: mapValues(model.states, (lifecycle) =>
      withTriggers(lifecycle, (trigger) =>
        trigger.on.kind === "when"
          ? { ...trigger, on: { ...trigger.on, events: trigger.on.events.map(name) } }
          : trigger,
      ),
    ),
  };
}

export function renamedError(model: Model, from: string, to: string): Model {
  const { errors, resources, versioning } = model;
  const code = (one: string): string => (one === from ? to : one);
  const { afterSunset, unknown } = versioning.policy ?? {};
  return withEndpoints(
    {
      ...model,
      errors: {
        ...withBodies(errors, ({ code: one, operation }) => ({ code: code(one), operation })),
        errors: renamedKey(errors.errors, from, to),
        ...(errors.status === undefined ? {} : { status: renamedKey(errors.status, from, to) }),
        ...(errors.codes === undefined ? {} : { codes: renamedKey(errors.codes, from, to) }),
        ...(errors.messages === undefined ? {} : { messages: renamedKey(errors.messages, from, to) }),
      },
      resources: {
        ...resources,
        rules: mapValues(resources.rules, (lines) =>
          lines.map((rule) => (rule.else === undefined ? rule : { ...rule, else: code(rule.else) })),
        ),
      },
      states: mapValues(model.states, (lifecycle) =>
        withTriggers(lifecycle, (trigger) =>
          trigger.else === undefined ? trigger : { ...trigger, else: code(trigger.else) },
        ),
      ),
      versioning:
        versioning.policy === undefined
          ? versioning
          : {
              ...versioning,
              policy: {
                ...versioning.policy,
                ...(afterSunset === undefined
                  ? {}
                  : { afterSunset: { ...afterSunset, error: code(afterSunset.error) } }),
                ...(unknown === undefined ? {} : { unknown: { ...unknown, error: code(unknown.error) } }),
              },
            },
    },
    (endpoint) => {
      const { choose, else: otherwise, statuses } = endpoint;
      const { differs, errors: explicit } = statuses ?? {};
      return {
        ...endpoint,
        ...(choose === undefined
          ? {}
          : { choose: mapValues(choose, (choice) => ({ ...choice, else: code(choice.else) })) }),
        ...(otherwise === undefined ? {} : { else: code(otherwise) }),
        ...(statuses === undefined
          ? {}
          : {
              statuses: {
                ...statuses,
                ...(differs === undefined ? {} : { differs: code(differs) }),
                ...(explicit === undefined ? {} : { errors: renamedKey(explicit, from, to) }),
              },
            }),
      };
    },
  );
}

// ── Through the model ──────────────────────────────────────────────────────────────────────────────────────────────

/** The record with one of its keys changed, in its place. */
export function renamedKey<Value>(record: Named<Value>, from: string, to: string): Named<Value> {
  return renamedKeys(record, new Map([[from, to]]));
}

function renamedKeys<Value>(record: Named<Value>, names: Names): Named<Value> {
  if (names.size === 0) return record;
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [nameIn(names, name), value]));
}

export function mapValues<Value, Result>(
  record: Named<Value>,
  edit: (value: Value, name: string) => Result,
): Named<Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, edit(value, name)]));
}

export function withEndpoints(model: Model, edit: (endpoint: Endpoint, operation: string) => Endpoint): Model {
  return { ...model, endpoints: { ...model.endpoints, endpoints: mapValues(model.endpoints.endpoints, edit) } };
}

export function withTriggers(lifecycle: Lifecycle | "none", edit: (trigger: Trigger) => Trigger): Lifecycle | "none" {
  if (lifecycle === "none") return lifecycle;
  return {
    ...lifecycle,
    moves: lifecycle.moves.map((transition) => ({ ...transition, triggers: transition.triggers.map(edit) })),
  };
}

/** The name of a resource or a type, wherever a type says it. */
function withTypes(model: Model, from: string, to: string): Model {
  const typeOf = (type: FieldType): FieldType => {
    if (type.kind === "named") return type.name === from ? { ...type, name: to } : type;
    if (type.kind === "nullable" || type.kind === "list" || type.kind === "map")
      return { ...type, of: typeOf(type.of) };
    return type;
  };
  const fieldsOf = (fields: Fields): Fields =>
    mapValues(fields, (field): Field => ({ ...field, type: typeOf(field.type) }));
  const { resources, events } = model;
  return withEndpoints(
    {
      ...model,
      resources: {
        ...resources,
        resources: mapValues(resources.resources, (resource) => ({ ...resource, fields: fieldsOf(resource.fields) })),
        types: mapValues(resources.types, fieldsOf),
        ...(resources.views === undefined
          ? {}
          : {
              views: mapValues(resources.views, (view) =>
                view.members === undefined ? view : { ...view, members: fieldsOf(view.members) },
              ),
            }),
      },
      events: {
        ...events,
        ...(events.in === undefined
          ? {}
          : { in: mapValues(events.in, (event) => ({ ...event, carries: mapValues(event.carries, typeOf) })) }),
      },
    },
    (endpoint) => {
      const { takes, query, filters } = endpoint;
      return {
        ...endpoint,
        ...(takes === undefined ? {} : { takes: fieldsOf(takes) }),
        ...(query === undefined ? {} : { query: fieldsOf(query) }),
        ...(filters === undefined
          ? {}
          : {
              filters: mapValues(filters, (filter) =>
                filter.type === undefined ? filter : { ...filter, type: typeOf(filter.type) },
              ),
            }),
      };
    },
  );
}
