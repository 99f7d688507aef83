/**
 * Derives the meaning of an endpoint from its method and path, unless `of` and `does` declare it: its resource, its action,
 * the record, and the record's parents (language, section 7).
 *
 *     /parcels                        the collection            GET lists, POST creates
 *     /parcels/{id}                   one record                GET reads, PATCH updates, PUT replaces, DELETE deletes
 *     /parcels/{id}/collect           an action on the record   POST moves, GET reads
 *     /parcels/{id}:collect           the same
 *     /parcels/{id}/photo             a file of the record      GET returns its bytes, PUT replaces them
 *     /parcels/{id}/history           the record's transitions  GET returns them, if the resource has states
 *     /parcels/overdue                a part of the collection  GET lists; with `group` it summarises
 *     /lockers/{id}/parcels…          the same below a parent   the path identifies the parent
 *
 * The collection is the last segment that is the plural of a resource, in kebab-case, snake_case or camelCase. A parameter
 * names a unique field of its resource, or the resource itself (`{parcel}`, `{parcelId}`, `{parcel_id}`, and for
 * ServiceInstance also `{instance_id}`: the id). An operation that triggers a transition (`by` in part 3) is a move, whatever
 * its method.
 *
 * A field that is unique only together with the reference to the parent names a record below that parent:
 * `/sites/{id}/lockers/{door}`. The reference may also be the first of two parameters: `/repos/{owner}/{name}`, or
 * `/repos/{owner.login}/{name}` by a unique field of the owner. Fields that are only together unique name a record by as many
 * parameters: `/prices/{product}/{currency}`.
 *
 * Parameters before the collection that name no record name plain fields of its records: `/orgs/{org}/secrets/{name}` with
 * `unique org + name`. A creation takes their values from the path, and a list has only the records with these values.
 *
 * With `the`, no part of the path identifies the record, and the whole path is the collection. With `of`, a collection may
 * have any name or none: a parent's parameter then means the one resource that the record refers to and that has such a unique
 * field.
 */
import { camelCase, kebabCase, plural, snakeCase, withArticle } from "../../base/case.ts";
import type { Model } from "../model.ts";
import { onceForModel } from "../analysis/per-model.ts";
import {
  bareType,
  fieldsOf,
  isUnique,
  isUniqueTogether,
  lifecycleOf,
  lookup,
  referenceOf,
  referencesTo,
} from "../resources/fields.ts";
import { loginsOf, sessionEndpoint } from "../authentication/login.ts";
import {
  type Action,
  type Endpoint,
  type Endpoints,
  type ResolvedPath,
  type PathParent,
  type PathPart,
  listingActions,
  sessionActions,
} from "./model.ts";

export type PathSegment =
  | { readonly kind: "literal"; readonly text: string }
  /** `{id}`, or a parameter with fixed text around it: `{id}.json`, `{id}:close`. */
  | { readonly kind: "parameter"; readonly name: string; readonly before?: string; readonly after?: string };

/**
 * Actions on records. `clear` deletes all matching records; `link` and `unlink` create and delete a record of another
 * resource.
 */
export type ResourceAction = Exclude<Action, "handler" | "none"> | "clear" | "link" | "unlink";

/** Whether no action of Nonet performs the operation: a handler performs it, or with `does: none` the service answers 501. */
export function isFree({ does }: Pick<Endpoint, "does">): boolean {
  return does === "handler" || does === "none";
}

/** Returns the `does` value for an action that the path does not imply; undefined for actions that other members declare. */
export function doesOf(action: ResourceAction): Action | undefined {
  if (action === "link" || action === "unlink") return undefined;
  return action === "clear" ? "delete" : action;
}

export interface ResourceEndpoint extends ResolvedPath {
  readonly kind: "resource";
  readonly operation: string;
  readonly endpoint: Endpoint;
  readonly action: ResourceAction;
  readonly resource: string;
  readonly segments: readonly PathSegment[];
  /** The field with the file that a read returns and an update replaces. */
  readonly file?: string;
}

/**
 * An operation without a resource: a `read` that aggregates over the whole service, or a handler, also one that the service
 * only describes (`does: none`).
 */
