/**
 * The model of a document as it was at one of its versions: the entries of all newer versions undone, the newest first.
 * Pure, and total: an entry that names nothing changes nothing, since `nonet check` reports it.
 *
 * An entry speaks of its own version, so within one version names are undone last. What an entry does not say cannot be
 * undone: what a removed operation did, or where among the others a removed field stood (it comes last).
 */
import { standardErrors } from "../errors/model.ts";
import type { Endpoint } from "../endpoints/model.ts";
import { doesOf, meaningOf, type ResourceDeed } from "../endpoints/meaning.ts";
import { givenMembers } from "../endpoints/shape.ts";
import type { Model } from "../model.ts";
import { perModel } from "../per-model.ts";
import { createReader } from "../reader.ts";
import { loosePhrase } from "../phrase.ts";
import { literalValue } from "../resources/default-value.ts";
import { readFieldText } from "../resources/field.ts";
import { readType } from "../resources/field-type.ts";
import { bareType, lifecycleOf, own } from "../resources/fields.ts";
import type { Field, Fields, FieldType } from "../resources/model.ts";
import { type Lifecycle, type Move, moveName } from "../states/model.ts";
import type { Change, Place, Version, Versioning } from "./model.ts";
import { withoutEvent, withoutMember, withoutOperation, withoutResource, withoutType } from "./omit.ts";
import { type MemberName, mapValues, renamed, renamedEvent, renamedError, renamedMembers } from "./rename.ts";

type Of<Kind extends Change["kind"]> = Extract<Change, { readonly kind: Kind }>;

/** @throws where the document lists no such version. */
export function modelAt(model: Model, version: string): Model {
  const { versions = [] } = model.versioning;
  const at = versions.findIndex(({ name }) => name === version);
  if (at < 0) throw new Error(`the document has no version ${version}`);
  return versions.slice(0, at).reduce(before, model);
}

/** The model before the newest version that it lists. To undo a version is to resolve all names of the document anew. */
const before = perModel((model, { changes }: Version): Model => {
  const inOrder = (...kinds: readonly Change["kind"][]): readonly Change[] => {
    return changes.filter(({ kind }) => kinds.includes(kind));
  };
  const isWhole = (change: Change): boolean => change.kind === "rename" && change.from.field === undefined;
  const renames = inOrder("rename");
  const ordered = [...inOrder("remove"), ...renames.filter(isWhole)];
  const said = changes.filter(({ kind }) => kind !== "rename" && kind !== "remove").reduce(undo, model);
  // Together, since it takes as long to understand the document for one of them as for all.
  const named = renamedMembers(said, formerNames(renames));
  return { ...ordered.reduce(undo, named), versioning: older(model.versioning) };
});

/** What members are called now, and what they were called then. */
function formerNames(changes: readonly Change[]): readonly MemberName[] {
  return changes.flatMap((change) => {
    if (change.kind !== "rename" || change.from.field === undefined) return [];
    return [{ of: change.from.of, from: change.to, to: change.from.field }];
  });
}

function older(versioning: Versioning): Versioning {
  const { versions = [], deprecated } = versioning;
  const [newest, ...rest] = versions;
  const kept = Object.entries(deprecated ?? {}).filter(([name]) => name !== newest?.name);
  const [oldest] = rest.slice(-1);
  return {
    ...versioning,
    versions: rest.map((version) => (version === oldest ? { name: version.name, changes: [] } : version)),
    ...(deprecated === undefined ? {} : { deprecated: Object.fromEntries(kept) }),
  };
}

function undo(model: Model, change: Change): Model {
  switch (change.kind) {
    case "rename":
      // Those of members are not undone one by one.
      return change.from.field === undefined ? renamed(model, change.to, change.from.of) : model;
    case "add":
      return undoAdd(model, change.place);
    case "remove":
      return undoRemove(model, change);
    case "require":
      return withField(model, change.place, (field) => ({ ...field, optional: true }));
    case "relax":
      return undoRelax(model, change);
    case "retype":
      return undoRetype(model, change);
    case "path":
      return undoPath(model, change);
    case "error":
      return undoError(model, change);
    case "event":
      return change.was === undefined ? withoutEvent(model, change.name) : renamedEvent(model, change.name, change.was);
    case "state":
      return undoState(model, change);
    case "add-value":
      return withField(model, change.place, (field) => withoutValue(field, change.value));
  }
}

// ── Fields and members ─────────────────────────────────────────────────────────────────────────────────────────────

function undoAdd(model: Model, { of, field }: Place): Model {
  if (field !== undefined) return withoutMember(model, of, field);
  if (own(model.resources.resources, of) !== undefined) return withoutResource(model, of);
  return own(model.resources.types, of) === undefined ? withoutOperation(model, of) : withoutType(model, of);
}

