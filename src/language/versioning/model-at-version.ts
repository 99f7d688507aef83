/**
 * Restores the model of a document at one of its versions: undoes the entries of all newer versions, the newest first. An
 * entry with unknown names changes nothing, since `nonet check` reports it.
 *
 * An entry uses the names of its own version, so renames are undone last. Facts that an entry lacks cannot be restored: the
 * action of a removed operation, or the position of a removed field (it becomes the last one).
 */
import { standardErrors } from "../errors/model.ts";
import type { Endpoint } from "../endpoints/model.ts";
import { doesOf, resolveEndpoint, type ResourceAction } from "../endpoints/resolve.ts";
import { responseMembers } from "../endpoints/shape.ts";
import type { Model } from "../model.ts";
import { perModel } from "../analysis/per-model.ts";
import { createReader } from "../grammar/reader.ts";
import { unlocatedText } from "../grammar/source-text.ts";
import { literalValue } from "../resources/default-value.ts";
import { readFieldText } from "../resources/field.ts";
import { readType } from "../resources/field-type.ts";
import { bareType, lifecycleOf, lookup } from "../resources/fields.ts";
import type { Field, Fields, FieldType } from "../resources/model.ts";
import { type Lifecycle, type Transition, transitionName } from "../states/model.ts";
import type { Change, ChangeTarget, Version, Versioning } from "./model.ts";
import { withoutEvent, withoutMember, withoutOperation, withoutResource, withoutType } from "./remove.ts";
import { type MemberName, mapValues, renamed, renamedMembers, withName } from "./rename.ts";

type Of<Kind extends Change["kind"]> = Extract<Change, { readonly kind: Kind }>;

/** Returns the model of a version. @throws if the document does not list the version. */
export function modelAt(model: Model, version: string): Model {
  const { versions = [] } = model.versioning;
  const at = versions.findIndex(({ name }) => name === version);
  if (at < 0) throw new Error(`the document has no version ${version}`);
  return versions.slice(0, at).reduce(before, model);
}

/** Undoes the entries of one version. Cached, since it resolves all names of the document again. */
const before = perModel((model, { changes }: Version): Model => {
  const inOrder = (...kinds: readonly Change["kind"][]): readonly Change[] => {
    return changes.filter(({ kind }) => kinds.includes(kind));
  };
  const isComplete = (change: Change): boolean => change.kind === "rename" && change.from.field === undefined;
  const renames = inOrder("rename");
  const ordered = [...inOrder("remove"), ...renames.filter(isComplete)];
  const previous = changes.filter(({ kind }) => kind !== "rename" && kind !== "remove").reduce(undo, model);
  // All renamed members are undone together, since each pass over the document takes as long as one for all.
  const named = renamedMembers(previous, formerNames(renames));
  const undone = ordered.reduce(undo, named);
  // The entries of versions keep their names, but a deprecation names what the older version has.
  const { deprecated } = undone.versioning;
  return { ...undone, versioning: older({ ...model.versioning, ...(deprecated && { deprecated }) }) };
});

/** Returns the current and the former names of members. */
function formerNames(changes: readonly Change[]): readonly MemberName[] {
  return changes.flatMap((change) => {
    if (change.kind !== "rename" || change.from.field === undefined) return [];
    return [{ of: change.from.of, from: change.to, to: change.from.field }];
  });
}

function older(versioning: Versioning): Versioning {
  const { versions = [], deprecated } = versioning;
  const [newest, ...rest] = versions;
  const remaining = Object.entries(deprecated ?? {}).filter(([name]) => name !== newest?.name);
  const [oldest] = rest.slice(-1);
  return {
    ...versioning,
    versions: rest.map((version) => (version === oldest ? { name: version.name, changes: [] } : version)),
    ...(deprecated === undefined ? {} : { deprecated: Object.fromEntries(remaining) }),
  };
}