export interface FreeEndpoint extends ResolvedPath {
  readonly kind: "free";
  readonly operation: string;
  readonly endpoint: Endpoint;
  readonly action: "handler" | "read";
  /** The resource of a handler. The path identifies the record and its parents as for other operations. */
  readonly resource?: string;
  readonly segments: readonly PathSegment[];
}

export interface UnclearEndpoint {
  readonly kind: "unclear";
  readonly operation: string;
  readonly endpoint: Endpoint;
  /**
   * The unclear element: the resource, the action, a parameter's field, a parent's relation to the record, or the login's
   * credential.
   */
  readonly what: "resource" | "deed" | "key" | "parent" | "login";
  /** One sentence that names the unclear part. */
  readonly message: string;
}

export type ResolvedEndpoint = ResourceEndpoint | FreeEndpoint | UnclearEndpoint;

/** Returns the meaning of an operation's endpoint; undefined if the operation has no endpoint. */
export function resolveEndpoint(model: Model, operation: string): ResolvedEndpoint | undefined {
  return resolutionsOf(model).byOperation.get(operation);
}

/** Returns the resource whose records an operation creates, changes or deletes, and that its own events are about. */
export function subjectOf(resolved: Exclude<ResolvedEndpoint, UnclearEndpoint>): string | undefined {
  const { link, unlink } = resolved.endpoint;
  return (resolved.kind === "resource" ? (link ?? unlink)?.in : undefined) ?? resolved.resource;
}

/** Whether the operation is about one record that already exists. */
export function hasRecord({ action }: ResourceEndpoint): boolean {
  return action !== "create" && action !== "clear" && !listingActions.has(action);
}

/** Returns the endpoints that are about a resource, in the document's order; with `resource`, only those of this resource. */
export function resourceEndpoints(model: Model, resource?: string): readonly ResourceEndpoint[] {
  const { ofResources, byResource } = resolutionsOf(model);
  return resource === undefined ? ofResources : (byResource.get(resource) ?? []);
}

interface Resolutions {
  readonly byOperation: ReadonlyMap<string, ResolvedEndpoint>;
  readonly ofResources: readonly ResourceEndpoint[];
  readonly byResource: ReadonlyMap<string, readonly ResourceEndpoint[]>;
}

const resolutionsOf = onceForModel((model): Resolutions => {
  const plurals = pluralsOf(model);
  const operations = Object.entries(model.endpoints.endpoints);
  const byOperation = new Map(
    operations.map(([operation, endpoint]) => [operation, resolveIn(model, plurals, operation, endpoint)]),
  );
  const ofResources = [...byOperation.values()].filter((resolved) => resolved.kind === "resource");
  return { byOperation, ofResources, byResource: Map.groupBy(ofResources, ({ resource }) => resource) };
});

