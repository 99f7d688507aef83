/** What a deprecation of part 9 says of an operation, a field or a member, for the plan and for descriptions of the API. */
import type { JsonObject } from "../../base/json.ts";
import type { Model } from "../model.ts";
import { lookup } from "../resources/fields.ts";
import type { Fields } from "../resources/model.ts";
import { type ChangeTarget, type Deprecation, deprecatedTarget } from "./model.ts";

/** The deprecation of a version, an operation, or a field or member such as `Parcel.labels`; undefined if it is not deprecated. */
export function deprecationOf({ versioning }: Pick<Model, "versioning">, name: string): Deprecation | undefined {
  return lookup(versioning.deprecated ?? {}, name);
}

/** Returns the deprecations of operations, fields and members, without those of versions. */
export function deprecatedTargets({
  versioning,
}: Pick<Model, "versioning">): readonly (readonly [ChangeTarget, Deprecation])[] {
  return Object.entries(versioning.deprecated ?? {}).flatMap(([key, deprecation]) => {
    const target = deprecatedTarget(key);
    return target === undefined ? [] : [[target, deprecation] as const];
  });
}

/** Returns a copy of the model whose fields have their deprecations, which the schemas of the plan then describe. */
export function withDeprecatedFields(model: Model): Model {
  return deprecatedTargets(model).reduce<Model>((all, [{ of, field }, deprecation]) => {
    if (field === undefined) return all;
    const edited = (fields: Fields | undefined): Fields | undefined => {
      const present = fields && lookup(fields, field);
      return present === undefined ? undefined : { ...fields, [field]: { ...present, deprecated: deprecation } };
    };
    const { resources, types, views = {} } = all.resources;
    const endpoint = lookup(all.endpoints.endpoints, of);
    const [resource, type, view] = [lookup(resources, of), lookup(types, of), lookup(views, of)];
    const fields = edited(resource?.fields);
    const members = edited(type);
    const viewMembers = edited(view?.members);
    const isViewField = view?.fields?.includes(field) === true;
    const [takes, query, shape] = [edited(endpoint?.takes), edited(endpoint?.query), edited(endpoint?.shape)];
    return {
      ...all,
      resources: {
        ...all.resources,
        ...(fields === undefined ? {} : { resources: { ...resources, [of]: { ...resource, fields } } }),
        ...(members === undefined ? {} : { types: { ...types, [of]: members } }),
        ...(view === undefined || viewMembers === undefined
          ? {}
          : { views: { ...views, [of]: { ...view, members: viewMembers } } }),
        ...(view === undefined || !isViewField
          ? {}
          : { views: { ...views, [of]: { ...view, deprecated: { ...view.deprecated, [field]: deprecation } } } }),
      },
      ...(endpoint === undefined
        ? {}
        : {
            endpoints: {
              ...all.endpoints,
              endpoints: {
                ...all.endpoints.endpoints,
                [of]: { ...endpoint, ...(takes && { takes }), ...(query && { query }), ...(shape && { shape }) },
              },
            },
          }),
    };
  }, model);
}

/** The keywords of schemas and operations that state a deprecation for other tools, beside `deprecated`. */
export const deprecationKeywords: Readonly<Record<keyof Deprecation, string>> = {
  since: "x-deprecated-since",
  sunset: "x-sunset",
  guide: "x-deprecated-guide",
};

/** Returns a schema, or the description of an operation, that says the deprecation. */
export function withDeprecation(schema: JsonObject, deprecation: Deprecation | undefined): JsonObject {
  if (deprecation === undefined) return schema;
  const { since, sunset, guide } = deprecation;
  const { description } = schema;
  const text = deprecationText(deprecation);
  return {
    ...schema,
    description: typeof description === "string" && description !== "" ? `${description}\n\n${text}` : text,
    deprecated: true,
    ...(since === undefined ? {} : { [deprecationKeywords.since]: since }),
    ...(sunset === undefined ? {} : { [deprecationKeywords.sunset]: sunset }),
    ...(guide === undefined ? {} : { [deprecationKeywords.guide]: guide }),
  };
}

/** Returns a deprecation in words: `Deprecated since 2026-09-01, ends 2027-03-01: https://docs.example/2`. */
export function deprecationText({ guide, since, sunset }: Deprecation): string {
  const dates = `Deprecated${since === undefined ? "" : ` since ${since}`}${sunset === undefined ? "" : `, ends ${sunset}`}`;
  return guide === undefined ? `${dates}.` : `${dates}: ${guide}`;
}