function undo(model: Model, change: Change): Model {
  switch (change.kind) {
    case "rename":
      // Renamed members are undone separately, all at once (`renamedMembers`).
      return change.from.field === undefined ? renamed(model, change.to, change.from.of) : model;
    case "add":
      return undoAdd(model, change.target);
    case "remove":
      return undoRemove(model, change);
    case "require":
      return withField(model, change.target, (field) => ({ ...field, optional: true }));
    case "relax":
      return undoRelax(model, change);
    case "retype":
      return undoRetype(model, change);
    case "path":
      return undoPath(model, change);
    case "error":
      return undoError(model, change);
    case "event":
      return change.was === undefined
        ? withoutEvent(model, change.name)
        : withName(model, "event", change.name, change.was);
    case "state":
      return undoState(model, change);
    case "add-value":
      return withField(model, change.target, (field) => withoutValue(field, change.value));
  }
}

// ── Fields and members ─────────────────────────────────────────────────────────────────────────────────────────────

function undoAdd(model: Model, { of, field }: ChangeTarget): Model {
  if (field !== undefined) return withoutMember(model, of, field);
  if (lookup(model.resources.resources, of) !== undefined) return withoutResource(model, of);
  return lookup(model.resources.types, of) === undefined ? withoutOperation(model, of) : withoutType(model, of);
}

/**
 * Adds a removed member again. In an operation, a removed member with `seen` was part of the response, one without it part of
 * the body.
 */
function undoRemove(model: Model, { target: { of, field }, type, seen }: Of<"remove">): Model {
  if (field === undefined || type === undefined) return model;
  const restored = removedField(type, seen);
  if (restored === undefined) return model;
  // A view has no stored members, so the removed member is computed.
  if (lookup(model.resources.views ?? {}, of) !== undefined) {
    return withFields(model, of, (members) => ({ ...members, [field]: { ...restored, computed: seen ?? "null" } }));
  }
  const endpoint = lookup(model.endpoints.endpoints, of);
  if (endpoint?.shape !== undefined && seen !== undefined) {
    return withEndpoint(model, of, { ...endpoint, shape: { ...endpoint.shape, [field]: restored } });
  }
  if (endpoint === undefined || seen === undefined) {
    return withFields(model, of, (fields) => ({ ...fields, [field]: restored }));
  }
  return withEndpoint(model, of, { ...endpoint, gives: { ...responseMembers(endpoint.gives), [field]: seen } });
}

/** Returns the removed field as the entry describes it. The field was required if the entry has `seen`. */
export function removedField(type: string, seen: string | undefined): Field | undefined {
  const field = readFieldText(createReader(), ["versioning"], unlocatedText(type));
  return field && { ...field, optional: seen === undefined };
}

/** Undoes `relax`. Without `was`, the type is unchanged. The field was required, unless the entry has `was` and no `seen`. */
function undoRelax(model: Model, { target, was, seen }: Of<"relax">): Model {
  const type = was === undefined ? undefined : typeOf(was);
  const required = was === undefined || seen !== undefined;
  return withField(model, target, (field) => ({
    ...field,
    type: type ?? (required ? bareType(field.type) : field.type),
    optional: required ? false : field.optional,
  }));
}

/** Undoes `retype`. A default that does not fit the former type means that older callers could omit the member. */
function undoRetype(model: Model, { target, was, seen }: Of<"retype">): Model {
  const type = typeOf(was);
  if (type === undefined) return model;
  const endpoint = lookup(model.endpoints.endpoints, target.of);
  const responseMember =
    endpoint === undefined || target.field === undefined
      ? undefined
      : lookup(responseMembers(endpoint.gives), target.field);
  if (endpoint !== undefined && responseMember !== undefined && target.field !== undefined) {
    return withEndpoint(model, target.of, {
      ...endpoint,
      gives: { ...responseMembers(endpoint.gives), [target.field]: seen ?? responseMember },
    });
  }
  return withField(model, target, (field) => {
    const { default: made, ...rest } = field;
    if (made?.kind !== "literal" || literalValue(model, type, made.text) !== undefined) return { ...field, type };
    return { ...rest, type, optional: true };
  });
}