function resolveIn(
  model: Model,
  plurals: ReadonlyMap<string, string>,
  operation: string,
  endpoint: Endpoint,
): ResolvedEndpoint {
  const written = pathSegments(endpoint.path);
  // A trailing slash does not change the meaning of a path.
  const segments = isSlash(written.at(-1)) ? written.slice(0, -1) : written;
  const unclear = (what: UnclearEndpoint["what"], message: string): UnclearEndpoint => {
    return { kind: "unclear", operation, endpoint, what, message };
  };
  const collections = segments.map((segment) => (segment.kind === "literal" ? plurals.get(segment.text) : undefined));
  const resource = endpoint.of ?? collections.findLast((name) => name !== undefined);
  const { does } = endpoint;
  if (does !== undefined && sessionActions.has(does)) {
    return (
      resolveSession(model, operation, endpoint, collections, written) ??
      unclear("login", loginDescription(model, operation))
    );
  }
  if (does === "handler" || does === "none") {
    const about = resource === undefined ? {} : { resource };
    const named = endpoint.meant ?? recordNamed(model, resource, segments, collections, endpoint.of !== undefined);
    return { kind: "free", operation, endpoint, action: "handler", segments: written, ...about, ...named };
  }
  if (isAggregateRead(endpoint, segments, resource)) {
    return { kind: "free", operation, endpoint, action: "read", segments: written, ...noRecord };
  }
  if (resource === undefined || lookup(model.resources.resources, resource) === undefined) {
    return unclear("resource", `\`${endpoint.path}\` does not determine the resource of \`${operation}\``);
  }
  const single = endpoint.the !== undefined;
  const { meant } = endpoint;
  const anchor =
    meant?.anchor ?? anchorOf(model, segments, collections, resource, { single, list: endpoint.does === "list" });
  const scope = single ? undefined : scopeOf(model, resource, segments.slice(anchor + 1));
  const first = anchor + (scope === undefined ? 1 : 2);
  const before = segments.slice(0, Math.max(anchor, 0));
  const parents =
    meant?.parents ?? parentsOf(model, resource, { before, collections, scope }, endpoint.of !== undefined);
  const reference = typeof parents === "string" ? undefined : parents.at(-1)?.field;
  const pathFields =
    meant === undefined
      ? parents.length === 0
        ? pathFieldsOf(model, resource, before, collections)
        : []
      : (meant.pathFields ?? []);
  const count = single
    ? 0
    : meant === undefined
      ? countBefore(model, resource, segments.slice(first), reference, pathFields)
      : (meant.key?.before?.length ?? 0);
  const rest = segments.slice(first + count);
  const hasStates = lifecycleOf(model, resource) !== undefined;
  const moves = hasTransition(model, resource, operation);
  const listed = actionOf(endpoint, rest, moves, hasStates, single);
  const resolved = listed === "list" && endpoint.group !== undefined ? "summary" : listed;
  const key = single
    ? undefined
    : meant === undefined
      ? keyOf(model, resource, segments.slice(first), { declared: endpoint.of !== undefined, reference, pathFields })
      : meant.key;
  const declared = does === "delete" && rest.every(({ kind }) => kind === "literal") && !single ? "clear" : does;
  const file = declared === undefined && !single ? fileOf(model, resource, endpoint, rest) : undefined;
  const action = linkAction(endpoint) ?? declared ?? file?.action ?? resolved;
  const [parameter, other] = rest.flatMap((segment) => (segment.kind === "parameter" ? [segment.name] : []));
  if (parameter !== undefined && other !== undefined && columnOf(model, resource, parameter) !== undefined)
    return unclear("key", `\`{${other}}\` names no record: \`{${parameter}}\` names the ${resource} already`);
  if (action === undefined) {
    return unclear("deed", `\`${endpoint.method} ${endpoint.path}\` does not determine what \`${operation}\` does`);
  }
  if (action === "history" && !hasStates)
    return unclear("deed", `${withArticle(resource)} has no states, so it has no history`);
  const isCollection = action === "create" || action === "clear" || listingActions.has(action);
  const displaced = (why: string): UnclearEndpoint => unclear("key", `\`{${parameter}}\` ${why}`);
  if (parameter !== undefined && single) return displaced("cannot use `the`, because its path names the record");
  if (parameter !== undefined && isCollection) {
    const isKey = does === undefined && endpoint.of === undefined && columnOf(model, resource, parameter) !== undefined;
    return displaced(
      isKey
        ? `does not directly follow the collection of ${resource}`
        : `cannot be in the path of ${withArticle(action)}`,
    );
  }
  if (!single && !isCollection && key === undefined) {
    const together = [parameter, other].flatMap((name) => (name === undefined ? [] : [name]));
    if (together.length === 2 && together.every((name) => lookup(fieldsOf(model, resource), name) !== undefined))
      return displaced(
        `and \`{${other}}\` name no ${resource}: no rule \`unique ${together.join(" + ")}\` declares it`,
      );
    if (parameter !== undefined) return displaced(`is not a unique field of ${resource}`);
    return unclear("key", `no part of \`${endpoint.path}\` names one ${resource}`);
  }
  if (typeof parents === "string") return unclear("parent", parents);
  return {
    kind: "resource",
    operation,
    endpoint,
    action,
    resource,
    segments: written,
    anchor,
    ...(key === undefined || isCollection ? {} : { key }),
    parents,
    ...(pathFields.length === 0 || !isCollection ? {} : { pathFields }),
    ...(file === undefined ? {} : { file: file.field }),
  };
}

