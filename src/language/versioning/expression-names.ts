/**
 * A name changed inside the texts of expressions. A text is changed exactly where its typed form says that the name is
 * meant: `reference` may be a field here and a member of `input` there.
 */
import { parseExpression } from "../../expression/parse.ts";
import { children, type Expression } from "../../expression/syntax.ts";
import { parts, type TypedExpression } from "../../expression/typed.ts";
import { resolveEndpoint } from "../endpoints/resolve.ts";
import { mapResponseTexts } from "../endpoints/shape.ts";
import { eventResource, typeExpressions } from "../analysis/expressions.ts";
import type { Endpoint, Association } from "../endpoints/model.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import { type Lifecycle, transitionName, type Trigger } from "../states/model.ts";
import type { Grant } from "../authentication/model.ts";

/** `names` are of resources, by their fields, and of operations that say what they take, by its members. */
export function withMembersNamed(model: Model, names: ReadonlyMap<string, ReadonlyMap<string, string>>): Model {
  const { resources } = model.resources;
  const isDeclared = ([of]: readonly [string, unknown]): boolean =>
    lookup(resources, of) !== undefined || lookup(model.endpoints.endpoints, of)?.takes !== undefined;
  if (![...names].some(isDeclared)) return model;
  const { typed } = typeExpressions({ ...model, versioning: {} });
  const nameIn = (of: string | undefined, name: string | undefined): string | undefined =>
    of === undefined || name === undefined ? undefined : names.get(of)?.get(name);
  const fieldIn = (of: string | undefined, name: string | undefined): string | undefined =>
    of !== undefined && lookup(resources, of) === undefined ? undefined : nameIn(of, name);
  return withExpressions(model, (path, text, subjects) => {
    const expression = typed.get(path);
    if (expression === undefined) return text;
    const cuts = new Map<number, Cut>();
    const visit = (node: TypedExpression): void => {
      const [from, to] = meant(node);
      const start = node.at.end - (from?.length ?? 0);
      if (from !== undefined && to !== undefined && text.slice(start, node.at.end) === from)
        cuts.set(start, { from, to });
      for (const part of parts(node)) visit(part);
    };
    const meant = (node: TypedExpression): readonly [from?: string, to?: string | undefined] => {
      switch (node.kind) {
        case "field":
          return [node.name, fieldIn(subjects.record, node.name)];
        case "item-field":
        case "walk":
          return [node.name, fieldIn(node.resource, node.name)];
        case "variable": {
          const [variable, name] = node.path;
          if (name === undefined) return [];
          if (variable === "old") return [name, nameIn(subjects.record, name)];
          if (variable !== "input" || subjects.queryNames?.includes(name) === true) return [];
          return [name, nameIn(subjects.input, name)];
        }
        default:
          return [];
      }
    };
    visit(expression);
    return spliced(text, cuts);
  });
}

/** A resource's name stands for the list of its records. */
export function withResourceNamed(model: Model, from: string, to: string): Model {
  return withExpressions(model, (_, text) => {
    const cuts = new Map<number, Cut>();
    const visit = (node: Expression): void => {
      if (node.kind === "name" && node.name === from) cuts.set(node.at.start, { from, to });
      for (const child of children(node)) visit(child);
    };
    const { expression } = parseExpression(text);
    if (expression !== undefined) visit(expression);
    return spliced(text, cuts);
  });
}

interface Cut {
  readonly from: string;
  readonly to: string;
}

/** By where they start. */
function spliced(text: string, cuts: ReadonlyMap<number, Cut>): string {
  const ordered = [...cuts].toSorted(([a], [b]) => b - a);
  return ordered.reduce((all, [at, { from, to }]) => all.slice(0, at) + to + all.slice(at + from.length), text);
}

/** What an expression's bare names and `old` are fields of, and what `input` is: an operation's body or a record. */
interface Subjects {
  readonly record: string | undefined;
  readonly input?: string | undefined;
  /** Members of `input` that neither has: the operation's query parameters. */
  readonly queryNames?: readonly string[];
}

type Edit = (path: string, text: string, subjects: Subjects) => string;

