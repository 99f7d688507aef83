/** Renames something throughout a model: a resource, a type, an operation, a member of one of them, an event, an error. */
import { kebabCase } from "../../base/case.ts";
import { typeExpressions } from "../analysis/expressions.ts";
import { mapReferences } from "../analysis/references.ts";
import {
  type Endpoint,
  mapParts,
  partsOf,
  type PathKey,
  type PathPart,
  type ResolvedPath,
} from "../endpoints/model.ts";
import { doesOf, type ResolvedEndpoint, resolveEndpoint, type UnclearEndpoint } from "../endpoints/resolve.ts";
import type { ReferenceKind } from "../grammar/references.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";

type Named<Value> = Readonly<Record<string, Value>>;

/** Renames `from` to `to`, whichever kind of name it is. */
export function renamed(model: Model, from: string, to: string): Model {
  const { resources, types } = model.resources;
  if (lookup(resources, from) !== undefined) return renamedResource(model, from, to);
  const kind = lookup(types, from) === undefined ? "operation" : "type";
  return withName(model, kind, from, to);
}

export function withName(model: Model, kind: ReferenceKind, from: string, to: string, typed?: Typed): Model {
  return mapReferences(model, ({ kinds, name }) => (name === from && kinds.includes(kind) ? to : name), typed);
}

type Typed = ReturnType<typeof typeExpressions>["typed"];

/** Returns the typed expressions of a model, without those of its version entries. */
export function typedIn(model: Model): Typed {
  return typeExpressions({ ...model, versioning: {} }).typed;
}

/** A renamed field of a resource or type, or a renamed member of an operation's input or response. */
export interface MemberName {
  readonly of: string;
  readonly from: string;
  readonly to: string;
}

/** Renames members, all at once so that two members may exchange their names. */
export function renamedMembers(model: Model, members: readonly MemberName[]): Model {
  const names = new Map(
    [...Map.groupBy(members, ({ of }) => of)].map(
      ([of, some]) => [of, new Map(some.map(({ from, to }) => [from, to]))] as const,
    ),
  );
  const isExpressed = ({ of }: MemberName): boolean =>
    lookup(model.resources.resources, of) !== undefined || lookup(model.endpoints.endpoints, of)?.takes !== undefined;
  const changed = mapReferences(
    model,
    ({ kinds, name, of }) =>
      kinds.includes("field") || kinds.includes("member") ? nameIn(namesOf(names, of), name) : name,
    members.some(isExpressed) ? typedIn(model) : undefined,
  );
  const withPaths = withEndpoints(changed, (endpoint, operation) => {
    const parameters = parametersIn(model, operation, names);
    const resolved = resolveEndpoint(model, operation);
    const path = endpoint.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => `{${nameIn(parameters, name)}}`);
    const file = resolved?.kind === "resource" ? resolved.file : undefined;
    return { ...endpoint, path: filePath(path, file, namesOf(names, resourceOf(resolved))) };
  });
  return withResolutions(withPaths, model, (resolved) => membersMeant(model, resolved, names));
}

/** For each owner, the new names by current names. */
type MemberNames = ReadonlyMap<string, Names>;
type Names = ReadonlyMap<string, string>;

const noNames: Names = new Map();

function namesOf(names: MemberNames, of: string | undefined): Names {
  return (of === undefined ? undefined : names.get(of)) ?? noNames;
}

function nameIn(names: Names, name: string): string {
  return names.get(name) ?? name;
}

type Meant = Exclude<ResolvedEndpoint, UnclearEndpoint>;

function resourceOf(resolved: ResolvedEndpoint | undefined): string | undefined {
  return resolved === undefined || resolved.kind === "unclear" ? undefined : resolved.resource;
}

/** Returns the new names of path parameters that identify records by renamed fields. */
function parametersIn(model: Model, operation: string, members: MemberNames): Names {
  const resolved = resolveEndpoint(model, operation);
  if (resolved === undefined || resolved.kind === "unclear") return noNames;
  const { key, parents, resource, pathFields = [] } = resolved;
  const named = [
    ...pathFields.map((part) => ({ ...part, resource })),
    ...[...(key === undefined ? [] : [{ ...key, resource }]), ...parents].flatMap((one) =>
      partsOf(one).map((part) => ({ ...part, resource: one.resource })),
    ),
  ];
  const changed = named.filter(({ parameter, column }) => parameter === column);
  return new Map(changed.map(({ column, resource: of }) => [column, nameIn(namesOf(members, of), column)]));
}