const noRecord: ResolvedPath = { anchor: -1, parents: [] };

/** Returns the record in a handler's path; the function itself reads parameters that identify no record. */
function recordNamed(
  model: Model,
  resource: string | undefined,
  segments: readonly PathSegment[],
  collections: readonly (string | undefined)[],
  declared: boolean,
): ResolvedPath {
  if (resource === undefined || lookup(model.resources.resources, resource) === undefined) return noRecord;
  const anchor = anchorOf(model, segments, collections, resource, { single: false, list: false });
  const scope = scopeOf(model, resource, segments.slice(anchor + 1));
  const before = segments.slice(0, Math.max(anchor, 0));
  const named = parentsOf(model, resource, { before, collections, scope }, declared);
  const parents = typeof named === "string" ? [] : named;
  const rest = segments.slice(anchor + (scope === undefined ? 1 : 2));
  const pathFields =
    parents.length === 0 && typeof named !== "string" ? pathFieldsOf(model, resource, before, collections) : [];
  const key = keyOf(model, resource, rest, { declared, reference: parents.at(-1)?.field, pathFields });
  return { anchor, ...(key === undefined ? {} : { key }), parents };
}

/** Resolves a login, renewal or logout: it is about the records of the one `password` credential that matches. */
function resolveSession(
  model: Model,
  operation: string,
  endpoint: Endpoint,
  collections: readonly (string | undefined)[],
  segments: readonly PathSegment[],
): ResourceEndpoint | undefined {
  const logins = loginsOf(model);
  const declared = endpoint.of ?? collections.findLast((name) => logins.some(({ resource }) => resource === name));
  const [login, ...others] = declared === undefined ? logins : logins.filter(({ resource }) => resource === declared);
  if (login === undefined || others.length > 0) return undefined;
  if (lookup(model.resources.resources, login.resource) === undefined) return undefined;
  return {
    kind: "resource",
    operation,
    endpoint: sessionEndpoint(model, endpoint, login),
    action: endpoint.does as ResourceEndpoint["action"],
    resource: login.resource,
    segments,
    ...noRecord,
  };
}

function loginDescription(model: Model, operation: string): string {
  const names = loginsOf(model).map(({ credential }) => `\`${credential}\``);
  if (names.length === 0) return `there is no \`password\` credential for \`${operation}\``;
  return `\`${operation}\` needs \`with\` and one of these credentials: ${names.join(", ")}`;
}

/**
 * Whether the endpoint is a GET that reads no record and whose `gives` computes the response; next to a collection it needs
 * `does: read`.
 */
function isAggregateRead(
  { method, gives, does, of }: Endpoint,
  segments: readonly PathSegment[],
  resource: string | undefined,
): boolean {
  const shaped = typeof gives === "object" && segments.every(({ kind }) => kind === "literal");
  return (
    method === "GET" && shaped && of === undefined && (resource === undefined ? does === undefined : does === "read")
  );
}

/** Splits a path into segments. A slash at the end is a last segment without text. */
export function pathSegments(path: string): readonly PathSegment[] {
  const parts = path.split("/").filter((part) => part !== "");
  return (parts.length > 0 && path.endsWith("/") ? [...parts, ""] : parts).map((part) => {
    const [, before = "", name, after = ""] = /^([^{}]*)\{([^{}]+)\}([^{}]*)$/.exec(part) ?? [];
    if (name === undefined) return { kind: "literal", text: part };
    return { kind: "parameter", name, ...(before === "" ? {} : { before }), ...(after === "" ? {} : { after }) };
  });
}

/** Returns the segment as a path has it: with `valueOf` in place of its parameter; by default `{name}`. */
export function segmentText(segment: PathSegment, valueOf: (name: string) => string = (name) => `{${name}}`): string {
  if (segment.kind === "literal") return segment.text;
  return `${segment.before ?? ""}${valueOf(segment.name)}${segment.after ?? ""}`;
}

