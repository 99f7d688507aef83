/** Looks up the fields of a resource, for several phases; results are cached per model. */
import type { UnixUnit } from "../../base/unix-time.ts";
import type { Model } from "../model.ts";
import { onceForModel } from "../analysis/per-model.ts";
import type { Field, Fields, FieldType, Modifier } from "./model.ts";

/** Returns the type without `| null`. */
export function bareType(type: FieldType): FieldType {
  return type.kind === "nullable" ? bareType(type.of) : type;
}

/** Returns the unit of a type that JSON has as Unix time. */
export function unixUnitOf(type: FieldType): UnixUnit | undefined {
  const bare = bareType(type);
  return bare.kind === "scalar" ? bare.unix : undefined;
}

/**
 * Returns the innermost type of lists and maps, and the lists and maps around it, outermost first: `map(T[])` is a `T` in a
 * list in a map.
 */
export function innermost(type: FieldType): {
  readonly of: FieldType;
  readonly enclosing: readonly ("list" | "map")[];
} {
  const bare = bareType(type);
  if (bare.kind !== "list" && bare.kind !== "map") return { of: bare, enclosing: [] };
  const { of, enclosing } = innermost(bare.of);
  return { of, enclosing: [bare.kind, ...enclosing] };
}

/** Whether the field can be null in an expression: it is optional (`?`) or has the type `T | null`. */
export function isNullable(field: Field): boolean {
  return field.optional || field.type.kind === "nullable";
}

/** Returns the resource that a field of this type refers to; undefined for other types, including lists of references. */
export function referenceOf(model: Model, type: FieldType): string | undefined {
  const bare = bareType(type);
  if (bare.kind !== "named") return undefined;
  return Object.hasOwn(model.resources.resources, bare.name) ? bare.name : undefined;
}

/** Returns the fields of a resource; empty if there is no such resource. */
export function fieldsOf(model: Model, resource: string): Fields {
  return lookup(model.resources.resources, resource)?.fields ?? {};
}

/** Returns the member of an object by a name from the document. Safe for names such as `constructor`. */
export function lookup<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

const storedModifiers: readonly Modifier[] = ["unique", "filter", "sort", "search"];

/** Whether the field has a column. A computed field has one only if it is `unique`, `filter`, `sort` or `search`. */
export function isStored(field: Field): boolean {
  return field.computed === undefined || storedModifiers.some((modifier) => field.marks.includes(modifier));
}

/** Whether callers may not set the field: it is `read-only`, computed, or an id that the server generates. */
export function isServerSet(field: Field): boolean {
  const { type } = field;
  return (
    field.marks.includes("read-only") || field.computed !== undefined || (type.kind === "id" && type.made !== "client")
  );
}

/** Whether no response contains the field: it is `secret` or `write-only`. */
export function isNeverReturned({ marks }: Pick<Field, "marks">): boolean {
  return marks.includes("secret") || marks.includes("write-only");
}

/** Whether a caller may change the field of an existing record. */
export function isChangeable(name: string, field: Field): boolean {
  return name !== "id" && !isServerSet(field) && !field.marks.includes("create-only");
}

/** Whether clients choose the id of the resource's records. */
export function hasClientId(model: Model, resource: string): boolean {
  const type = lookup(fieldsOf(model, resource), "id")?.type;
  return type?.kind === "id" && type.made === "client";
}

/**
 * Whether at most one record can have a value of this field: the id, a field marked `unique`, or the only field of a `unique`
 * rule.
 */
export function isUnique(model: Model, resource: string, name: string): boolean {
  const field = lookup(fieldsOf(model, resource), name);
  if (field === undefined) return false;
  if (name === "id" || field.marks.includes("unique")) return true;
  return isUniqueTogether(model, resource, [name]);
}

/** Whether no two records have the same values of exactly these fields, by a `unique` rule or a number `counter per`. */
export function isUniqueTogether(model: Model, resource: string, names: readonly string[]): boolean {
  return uniqueTogether(model, resource).some(
    (fields) =>
      fields.length === new Set(names).size &&
      fields.length === names.length &&
      names.every((name) => fields.includes(name)),
  );
}

/** Returns the sets of fields that are unique together: of each `unique` rule, and of each number with its `counter per`. */
function uniqueTogether(model: Model, resource: string): readonly (readonly string[])[] {
  const rules = lookup(model.resources.rules, resource) ?? [];
  return [
    ...rules.flatMap((rule) => (rule.kind === "unique" ? [rule.fields] : [])),
    ...Object.entries(fieldsOf(model, resource)).flatMap(([name, { default: made }]) =>
      made?.kind === "counter-per" ? [[made.per, name]] : [],
    ),
  ];
}

/**
 * Returns the view in which a member of a view is nested, and that view's resource. `list`: whether the member's type is
 * `View[]`.
 */
