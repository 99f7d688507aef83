/**
 * Adds versioning to the finished description: how a caller selects a version, and which one is deprecated. All operations get
 * the same additions, and every response the same header fields.
 */
import { isObject, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import { deprecationFields } from "./deprecated.ts";
import type { VersioningPart, VersionLocation } from "../../plan/versioning/conversion-types.ts";

export function withVersions(plan: VersioningPart, description: JsonObject): JsonObject {
  const { versions, version } = plan;
  if (versions === undefined || version === undefined) return description;
  const deprecated = versions.list.find(({ name }) => name === version)?.deprecated;
  const parameter = parameterOf(versions.sent, version);
  const { paths, servers, ...rest } = description as {
    readonly paths: Readonly<Record<string, JsonObject>>;
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
        };
      }),
    ),
  };
}

/** Returns the fields about versions, all of them optional, since an error may occur before the version is known. */
export function versionFields({ versions, version }: VersioningPart): Readonly<Record<string, JsonObject>> {
  if (versions === undefined || version === undefined) return {};
  const { sent, list } = versions;
  const deprecated = list.find(({ name }) => name === version)?.deprecated;
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