/** Returns the segment with an unnamed parameter: `{}.json`. */
export function segmentShape(segment: PathSegment): string {
  return segmentText(segment, () => "{}");
}

function isSlash(segment: PathSegment | undefined): boolean {
  return segment?.kind === "literal" && segment.text === "";
}

/** Whether the operation creates records by a POST: the transitions that name it begin with a new record. */
export function isCreation(resolved: ResolvedEndpoint | undefined): boolean {
  return resolved?.kind === "resource" && resolved.action === "create";
}

/** Whether a transition of the resource is triggered `by` this operation. */
export function hasTransition(model: Model, resource: string, operation: string): boolean {
  const moves = lifecycleOf(model, resource)?.moves ?? [];
  return moves.some((transition) =>
    transition.triggers.some(({ on }) => on.kind === "by" && on.operation === operation),
  );
}

/** Returns the resource of each segment that names a collection. */
function pluralsOf(model: Model): ReadonlyMap<string, string> {
  const plurals = new Map<string, string>();
  for (const resource of Object.keys(model.resources.resources)) {
    for (const write of [kebabCase, snakeCase, camelCase]) plurals.set(write(plural(resource)), resource);
  }
  return plurals;
}

/** Returns the index of the segment after which the path identifies the record; -1 if the path starts with the parameter. */
function anchorOf(
  model: Model,
  segments: readonly PathSegment[],
  collections: readonly (string | undefined)[],
  resource: string,
  { single, list }: { readonly single: boolean; readonly list: boolean },
): number {
  const collection = collections.lastIndexOf(resource);
  if (collection >= 0) return collection;
  // A declared list below a record of any path: its own segment is the last one.
  if (single || (list && segments.at(-1)?.kind === "literal")) return segments.length - 1;
  const parameter = segments.findLastIndex((segment) => segment.kind === "parameter");
  const start = segments.findLastIndex((segment, at) => at < parameter && !isOnlyParameter(segment)) + 1;
  if (start < parameter && countBefore(model, resource, segments.slice(start), undefined) > 0) return start - 1;
  // Parameters that are fields of the records, and that name none of them, are before the collection.
  const before = segments.slice(0, -1);
  if (
    segments.at(-1)?.kind === "literal" &&
    (isBeforeCollection(model, resource, segments, collections) ||
      isBelowReferred(model, resource, before, collections))
  )
    return segments.length - 1;
  const belowAnother = parameter > 0 && collections[parameter - 1] !== undefined;
  return parameter < 0 || (belowAnother && parameter < segments.length - 1) ? segments.length - 1 : parameter - 1;
}

function actionOf(
  { method }: Endpoint,
  rest: readonly PathSegment[],
  moves: boolean,
  hasStates: boolean,
  single: boolean,
): Exclude<ResourceAction, "link" | "unlink"> | undefined {
  if (single) return moves && method !== "GET" ? "move" : actionOnOne(method);
  const [first, ...more] = rest;
  if (first?.kind !== "parameter") {
    if (method === "GET") return "list";
    if (method === "DELETE") return "clear";
    return method === "POST" && rest.length === 0 ? "create" : undefined;
  }
  if (moves && method !== "GET") return "move";
  const [last] = more.slice(-1);
  if (method === "GET") return hasStates && last?.kind === "literal" && last.text === "history" ? "history" : "read";
  if (more.length > 0) return method === "POST" ? "move" : undefined;
  // `POST /parcels/{id}:collect` is a move.
  return method === "POST" && first.after !== undefined ? "move" : actionOnOne(method);
}

function actionOnOne(method: string): "read" | "update" | "replace" | "delete" | undefined {
  return ({ GET: "read", PATCH: "update", PUT: "replace", DELETE: "delete" } as const)[method];
}

function linkAction({ link, unlink }: Endpoint): "link" | "unlink" | undefined {
  if (link !== undefined) return "link";
  return unlink === undefined ? undefined : "unlink";
}