function withExpressions(model: Model, edit: Edit): Model {
  const { resources, states, endpoints, authentication, events } = model;
  const map = <Value, Result>(
    record: Readonly<Record<string, Value>>,
    one: (value: Value, name: string) => Result,
  ): Readonly<Record<string, Result>> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, one(value, name)]));
  const subjectOf = (operation: string): string | undefined => {
    const resolved = resolveEndpoint(model, operation);
    return resolved === undefined || resolved.kind === "unclear" ? undefined : resolved.resource;
  };
  const inputOf = (operation: string): string | undefined => {
    return lookup(endpoints.endpoints, operation)?.takes === undefined ? subjectOf(operation) : operation;
  };
  const queryNames = (operation: string): readonly string[] =>
    Object.keys(lookup(endpoints.endpoints, operation)?.query ?? {});
  const grants = (path: string, all: readonly Grant[], record: string | undefined): readonly Grant[] =>
    all.map((grant, index) =>
      grant.if === undefined ? grant : { ...grant, if: edit(`${path}/${index}/if`, grant.if, { record }) },
    );
  const inputOfTrigger = ({ on }: Trigger): string | undefined => {
    if (on.kind === "by") return inputOf(on.operation);
    return on.kind === "when" ? eventResource(model, on.events[0] ?? "") : undefined;
  };
  const lifecycleOf = (lifecycle: Lifecycle, record: string): Lifecycle => ({
    ...lifecycle,
    moves: lifecycle.moves.map((transition) => ({
      ...transition,
      triggers: transition.triggers.map((trigger, index) => {
        const path = `states/${record}/moves/${transitionName(transition)}/${index}`;
        const by = trigger.on.kind === "by" ? { queryNames: queryNames(trigger.on.operation) } : {};
        const subjects = { record, input: inputOfTrigger(trigger), ...by };
        return {
          ...trigger,
          ...(trigger.if === undefined ? {} : { if: edit(`${path}/if`, trigger.if, subjects) }),
          ...(trigger.set === undefined
            ? {}
            : { set: map(trigger.set, (text, name) => edit(`${path}/set/${name}`, text, subjects)) }),
        };
      }),
    })),
  });
  const linkOf = (link: Association, path: string, subjects: Subjects): Association => ({
    ...link,
    with: map(link.with, (text, name) => edit(`${path}/with/${name}`, text, subjects)),
  });
  const actionOf = (endpoint: Endpoint, path: string, subjects: Subjects): Partial<Endpoint> => {
    const { the, link, unlink, filters, if: guard, statuses } = endpoint;
    const accepted = statuses?.accepted;
    return {
      ...(the === undefined ? {} : { the: edit(`${path}/the`, the, subjects) }),
      ...(link === undefined ? {} : { link: linkOf(link, `${path}/link`, subjects) }),
      ...(unlink === undefined ? {} : { unlink: linkOf(unlink, `${path}/unlink`, subjects) }),
      ...(filters === undefined
        ? {}
        : {
            filters: map(filters, (filter, name) => ({
              ...filter,
              if: edit(`${path}/filters/${name}/if`, filter.if, subjects),
            })),
          }),
      ...(guard === undefined ? {} : { if: edit(`${path}/if`, guard, subjects) }),
      ...(accepted?.if === undefined
        ? {}
        : {
            statuses: {
              ...statuses,
              accepted: { ...accepted, if: edit(`${path}/status/accepted/if`, accepted.if, subjects) },
            },
          }),
    };
  };
  const { webhook, stream } = events.delivery ?? {};
  const [emitting] = Object.keys(events.out ?? {}).map((event) => eventResource(model, event));
  return {
    ...model,
    resources: {
      ...resources,
      resources: map(resources.resources, (resource, record) => ({
        ...resource,
        fields: map(resource.fields, (field, name) =>
          field.computed === undefined
            ? field
            : { ...field, computed: edit(`resources/${record}/${name}/computed`, field.computed, { record }) },
        ),
      })),
      ...(resources.views === undefined
        ? {}
        : {
            views: map(resources.views, (view, name) => ({
              ...view,
              ...(view.members === undefined
                ? {}
                : {
                    members: map(view.members, (field, member) =>
                      field.computed === undefined
                        ? field
                        : {
                            ...field,
                            computed: edit(`resources/views/${name}/${member}/computed`, field.computed, {
                              record: view.of,
                            }),
                          },
                    ),
                  }),
            })),
          }),
      rules: map(resources.rules, (rules, record) =>
        rules.map((rule, index) =>
          rule.kind === "unique"
            ? rule
            : { ...rule, expression: edit(`resources/rules/${record}/${index}/holds`, rule.expression, { record }) },
        ),
      ),
    },
    states: map(states, (lifecycle, record) => (lifecycle === "none" ? lifecycle : lifecycleOf(lifecycle, record))),
    endpoints: {
      ...endpoints,
      endpoints: map(endpoints.endpoints, (endpoint, operation) => {
        const path = `endpoints/endpoints/${operation}`;
        const record = subjectOf(operation);
        const subjects = { record, input: inputOf(operation), queryNames: queryNames(operation) };
        return {
          ...endpoint,
          ...actionOf(endpoint, path, subjects),
          ...(endpoint.where === undefined ? {} : { where: edit(`${path}/where`, endpoint.where, subjects) }),
          ...(endpoint.gives === undefined
            ? {}
            : {
                gives: mapResponseTexts(endpoint.gives, (text, at) =>
                  edit([path, "gives", ...at].join("/"), text, subjects),
                ),
              }),
          ...(endpoint.choose === undefined
            ? {}
            : {
                choose: map(endpoint.choose, (choice, field) =>
                  choice.if === undefined
                    ? choice
                    : {
                        ...choice,
                        if: edit(`${path}/choose/${field}/if`, choice.if, { ...subjects, record: choice.from }),
                      },
                ),
              }),
        };
      }),
    },
    authentication: {
      ...authentication,
      own: map(authentication.own, (text, record) => edit(`authentication/own/${record}`, text, { record })),
      allow: map(authentication.allow, (all, operation) =>
        grants(`authentication/allow/${operation}`, all, subjectOf(operation)),
      ),
      show: map(authentication.show, (all, field) =>
        grants(`authentication/show/${field}`, all, field.slice(0, field.indexOf("."))),
      ),
    },
    events: {
      ...events,
      ...(events.delivery === undefined
        ? {}
        : {
            delivery: {
              ...events.delivery,
              ...(webhook === undefined
                ? {}
                : { webhook: { ...webhook, for: grants("events/delivery/webhook/for", webhook.for, emitting) } }),
              ...(stream === undefined
                ? {}
                : { stream: { ...stream, for: grants("events/delivery/stream/for", stream.for, emitting) } }),
            },
          }),
    },
  };
}