/** Returns the resolved path with the new names of members. */
function membersMeant(model: Model, resolved: Meant, names: MemberNames): ResolvedPath {
  const { anchor, key, parents, resource, pathFields } = resolved;
  const parameters = parametersIn(model, resolved.operation, names);
  const partIn = ({ column, parameter }: PathPart, of: string | undefined): PathPart => ({
    parameter: nameIn(parameters, parameter),
    column: nameIn(namesOf(names, of), column),
  });
  const keyIn = <Key extends PathKey>(one: Key, of: string | undefined): Key =>
    mapParts(one, (part) => partIn(part, of));
  return {
    anchor,
    ...(key === undefined
      ? {}
      : {
          key: keyIn(key, resource),
        }),
    ...(pathFields === undefined ? {} : { pathFields: pathFields.map((part) => partIn(part, resource)) }),
    parents: parents.map((parent, index) => ({
      ...keyIn(parent, parent.resource),
      field: nameIn(namesOf(names, parents[index + 1]?.resource ?? resource), parent.field),
    })),
  };
}

/** Adds `of` and `does` to endpoints whose path no longer implies its meaning under the new names. */
function withResolutions(changed: Model, model: Model, meant: (resolved: Meant) => ResolvedPath): Model {
  return withEndpoints(changed, (endpoint, operation) => {
    const resolved = resolveEndpoint(model, operation);
    if (resolved === undefined || resolved.kind === "unclear") return endpoint;
    // The path identifies no record yet; under the older names it may.
    const { key, parents, pathFields } = resolved;
    if (key === undefined && parents.length === 0 && pathFields === undefined) return endpoint;
    const explicit = meant(resolved);
    const resolvedNow = resolveEndpoint(changed, operation);
    return resolvedNow !== undefined && resolvedNow.kind !== "unclear" && isSame(resolvedNow, explicit)
      ? endpoint
      : { ...endpoint, meant: explicit };
  });
}

function isSame(resolvedNow: ResolvedPath, explicit: ResolvedPath): boolean {
  const text = ({ anchor, key, parents, pathFields }: ResolvedPath): string =>
    JSON.stringify([
      anchor,
      pathFields,
      key && partsOf(key),
      parents.map((parent) => [partsOf(parent), parent.resource, parent.field]),
    ]);
  return text(resolvedNow) === text(explicit);
}

/** Returns a path with the new name of a file field, which is its last segment. */
function filePath(path: string, file: string | undefined, fields: Names): string {
  if (file === undefined) return path;
  const to = nameIn(fields, file);
  return path.replace(/[^/]+$/, (last) => (last === file ? to : kebabCase(to)));
}

function renamedResource(model: Model, from: string, to: string): Model {
  const explicit = withExplicitResource(model, from);
  const types = withName(explicit, "resource", from, to, typedIn(explicit));
  return withResolutions(types, model, ({ anchor, key, parents }) => ({
    anchor,
    ...(key === undefined ? {} : { key }),
    parents: parents.map((parent) => ({ ...parent, resource: parent.resource === from ? to : parent.resource })),
  }));
}

/** Adds `of` to the paths of a resource, since its plural in a path no longer matches the new name. */
function withExplicitResource(model: Model, resource: string): Model {
  return withEndpoints(model, (endpoint, operation) => {
    const resolved = resolveEndpoint(model, operation);
    if (resolved?.kind !== "resource" || resolved.resource !== resource) return endpoint;
    const does = doesOf(resolved.action);
    return { ...endpoint, of: resource, ...(does === undefined ? {} : { does }) };
  });
}

// ── Through the model ──────────────────────────────────────────────────────────────────────────────────────────────

export function mapValues<Value, Result>(
  record: Named<Value>,
  edit: (value: Value, name: string) => Result,
): Named<Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, edit(value, name)]));
}

export function withEndpoints(model: Model, edit: (endpoint: Endpoint, operation: string) => Endpoint): Model {
  return { ...model, endpoints: { ...model.endpoints, endpoints: mapValues(model.endpoints.endpoints, edit) } };
}