/** Returns the file field that a path reads or replaces: `photo` in `GET` and `PUT /xs/{id}/photo`. */
function fileOf(
  model: Model,
  resource: string,
  { method }: Endpoint,
  [key, last, ...more]: readonly PathSegment[],
): { readonly field: string; readonly action: "read" | "update" } | undefined {
  const action = method === "GET" ? "read" : method === "PUT" ? "update" : undefined;
  if (action === undefined || key?.kind !== "parameter" || last?.kind !== "literal" || more.length > 0)
    return undefined;
  const found = Object.entries(fieldsOf(model, resource)).find(([name, { type }]) => {
    return bareType(type).kind === "file" && [name, kebabCase(name)].includes(last.text);
  });
  return found === undefined ? undefined : { field: found[0], action };
}

/**
 * Returns the parent that the first of two parameters names, as `{owner}` in `/repos/{owner}/{name}`: a reference of the
 * record, by the other record's id, or as `{owner.login}` by one of its unique fields.
 */
function scopeOf(model: Model, resource: string, [first, second]: readonly PathSegment[]): PathParent | undefined {
  if (first?.kind !== "parameter" || second?.kind !== "parameter") return undefined;
  const [field = "", named = "id", ...more] = first.name.split(".");
  const reference = lookup(fieldsOf(model, resource), field);
  const target = reference && referenceOf(model, reference.type);
  if (target === undefined || more.length > 0 || columnOf(model, target, named) === undefined) return undefined;
  return { parameter: first.name, resource: target, column: named, field };
}

/**
 * Returns how many parameters before another one name the record together with it, as `{product}` in
 * `/prices/{product}/{currency}`: their fields are unique together, or below the last parent. 0: none.
 */
function countBefore(
  model: Model,
  resource: string,
  rest: readonly PathSegment[],
  reference: string | undefined,
  pathFields: readonly PathPart[] = [],
): number {
  const above = pathFields.map(({ column }) => column);
  const end = rest.findIndex((segment) => !isOnlyParameter(segment));
  const names = rest
    .slice(0, end < 0 ? rest.length : end + 1)
    .flatMap((one) => (one.kind === "parameter" ? [one.name] : []));
  const isKey = (some: readonly string[]): boolean =>
    isUniqueTogether(model, resource, [...above, ...some]) ||
    (reference !== undefined && isUniqueTogether(model, resource, [...some, reference]));
  const [first] = names;
  if (first === undefined || columnOf(model, resource, first) !== undefined) return 0;
  const length = names.findIndex((_, index) => index > 0 && isKey(names.slice(0, index + 1)));
  return Math.max(length, 0);
}

/** Whether the segment is a parameter without text around it. */
function isOnlyParameter(segment: PathSegment): boolean {
  return segment.kind === "parameter" && segment.before === undefined && segment.after === undefined;
}

/**
 * Returns the path parameters that identify the record. `declared`: whether the endpoint declares its resource with `of`.
 * `reference`: the field that refers to the last parent. `pathFields`: the fields of the record before its collection.
 */
function keyOf(
  model: Model,
  resource: string,
  rest: readonly PathSegment[],
  {
    declared,
    reference,
    pathFields,
  }: {
    readonly declared: boolean;
    readonly reference: string | undefined;
    readonly pathFields: readonly PathPart[];
  },
): ResourceEndpoint["key"] {
  const count = countBefore(model, resource, rest, reference, pathFields);
  const above = pathFields.map(({ column }) => column);
  const [first, ...more] = rest.slice(count);
  if (first?.kind !== "parameter" || more.some((segment) => segment.kind === "parameter")) return undefined;
  if (count > 0) {
    const before = rest.slice(0, count).flatMap((one) => (one.kind === "parameter" ? [asPart(one.name)] : []));
    const names = [...above, ...before.map(({ column }) => column), first.name];
    const isScoped = !isUniqueTogether(model, resource, names);
    return { ...asPart(first.name), before: [...pathFields, ...before], ...(isScoped ? { scoped: true } : {}) };
  }
  const column = columnOf(model, resource, first.name) ?? (declared ? idOf(model, resource, first.name) : undefined);
  const prefix = pathFields.length === 0 ? {} : { before: pathFields };
  if (column !== undefined) return { parameter: first.name, column, ...prefix };
  if (pathFields.length > 0 && isUniqueTogether(model, resource, [...above, first.name]))
    return { ...asPart(first.name), ...prefix };
  return reference !== undefined && isUniqueTogether(model, resource, [first.name, reference])
    ? { ...asPart(first.name), scoped: true }
    : undefined;
}