function withoutValue(field: Field, value: string): Field {
  const { default: made, ...rest } = field;
  const remaining = made?.kind === "literal" && made.text === value ? rest : field;
  return { ...remaining, type: typeWithout(field.type, value) };
}

function typeWithout(type: FieldType, value: string): FieldType {
  if (type.kind === "one-of") return { ...type, values: type.values.filter((one) => one !== value) };
  if (type.kind === "nullable" || type.kind === "list" || type.kind === "map") {
    return { ...type, of: typeWithout(type.of, value) };
  }
  return type;
}

/** Returns the type in a text; undefined if it is invalid, which the reader has already reported. */
export function typeOf(text: string): FieldType | undefined {
  return readType(createReader(), "versioning", unlocatedText(text));
}

function withField(model: Model, { of, field }: ChangeTarget, edit: (field: Field) => Field): Model {
  if (field === undefined) return model;
  const endpoint = lookup(model.endpoints.endpoints, of);
  const responseMember = lookup(endpoint?.shape ?? {}, field);
  if (endpoint !== undefined && responseMember !== undefined && lookup(endpoint.takes ?? {}, field) === undefined) {
    return withEndpoint(model, of, { ...endpoint, shape: { ...endpoint.shape, [field]: edit(responseMember) } });
  }
  return withFields(model, of, (fields) => {
    const present = lookup(fields, field);
    return present === undefined ? fields : { ...fields, [field]: edit(present) };
  });
}

/** Edits the fields of a resource or type, or the body members of an operation. */
function withFields(model: Model, of: string, edit: (fields: Fields) => Fields): Model {
  const { resources, types, views = {} } = model.resources;
  const resource = lookup(resources, of);
  if (resource !== undefined) {
    const edited = { ...resources, [of]: { ...resource, fields: edit(resource.fields) } };
    return { ...model, resources: { ...model.resources, resources: edited } };
  }
  const type = lookup(types, of);
  if (type !== undefined) return { ...model, resources: { ...model.resources, types: { ...types, [of]: edit(type) } } };
  const view = lookup(views, of);
  if (view !== undefined) {
    const members = edit(view.members ?? {});
    return { ...model, resources: { ...model.resources, views: { ...views, [of]: { ...view, members } } } };
  }
  const endpoint = lookup(model.endpoints.endpoints, of);
  return endpoint === undefined ? model : withEndpoint(model, of, { ...endpoint, takes: edit(endpoint.takes ?? {}) });
}

// ── Operations, errors, states ─────────────────────────────────────────────────────────────────────────────────────

function withEndpoint(model: Model, operation: string, endpoint: Endpoint): Model {
  const endpoints = { ...model.endpoints.endpoints, [operation]: endpoint };
  return { ...model, endpoints: { ...model.endpoints, endpoints } };
}

/**
 * Undoes `path`. Declares the action and resource that the former path does not imply, since the operation's meaning stays the
 * same.
 */
function undoPath(model: Model, { operation, method, path }: Of<"path">): Model {
  const endpoint = lookup(model.endpoints.endpoints, operation);
  if (endpoint === undefined) return model;
  const now = resolveEndpoint(model, operation);
  const { meant: _, ...previous } = endpoint;
  const atOldPath = withEndpoint(model, operation, { ...previous, method, path });
  const then = resolveEndpoint(atOldPath, operation);
  if (now === undefined || now.kind === "unclear" || now.resource === undefined) return atOldPath;
  if (then !== undefined && then.kind === now.kind && then.resource === now.resource) return atOldPath;
  // The path of a file contains the field's former name, which the field gets when the renames are undone.
  const adjusted = { ...previous, method, path, of: now.resource };
  const again = withEndpoint(model, operation, adjusted);
  return now.kind === "free" || resolveEndpoint(again, operation)?.kind === "resource"
    ? again
    : withEndpoint(model, operation, { ...adjusted, ...(now.file === undefined ? doing(now.action) : {}) });
}

