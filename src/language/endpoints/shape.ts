/** Resolves `takes` and `gives`: which texts name views, which name the page of a list, and which are expressions. */
import type { Model } from "../model.ts";
import {
  fieldsOf,
  isAroundItself,
  isServerSet,
  lookup,
  nestedView,
  isExpandable,
  isOnRequest,
} from "../resources/fields.ts";
import { maxima } from "../resources/json-schema.ts";
import type { Field, Fields, FieldType, ViewDefinition } from "../resources/model.ts";
import { listStyleOf } from "./list-style.ts";
import { type FreeEndpoint, resolveEndpoint, type ResourceEndpoint } from "./resolve.ts";
import type { Endpoint, ResponseTemplate } from "./model.ts";

// ── Answers ────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Shape =
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Shape>> }
  /** The current record, as visible to the caller or as a view. */
  | { readonly kind: "record"; readonly resource: string }
  | { readonly kind: "view"; readonly view: string }
  /** The page of a list; `of` is the shape of each record. */
  | { readonly kind: "items"; readonly of: Shape }
  | { readonly kind: "count" }
  | { readonly kind: "next" }
  | { readonly kind: "expression"; readonly text: string }
  | { readonly kind: "none" };

/** The shape of a response: the members of each record, and for a list the envelope of its page. */
export interface ResponseShape {
  /** The shape of a record. Absent: the record as the caller sees it. */
  readonly item?: Shape;
  /** The shape of the whole page. Absent: the list style's default page. */
  readonly page?: Shape;
  /** The path of the statement that declares the page. */
  readonly pageAt?: string;
}

export function responseShape(model: Model, resolved: ResourceEndpoint | FreeEndpoint): ResponseShape {
  const { action, endpoint, operation, resource = "" } = resolved;
  const { gives, group } = endpoint;
  // An item of a summary has its groups first.
  if (action === "summary") {
    const item = shapeOf(model, { ...group, ...responseMembers(gives) }, false);
    return { item, ...(group === undefined ? {} : pageOfStyle(model, endpoint, operation, item)) };
  }
  const isList = action === "list";
  const hasMany = isList || batchOf(model, resolved) !== undefined;
  if (hasMany && gives !== undefined && hasItems(model, gives)) {
    const shape = templateShape(model, gives, isList);
    return { item: itemsIn(shape) ?? shape, page: shape, pageAt: `endpoints/endpoints/${operation}/gives` };
  }
  const item = gives === undefined ? undefined : templateShape(model, gives, false);
  const page = isList ? pageOfStyle(model, endpoint, operation, item ?? { kind: "record", resource }) : {};
  return { ...(item === undefined ? {} : { item }), ...page };
}

function templateShape(model: Model, gives: ResponseTemplate, paged: boolean): Shape {
  return gives === "none" ? { kind: "none" } : shapeOf(model, gives, paged);
}

/** Returns the shape of a page that the style of the list declares. */
function pageOfStyle(
  model: Model,
  endpoint: Endpoint,
  operation: string,
  item: Shape,
): Pick<ResponseShape, "page" | "pageAt"> {
  const { gives } = listStyleOf(model, endpoint);
  if (gives === undefined || item.kind === "none") return {};
  const at = endpoint.lists?.gives === undefined ? "endpoints/lists" : `endpoints/endpoints/${operation}/lists`;
  return { page: pageShapeOf(gives, item), pageAt: `${at}/gives` };
}

function pageShapeOf(template: ResponseTemplate, item: Shape): Shape {
  if (template === "items") return { kind: "items", of: item };
  if (template === "count" || template === "next") return { kind: template };
  if (typeof template === "string") return { kind: "expression", text: template };
  const members = Object.entries(template).map(([name, one]) => [name, pageShapeOf(one, item)] as const);
  return { kind: "object", members: Object.fromEntries(members) };
}

/** Resolves a response template. `paged`: it is the envelope of a page, in which `count` and `next` are allowed. */
export function shapeOf(model: Model, template: ResponseTemplate, paged: boolean): Shape {
  if (typeof template !== "string") {
    const members = Object.entries(template).map(([name, one]) => [name, shapeOf(model, one, paged)] as const);
    return { kind: "object", members: Object.fromEntries(members) };
  }
  const items = itemsName(template);
  if (items !== undefined && isNamed(model, items)) return { kind: "items", of: named(model, items) };
  if (isNamed(model, template)) return named(model, template);
  if (paged && (template === "count" || template === "next")) return { kind: template };
  return { kind: "expression", text: template };
}

function named(model: Model, name: string): Shape {
  const isView = lookup(model.resources.views ?? {}, name) !== undefined;
  return isView ? { kind: "view", view: name } : { kind: "record", resource: name };
}

