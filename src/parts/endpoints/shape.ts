/** What `takes` and `gives` say, understood: which texts name views, which the page of a list, and which are expressions. */
import type { Model } from "../model.ts";
import { fieldsOf, isServerSet, own } from "../resources/fields.ts";
import type { Field, Fields, FieldType } from "../resources/model.ts";
import type { FreeEndpoint, ResourceEndpoint } from "./meaning.ts";
import type { Endpoint, Given } from "./model.ts";

// ── Answers ────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Shape =
  | { readonly kind: "object"; readonly members: Readonly<Record<string, Shape>> }
  /** The record at hand, as the caller sees it or as a view. */
  | { readonly kind: "record"; readonly resource: string }
  | { readonly kind: "view"; readonly view: string }
  /** The page of a list, each record in this shape. */
  | { readonly kind: "items"; readonly of: Shape }
  | { readonly kind: "count" }
  | { readonly kind: "next" }
  | { readonly kind: "expression"; readonly text: string }
  | { readonly kind: "none" };

/** An answer: what is said of each record, and for a list what stands around them. */
export interface AnswerShape {
  /** Absent: the record as the caller sees it. */
  readonly item?: Shape;
  /** Absent: what the style of lists says. */
  readonly page?: Shape;
}

export function answerShape(model: Model, { deed, endpoint: { gives } }: ResourceEndpoint | FreeEndpoint): AnswerShape {
  if (gives === undefined) return {};
  const list = deed === "list";
  const shape = gives === "none" ? ({ kind: "none" } as const) : shapeOf(model, gives, list && hasItems(model, gives));
  if (!list || !hasItems(model, gives)) return { item: shape };
  return { item: itemsIn(shape) ?? shape, page: shape };
}

/** `paged`: it is what stands around the records of a page, where `count` and `next` have a meaning. */
export function shapeOf(model: Model, given: Given, paged: boolean): Shape {
  if (typeof given !== "string") {
    const members = Object.entries(given).map(([name, one]) => [name, shapeOf(model, one, paged)] as const);
    return { kind: "object", members: Object.fromEntries(members) };
  }
  const items = itemsName(given);
  if (items !== undefined && isNamed(model, items)) return { kind: "items", of: named(model, items) };
  if (isNamed(model, given)) return named(model, given);
  if (paged && (given === "count" || given === "next")) return { kind: given };
  return { kind: "expression", text: given };
}

function named(model: Model, name: string): Shape {
  const isView = own(model.resources.views ?? {}, name) !== undefined;
  return isView ? { kind: "view", view: name } : { kind: "record", resource: name };
}

function isNamed({ resources: { resources, views = {} } }: Model, name: string): boolean {
  return own(views, name) !== undefined || own(resources, name) !== undefined;
}

/** `RecipeOut[]` says `RecipeOut`; anything else nothing. */
export function itemsName(given: string): string | undefined {
  return /^([A-Z][A-Za-z0-9]*)\[\]$/.exec(given)?.[1];
}

export function hasItems(model: Model, given: Given): boolean {
  if (typeof given !== "string") return Object.values(given).some((one) => hasItems(model, one));
  const name = itemsName(given);
  return name !== undefined && isNamed(model, name);
}

function itemsIn(shape: Shape): Shape | undefined {
  if (shape.kind === "items") return shape.of;
  if (shape.kind !== "object") return undefined;
  return Object.values(shape.members)
    .map(itemsIn)
    .find((found) => found !== undefined);
}

/** The texts of an answer that are expressions over the record, each with the path of its members. */
export function expressionsGiven(
  shape: Shape,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  if (shape.kind === "expression") return [{ path, text: shape.text }];
  if (shape.kind !== "object") return [];
  return Object.entries(shape.members).flatMap(([name, inner]) => expressionsGiven(inner, [...path, name]));
}

/** The answer with each of its texts changed; `path` is that of its members. */
export function withGiven(
  given: Given,
  edit: (text: string, path: readonly string[]) => string,
  path: readonly string[] = [],
): Given {
  if (typeof given === "string") return edit(given, path);
  return Object.fromEntries(
    Object.entries(given).map(([name, inner]) => [name, withGiven(inner, edit, [...path, name])]),
  );
}

/** The members of an answer that is an object, by their names. */
export function givenMembers(given: Given | undefined): Readonly<Record<string, Given>> {
  return given === undefined || typeof given === "string" ? {} : given;
}

// ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a body takes that the document says by itself. */
export interface TakenShape {
  readonly fields: Fields;
  /** By field the objects around it; none: it stands at the top. */
  readonly within: Readonly<Record<string, readonly string[]>>;
}

/** Undefined where the deed says what is taken. A member whose type is a view stands for that view's fields. */
export function takenShape(model: Model, endpoint: Endpoint): TakenShape | undefined {
  const { takes, takesView, within = {} } = endpoint;
  if (takesView !== undefined) return { fields: viewFields(model, takesView), within: {} };
  if (takes === undefined) return undefined;
  if (!Object.values(takes).some(({ type }) => viewNamed(model, type) !== undefined)) return { fields: takes, within };
  const fields: [string, Field][] = [];
  const places: [string, readonly string[]][] = [];
  for (const [name, field] of Object.entries(takes)) {
    const around = own(within, name) ?? [];
    const view = viewNamed(model, field.type);
    if (view === undefined) {
      fields.push([name, field]);
      if (around.length > 0) places.push([name, around]);
      continue;
    }
    for (const [inner, one] of Object.entries(viewFields(model, view))) {
      fields.push([inner, one]);
      places.push([inner, [...around, field.optional ? `${name}?` : name]]);
    }
  }
  return { fields: Object.fromEntries(fields), within: Object.fromEntries(places) };
}

/** The view that a type names. A resource of the same name comes first, as everywhere. */
export function viewNamed(model: Model, type: FieldType): string | undefined {
  const { resources, types, views = {} } = model.resources;
  if (type.kind !== "named" || own(resources, type.name) !== undefined || own(types, type.name) !== undefined)
    return undefined;
  return own(views, type.name) === undefined ? undefined : type.name;
}

/** What of a view a caller can send: its resource's fields that callers set. */
function viewFields(model: Model, name: string): Fields {
  const view = own(model.resources.views ?? {}, name);
  if (view === undefined) return {};
  const all = fieldsOf(model, view.of);
  return Object.fromEntries(
    (view.fields ?? []).flatMap((field): [string, Field][] => {
      const found = own(all, field);
      return found === undefined || isServerSet(found) ? [] : [[field, found]];
    }),
  );
}