/** Of an operation, what callers see was a member of its answer, and what they do not see one of its body. */
function undoRemove(model: Model, { place: { of, field }, type, seen }: Of<"remove">): Model {
  if (field === undefined || type === undefined) return model;
  const restored = removedField(type, seen);
  if (restored === undefined) return model;
  // A view has nothing that is not worked out.
  if (own(model.resources.views ?? {}, of) !== undefined) {
    return withFields(model, of, (members) => ({ ...members, [field]: { ...restored, computed: seen ?? "null" } }));
  }
  const endpoint = own(model.endpoints.endpoints, of);
  if (endpoint?.shape !== undefined && seen !== undefined) {
    return withEndpoint(model, of, { ...endpoint, shape: { ...endpoint.shape, [field]: restored } });
  }
  if (endpoint === undefined || seen === undefined) {
    return withFields(model, of, (fields) => ({ ...fields, [field]: restored }));
  }
  return withEndpoint(model, of, { ...endpoint, gives: { ...givenMembers(endpoint.gives), [field]: seen } });
}

/** What an entry says of the field that is gone. It was always there where callers are shown something in its place. */
export function removedField(type: string, seen: string | undefined): Field | undefined {
  const field = readFieldText(createReader(), ["versioning"], loosePhrase(type));
  return field && { ...field, optional: seen === undefined };
}

/** Without `was` the type is as it is now; the field was always there unless only its type was narrower. */
function undoRelax(model: Model, { place, was, seen }: Of<"relax">): Model {
  const type = was === undefined ? undefined : typeOf(was);
  const required = was === undefined || seen !== undefined;
  return withField(model, place, (field) => ({
    ...field,
    type: type ?? (required ? bareType(field.type) : field.type),
    optional: required ? false : field.optional,
  }));
}

/** A default that is no value of the former type is one that callers of that time could leave to the service. */
function undoRetype(model: Model, { place, was, seen }: Of<"retype">): Model {
  const type = typeOf(was);
  if (type === undefined) return model;
  const endpoint = own(model.endpoints.endpoints, place.of);
  const given =
    endpoint === undefined || place.field === undefined ? undefined : own(givenMembers(endpoint.gives), place.field);
  if (endpoint !== undefined && given !== undefined && place.field !== undefined) {
    return withEndpoint(model, place.of, {
      ...endpoint,
      gives: { ...givenMembers(endpoint.gives), [place.field]: seen ?? given },
    });
  }
  return withField(model, place, (field) => {
    const { default: made, ...rest } = field;
    if (made?.kind !== "literal" || literalValue(model, type, made.text) !== undefined) return { ...field, type };
    return { ...rest, type, optional: true };
  });
}

function withoutValue(field: Field, value: string): Field {
  const { default: made, ...rest } = field;
  const kept = made?.kind === "literal" && made.text === value ? rest : field;
  return { ...kept, type: typeWithout(field.type, value) };
}

function typeWithout(type: FieldType, value: string): FieldType {
  if (type.kind === "one-of") return { ...type, values: type.values.filter((one) => one !== value) };
  if (type.kind === "nullable" || type.kind === "list" || type.kind === "map") {
    return { ...type, of: typeWithout(type.of, value) };
  }
  return type;
}

/** The type that a text says; undefined where it says none, which reading has reported. */
export function typeOf(text: string): FieldType | undefined {
  return readType(createReader(), "versioning", loosePhrase(text));
}

function withField(model: Model, { of, field }: Place, edit: (field: Field) => Field): Model {
  if (field === undefined) return model;
  const endpoint = own(model.endpoints.endpoints, of);
  const given = own(endpoint?.shape ?? {}, field);
  if (endpoint !== undefined && given !== undefined && own(endpoint.takes ?? {}, field) === undefined) {
    return withEndpoint(model, of, { ...endpoint, shape: { ...endpoint.shape, [field]: edit(given) } });
  }
  return withFields(model, of, (fields) => {
    const present = own(fields, field);
    return present === undefined ? fields : { ...fields, [field]: edit(present) };
  });
}

/** The fields of a resource, of a type, or the members that an operation takes. */
function withFields(model: Model, of: string, edit: (fields: Fields) => Fields): Model {
  const { resources, types, views = {} } = model.resources;
  const resource = own(resources, of);
  if (resource !== undefined) {
    const edited = { ...resources, [of]: { ...resource, fields: edit(resource.fields) } };
    return { ...model, resources: { ...model.resources, resources: edited } };
  }
  const type = own(types, of);
  if (type !== undefined) return { ...model, resources: { ...model.resources, types: { ...types, [of]: edit(type) } } };
  const view = own(views, of);
  if (view !== undefined) {
    const members = edit(view.members ?? {});
    return { ...model, resources: { ...model.resources, views: { ...views, [of]: { ...view, members } } } };
  }
  const endpoint = own(model.endpoints.endpoints, of);
  return endpoint === undefined ? model : withEndpoint(model, of, { ...endpoint, takes: edit(endpoint.takes ?? {}) });
}

// ── Operations, errors, states ─────────────────────────────────────────────────────────────────────────────────────

