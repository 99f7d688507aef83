/**
 * Indexes a model once for all checks: operations by resource, transitions, returned errors, permissions. Checks look up facts
 * in the index and never search the model, so that the time of a check grows linearly with the document.
 */
import type { Span } from "../../base/span.ts";
import { startOfText } from "../../base/span.ts";
import type { Document } from "../../document/document.ts";
import type { TypedExpression } from "../../expression/typed.ts";
import type { Grant } from "../authentication/model.ts";
import { type ResolvedEndpoint, resolveEndpoint, type ResourceEndpoint, subjectOf } from "../endpoints/resolve.ts";
import { standardErrors } from "../errors/model.ts";
import type { OutEvent } from "../events/model.ts";
import type { TypedExpressions } from "./expressions.ts";
import { references } from "./references.ts";
import type { Model, PartName, SourceLocations } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import type { Field } from "../resources/model.ts";
import type { Reference } from "../grammar/references.ts";
import type { Sections } from "../grammar/sections.ts";
import { type Lifecycle, type Transition, transitionName, type Trigger } from "../states/model.ts";

export interface DocumentIndex {
  readonly document: Document;
  readonly model: Model;
  readonly places: SourceLocations;
  readonly sections: Sections;
  /** The expressions without a problem, by path. */
  readonly typed: ReadonlyMap<string, TypedExpression>;
  readonly texts: TypedExpressions["texts"];
  readonly problems: TypedExpressions["problems"];
  /** Every field of every resource. */
  readonly fields: readonly IndexedField[];
  /** The names of operations in part 1 and part 4. */
  readonly operations: ReadonlySet<string>;
  /** The endpoints by name of their operation. */
  readonly endpoints: ReadonlyMap<string, ResolvedEndpoint>;
  /** The endpoints that are about a resource, by name of the resource. */
  readonly endpointsOf: ReadonlyMap<string, readonly ResourceEndpoint[]>;
  /** Whether a handler performs some operation. The document does not declare the effects of a handler. */
  readonly hasHandlers: boolean;
  readonly lives: readonly Life[];
  readonly lifeOf: ReadonlyMap<string, Life>;
  readonly transitions: readonly TriggeredTransition[];
  /** The transitions that an operation triggers, by name of the operation. */
  readonly transitionsBy: ReadonlyMap<string, readonly TriggeredTransition[]>;
  /** The transitions that an event triggers, by name of the event. */
  readonly transitionsWhen: ReadonlyMap<string, readonly TriggeredTransition[]>;
  /** The resource that each outgoing event is about, by name of the event. */
  readonly outEvents: ReadonlyMap<string, IndexedEvent>;
  /** Every name outside expressions, by the kinds that the name may have, joined with commas. */
  readonly references: ReadonlyMap<string, readonly Reference[]>;
  /** The codes of the errors that an operation or a rule of the document returns. */
  readonly returned: ReadonlySet<string>;
  /** The errors that the document can use: its own and those it imports. */
  readonly errorNames: ReadonlySet<string>;
  /** Every grant of parts 5 and 6. */
  readonly grants: readonly IndexedGrant[];
  /** The paths of statements that are `not shown`. */
  readonly gaps: ReadonlySet<string>;
}

export interface IndexedField {
  /** The path of the field, as in `SourceLocations`. */
  readonly at: string;
  /** The name of the field with its resource: `Parcel.size`. */
  readonly name: string;
  readonly field: Field;
}

/** The states of one resource and the transitions between them. */
export interface Life {
  readonly resource: string;
  readonly lifecycle: Lifecycle;
  readonly states: readonly string[];
  /** The initial state: the declared one, or the first. */
  readonly start: string | undefined;
  readonly final: readonly string[];
  readonly transitions: readonly TriggeredTransition[];
  /** The transitions out of each state. */
  readonly out: ReadonlyMap<string, readonly TriggeredTransition[]>;
  /** Whether all transitions are known and lead to known states; otherwise the checks report no unreachable states. */
  readonly closed: boolean;
  /** The states that a record can ever be in. */
  readonly reachable: ReadonlySet<string>;
}