function asPart(name: string): PathPart {
  return { parameter: name, column: name };
}

/** Returns the unique field that a path parameter identifies. */
function columnOf(model: Model, resource: string, parameter: string): string | undefined {
  if (lookup(fieldsOf(model, resource), parameter) !== undefined) {
    return isUnique(model, resource, parameter) ? parameter : undefined;
  }
  const words = snakeCase(resource).split("_");
  // For ServiceInstance, these are also `{instance_id}` and `{instanceId}`.
  const names = words.map((_, index) => words.slice(index).join("_"));
  const candidates = [names[0], camelCase(names[0] ?? ""), "id"];
  const ids = names.flatMap((name) => [`${name}_id`, camelCase(`${name}_id`)]);
  return [...candidates, ...ids].includes(parameter) ? "id" : undefined;
}

/** Returns the id field for a parameter that ends in `_id` or `Id`, whatever its prefix. Applies only with `of`. */
function idOf(model: Model, resource: string, parameter: string): string | undefined {
  const named = lookup(fieldsOf(model, resource), parameter) === undefined && /(?:_id|[a-z]Id)$/.test(parameter);
  const others = Object.keys(model.resources.resources).filter((name) => name !== resource);
  return named && others.every((name) => columnOf(model, name, parameter) === undefined) ? "id" : undefined;
}

/** The segments before the collection of a record, and the parent that follows the collection. */
interface BeforeRecord {
  readonly before: readonly PathSegment[];
  readonly collections: readonly (string | undefined)[];
  readonly scope?: PathParent | undefined;
}

/**
 * Returns the parents of `child` in the path, outermost first, or a sentence about the parent that is unclear. Without parents,
 * parameters name fields of `child` itself.
 */
function parentsOf(model: Model, child: string, path: BeforeRecord, declared: boolean): readonly PathParent[] | string {
  const named = namedParents(model, child, path, declared);
  return typeof named === "string" && pathFieldsOf(model, child, path.before, path.collections).length > 0 ? [] : named;
}

/**
 * Returns the parameters before a collection, if each is a plain field that every one of its records has, and no other resource
 * is in the path; else none.
 */
function pathFieldsOf(
  model: Model,
  resource: string,
  before: readonly PathSegment[],
  collections: readonly (string | undefined)[],
): readonly PathPart[] {
  const last = before.findLastIndex(({ kind }) => kind === "parameter");
  if (collections.slice(0, Math.max(last, 0)).some((name) => name !== undefined)) return [];
  const names = before.flatMap((segment) => (segment.kind === "parameter" ? [segment.name] : []));
  return names.every((name) => isPlainField(model, resource, name)) ? names.map(asPart) : [];
}

function isBeforeCollection(
  model: Model,
  resource: string,
  segments: readonly PathSegment[],
  collections: readonly (string | undefined)[],
): boolean {
  const pathFields = pathFieldsOf(model, resource, segments, collections);
  return pathFields.length > 0 && pathFields.every(({ column }) => !isUnique(model, resource, column));
}

/** Whether the last parameter names a record that those of the resource refer to, and none of the resource. */
function isBelowReferred(
  model: Model,
  resource: string,
  before: readonly PathSegment[],
  collections: readonly (string | undefined)[],
): boolean {
  const segment = before.findLast(({ kind }) => kind === "parameter");
  if (segment?.kind !== "parameter" || columnOf(model, resource, segment.name) !== undefined) return false;
  return referredBy(model, resource, before, collections) !== undefined;
}

function isPlainField(model: Model, resource: string, name: string): boolean {
  const field = lookup(fieldsOf(model, resource), name);
  if (field === undefined || field.optional || field.computed !== undefined) return false;
  return field.type.kind === "one-of" || (field.type.kind === "scalar" && plainTypes.has(field.type.name));
}

/** The types whose values a path has as JSON does. */
const plainTypes: ReadonlySet<string> = new Set(["string", "integer", "uuid", "date", "country", "currency", "user"]);

