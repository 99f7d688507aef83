/** Adds the CORS header fields to every response of the finished description. */
import { isObject, type Json, type JsonObject, mapMembers } from "../../base/json.ts";
import type { EndpointsPart } from "../../plan/endpoints/types.ts";

export function withCors({ cors }: EndpointsPart, description: JsonObject): JsonObject {
  if (cors === undefined) return description;
  const fields: JsonObject = {
    "Access-Control-Allow-Origin": field("The origin of the page, if it may read this response."),
    "Access-Control-Expose-Headers": field("The header fields that the page may read."),
    ...(cors.credentials
      ? { "Access-Control-Allow-Credentials": field("Whether the page may send credentials.") }
      : {}),
  };
  const referring = Object.keys(fields).map((name): [string, Json] => [name, { $ref: `#/components/headers/${name}` }]);
  const withHeaders = (response: Json): Json =>
    !isObject(response) || response["$ref"] !== undefined
      ? response
      : {
          ...response,
          headers: { ...(response["headers"] as JsonObject | undefined), ...Object.fromEntries(referring) },
        };
  const { paths, components } = description as { readonly paths: JsonObject; readonly components: JsonObject };
  return {
    ...description,
    paths: mapMembers(paths, (item) =>
      mapMembers(item as JsonObject, (operation) =>
        isObject(operation) && operation["responses"] !== undefined
          ? { ...operation, responses: mapMembers(operation["responses"] as JsonObject, withHeaders) }
          : operation,
      ),
    ),
    components: {
      ...components,
      headers: { ...(components["headers"] as JsonObject), ...fields },
      responses: mapMembers(components["responses"] as JsonObject, withHeaders),
    },
  };
}

function field(description: string): JsonObject {
  return { description, required: false, schema: { type: "string" } };
}