/** Returns the `does` member for an action; empty if other members declare the action. */
function doing(action: ResourceAction): Pick<Endpoint, "does"> {
  const does = doesOf(action);
  return does === undefined ? {} : { does };
}

function undoError(model: Model, { code, status, was }: Of<"error">): Model {
  const { errors, status: previous } = model.errors;
  const declared = lookup(errors, code);
  const standard = lookup(standardErrors, code);
  if (declared === undefined && standard === undefined) return model;
  // If an error of the catalogue had another name, the older document declared the error itself.
  const former = declared === undefined ? { status, sentence: standard?.title ?? "" } : { ...declared, status };
  const others = previous && { status: Object.fromEntries(Object.entries(previous).filter(([one]) => one !== code)) };
  const present = { ...model, errors: { ...model.errors, ...others, errors: { ...errors, [code]: former } } };
  return withName(present, "error", code, was);
}

function undoState(model: Model, { resource, name, seen }: Of<"state">): Model {
  const lifecycle = lifecycleOf(model, resource);
  if (lifecycle === undefined || lookup(lifecycle.states, name) === undefined) return model;
  const displayed = (state: string): string => (state === name ? seen : state);
  const states = Object.fromEntries(Object.entries(lifecycle.states).filter(([state]) => state !== name));
  const unknown = Object.entries(model.events.out ?? {}).filter(
    ([, { when }]) => when.kind === "enters" && when.resource === resource && when.state === name,
  );
  const adjusted = unknown.reduce((all, [event]) => withoutEvent(all, event), model);
  const { quota, keep } = model.limits;
  const remaining = (keep === undefined ? undefined : lookup(keep, resource)) ?? undefined;
  return {
    ...adjusted,
    states: {
      ...adjusted.states,
      [resource]: {
        ...lifecycle,
        states,
        ...(lifecycle.start === undefined ? {} : { start: displayed(lifecycle.start) }),
        ...(lifecycle.final === undefined ? {} : { final: [...new Set(lifecycle.final.map(displayed))] }),
        moves: transitionsWithout(lifecycle, name, displayed),
      },
    },
    limits: {
      ...adjusted.limits,
      ...(quota === undefined
        ? {}
        : {
            quota: mapValues(quota, (lines, target) =>
              lines.map((line) =>
                target === resource && line.kind === "live"
                  ? { ...line, states: [...new Set(line.states.map(displayed))] }
                  : line,
              ),
            ),
          }),
      ...(remaining === undefined
        ? {}
        : { keep: { ...keep, [resource]: { ...remaining, after: displayed(remaining.after) } } }),
    },
  };
}

/**
 * Returns the transitions as older callers saw them: a hidden state is replaced by the one they saw, and a transition between
 * two states that look the same to them disappears. Transitions that get the same name are merged.
 */
function transitionsWithout(
  lifecycle: Lifecycle,
  name: string,
  displayed: (state: string) => string,
): readonly Transition[] {
  const moves = new Map<string, Transition>();
  for (const transition of lifecycle.moves) {
    const seen = transitionAtVersion(transition, name, displayed);
    if (seen === undefined) continue;
    const before = moves.get(transitionName(seen))?.triggers ?? [];
    moves.set(transitionName(seen), { ...seen, triggers: [...before, ...seen.triggers] });
  }
  return [...moves.values()];
}

function transitionAtVersion(
  transition: Transition,
  name: string,
  displayed: (state: string) => string,
): Transition | undefined {
  const { from, to, triggers } = transition;
  if (to !== name && (from === "any" || !from.includes(name))) return transition;
  const starts = from === "any" ? from : [...new Set(from.map(displayed))];
  const target = displayed(to);
  const stays = starts !== "any" && starts.length === 1 && starts[0] === target;
  // Older callers did not see timers and events between the merged states, but they could still call the operations.
  const left = stays ? triggers.filter(({ on }) => on.kind === "by") : triggers;
  return left.length === 0 ? undefined : { from: starts, to: target, triggers: left };
}