function namedParents(
  model: Model,
  child: string,
  { before, collections, scope }: BeforeRecord,
  declared: boolean,
): readonly PathParent[] | string {
  const index = before.findLastIndex(({ kind }) => kind === "parameter");
  const segment = before[index];
  if (segment?.kind !== "parameter") return scope === undefined ? [] : [scope];
  const { name } = segment;
  const unnamed = `\`{${name}}\` names no record by a unique field`;
  // A reference of the record itself is its outermost parent.
  if (scope !== undefined) return unnamed;
  const start = before.findLastIndex((one, at) => at < index && one.kind !== "parameter") + 1;
  const owner = collections[start - 1];
  const above = owner === undefined ? undefined : scopeOf(model, owner, before.slice(start, index + 1));
  const outerOf = (parent: string, end: number) =>
    parentsOf(model, parent, { before: before.slice(0, end), collections, scope: above }, declared);
  const ownersParents = owner === undefined ? [] : outerOf(owner, start);
  const run = before.slice(above === undefined ? start : start + 1, index + 1);
  const isOwner =
    owner !== undefined && (run.length === 1 || above !== undefined || areTogether(model, owner, run, ownersParents));
  const parent = isOwner ? owner : declared ? referredBy(model, child, before, collections) : undefined;
  if (parent === undefined) return unnamed;
  const outerParents = isOwner ? ownersParents : outerOf(parent, index);
  if (typeof outerParents === "string") return outerParents;
  const pathFields =
    outerParents.length === 0 ? pathFieldsOf(model, parent, before.slice(0, isOwner ? start : index), collections) : [];
  const key = keyOf(model, parent, isOwner ? run : [segment], {
    declared: false,
    reference: outerParents.at(-1)?.field,
    pathFields,
  });
  if (key === undefined) return unnamed;
  const field = fieldTo(model, child, parent, name);
  if (field === undefined) return `it is unclear which field of ${child} refers to the ${parent} of \`{${name}}\``;
  return [...outerParents, { ...key, resource: parent, field }];
}

/** Whether the parameters together name one record below these parents. */
function areTogether(
  model: Model,
  resource: string,
  run: readonly PathSegment[],
  parents: readonly PathParent[] | string,
): boolean {
  const reference = typeof parents === "string" ? undefined : parents.at(-1)?.field;
  return countBefore(model, resource, run, reference) > 0;
}

/**
 * Returns the one resource that the record refers to and that the last parameter names: by a unique field, or by one that is
 * unique together with the fields of the parameters before it.
 */
function referredBy(
  model: Model,
  child: string,
  before: readonly PathSegment[],
  collections: readonly (string | undefined)[],
): string | undefined {
  const index = before.findLastIndex(({ kind }) => kind === "parameter");
  const segment = before[index];
  if (segment?.kind !== "parameter") return undefined;
  const { name } = segment;
  const targets = Object.values(fieldsOf(model, child)).flatMap(({ type }) => referenceOf(model, type) ?? []);
  const fitting = [...new Set(targets)].filter((target) => {
    if (columnOf(model, target, name) !== undefined) return true;
    const above = pathFieldsOf(model, target, before.slice(0, index), collections).map(({ column }) => column);
    return above.length > 0 && isUniqueTogether(model, target, [...above, name]);
  });
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** Returns the one field that refers to the parent; of several, the one with the parent's or the parameter's name. */
function fieldTo(model: Model, child: string, parent: string, parameter: string): string | undefined {
  const fields = referencesTo(model, child, parent);
  if (fields.length <= 1) return fields[0];
  return [parameter, camelCase(parent)].find((name) => fields.includes(name));
}

type Style = "lists" | "requests" | "expand" | "fields" | "edits" | "repeats";

/** Returns a style that the endpoint declares, else that of part 4. */
export function styleOf<Key extends Style>(
  endpoints: Endpoints,
  endpoint: Pick<Endpoint, Style> | undefined,
  key: Key,
): Endpoints[Key] {
  return (endpoint?.[key] as Endpoints[Key]) ?? endpoints[key];
}
