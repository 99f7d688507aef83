/**
 * Adds versioning to the finished description: how a caller selects a version, and the header fields about the version and its
 * deprecation. All operations and responses get the same additions.
 */
import { isObject, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import { deprecationFields } from "./deprecated.ts";
import type {
  DeprecationPlan,
  VersioningPart,
  VersionLocation,
  VersionsPlan,
} from "../../plan/versioning/conversion-types.ts";

export function withVersions(plan: VersioningPart, description: JsonObject): JsonObject {
  const { versions, version } = plan;
  if (versions === undefined || version === undefined) return description;
  const deprecated = versions.list.find(({ name }) => name === version)?.deprecated;
  const fields = responseFields(versions, version, deprecated);
  const names = Object.keys(fields);
  const parameter = parameterOf(versions.sent, version);
  const { paths, components, servers, ...rest } = description as {
    readonly paths: Readonly<Record<string, JsonObject>>;
    readonly components: JsonObject;
    readonly servers: readonly { readonly url: string }[];
  };
  const prefix = versions.sent?.kind === "path" ? versions.sent.template.replace("{n}", version) : "";
  return {
    ...rest,
    servers: servers.map((server) => ({ ...server, url: `${server.url}${prefix}` })),
    paths: mapMembers(paths, (item) =>
      mapMembers(item as JsonObject, (operation) => {
        if (!isObject(operation) || operation["responses"] === undefined) return operation;
        const parameters = (operation["parameters"] ?? []) as readonly Json[];
        const ofService = operation["security"] !== undefined && JSON.stringify(operation["tags"]) === '["service"]';
        return {
          ...operation,
          ...(parameter === undefined || ofService ? {} : { parameters: [...parameters, parameter] }),
          ...(deprecated === undefined || ofService ? {} : { deprecated: true }),
          responses: mapMembers(operation["responses"] as JsonObject, (response) => withFields(response, names)),
        };
      }),
    ),
    components: {
      ...components,
      headers: { ...(components["headers"] as JsonObject), ...fields },
      responses: mapMembers(components["responses"] as JsonObject, (response) => withFields(response, names)),
    },
  };
}

/**
 * Adds header fields to a response. A referenced component already has them; existing fields, such as `Link` of a page, stay.
 */
function withFields(response: Json, names: readonly string[]): Json {
  if (!isObject(response) || response["$ref"] !== undefined) return response;
  const fields = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { ...response, headers: { ...fields, ...(response["headers"] as JsonObject | undefined) } };
}

/** Returns the fields about versions, all of them optional, since an error may occur before the version is known. */
function responseFields(
  { sent }: VersionsPlan,
  version: string,
  deprecated: DeprecationPlan | undefined,
): Readonly<Record<string, JsonObject>> {
  const field = (description: string, schema: JsonObject): JsonObject => ({ description, schema });
  return {
    ...(sent?.kind === "header"
      ? { [sent.name]: field("The version of the response.", { type: "string", const: version }) }
      : {}),
    ...(deprecated === undefined ? {} : deprecationFields("version", deprecated)),
  };
}

function parameterOf(sent: VersionLocation | undefined, version: string): JsonObject | undefined {
  if (sent?.kind !== "header" && sent?.kind !== "query") return undefined;
  return {
    name: sent.name,
    in: sent.kind,
    required: false,
    description: "The requested version.",
    schema: { type: "string", const: version },
  };
}