function isNamed({ resources: { resources, views = {} } }: Model, name: string): boolean {
  return lookup(views, name) !== undefined || lookup(resources, name) !== undefined;
}

/** Returns `RecipeOut` for `RecipeOut[]`, and undefined for any other text. */
export function itemsName(template: string): string | undefined {
  return /^([A-Z][A-Za-z0-9]*)\[\]$/.exec(template)?.[1];
}

export function hasItems(model: Model, template: ResponseTemplate): boolean {
  if (typeof template !== "string") return Object.values(template).some((one) => hasItems(model, one));
  const name = itemsName(template);
  return name !== undefined && isNamed(model, name);
}

function itemsIn(shape: Shape): Shape | undefined {
  if (shape.kind === "items") return shape.of;
  if (shape.kind !== "object") return undefined;
  return Object.values(shape.members)
    .map(itemsIn)
    .find((found) => found !== undefined);
}

/** Returns the texts of a response that are expressions over the record, each with its path. */
export function responseExpressions(
  shape: Shape,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  if (shape.kind === "expression") return [{ path, text: shape.text }];
  if (shape.kind !== "object") return [];
  return Object.entries(shape.members).flatMap(([name, inner]) => responseExpressions(inner, [...path, name]));
}

/** Returns a copy of the response with each text edited; `path` is the path of the text. */
export function mapResponseTexts(
  template: ResponseTemplate,
  edit: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): ResponseTemplate {
  if (typeof template === "string") return edit(template, path);
  return Object.fromEntries(
    Object.entries(template).map(([name, inner]) => [name, mapResponseTexts(inner, edit, [...path, name])]),
  );
}

/** Returns the members of a response that is an object, by name. */
export function responseMembers(template: ResponseTemplate | undefined): Readonly<Record<string, ResponseTemplate>> {
  return template === undefined || typeof template === "string" ? {} : template;
}

// ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The body that the document declares with `takes`. */
export interface InputShape {
  readonly fields: Fields;
  /** By field, the names of the objects around it; no entry: the field is at the top level. */
  readonly nesting: Readonly<Record<string, readonly string[]>>;
  /** By field, its name in the body if it is another one. */
  readonly names: Readonly<Record<string, string>>;
}

/** The records that one request creates. */
export interface Batch {
  /** The view of each record in the body; absent: the fields that callers may set. */
  readonly view?: string;
  /** The member of the body with the array; absent: the body is the array. */
  readonly member?: string;
  readonly min: number;
  readonly max: number;
}

/** Returns the array of records of a creation, if its body is one or has one as its only member. */
export function batchOf(model: Model, resolved: ResourceEndpoint | FreeEndpoint): Batch | undefined {
  const { action, endpoint, resource } = resolved;
  if (action !== "create" || resource === undefined) return undefined;
  const { nesting, takes = {}, manyRecords } = endpoint;
  const [[member, field] = [], ...others] = Object.entries(takes);
  const listed = field?.type.kind === "list" ? field.type : undefined;
  const isOnly =
    others.length === 0 && nesting === undefined && field?.optional !== true && field?.default === undefined;
  // A field of the record with this name would be a list of references.
  const isField = member !== undefined && lookup(fieldsOf(model, resource), member) !== undefined;
  const many =
    manyRecords ?? (listed?.of.kind === "named" && isOnly && !isField ? { ...listed, of: listed.of.name } : undefined);
  if (many === undefined) return undefined;
  const view = lookup(model.resources.views ?? {}, many.of);
  if (many.of !== resource && view?.of !== resource) return undefined;
  return {
    ...(view === undefined ? {} : { view: many.of }),
    ...(manyRecords !== undefined || member === undefined ? {} : { member }),
    min: many.min ?? 0,
    max: many.max ?? maxima.list,
  };
}

/** Returns the declared body of an operation; of a creation of many records, that of each record. */
export function inputShapeOf(model: Model, resolved: ResourceEndpoint | FreeEndpoint): InputShape | undefined {
  const batch = batchOf(model, resolved);
  if (batch === undefined) return inputShape(model, resolved.endpoint);
  return batch.view === undefined ? undefined : shapeOfMembers(viewMembers(model, batch.view, [], false));
}

/**
 * Returns what `takes` of an operation declares, like `inputShapeOf`. The body that the action of a session implies does not
 * count.
 */
export function declaredInput(model: Model, operation: string): InputShape | undefined {
  const endpoint = lookup(model.endpoints.endpoints, operation);
  const resolved = resolveEndpoint(model, operation);
  if (endpoint === undefined || resolved === undefined) return undefined;
  return resolved.kind === "unclear" ? inputShape(model, endpoint) : inputShapeOf(model, { ...resolved, endpoint });
}