/** One trigger of one transition. */
export interface TriggeredTransition {
  readonly resource: string;
  readonly transition: Transition;
  readonly trigger: Trigger;
  /** The path of the trigger, as in `SourceLocations`. */
  readonly at: string;
  /** The states that the transition leaves. If the document says `any`, these are all non-final states except the target. */
  readonly from: readonly string[];
  readonly to: string;
  readonly guard?: TypedExpression;
  /** The condition that selects the records which an event moves. */
  readonly where?: TypedExpression;
}

export interface IndexedEvent {
  readonly event: OutEvent;
  readonly resource: string | undefined;
}

export interface IndexedGrant {
  readonly grant: Grant;
  readonly at: string;
  /** The operation that the grant allows; absent for a grant that allows something else. */
  readonly operation?: string;
}

export interface IndexInput {
  readonly document: Document;
  readonly model: Model;
  readonly places: SourceLocations;
  readonly sections: Sections;
  readonly expressions: TypedExpressions;
}

export function indexDocument({ document, model, places, sections, expressions }: IndexInput): DocumentIndex {
  const { typed, texts, problems } = expressions;
  const endpoints = new Map(
    Object.keys(model.endpoints.endpoints).flatMap((operation) => {
      const resolved = resolveEndpoint(model, operation);
      return resolved === undefined ? [] : [[operation, resolved] as const];
    }),
  );
  const about = [...endpoints.values()].filter((resolved) => resolved.kind === "resource");
  const lives = Object.entries(model.states).flatMap(([resource, lifecycle]) =>
    lifecycle === "none" ? [] : [lifeOf(model, resource, lifecycle, typed)],
  );
  const transitions = lives.flatMap((life) => life.transitions);
  const outEvents = Object.entries(model.events.out ?? {}).map(([name, event]) => {
    return [name, { event, resource: eventResource(event, endpoints) }] as const;
  });
  const named = Map.groupBy(references(model), ({ kinds }) => String(kinds));
  return {
    document,
    model,
    places,
    sections,
    typed,
    texts,
    problems,
    fields: indexedFields(model),
    operations: new Set([...Object.keys(model.purpose.operations), ...Object.keys(model.endpoints.endpoints)]),
    endpoints,
    endpointsOf: Map.groupBy(about, (resolved) => resolved.resource),
    hasHandlers: [...endpoints.values()].some(({ kind, endpoint }) => kind === "free" && endpoint.does === "handler"),
    lives,
    lifeOf: new Map(lives.map((life) => [life.resource, life])),
    transitions,
    transitionsBy: grouped(transitions, ({ on }) => (on.kind === "by" ? [on.operation] : [])),
    transitionsWhen: grouped(transitions, ({ on }) => (on.kind === "when" ? on.events : [])),
    outEvents: new Map(outEvents),
    references: named,
    // A name that is a key (of `messages` or `bodies`) only declares how an error is rendered; no operation returns the error
    // there.
    returned: new Set((named.get("error") ?? []).flatMap(({ form, name }) => (form === "value" ? [name] : []))),
    errorNames: new Set([...Object.keys(model.errors.errors), ...importedErrors(model)]),
    grants: indexedGrants(model),
    gaps: new Set(model.gaps),
  };
}

function indexedFields({ resources }: Model): readonly IndexedField[] {
  return Object.entries(resources.resources).flatMap(([resource, { fields }]) =>
    Object.entries(fields).map(([name, field]) => ({
      at: `resources/${resource}/${name}`,
      name: `${resource}.${name}`,
      field,
    })),
  );
}

/**
 * Whether the document declares each of the parts, by a block or by the word `none`, so that other parts can be checked
 * against them.
 */
export function declares({ model }: DocumentIndex, ...parts: readonly PartName[]): boolean {
  return parts.every((part) => model.status[part] === "shown" || model.status[part] === "none");
}

/** Whether the document has a line for the path, even an invalid one or `not shown`. */
export function isWritten({ places }: DocumentIndex, path: string): boolean {
  return places.has(path);
}