export function nestedView(
  { resources: { resources, types, views = {} } }: Model,
  type: FieldType,
): { readonly view: string; readonly of: string; readonly list: boolean } | undefined {
  const bare = bareType(type);
  const item = bare.kind === "list" ? bareType(bare.of) : bare;
  if (item.kind !== "named" || lookup(resources, item.name) !== undefined || lookup(types, item.name) !== undefined)
    return undefined;
  const view = lookup(views, item.name);
  return view === undefined ? undefined : { view: item.name, of: view.of, list: bare.kind === "list" };
}

/** Whether a response has the id of a record in place of the field, unless the request asks for the record. */
export function isExpandable({ marks }: Pick<Field, "marks">): boolean {
  return marks.includes("expand");
}

/** Whether a response has the member of a view only if the request asks for it. */
export function isOnRequest({ marks }: Pick<Field, "marks">): boolean {
  return marks.includes("on request");
}

/** Returns the type of a view's member if a request expands nothing: of an expandable member, the reference. */
export function unexpandedType(model: Model, field: Field): FieldType {
  const nested = isExpandable(field) || isOnRequest(field) ? nestedView(model, field.type) : undefined;
  return nested === undefined ? field.type : { kind: "named", name: nested.of };
}

/**
 * Whether a member of a view is an object around other members of the same record: its type is another view of the resource,
 * and the resource has no field of its name.
 */
export function isAroundItself(model: Model, view: string, member: string): boolean {
  const { of = "", members = {} } = lookup(model.resources.views ?? {}, view) ?? {};
  const field = lookup(members, member);
  if (field === undefined || field.computed !== undefined || lookup(fieldsOf(model, of), member) !== undefined)
    return false;
  const nested = nestedView(model, field.type);
  return nested?.of === of && !nested.list;
}

/** A field anywhere in a document, with its path. */
export interface FieldSite {
  /** Where the field is declared: in a resource, an embedded type, a view, or a body. */
  readonly enclosing: "resource" | "type" | "view" | "takes";
  readonly at: string;
  readonly name: string;
  readonly field: Field;
}

export const fieldSites: (model: Model) => readonly FieldSite[] = onceForModel(({ resources, endpoints }) => {
  const sites = (enclosing: FieldSite["enclosing"], at: string, fields: Fields): readonly FieldSite[] =>
    Object.entries(fields).map(([name, field]) => ({ enclosing, at: `${at}/${name}`, name, field }));
  return [
    ...Object.entries(resources.resources).flatMap(([name, { fields }]) =>
      sites("resource", `resources/${name}`, fields),
    ),
    ...Object.entries(resources.types).flatMap(([name, fields]) => sites("type", `resources/types/${name}`, fields)),
    ...Object.entries(resources.views ?? {}).flatMap(([name, { members = {} }]) =>
      sites("view", `resources/views/${name}`, members),
    ),
    ...Object.entries(endpoints.endpoints).flatMap(([name, { takes }]) =>
      takes === undefined ? [] : sites("takes", `endpoints/endpoints/${name}/takes`, takes),
    ),
  ];
});

/** Whether the field is unique, alone or together with other fields. */
export function isDistinguishing(model: Model, resource: string, name: string): boolean {
  return isUnique(model, resource, name) || uniqueTogether(model, resource).some((fields) => fields.includes(name));
}

/** Whether the field is in a `unique` rule that treats two absent values as equal. */
export function isAbsentEqual(model: Model, resource: string, name: string): boolean {
  const rules = lookup(model.resources.rules, resource) ?? [];
  return rules.some((rule) => rule.kind === "unique" && rule.absent === "equal" && rule.fields.includes(name));
}

/** Returns the names of the resource's fields that refer to `target`. */
export function referencesTo(model: Model, resource: string, target: string): readonly string[] {
  return Object.entries(fieldsOf(model, resource))
    .filter(([, field]) => referenceOf(model, field.type) === target)
    .map(([name]) => name);
}

/** Returns the lifecycle of a resource; undefined if the resource has no states. */
export function lifecycleOf(model: Model, resource: string): Exclude<Model["states"][string], "none"> | undefined {
  const states = lookup(model.states, resource);
  return states === "none" ? undefined : states;
}

/** Whether a field of the resource (with `name`: this field) has a type that the document does not declare. */
export function hasUnknownType({ resources }: Model, resource: string, name?: string): boolean {
  return Object.entries(lookup(resources.resources, resource)?.fields ?? {}).some(([field, { type }]) => {
    const bare = bareType(type);
    if (bare.kind !== "named" || (name !== undefined && name !== field)) return false;
    return lookup(resources.resources, bare.name) === undefined && lookup(resources.types, bare.name) === undefined;
  });
}

/** Returns the range of each numeric field; the store never contains a value outside it. */
export function rangesOf(model: Model, resource: string): Readonly<Record<string, { min?: number; max?: number }>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(model, resource)).flatMap(([name, { type }]) => {
      const bare = bareType(type);
      if (bare.kind !== "scalar" || !["integer", "number", "decimal"].includes(bare.name)) return [];
      const { min, max } = bare;
      return [[name, { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }]];
    }),
  );
}
