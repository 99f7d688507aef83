/** Resolves `takes` and `gives`: which texts name views, which name the page of a list, and which are expressions. */
import type { Model } from "../model.ts";
import { fieldsOf, isServerSet, lookup } from "../resources/fields.ts";
import type { Field, Fields, FieldType } from "../resources/model.ts";
import type { FreeEndpoint, ResourceEndpoint } from "./resolve.ts";
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
}

export function responseShape(
  model: Model,
  { action, endpoint: { gives } }: ResourceEndpoint | FreeEndpoint,
): ResponseShape {
  if (gives === undefined) return {};
  const list = action === "list";
  const shape = gives === "none" ? ({ kind: "none" } as const) : shapeOf(model, gives, list && hasItems(model, gives));
  if (!list || !hasItems(model, gives)) return { item: shape };
  return { item: itemsIn(shape) ?? shape, page: shape };
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
}

/** Returns the declared body; undefined if the action determines it. A member whose type is a view has that view's fields. */
export function inputShape(model: Model, endpoint: Endpoint): InputShape | undefined {
  const { takes, takesView, nesting = {} } = endpoint;
  if (takesView !== undefined) return { fields: viewFields(model, takesView), nesting: {} };
  if (takes === undefined) return undefined;
  if (!Object.values(takes).some(({ type }) => viewNamed(model, type) !== undefined)) return { fields: takes, nesting };
  const fields: [string, Field][] = [];
  const shapes: [string, readonly string[]][] = [];
  for (const [name, field] of Object.entries(takes)) {
    const around = lookup(nesting, name) ?? [];
    const view = viewNamed(model, field.type);
    if (view === undefined) {
      fields.push([name, field]);
      if (around.length > 0) shapes.push([name, around]);
      continue;
    }
    for (const [inner, one] of Object.entries(viewFields(model, view))) {
      fields.push([inner, one]);
      shapes.push([inner, [...around, field.optional ? `${name}?` : name]]);
    }
  }
  return { fields: Object.fromEntries(fields), nesting: Object.fromEntries(shapes) };
}

/** Returns the view that a type names. A resource or type of the same name takes precedence. */
export function viewNamed(model: Model, type: FieldType): string | undefined {
  const { resources, types, views = {} } = model.resources;
  if (type.kind !== "named" || lookup(resources, type.name) !== undefined || lookup(types, type.name) !== undefined)
    return undefined;
  return lookup(views, type.name) === undefined ? undefined : type.name;
}

/** Returns the fields of a view that callers can send: those of its resource that the server does not set. */
function viewFields(model: Model, name: string): Fields {
  const view = lookup(model.resources.views ?? {}, name);
  if (view === undefined) return {};
  const all = fieldsOf(model, view.of);
  return Object.fromEntries(
    (view.fields ?? []).flatMap((field): [string, Field][] => {
      const found = lookup(all, field);
      return found === undefined || isServerSet(found) ? [] : [[field, found]];
    }),
  );
}
