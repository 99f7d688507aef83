/** Where a document names a resource or an entry of `types:` as the type of something. */
import { contractTypes } from "../endpoints/contract-types.ts";
import type { Model } from "../model.ts";
import { onceForModel } from "../analysis/per-model.ts";
import type { Fields, FieldType } from "./model.ts";

export interface NamedUse {
  readonly name: string;
  /** A path as in `Places`. */
  readonly at: string;
  /** The resource or type whose field it is, where it is one's. */
  readonly enclosing?: string;
  /** Whether a name from `schemas:` may stand there. */
  readonly schemas?: true;
  /** Whether a name from `views:` may. */
  readonly views?: true;
}

export const namedTypes: (model: Model) => readonly NamedUse[] = onceForModel((model) => {
  const { resources, types, views = {} } = model.resources;
  const endpoints = Object.entries(model.endpoints.endpoints);
  return [
    ...Object.entries(resources).flatMap(([name, { fields }]) => inFields(fields, `resources/${name}`, name)),
    ...Object.entries(types).flatMap(([name, fields]) => inFields(fields, `resources/types/${name}`, name)),
    ...Object.entries(views).flatMap(([name, { members = {} }]) =>
      inFields(members, `resources/views/${name}`).map((use): NamedUse => ({ ...use, views: true })),
    ),
    ...endpoints.flatMap(([operation, { takes }]) =>
      takes === undefined
        ? []
        : inFields(takes, `endpoints/endpoints/${operation}/takes`).map((use): NamedUse => ({ ...use, views: true })),
    ),
    ...endpoints.flatMap(([operation, { shape }]) =>
      shape === undefined ? [] : inFields(shape, `endpoints/endpoints/${operation}/gives`),
    ),
    ...endpoints.flatMap(([operation, { wire }]) =>
      wire === undefined
        ? []
        : contractTypes(wire, `endpoints/endpoints/${operation}/wire`).flatMap(({ type, at }) =>
            inType(type, at).map((use): NamedUse => ({ ...use, schemas: true })),
          ),
    ),
    ...Object.entries(model.events.in ?? {}).flatMap(([event, { carries }]) =>
      Object.entries(carries).flatMap(([member, type]) => inType(type, `events/in/${event}/carries/${member}#value`)),
    ),
  ];
});

function inFields(fields: Fields, path: string, enclosing?: string): NamedUse[] {
  return Object.entries(fields).flatMap(([name, { type }]) => inType(type, `${path}/${name}/type`, enclosing));
}

function inType(type: FieldType, at: string, enclosing?: string): NamedUse[] {
  switch (type.kind) {
    case "named":
      return [{ name: type.name, at, ...(enclosing === undefined ? {} : { enclosing }) }];
    case "list":
    case "map":
    case "nullable":
      return inType(type.of, at, enclosing);
    default:
      return [];
  }
}