function withEndpoint(model: Model, operation: string, endpoint: Endpoint): Model {
  const endpoints = { ...model.endpoints.endpoints, [operation]: endpoint };
  return { ...model, endpoints: { ...model.endpoints, endpoints } };
}

/** What the former path does not say of the operation by itself, it is told: it does what it does now. */
function undoPath(model: Model, { operation, method, path }: Of<"path">): Model {
  const endpoint = own(model.endpoints.endpoints, operation);
  if (endpoint === undefined) return model;
  const now = meaningOf(model, operation);
  const { meant: _, ...said } = endpoint;
  const moved = withEndpoint(model, operation, { ...said, method, path });
  const then = meaningOf(moved, operation);
  if (now === undefined || now.kind === "unclear" || now.resource === undefined) return moved;
  if (then !== undefined && then.kind === now.kind && then.resource === now.resource) return moved;
  // A path of a file is one by the name that the file had, which it is given when all names are.
  const told = { ...said, method, path, of: now.resource };
  const again = withEndpoint(model, operation, told);
  return now.kind === "free" || meaningOf(again, operation)?.kind === "resource"
    ? again
    : withEndpoint(model, operation, { ...told, ...(now.file === undefined ? doing(now.deed) : {}) });
}

/** What members of its own say, it is told by them. */
function doing(deed: ResourceDeed): Pick<Endpoint, "does"> {
  const does = doesOf(deed);
  return does === undefined ? {} : { does };
}

function undoError(model: Model, { code, status, was }: Of<"error">): Model {
  const { errors, status: said } = model.errors;
  const declared = own(errors, code);
  const standard = own(standardErrors, code);
  if (declared === undefined && standard === undefined) return model;
  // A code of the catalogue that had another name was one of the document's own.
  const former = declared === undefined ? { status, sentence: standard?.title ?? "" } : { ...declared, status };
  const others = said && { status: Object.fromEntries(Object.entries(said).filter(([one]) => one !== code)) };
  const present = { ...model, errors: { ...model.errors, ...others, errors: { ...errors, [code]: former } } };
  return renamedError(present, code, was);
}

function undoState(model: Model, { resource, name, seen }: Of<"state">): Model {
  const lifecycle = lifecycleOf(model, resource);
  if (lifecycle === undefined || own(lifecycle.states, name) === undefined) return model;
  const shown = (state: string): string => (state === name ? seen : state);
  const states = Object.fromEntries(Object.entries(lifecycle.states).filter(([state]) => state !== name));
  const unknown = Object.entries(model.events.out ?? {}).filter(
    ([, { when }]) => when.kind === "enters" && when.resource === resource && when.state === name,
  );
  const told = unknown.reduce((all, [event]) => withoutEvent(all, event), model);
  const { quota, keep } = model.limits;
  const kept = (keep === undefined ? undefined : own(keep, resource)) ?? undefined;
  return {
    ...told,
    states: {
      ...told.states,
      [resource]: {
        ...lifecycle,
        states,
        ...(lifecycle.start === undefined ? {} : { start: shown(lifecycle.start) }),
        ...(lifecycle.final === undefined ? {} : { final: [...new Set(lifecycle.final.map(shown))] }),
        moves: movesWithout(lifecycle, name, shown),
      },
    },
    limits: {
      ...told.limits,
      ...(quota === undefined
        ? {}
        : {
            quota: mapValues(quota, (lines, target) =>
              lines.map((line) =>
                target === resource && line.kind === "live"
                  ? { ...line, states: [...new Set(line.states.map(shown))] }
                  : line,
              ),
            ),
          }),
      ...(kept === undefined ? {} : { keep: { ...keep, [resource]: { ...kept, after: shown(kept.after) } } }),
    },
  };
}

/**
 * The moves as callers saw them: into the state that they were shown, and none between two that they saw as one. Those that
 * come to have one name are one move.
 */
function movesWithout(lifecycle: Lifecycle, name: string, shown: (state: string) => string): readonly Move[] {
  const moves = new Map<string, Move>();
  for (const move of lifecycle.moves) {
    const seen = moveAsShown(move, name, shown);
    if (seen === undefined) continue;
    const before = moves.get(moveName(seen))?.triggers ?? [];
    moves.set(moveName(seen), { ...seen, triggers: [...before, ...seen.triggers] });
  }
  return [...moves.values()];
}

function moveAsShown(move: Move, name: string, shown: (state: string) => string): Move | undefined {
  const { from, to, triggers } = move;
  if (to !== name && (from === "any" || !from.includes(name))) return move;
  const starts = from === "any" ? from : [...new Set(from.map(shown))];
  const target = shown(to);
  const stays = starts !== "any" && starts.length === 1 && starts[0] === target;
  // What only time or an event did between the two was not to be seen; an operation could be called all the same.
  const left = stays ? triggers.filter(({ on }) => on.kind === "by") : triggers;
  return left.length === 0 ? undefined : { from: starts, to: target, triggers: left };
}