/** Returns the declared body; undefined if the action determines it. A member whose type is a view has that view's fields. */
export function inputShape(model: Model, endpoint: Endpoint): InputShape | undefined {
  const { takes, manyRecords, takesView, nesting = {}, does, method } = endpoint;
  // A merge patch may omit every member (RFC 7396), so it may omit the objects around them.
  const isPatch = does === "update" || (does === undefined && method === "PATCH");
  if (takesView !== undefined) return shapeOfMembers(viewMembers(model, takesView, [], isPatch));
  const listedView = manyRecords && viewNamed(model, { kind: "named", name: manyRecords.of });
  if (listedView !== undefined) return shapeOfMembers(viewMembers(model, listedView, [], false));
  if (takes === undefined) return undefined;
  if (!Object.values(takes).some(({ type }) => viewNamed(model, type) !== undefined))
    return { fields: takes, nesting, names: {} };
  const members = Object.entries(takes).flatMap(([name, field]): readonly BodyMember[] => {
    const around = lookup(nesting, name) ?? [];
    const view = viewNamed(model, field.type);
    if (view === undefined) return [{ field: name, definition: field, around, name }];
    return viewMembers(model, view, [...around, field.optional ? `${name}?` : name], isPatch);
  });
  return shapeOfMembers(members);
}

/** A member of a body, and the field that it sets. */
interface BodyMember {
  readonly field: string;
  readonly definition: Field;
  readonly around: readonly string[];
  /** The name in the body. */
  readonly name: string;
}

function shapeOfMembers(members: readonly BodyMember[]): InputShape {
  // If two members would set one field, the first one does.
  const setting = [...new Map(members.toReversed().map((one) => [one.field, one])).values()].toReversed();
  const nested = setting.filter(({ around }) => around.length > 0);
  const renamed = setting.filter(({ field, name }) => field !== name);
  return {
    fields: Object.fromEntries(setting.map(({ field, definition }) => [field, definition])),
    nesting: Object.fromEntries(nested.map(({ field, around }) => [field, around])),
    names: Object.fromEntries(renamed.map(({ field, name }) => [field, name])),
  };
}

/** Returns the view that a type names. A resource or type of the same name takes precedence. */
export function viewNamed(model: Model, type: FieldType): string | undefined {
  const { resources, types, views = {} } = model.resources;
  if (type.kind !== "named" || lookup(resources, type.name) !== undefined || lookup(types, type.name) !== undefined)
    return undefined;
  return lookup(views, type.name) === undefined ? undefined : type.name;
}

/**
 * Returns the members of a view that callers can send: those that are a field of its resource which the server does not set.
 * Such a member is a field of `fields`, another name for a field (`first-name: string := firstName`), an object around other
 * members (a view of the same resource), or an object with the id of a reference. `outer`: the names of the objects around
 * the view. `isOpen`: whether the body may omit the objects of the view.
 */
function viewMembers(model: Model, view: string, outer: readonly string[], isOpen: boolean): readonly BodyMember[] {
  const found: ViewDefinition = lookup(model.resources.views ?? {}, view) ?? { of: "" };
  const { of, deprecated = {}, fields = [], members = {} } = found;
  const all = fieldsOf(model, of);
  const ending = (member: BodyMember): BodyMember => {
    const deprecation = lookup(deprecated, member.name);
    if (deprecation === undefined) return member;
    return { ...member, definition: { ...member.definition, deprecated: deprecation } };
  };
  const sets = (field: string, name: string, around: readonly string[]): readonly BodyMember[] => {
    const definition = lookup(all, field);
    return definition === undefined || isServerSet(definition) ? [] : [{ field, definition, around, name }];
  };
  return [
    ...fields.flatMap((name) => sets(name, name, outer).map(ending)),
    ...Object.entries(members).flatMap(([name, field]): readonly BodyMember[] => {
      const { computed, optional, type } = field;
      if (isOnRequest(field)) return [];
      if (computed !== undefined) return sets(computed.trim(), name, outer);
      if (isExpandable(field)) return sets(name, name, outer);
      const nested = nestedView(model, type);
      if (nested === undefined || nested.list) return [];
      const around = [...outer, optional || isOpen ? `${name}?` : name];
      if (isAroundItself(model, view, name)) return viewMembers(model, nested.view, around, isOpen);
      const isId = lookup(model.resources.views ?? {}, nested.view)?.fields?.includes("id") === true;
      return isId ? sets(name, "id", around) : [];
    }),
  ];
}

/** Whether the response has one member with a value: then it can be plain text. */
export function isOneText(shape: Shape | undefined): boolean {
  if (shape?.kind !== "object") return false;
  const [only, ...more] = Object.values(shape.members);
  return only?.kind === "expression" && more.length === 0;
}
