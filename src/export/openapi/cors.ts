/** Describes the CORS header fields, which every response can have. */
import type { JsonObject } from "../../base/json.ts";
import type { EndpointsPart } from "../../plan/endpoints/types.ts";

export function corsFields({ cors }: EndpointsPart): Readonly<Record<string, JsonObject>> {
  if (cors === undefined) return {};
  return {
    "Access-Control-Allow-Origin": field("The origin of the page, if it may read this response."),
    "Access-Control-Expose-Headers": field("The header fields that the page may read."),
    ...(cors.credentials
      ? { "Access-Control-Allow-Credentials": field("Whether the page may send credentials.") }
      : {}),
  };
}

function field(description: string): JsonObject {
  return { description, schema: { type: "string" } };
}