/** Returns the location of a path; if the path has none, the location of the nearest statement around it. */
export function locationOf(places: SourceLocations, path: string): Span {
  const exact = places.get(path);
  if (exact !== undefined) return exact;
  for (let at = path.replace(/#\w+$/, ""); at !== ""; at = at.slice(0, Math.max(at.lastIndexOf("/"), 0))) {
    const span = places.get(at);
    if (span !== undefined) return span;
  }
  return startOfText;
}

/** Returns the errors that part 7 imports from the catalogue; all of them by default. */
function importedErrors({ errors: { standard } }: Model): readonly string[] {
  return standard === undefined || standard === "all" ? Object.keys(standardErrors) : standard;
}

function lifeOf(model: Model, resource: string, lifecycle: Lifecycle, typed: DocumentIndex["typed"]): Life {
  const states = Object.keys(lifecycle.states);
  const final = lifecycle.final ?? [];
  // An unknown initial state has a finding already; ignoring it here avoids further findings.
  const start = lifecycle.start !== undefined && states.includes(lifecycle.start) ? lifecycle.start : states[0];
  const transitions = lifecycle.moves.flatMap((transition) =>
    transition.triggers.map((trigger, index): TriggeredTransition => {
      const at = `states/${resource}/moves/${transitionName(transition)}/${index}`;
      const [guard, where] = [typed.get(`${at}/if`), typed.get(`${at}/where`)];
      const from =
        transition.from === "any"
          ? states.filter((state) => state !== transition.to && !final.includes(state))
          : transition.from;
      return {
        resource,
        transition,
        trigger,
        at,
        from,
        to: transition.to,
        ...(guard && { guard }),
        ...(where && { where }),
      };
    }),
  );
  const out = new Map<string, TriggeredTransition[]>(states.map((state) => [state, []]));
  for (const transition of transitions) for (const state of transition.from) out.get(state)?.push(transition);
  const reachable = reachableFrom(start, (state) => (out.get(state) ?? []).map(({ to }) => to));
  const known = new Set(states);
  const closed =
    !model.gaps.some((path) => path.startsWith(`states/${resource}/moves`)) &&
    transitions.every(({ from, to }) => known.has(to) && from.every((state) => known.has(state)));
  return { resource, lifecycle, states, start, final, transitions, out, closed, reachable };
}

/** Returns all states that are reachable from `start`, including `start`. */
export function reachableFrom(
  start: string | undefined,
  next: (node: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>(start === undefined ? [] : [start]);
  for (const node of found) for (const other of next(node)) found.add(other);
  return found;
}

function grouped(
  transitions: readonly TriggeredTransition[],
  names: (trigger: Trigger) => readonly string[],
): ReadonlyMap<string, readonly TriggeredTransition[]> {
  const groups = new Map<string, TriggeredTransition[]>();
  for (const transition of transitions) {
    for (const name of names(transition.trigger)) {
      const group = groups.get(name);
      if (group === undefined) groups.set(name, [transition]);
      else group.push(transition);
    }
  }
  return groups;
}

function eventResource({ when }: OutEvent, endpoints: DocumentIndex["endpoints"]): string | undefined {
  if (when.kind === "enters") return when.resource;
  const resolved = endpoints.get(when.operation);
  return resolved === undefined || resolved.kind === "unclear" ? undefined : subjectOf(resolved);
}

function indexedGrants({ authentication, events }: Model): readonly IndexedGrant[] {
  const { allow, show, set = {} } = authentication;
  const { webhook, stream } = events.delivery ?? {};
  return [
    ...Object.entries(allow).flatMap(([operation, grants]) =>
      grants.map((grant, index) => ({ grant, at: `authentication/allow/${operation}/${index}`, operation })),
    ),
    ...Object.entries({ show, set }).flatMap(([key, lines]) =>
      Object.entries(lines).flatMap(([field, grants]) =>
        grants.map((grant, index) => ({ grant, at: `authentication/${key}/${field}/${index}` })),
      ),
    ),
    ...(webhook?.for ?? []).map((grant, index) => ({ grant, at: `events/delivery/webhook/for/${index}` })),
    ...(stream?.for ?? []).map((grant, index) => ({ grant, at: `events/delivery/stream/for/${index}` })),
  ];
}

/** Returns the grants of an operation. */
export function allowedTo({ model }: DocumentIndex, operation: string): readonly Grant[] {
  return lookup(model.authentication.allow, operation) ?? [];
}
